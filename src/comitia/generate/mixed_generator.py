"""Members of several kinds in one ensemble."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import partial
from numbers import Integral
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone
from sklearn.utils import check_random_state
from sklearn.utils.metaestimators import available_if

from comitia.ensemble import Ensemble
from comitia.exceptions import ComitiaError
from comitia.generate.columns import Columns
from comitia.generate.estimators import n_clusters_range
from comitia.generate.generator import Generator, Keep, Plan, draw_seeds
from comitia.generate.member import Made

__all__ = ["MixedGenerator"]


def _all_can_label(generator: MixedGenerator) -> bool:
    for one in generator.named_families().values():
        if not hasattr(one, "transform"):
            raise AttributeError(
                f"the clusterings of {type(one).__name__} cannot label new objects."
            )
    return True


class MixedGenerator(Generator):
    """Clusterings of several kinds, which err in different ways.

    Parameters
    ----------
    families : list of generators, or dict of generators, default=None
        What makes the members of each kind, with the names of the kinds in a dict;
        25 clusterings by :class:`NeighborSpectralGenerator` and 25 by
        :class:`GenieGenerator` by default.

    n_clusters : int or (int, int), default=None
        Number of clusters of each clustering, or the range it is drawn from. It is for
        the families that do not say; ``None`` leaves it to each of them.

    n_jobs, checkpoint, verbose : shared

    random_state : int, RandomState instance or None, default=None
        Seed of the families that have none.

    Attributes
    ----------
    ensemble_ : Ensemble
        The clusterings of the first family, then those of the second, and so on;
        ``groups`` says which family they are of.

    members_ : list
        What labels new objects.

    Examples
    --------
    >>> from comitia.generate import GenieGenerator, KMeansGenerator, MixedGenerator
    >>> X = [[0.0], [0.1], [0.2], [5.0], [5.1], [5.2]]
    >>> families = {"means": KMeansGenerator(1), "linkage": GenieGenerator(2)}
    >>> mixed = MixedGenerator(families, n_clusters=2, random_state=0)
    >>> mixed.generate(X).groups.tolist()
    ['means', 'linkage', 'linkage']
    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **{
            name: values
            for name, values in Generator._parameter_constraints.items()
            if name != "n_clusterings"
        },
        "families": [list, tuple, dict, None],
        "n_clusters": [Integral, tuple, list, None],
    }

    def __init__(
        self,
        families: Any = None,
        *,
        n_clusters: Any = None,
        n_jobs: int | None = None,
        checkpoint: Any = None,
        verbose: Any = False,
        random_state: Any = None,
    ) -> None:
        self.families = families
        self.n_clusters = n_clusters
        self.n_jobs = n_jobs
        self.checkpoint = checkpoint
        self.verbose = verbose
        self.random_state = random_state

    transform = available_if(_all_can_label)(Generator.transform)

    def named_families(self) -> dict[str, Generator]:
        """List the families, each ready to plan and to fit.

        Returns
        -------
        families : dict of generators
            Copies, with what they do not say for themselves.
        """
        given = self.families
        if given is None:
            from comitia.generate.genie_generator import GenieGenerator
            from comitia.generate.neighbor_spectral import NeighborSpectralGenerator

            given = {
                "spectral": NeighborSpectralGenerator(25),
                "genie": GenieGenerator(25),
            }
        if not isinstance(given, Mapping):
            given = dict(zip(_names(given), given, strict=True))
        if not given or not all(isinstance(one, Generator) for one in given.values()):
            raise ComitiaError(
                f"families={self.families!r} must be one or several generators."
            )
        return {str(name): self._equipped(one) for name, one in given.items()}

    def _equipped(self, family: Generator) -> Generator:
        one = clone(family)
        known = one.get_params(deep=False)
        for name in ("n_clusters", "n_jobs"):
            if name in known and known[name] is None:
                one.set_params(**{name: getattr(self, name)})
        if hasattr(self, "n_features_in_"):
            one.n_features_in_ = self.n_features_in_
        return one

    def _family(self, plan: Plan) -> Generator:
        return self.named_families()[plan["group"]]

    @property
    def n_members(self) -> int:
        """How many clusterings are made, at most."""
        return sum(one.n_members for one in self.named_families().values())

    def needs_memory(self, n: int | None = None) -> str:
        reasons = (one.needs_memory(n) for one in self.named_families().values())
        return next(filter(None, reasons), "")

    def plan(self, X: Any, rng: np.random.RandomState) -> list[Plan]:
        n_clusters_range(self.n_clusters, len(X))
        families = self.named_families()
        # A seed for each family, used or not, so that one does not move another.
        seeds = draw_seeds(len(families), rng)
        return [
            {**plan, "group": name}
            for (name, one), seed in zip(families.items(), seeds, strict=True)
            for plan in one.plan(X, check_random_state(_first(one.random_state, seed)))
        ]

    def fit_members(self, X: Any, plans: list[Plan], keep: Keep) -> Iterator[Made]:
        start = 0
        for name, one in self.named_families().items():
            mine = [plan for plan in plans if plan["group"] == name]
            shift = one.shift_of(X)
            # One family after the other: so there is one copy of the data at a time.
            data = one.prepare(X if shift is None else X - shift)
            n_made = 0
            for made in one.fit_members(
                data, mine, partial(_keep_shifted, keep, start, shift)
            ):
                n_made += 1
                yield made
            if n_made < len(mine):
                raise ComitiaError(
                    f"the family {name!r} made {n_made} of {len(mine)} clusterings; "
                    "take a generator that makes all of them."
                )
            start += n_made

    def fit_member(self, X: Any, plan: Plan) -> Made:
        one = self._family(plan)
        shift = one.shift_of(X)
        data = one.prepare(X if shift is None else X - shift)
        return _shifted(partial(one.fit_member, data, plan), shift)

    def sample_rows(self, n: int, plan: Plan) -> NDArray[np.int64]:
        return self._family(plan).sample_rows(n, plan)

    def fit_sample(self, sample: Columns, plan: Plan) -> Any:
        return self._family(plan).fit_sample(sample, plan)

    def restore(self, plan: Plan, state: dict[str, NDArray[Any]]) -> Any:
        shift = state.get("family_shift")
        own = {name: value for name, value in state.items() if name != "family_shift"}
        model = self._family(plan).restore(plan, own)
        return model if model is None or shift is None else _Shifted(model, shift)

    def assemble(self, made: list[Made], names: dict[str, Any]) -> Ensemble:
        if all(one.membership is None for one in made):
            return super().assemble(made, names)
        return Ensemble.from_memberships([_membership(one) for one in made], **names)


