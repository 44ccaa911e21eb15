"""Which methods exist, what each weighs, what it needs and what it cites.

The catalogue is made from the method files themselves: each class carries a
:class:`MethodCard`, and a file that is added to a folder of :mod:`comitia.methods` is
in the catalogue. Other packages name their methods in the entry points of the group
``comitia.methods``; they are looked for when methods are listed, or when an id is not
one of ours.
"""

from __future__ import annotations

import importlib
import inspect
import os
import pkgutil
import re
import warnings
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field, replace
from functools import cache, partial
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, NamedTuple, get_args
from typing import Literal as L

from comitia._html import html_table
from comitia._optional import import_optional
from comitia.exceptions import ComitiaError, ComitiaWarning

if TYPE_CHECKING:
    from collections.abc import Mapping

    from comitia.base import EnsembleMethod

__all__ = [
    "ALIASES",
    "DEFAULT_FOR",
    "DEFAULT_FOR_K",
    "DEFAULT_METHOD",
    "PROMISES",
    "MethodCard",
    "MethodList",
    "find_methods",
    "iter_classes",
    "method",
    "method_classes",
]

# What is used when nobody names a method. These lines are the only place that says it.
DEFAULT_METHOD = "consensus"
# What takes data that are no table, by what the cards call them.
DEFAULT_FOR: Mapping[str, str] = MappingProxyType(
    {"views": "multi_view", "series": "time_series", "graph": "fast_ensemble"}
)
# To look through numbers of clusters: its tree has them all.
DEFAULT_FOR_K = "lwea"

# Published names of what is another method, or one of its variants at the default.
ALIASES = {"qmi": "kcc"}

# Published methods that are left out, and why.
_REFUSED = dict.fromkeys(
    ("celta", "gtlec"),
    "its published code transforms along the rows of the file, so that the result "
    "depends on their order; docs/row_order.rst shows it.",
)

# What a card may exempt a method from, as its page tells it. A name that is not here is
# that of one of scikit-learn's estimator checks.
PROMISES = {
    "recovery": "finds clear clusters in clusterings that get 15 % wrong",
    "chooses_k": "finds how many clear clusters there are",
    "deterministic": "gives the same labels for the same seed",
    "label_names": "does not mind how the labels are called",
    "object_order": "does not mind the order of the objects",
    "data_order": "makes the same of data in another order",
    "clustering_order": "does not mind the order of the clusterings",
    "equal_clusterings": "gives equal clusterings the same weight",
    "unanimous": "returns what all clusterings agree on",
    "single_clustering": "returns a single clustering as it is",
    "missing_labels": "finds clear clusters where labels are missing",
    "few_labels": "finds the cluster of objects that have few labels",
    "one_cluster": "finds one cluster where one is asked for",
    "fitted_attributes": "has fitted attributes of the usual shapes",
    "labels_only": "ignores data that it does not need",
    "own_ensemble": "refuses clusterings that it did not make",
    "data_alone": "makes its own clusterings of data",
    "predict": "labels the old objects as they were",
    "pickle": "can be pickled and cloned",
    "data_frames": "keeps the names of data frames",
    "too_many_clusters": "refuses more clusters than objects",
    "uncovered": "refuses objects that are in no clustering",
    "all_or_nothing": "is left as it was by a fit that fails",
    "two_steps": "gives the same in one step and in two",
    "constraints": "refuses constraints that it does not use",
    "weights_differ": "gives unequal weights to ordinary clusterings",
    "weights_follow_quality": "gives more weight to better clusterings",
    "selects": "keeps some of the clusterings and drops others",
    "drops_junk": "drops random clusterings before good ones",
    "helps": "is no worse than with equal weights",
    "asked_k": "returns as many clusters as asked for, or warns",
    "noisy_object_order": "does not mind the order of the objects at 35 % noise",
    "noisy_clustering_order": "does not mind the order of clusterings at 35 % noise",
    "noisy_label_names": "does not mind the names of labels at 35 % noise",
}

Weighs = L[
    "clusterings",
    "clusters",
    "objects",
    "pairs",
    "features",
    "views",
    "edges",
    "nothing",
]
Approach = L["fixed", "variable", "selection", "baseline", "composite"]
Need = L["labels", "data", "constraints", "views", "series", "graph", "dendrograms"]
Missing = L["pairs", "votes", "objects", "sums", ""]
Scales = L["linear", "quadratic"]
Source = L["review", "after"]

#: What a missing label means, by the word on the card.
MISSING: dict[str, str] = {
    "pairs": "says nothing: two objects are compared over the clusterings that have "
    "both of them",
    "votes": "is no vote: the clusterings that have an object decide where it belongs",
    "objects": "is not compared: a clustering counts on the objects that it has",
    "sums": "adds nothing: an object with few labels is less like all others alike",
}

