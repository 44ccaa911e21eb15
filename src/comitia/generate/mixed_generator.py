"""Members of several kinds in one ensemble."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import KW_ONLY, dataclass
from functools import partial
from numbers import Integral
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone
from sklearn.utils.metaestimators import available_if

from comitia import sizes
from comitia._sklearn import Interval
from comitia._steps import check_random_state
from comitia.ensemble import Ensemble
from comitia.exceptions import ComitiaError
from comitia.generate.columns import Columns
from comitia.generate.estimators import n_clusters_range
from comitia.generate.generator import Generator, Keep, Plan, draw_seeds
from comitia.generate.member import Made, ShiftedModel

__all__ = ["MixedGenerator"]

# A feature has few values if it has no more than this, each of five objects or more.
_FEW_VALUES, _OBJECTS_EACH = 12, 5

# Of fewer objects, two values may be all that a feature had room for.
_FEW_FOR_VALUES = 10

# Rows that tell that a feature has more values, before all are looked at.
_GLANCE = 200

# A step between two values of a feature cuts the table in two if its square is more
# than this share of the variance of all features, and has one object in so many or more
# on either side of it. On simulated tables, with columns of two to eleven values, it
# tells those on which graphs and linkages fail from the others.
_WIDE_STEP, _SMALLEST_SIDE = 0.12, 20

# Share of the variance that features with two values hold where there is hardly
# anything else.
_MOST_OF_IT = 0.5


def _all_can_label(generator: MixedGenerator) -> bool:
    for one in generator.named_families().values():
        if not hasattr(one, "transform"):
            raise AttributeError(
                f"the clusterings of {type(one).__name__} cannot label new objects."
            )
    return True


@dataclass(eq=False, repr=False)
class MixedGenerator(Generator):
    r"""Clusterings of several kinds, which err in different ways.

    Parameters
    ----------
    families : list of generators, dict of generators or "samples", default=None
        What makes the members of each kind, with the names of the kinds in a dict.
        ``None`` goes by the data: ``"spectral"``, by
        :class:`NeighborSpectralGenerator`, and as many of ``"genie"``, by
        :class:`GenieGenerator`; ``"means"``, by :class:`KMeansGenerator`, from 50 000
        objects on; and ``"samples"``, k-means on 80 % of the objects each, where the
        steps between the few values of a feature cut the table, or features with two
        values hold most of its variance. ``"samples"`` takes
        these for fewer objects whatever the features are: for those that yes/no columns
        were rotated into.

    n_clusterings : int, default=None
        Size of the ensemble, :math:`M`. It is divided among the families in the
        proportion of their own; ``None`` leaves them as they are, and is 50 where the
        families go by the data.

    n_clusters : int, (int, int) or (int, None), default=None
        Number of clusters of each clustering, or the range it is drawn from, as for
        :class:`KMeansGenerator`. It is for the families that do not say; ``None``
        leaves it to each of them. Of ``(k, None)`` the family ``"samples"`` takes k.

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

    Notes
    -----
    Graphs and linkages see clusters of any shape, and so do they see the gaps between
    the values of a feature that has few of them, whether or not it has to do with the
    clusters: a coin that was tossed for each object cuts a table of few columns in two,
    and ratings from 1 to 5 cut it into a grid. K-means with many clusters does that
    too. K-means with as many clusters as are wanted is led astray least, so that such
    tables are left to it. Among many columns a step is short against the distances of
    objects, and a value that few objects have cuts off no more than those: they do no
    harm. A step counts if its square is above 0.12 of the variance of all features, and
    5 % of the objects or more are on either side of it.

    Where most of the variance is that of yes/no columns, such as those of categories,
    the nearest objects are those that share the most answers, whatever these are about:
    graphs and linkages follow chance. On simulated categories, 20 to 100 of two to four
    levels, the two families had a mean adjusted Rand index of 0.11 to 0.42, k-means
    members 0.36 to 0.68.

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
        "n_clusterings": [Interval(Integral, 1, None, closed="left"), None],
        "families": [list, tuple, dict, str, None],
    }
    takes_tensors = True

    families: Any = None
    n_clusterings: int | None = None
    _: KW_ONLY
    n_clusters: Any = None
    n_jobs: int | None = None
    checkpoint: Any = None
    verbose: Any = False
    random_state: Any = None

    transform = available_if(_all_can_label)(Generator.transform)

    def named_families(self) -> dict[str, Generator]:
        """List the families, each ready to plan and to fit.

        Returns
        -------
        families : dict of generators
            Copies, with what they do not say for themselves.
        """
        given = self._usual() if self._goes_by_data else self.families
        if not isinstance(given, Mapping):
            given = dict(zip(_names(given), given, strict=True))
        if not given or not all(map(_is_family, given.values())):
            raise ComitiaError(
                f"families={self.families!r} must be one or several generators that "
                "cluster a table as it is, such as KMeansGenerator."
            )
        shares = self._shares([one.n_members for one in given.values()])
        return {
            str(name): self._equipped(one, share)
            for (name, one), share in zip(given.items(), shares, strict=True)
            if share
        }

    @property
    def _goes_by_data(self) -> bool:
        """Whether it is one of the usual families that suits the data."""
        if isinstance(self.families, str) and self.families != "samples":
            raise ComitiaError(
                f'families={self.families!r} must be "samples", or generators.'
            )
        return self.families in (None, "samples")

    def _usual(self) -> dict[str, Generator]:
        """The families of which the data choose, each of its size."""
        from comitia.generate.genie_generator import GenieGenerator
        from comitia.generate.kmeans import KMeansGenerator
        from comitia.generate.neighbor_spectral import NeighborSpectralGenerator
        from comitia.generate.sampling import Subsample

        M, k = self.n_members, self.n_clusters
        if isinstance(k, Sequence) and len(k) == 2 and k[1] is None:
            k = k[0]
        return {
            "spectral": NeighborSpectralGenerator((M + 1) // 2),
            "genie": GenieGenerator(M // 2),
            "means": KMeansGenerator(M),
            "samples": KMeansGenerator(
                M, n_clusters=k, objects=Subsample(0.8), extend=True
            ),
        }

    def _suited(self, X: Any) -> set[str]:
        """The families that suit the data; those that were given always do."""
        if not self._goes_by_data:
            return set(self.named_families())
        if len(X) >= sizes.SAMPLED_KMEANS_OBJECTS:
            return {"means"}
        if self.families == "samples" or _has_wide_steps(X) or _is_mostly_twofold(X):
            return {"samples"}
        return {"spectral", "genie"}

    def _shares(self, own: list[int]) -> list[int]:
        """How many clusterings each of the families that were given makes."""
        if self.n_clusterings is None or self._goes_by_data:
            return own
        ends = np.cumsum([0, *own]) * self.n_clusterings
        return np.diff(-(-ends // sum(own))).tolist()

    def _equipped(self, family: Generator, n_clusterings: int) -> Generator:
        one = clone(family)
        known = one.get_params(deep=False)
        if n_clusterings != one.n_members:
            if "n_clusterings" not in known:
                raise ComitiaError(
                    f"{type(one).__name__} decides itself how many clusterings it "
                    "makes; leave out n_clusterings."
                )
            one.set_params(n_clusterings=n_clusterings)
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
        if self._goes_by_data:
            return 50 if self.n_clusterings is None else self.n_clusterings
        return sum(one.n_members for one in self.named_families().values())

    def needs_memory(self, n: int | None = None) -> str:
        if self._goes_by_data:
            return ""  # rows in a file are left to those that are fitted on samples
        reasons = (one.needs_memory(n) for one in self.named_families().values())
        return next(filter(None, reasons), "")

    def labels_tensors(self, n: int) -> bool:
        if self._goes_by_data:
            return n >= sizes.SAMPLED_KMEANS_OBJECTS
        return all(one.labels_tensors(n) for one in self.named_families().values())

    def plan(self, X: Any, rng: np.random.RandomState) -> list[Plan]:
        n_clusters_range(self.n_clusters, len(X))
        families, suited = self.named_families(), self._suited(X)
        # A seed for each family, used or not, so that one does not move another.
        seeds = draw_seeds(len(families), rng)
        return [
            {**plan, "group": name}
            for (name, one), seed in zip(families.items(), seeds, strict=True)
            if name in suited
            for plan in one.plan(X, check_random_state(_first(one.random_state, seed)))
        ]

    def fit_members(self, X: Any, plans: list[Plan], keep: Keep) -> Iterator[Made]:
        start = 0
        for name, one in self.named_families().items():
            mine = [plan for plan in plans if plan["group"] == name]
            if not mine:
                continue
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
        return model if model is None or shift is None else ShiftedModel(model, shift)

    def assemble(self, made: list[Made], names: dict[str, Any]) -> Ensemble:
        if all(one.membership is None for one in made):
            return super().assemble(made, names)
        return Ensemble.from_memberships([_membership(one) for one in made], **names)


def _is_family(one: Any) -> bool:
    """Whether it is a generator that shares the data with others.

    Not one that brings them into a form of its own, or that mixes others itself.
    """
    return (
        isinstance(one, Generator)
        and not isinstance(one, MixedGenerator)
        and type(one).check_data is Generator.check_data
    )


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
            made.model = ShiftedModel(made.model, shift)
    return made


def _has_wide_steps(X: Any) -> bool:
    """Whether the few values of a feature cut the table; files are not looked at."""
    if not isinstance(X, np.ndarray) or len(X) < _FEW_FOR_VALUES:
        return False
    n = len(X)
    most = min(_FEW_VALUES, n // _OBJECTS_EACH)
    steps = np.diff(np.sort(X[:_GLANCE], axis=0), axis=0)
    few = np.flatnonzero(np.count_nonzero(steps, axis=0) < most)
    if not len(few):
        return False
    widest = 0.0
    for j in few:
        values, counts = np.unique(X[:, j], return_counts=True)
        if 1 < len(values) <= most:
            before = np.cumsum(counts)[:-1]
            cuts = _SMALLEST_SIDE * np.minimum(before, n - before) >= n
            widest = max(widest, np.diff(values)[cuts].max(initial=0.0))
    return bool(widest**2 > _WIDE_STEP * X.var(axis=0).sum())


def _is_mostly_twofold(X: Any) -> bool:
    """Whether most of the variance is that of features with two values."""
    if not isinstance(X, np.ndarray) or len(X) < _FEW_FOR_VALUES:
        return False
    variances, low, high = X.var(axis=0), X.min(axis=0), X.max(axis=0)
    twofold = ((low == X) | (high == X)).all(axis=0)
    return bool(variances[twofold].sum() > _MOST_OF_IT * variances.sum())


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