class _Shifted:
    """A model of data from which something was taken off."""

    def __init__(self, model: Any, shift: NDArray[np.float64]) -> None:
        self.model = model
        self.shift = shift

    def predict(self, X: NDArray[Any]) -> NDArray[Any]:
        return self.model.predict(X - self.shift)


def _keep_shifted(
    keep: Keep, start: int, shift: Any, m: int, fit: Callable[[], Made]
) -> Made:
    """Keep the member of a family under its number in the ensemble."""
    return keep(start + m, partial(_shifted, fit, shift))


def _shifted(fit: Callable[[], Made], shift: Any) -> Made:
    made = fit()
    if shift is not None:
        made.state = {**made.state, "family_shift": shift} if made.state else {}
        if hasattr(made.model, "predict"):
            made.model = _Shifted(made.model, shift)
    return made


def _membership(made: Made) -> NDArray[np.float64]:
    """Memberships; those of labels are whole, and zero where there is no label."""
    if made.membership is not None:
        return np.asarray(made.membership)
    return (np.asarray(made.labels)[:, None] == made.names).astype(np.float64)


def _names(families: Iterable[Any]) -> list[str]:
    """The class of each, with a number if there are several of that class."""
    classes = [type(one).__name__.removesuffix("Generator") for one in families]
    total, seen = Counter(classes), Counter[str]()
    names = []
    for name in classes:
        seen[name] += 1
        names.append(f"{name} {seen[name]}" if total[name] > 1 else name)
    return names


def _first(value: Any, other: Any) -> Any:
    return other if value is None else value