#: Where a method was collected, by the word on the card.
SOURCES: dict[str, str] = {
    "review": "Zhang's review of weighted clustering ensembles",
    "after": "published after the review, or outside of it",
}


@dataclass(frozen=True, kw_only=True)
class MethodCard:
    """What the catalogue knows of a method.

    Parameters
    ----------
    id : str
        The catalogue id; also the name of the file.

    weighs : str
        What gets the weights: ``"clusterings"``, ``"clusters"``, ``"objects"``,
        ``"pairs"`` of objects, ``"features"``, ``"views"``, ``"edges"`` of a network or
        ``"nothing"``.

    weighs_how : str, default=""
        Where the weights come from, if a fit with the defaults computes none.

    approach : {"fixed", "variable", "selection", "baseline", "composite"}
        Weights computed once, optimised with the consensus, used to select, a method
        that others are compared with, or one made of parts that the user chooses.

    needs : str or tuple of str
        What ``fit`` must be given: ``"labels"`` for an ensemble alone, ``"data"``,
        ``"constraints"``, ``"views"``, ``"series"``, ``"graph"``, ``"dendrograms"``. A
        method that judges given clusterings on their data needs both labels and data;
        one that makes its own clusterings needs no labels.

    missing : {"pairs", "votes", "objects", "sums", ""}, default=""
        What a missing label means, as :data:`MISSING` has it in words; "" for methods
        that take no clusterings.

    scales : {"linear", "quadratic"}
        How time or memory grow with the number of objects.

    source : {"review", "after"}, default="review"
        Where the method was collected: Zhang's review with its baselines and what is
        made of their parts, or the literature that the review does not cover.

    on_device : bool, default=False
        Whether ``fit`` can run on a GPU, through PyTorch or CuPy.

    requires : str, default=""
        The extra that has to be installed, if any.

    exempt : dict of str to str, default={}
        Promises of the common suite (:data:`PROMISES`) that the method does not make,
        each with its reason. Its page and ``comitia methods show`` tell them.

    quick : dict, default={}
        Parameters with which the common suite fits the method in little time.

    name, summary, reference : str
        Read from the docstring of the class.

    Examples
    --------
    >>> from comitia import method
    >>> card = method("lwea").card
    >>> card.weighs, card.scales
    ('clusters', 'quadratic')
    """

    id: str
    weighs: Weighs
    weighs_how: str = ""
    approach: Approach
    needs: Need | tuple[Need, ...] = "labels"
    missing: Missing = ""
    scales: Scales
    source: Source = "review"
    on_device: bool = False
    requires: str = ""
    exempt: Mapping[str, str] = field(
        default_factory=lambda: MappingProxyType({}), compare=False
    )
    quick: Mapping[str, Any] = field(
        default_factory=lambda: MappingProxyType({}), compare=False
    )
    name: str = ""
    summary: str = ""
    reference: str = ""

    def __post_init__(self) -> None:
        if isinstance(self.needs, str):
            object.__setattr__(self, "needs", (self.needs,))
        for attribute, allowed in _ALLOWED.items():
            value = getattr(self, attribute)
            for item in value if isinstance(value, tuple) else (value,):
                if item not in allowed:
                    raise ComitiaError(
                        f"{attribute}={item!r} on the card of {self.id} is not one "
                        f"of {', '.join(map(repr, allowed))}."
                    )

    @property
    def folder(self) -> str:
        """The folder of :mod:`comitia.methods` that the method stands in."""
        if self.approach == "baseline":
            return "baselines"
        if self.approach in ("selection", "composite"):
            return self.approach
        if "views" in self.needs:
            return "multiview"
        if "series" in self.needs:
            return "temporal"
        if "graph" in self.needs and self.source == "after":
            return "graphs"
        return f"{self.approach}_{self.weighs}"

    def described_by(self, docstring: str | None) -> MethodCard:
        """Fill in name, summary and reference from the docstring of the class.

        Parameters
        ----------
        docstring : str or None
            The docstring, in numpydoc form.

        Returns
        -------
        card : MethodCard
            The card with the three texts.
        """
        text = inspect.cleandoc(docstring or "")
        head, _, rest = text.partition("\n\n")
        reference = re.search(r"\.\. \[1\] (.+?)(?=\n\.\. \[2\]|\n\n|\Z)", text, re.S)
        return replace(
            self,
            name=" ".join(head.split()).rstrip("."),
            summary=" ".join(rest.partition("\n\n")[0].split()),
            reference=" ".join(reference[1].split()) if reference else "",
        )


