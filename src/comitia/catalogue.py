"""Which methods exist, what each weighs, what it needs and what it cites.

The catalogue is made from the method files themselves: each class carries a
:class:`MethodCard`, and a file that is added to a folder of :mod:`comitia.methods` is
in the catalogue.
"""

from __future__ import annotations

import importlib
import inspect
import pkgutil
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, get_args
from typing import Literal as L

from comitia.exceptions import ComitiaError

if TYPE_CHECKING:
    from collections.abc import Mapping

    from comitia.base import EnsembleMethod

__all__ = ["MethodCard", "find_methods", "method", "method_classes"]

Weighs = L["clusterings", "clusters", "objects", "features", "views", "nothing"]
Approach = L["fixed", "variable", "selection", "baseline"]
Need = L["labels", "data", "constraints", "views", "series", "graph", "dendrograms"]
Scales = L["linear", "quadratic"]


@dataclass(frozen=True, kw_only=True)
class MethodCard:
    """What the catalogue knows of a method.

    Parameters
    ----------
    id : str
        The catalogue id; also the name of the file.

    weighs : {"clusterings", "clusters", "objects", "features", "views", "nothing"}
        What gets the weights.

    approach : {"fixed", "variable", "selection", "baseline"}
        Weights computed once, optimised with the consensus, used to select, or a
        method that others are compared with.

    needs : str or tuple of str
        What ``fit`` must be given: ``"labels"`` for an ensemble alone, ``"data"``,
        ``"constraints"``, ``"views"``, ``"series"``, ``"graph"``, ``"dendrograms"``. A
        method that judges given clusterings on their data needs both labels and data;
        one that makes its own clusterings needs no labels.

    scales : {"linear", "quadratic"}
        How time or memory grow with the number of objects.

    on_device : bool, default=False
        Whether ``fit`` can run on a GPU, through PyTorch or CuPy.

    requires : str, default=""
        The extra that has to be installed, if any.

    exempt : dict of str to str, default={}
        Checks of the common suite that do not apply, each with its reason.

    quick : dict, default={}
        Parameters with which the common suite fits the method in little time.

    name, summary, reference : str
        Read from the docstring of the class.
    """

    id: str
    weighs: Weighs
    approach: Approach
    needs: Need | tuple[Need, ...] = "labels"
    scales: Scales
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
        if self.approach == "selection":
            return "selection"
        if "views" in self.needs:
            return "multiview"
        if "series" in self.needs:
            return "temporal"
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


_ALLOWED = {
    "weighs": get_args(Weighs),
    "approach": get_args(Approach),
    "needs": get_args(Need),
    "scales": get_args(Scales),
}


def method(id: str) -> type[EnsembleMethod]:
    """Look a method up by its catalogue id.

    Parameters
    ----------
    id : str
        The catalogue id, such as ``"lwgp"``.

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
    modules = dict(_method_modules())
    if id not in modules:
        import difflib

        close = difflib.get_close_matches(str(id), modules, n=3)
        hint = f"did you mean {' or '.join(close)}?" if close else "see methods()."
        raise ComitiaError(f"there is no method with the id {id!r}; {hint}")
    return next(_classes_in(modules[id]))


def method_classes() -> list[type[EnsembleMethod]]:
    """All methods, ordered by id.

    Returns
    -------
    classes : list of type
        The estimator classes.
    """
    found = (next(_classes_in(module)) for _, module in _method_modules())
    return sorted(found, key=lambda cls: cls.card.id)


def find_methods(
    *,
    weighs: str | Iterable[str] | None = None,
    approach: str | Iterable[str] | None = None,
    needs: str | Iterable[str] | None = None,
    scales: str | Iterable[str] | None = None,
    on_device: bool | None = None,
) -> list[MethodCard]:
    """List the cards of the methods; also called as ``comitia.methods()``.

    Parameters
    ----------
    weighs, approach : str or list of str, default=None
        Keep the methods whose card says this, or one of these.

    needs : str or list of str, default=None
        Keep the methods that need nothing beyond these.

    scales : {"linear", "quadratic"}, default=None
        Keep the methods that scale so.

    on_device : bool, default=None
        Keep the methods that can, or that cannot, run on a GPU.

    Returns
    -------
    cards : list of MethodCard
        Ordered by id.

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
        }.items()
        if value is not None
    }
    return [
        cls.card
        for cls in method_classes()
        if on_device in (None, cls.card.on_device)
        and all(
            set(cls.card.needs) <= allowed
            if attribute == "needs"
            else getattr(cls.card, attribute) in allowed
            for attribute, allowed in wanted.items()
        )
    ]


def _wanted(attribute: str, value: str | Iterable[str]) -> set[str]:
    values = {value} if isinstance(value, str) else set(value)
    unknown = values - set(_ALLOWED[attribute])
    if unknown:
        raise ComitiaError(
            f"{attribute}={sorted(unknown)[0]!r} is not known; "
            f"choose from {', '.join(map(repr, _ALLOWED[attribute]))}."
        )
    return values


def _method_modules() -> Iterator[tuple[str, str]]:
    """Id and module of each method, from the file names alone."""
    parts = importlib.import_module("comitia.methods").__path__
    for folder in pkgutil.iter_modules(parts):
        if folder.ispkg:
            path = [f"{part}/{folder.name}" for part in parts]
            for file in pkgutil.iter_modules(path):
                if not file.name.startswith("_"):
                    yield file.name, f"comitia.methods.{folder.name}.{file.name}"


def _classes_in(module_name: str) -> Iterator[Any]:
    module = importlib.import_module(module_name)
    for value in vars(module).values():
        if (
            inspect.isclass(value)
            and value.__module__ == module_name
            and isinstance(vars(value).get("card"), MethodCard)
        ):
            yield value