class MethodList(list[MethodCard]):
    """Cards of methods, which can be had as a table.

    Parameters
    ----------
    iterable : iterable of MethodCard, default=()
        The cards.

    Examples
    --------
    >>> import comitia
    >>> comitia.methods(weighs="views", approach="composite").to_frame()["scales"]
    id
    multi_view    linear
    Name: scales, dtype: ...
    """

    def to_frame(self) -> Any:
        """The cards as a pandas DataFrame.

        Returns
        -------
        frame : pandas.DataFrame
            A row for each method and a column for each thing that its card says; the
            index is the id.

        Examples
        --------
        >>> import comitia
        >>> cards = comitia.methods(weighs="clusters", scales="linear")
        >>> cards.to_frame().loc["lwgp", "weighs"]
        'clusters'
        """
        pd = import_optional("pandas", "to_frame()", "io")
        rows = [
            {name: getattr(card, name) for name in ("id", "name", *_SHOWN, "summary")}
            for card in self
        ]
        names = ["id", "name", *_SHOWN, "summary"]
        return pd.DataFrame(rows, columns=names).set_index("id")

    def _repr_html_(self) -> str:
        rows = [
            (card.id, card.name, *(_plain_cell(getattr(card, name)) for name in _SHOWN))
            for card in self
        ]
        return html_table(("id", "name", *_SHOWN), rows, f"{len(self)} methods")


# What a table of methods shows of each card, beside id and name.
_SHOWN = ("weighs", "approach", "needs", "scales", "on_device", "requires")


def _plain_cell(value: Any) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    return ", ".join(value) if isinstance(value, tuple) else str(value)


_ALLOWED = {
    "weighs": get_args(Weighs),
    "approach": get_args(Approach),
    "needs": get_args(Need),
    "missing": get_args(Missing),
    "scales": get_args(Scales),
    "source": get_args(Source),
}


def method(id: str = DEFAULT_METHOD) -> type[EnsembleMethod]:
    """Look a method up by its catalogue id.

    Parameters
    ----------
    id : str, default="consensus"
        The catalogue id, such as ``"lwgp"``; the default of the library without one.
        ``"qmi"``, another name of ``"kcc"``, is known too.

    Returns
    -------
    method : type
        The estimator class.

    Examples
    --------
    >>> import comitia
    >>> comitia.method("lwea").__name__
    'LWEA'
    """
    known = ALIASES.get(id, id)
    sources = _our_sources()
    if known not in sources:
        sources = _all_sources()
    if known not in sources:
        import difflib

        if id in _REFUSED:
            raise ComitiaError(f"there is no method {id!r}: {_REFUSED[id]}")
        # Ids are in small letters; LWGP is a class, and what people write.
        name = str(id).lower().replace("-", "_").replace(" ", "_")
        close = [name] if name in sources else []
        close = close or difflib.get_close_matches(name, sources, n=3)
        hint = f"did you mean {' or '.join(close)}?" if close else "see methods()."
        raise ComitiaError(f"there is no method with the id {id!r}; {hint}")
    return _load(sources[known])


def method_classes() -> list[type[EnsembleMethod]]:
    """All methods: ours ordered by id, then those of other packages.

    Returns
    -------
    classes : list of type
        The estimator classes. What cannot be imported is left out with a
        :class:`~comitia.exceptions.ComitiaWarning`.

    Examples
    --------
    >>> from comitia.catalogue import method_classes
    >>> [cls.card.id for cls in method_classes() if cls.card.weighs == "pairs"]
    ['awec', 'ceam', 'sccabg']
    """
    return list(iter_classes())


def iter_classes() -> Iterator[type[EnsembleMethod]]:
    """Import one method after the other, in the order of :func:`method_classes`.

    Yields
    ------
    cls : type
        An estimator class.

    Examples
    --------
    >>> from comitia.catalogue import iter_classes
    >>> next(iter_classes()).card.id
    'abbasi_2019'
    """
    ours = _our_sources()
    for source in ours.values():
        yield from _loaded(source)
    for source in _all_sources().values():
        if source.id not in ours:
            yield from _loaded(source)


def find_methods(
    *,
    weighs: str | Iterable[str] | None = None,
    approach: str | Iterable[str] | None = None,
    needs: str | Iterable[str] | None = None,
    scales: str | Iterable[str] | None = None,
    source: str | Iterable[str] | None = None,
    on_device: bool | None = None,
) -> MethodList:
    """List the cards of the methods; also called as ``comitia.methods()``.

    Parameters
    ----------
    weighs, approach : str or list of str, default=None
        Keep the methods whose card says this, or one of these.

    needs : str or list of str, default=None
        Keep the methods that need nothing beyond these.

    scales : {"linear", "quadratic"}, default=None
        Keep the methods that scale so.

    source : {"review", "after"}, default=None
        Keep the methods that were collected there.

    on_device : bool, default=None
        Keep the methods that can, or that cannot, run on a GPU.

    Returns
    -------
    cards : MethodList
        A list of cards, ours ordered by id, then those of other packages. Its
        ``to_frame()`` is a DataFrame, and a notebook shows it as a table.

    Examples
    --------
    >>> import comitia
    >>> cards = comitia.methods(weighs="clusters", needs="labels", scales="linear")
    >>> "lwgp" in [card.id for card in cards]
    True
    """
    wanted = {
        attribute: _wanted(attribute, value)
        for attribute, value in {
            "weighs": weighs,
            "approach": approach,
            "needs": needs,
            "scales": scales,
            "source": source,
        }.items()
        if value is not None
    }
    return MethodList(
        cls.card
        for cls in method_classes()
        if on_device in (None, cls.card.on_device)
        and all(
            set(cls.card.needs) <= allowed
            if attribute == "needs"
            else getattr(cls.card, attribute) in allowed
            for attribute, allowed in wanted.items()
        )
    )


def _wanted(attribute: str, value: str | Iterable[str]) -> set[str]:
    values = {value} if isinstance(value, str) else set(value)
    unknown = values - set(_ALLOWED[attribute])
    if unknown:
        raise ComitiaError(
            f"{attribute}={sorted(unknown)[0]!r} is not known; "
            f"choose from {', '.join(map(repr, _ALLOWED[attribute]))}."
        )
    return values


class _Source(NamedTuple):
    """A method before it is imported."""

    id: str
    where: str  # the file or the entry point, for messages
    load: Callable[[], Any]


def _our_sources() -> dict[str, _Source]:
    """Our methods by id, from the file names alone."""
    return _sources_in(tuple(importlib.import_module("comitia.methods").__path__))


@cache
def _sources_in(parts: tuple[str, ...]) -> dict[str, _Source]:
    found = []
    for folder in pkgutil.iter_modules(parts):
        if folder.ispkg:
            path = [os.path.join(part, folder.name) for part in parts]
            for file in pkgutil.iter_modules(path):
                if not file.name.startswith("_"):
                    module = f"comitia.methods.{folder.name}.{file.name}"
                    place = getattr(file.module_finder, "path", "")
                    name = file.name if file.ispkg else f"{file.name}.py"
                    where = os.path.join(place, name)
                    load = partial(_class_in, module)
                    found.append(_Source(file.name, where, load))
    return {source.id: source for source in sorted(found, key=lambda one: one.id)}


def _all_sources() -> dict[str, _Source]:
    """Our methods, then those that other packages name in their entry points."""
    from importlib.metadata import entry_points

    sources = {**_our_sources()}
    for point in sorted(entry_points(group="comitia.methods")):
        package = point.dist.name if point.dist else "an unknown package"
        where = f"the entry point {point.name} = {point.value} of {package}"
        if point.name in sources:
            warnings.warn(
                f"{where} is left out: {point.name!r} is {sources[point.name].where}.",
                ComitiaWarning,
                stacklevel=2,
            )
        else:
            sources[point.name] = _Source(point.name, where, point.load)
    return sources


def _loaded(source: _Source) -> Iterator[type[EnsembleMethod]]:
    """The class, or a warning and nothing."""
    try:
        yield _load(source)
    except ComitiaError as error:
        text = f"{error} It is left out of the catalogue."
        warnings.warn(text, ComitiaWarning, stacklevel=2)


def _load(source: _Source) -> type[EnsembleMethod]:
    try:
        cls = source.load()
    except Exception as error:
        raise ComitiaError(
            f"the method {source.id!r} cannot be imported: {source.where} raises "
            f"{type(error).__name__}: {str(error).rstrip('.')}."
        ) from error
    card: Any = getattr(cls, "card", None)
    is_method = inspect.isclass(cls) and isinstance(card, MethodCard)
    if not is_method:
        raise ComitiaError(
            f"the method {source.id!r} cannot be used: {source.where} has no class "
            "with a MethodCard."
        )
    if card.id != source.id:
        raise ComitiaError(
            f"the method {source.id!r} cannot be used: {source.where} has a card with "
            f"id={card.id!r}; the two must be the same."
        )
    return cls


def _class_in(module_name: str) -> Any:
    """The class of a module that has a card of its own."""
    module = importlib.import_module(module_name)
    for value in vars(module).values():
        if (
            inspect.isclass(value)
            and value.__module__ == module_name
            and isinstance(vars(value).get("card"), MethodCard)
        ):
            return value
    return None
