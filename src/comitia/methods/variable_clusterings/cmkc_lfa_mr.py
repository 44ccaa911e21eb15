"""Late fusion of kernel k-means over several kernels."""

from numbers import Real
from typing import Any

import numpy as np

from comitia._arrays import to_numpy
from comitia._scales import column_scales
from comitia._sklearn import Interval, StrOptions
from comitia.catalogue import MethodCard
from comitia.ensemble import Ensemble
from comitia.exceptions import ComitiaError
from comitia.methods._loops import VariableWeightMethod
from comitia.methods._types import Array, Data, Rng, Seed
from comitia.methods.variable_clusterings._cmkc_lfa_mr_fusion import (
    SoftPartitions,
    fusion_objective,
    fusion_step,
    fusion_weights,
    procrustes,
)
from comitia.methods.variable_clusterings._cmkc_lfa_mr_kernels import (
    given_kernels,
    kernel_partitions,
    kernels_of_widths,
)
from comitia.partition import kmeans

__all__ = ["LateFusionMultipleKernels"]


class LateFusionMultipleKernels(VariableWeightMethod):
    r"""Consensus multiple-kernel k-means with late-fusion alignment (CMKC-LFA-MR).

    Each kernel makes a soft partition of its own; the partitions are rotated onto each
    other, and those that agree with the consensus without repeating one another count
    more [1]_.

    Parameters
    ----------
    n_clusters : int, default=None
        Number of clusters. ``None`` takes the eigengap of plain k-means clusterings.

    n_clusterings : int, default=10
        Number of clusterings, :math:`M`, one for each kernel. A list of kernels has its
        own.

    kernel : {"rbf", "laplacian"} or list, default="rbf"
        One kernel, whose widths go from a quarter to four times the median distance; or
        a list of M kernels. Each of these is the name of a kernel of scikit-learn's
        ``pairwise_kernels``, "rbf" and "laplacian" with the median distance for their
        width; a function that takes the data and gives a kernel; a kernel of shape
        (n_objects, n_objects); or a partition, a matrix with a row for each object and
        fewer columns, such as memberships of objects in clusters.

    scale : {"standard"} or None, default="standard"
        Give every feature mean zero and variance one, so that units do not matter;
        ``None`` takes the data as they are.

    weight_penalty : float, default=0.5
        How much partitions that repeat one another lower the objective,
        :math:`\lambda_2`. Above one half it drives them apart; see the notes.

    reference_penalty : float, default=1.0
        How much the consensus is drawn to the partition of the average kernel,
        :math:`\lambda_1`.

    n_init : int, default=10
        Number of starts of each k-means.

    max_iter : int, default=100
        Most updates of the weights.

    tol : float, default=1e-6
        Stop when the objective changes by less than this share of itself.

    random_state : int, RandomState instance or None, default=None
        Seed of the clusterings and of the consensus.

    Attributes
    ----------
    clustering_weights_ : ndarray of shape (n_clusterings,)
        Weight of each kernel; they sum to one.

    consensus_ : ndarray of shape (n_objects, n_clusters)
        The consensus :math:`F^*`; its columns are orthonormal.

    partitions_ : SoftPartitions
        The partitions of the kernels, ``each``, and of their average, ``reference``.

    objective_ : ndarray of shape (n_iter_ + 1,)
        Minus the objective, at the start and after each update; it does not rise.

    n_iter_, converged_ : shared

    Notes
    -----
    The partition of kernel m is :math:`F^m`, its k leading eigenvectors, and
    :math:`F^0` that of the average kernel, of kernels whose diagonal has the mean one:

    .. math::
        \max_{F^*, R_m, w \in \Delta} \; \mathrm{tr}\Big( F^{*\prime} \sum_m w_m F^m R_m
        \Big) + \lambda_1 \mathrm{tr}(F^{*\prime} F^0)
        - \lambda_2 \sum_{ml} w_m w_l M_{ml}, \qquad
        M_{ml} = \mathrm{tr}(R_m' F^{m\prime} F^l R_l),

    with :math:`F^*` and :math:`R_m` orthonormal. In turn the weights solve the
    quadratic programme :math:`\max_w b'w - \lambda_2 w'Mw`,
    :math:`b_m = \mathrm{tr}(F^{*\prime} F^m R_m)`, each rotation is :math:`UV'` of the
    singular value decomposition of
    :math:`F^{m\prime} (F^* - 2 \lambda_2 \sum_{l \ne m} w_l F^l R_l)`, and
    :math:`F^*` that of :math:`\sum_m w_m F^m R_m + \lambda_1 F^0`. K-means on the rows
    of :math:`F^*` gives the labels. No step lowers the objective.

    The review prints min, which would make the consensus as unaligned as possible;
    the text says that it is maximally aligned. The diagonal of M is k whatever
    :math:`R_m` is, a penalty on the squares of the weights; without
    :math:`\lambda_2` the weights would pick one kernel. The review has "M different
    kernel functions" without saying which; default kernels, widths and both strengths
    are ours. Of a partition that is given, :math:`F^m` is an orthonormal basis of its
    columns, and :math:`F^m F^{m\prime}` its kernel; with other than k columns
    :math:`R_m` is as orthonormal as its shape allows.

    With :math:`T = \sum_m w_m F^m R_m` the objective is
    :math:`\mathrm{tr}(F^{*\prime} T) - \lambda_2 \|T\|^2 + \lambda_1
    \mathrm{tr}(F^{*\prime} F^0)`. For :math:`\lambda_2 = 1/2` its first part is
    :math:`\tfrac{k}{2} - \tfrac12 \|F^* - T\|^2`: the weighted mean of the partitions
    is fitted to the consensus, by kernels whose errors cancel. A larger
    :math:`\lambda_2` has its optimum at the shorter :math:`T = F^* / 2\lambda_2`, which
    rotations reach that turn away from each other: the penalty undoes the alignment. A
    smaller one gathers the weight on the kernel nearest to the consensus.

    ``ensemble_`` has the clusterings that k-means makes of each :math:`F^m`; they are
    reported, not used. Kernels are made one after the other: :math:`O(M n^2)` time,
    :math:`O(n^2)` memory, and :math:`O(M^2 n k)` for an update. On a device kernels are
    made and multiplied there, and SciPy finds their eigenvectors from the products.
    Kernels of neighbouring widths are nearly alike, and their weights hardly
    determined: in single precision they may differ in the second digit where objective
    and labels agree.

    References
    ----------
    .. [1] "Consensus multiple kernel k-means clustering with late fusion alignment and
       matrix-induced regularization", IEEE Access 7, 2019.

    Examples
    --------
    >>> from comitia import method
    >>> X = [[0.0], [0.1], [0.2], [5.0], [5.1], [5.2]]
    >>> method("cmkc_lfa_mr")(n_clusters=2, random_state=0).fit_predict(X)
    array([0, 0, 0, 1, 1, 1], dtype=int32)
    """

    card = MethodCard(
        id="cmkc_lfa_mr",
        weighs="clusterings",
        approach="variable",
        needs="data",
        scales="quadratic",
        on_device=True,
    )

    _per_object = (*VariableWeightMethod._per_object, "consensus_", "partitions_")

    _parameter_constraints = {
        "kernel": [StrOptions({"rbf", "laplacian"}), list, tuple],
        "scale": [StrOptions({"standard"}), None],
        "weight_penalty": [Interval(Real, 0, None, closed="left")],
        "reference_penalty": [Interval(Real, 0, None, closed="left")],
    }

    def __init__(
        self,
        n_clusters: int | None = None,
        *,
        n_clusterings: int = 10,
        kernel: Any = "rbf",
        scale: str | None = "standard",
        weight_penalty: float = 0.5,
        reference_penalty: float = 1.0,
        n_init: int = 10,
        max_iter: int = 100,
        tol: float = 1e-6,
        random_state: Seed = None,
    ) -> None:
        self.n_clusters = n_clusters
        self.n_clusterings = n_clusterings
        self.kernel = kernel
        self.scale = scale
        self.weight_penalty = weight_penalty
        self.reference_penalty = reference_penalty
        self.n_init = n_init
        self.max_iter = max_iter
        self.tol = tol
        self.random_state = random_state

    def _default_generator(self) -> Any:
        return SoftPartitions([], None)  # nothing that labels new objects

    def _generate(self, X: Data, rng: Rng) -> Ensemble:
        self._check_n_clusters(len(X))
        if self.scale == "standard":
            mean, scale, _ = column_scales(X)
            X = (X - mean) / scale
        n_clusters = self.n_clusters
        if n_clusters is None:
            from comitia.generate import KMeansGenerator

            seed = rng.randint(np.iinfo(np.int32).max)
            plain = KMeansGenerator(random_state=seed).generate(X)
            n_clusters = self._resolve_n_clusters(plain)
        kernels = self._kernels(X, rng)
        each, reference = kernel_partitions(
            X, n_clusters, kernels, len(kernels), self._device
        )
        self.partitions_ = SoftPartitions(each, reference)
        labels = [
            kmeans(F, n_clusters, rng, n_init=self.n_init).labels
            for F in self.partitions_.each
        ]
        return Ensemble(np.stack(labels, axis=1))

    def _kernels(self, X: Data, rng: Rng) -> list[Any]:
        """What makes each kernel."""
        if isinstance(self.kernel, str):
            return kernels_of_widths(
                X, self.kernel, self.n_clusterings, rng, self._device
            )
        if len(self.kernel) == 0:
            raise ComitiaError("kernel is an empty list; give at least one kernel.")
        return given_kernels(X, self.kernel, rng, self._device)

    def _problem(self, ensemble: Ensemble, X: Data, rng: Rng) -> Any:
        return self.partitions_.on(self._device)

    def _start(self, partitions: Any, rng: Rng) -> tuple[Any, Any]:
        start, M = partitions.reference, partitions.n_clusterings
        rotations = [procrustes(F.T @ start) for F in partitions.each]
        return np.full(M, 1.0 / M), (start, rotations)

    def _update_weights(self, partitions: Any, consensus: Any) -> Any:
        F, rotations = consensus
        return fusion_weights(partitions, F, rotations, self.weight_penalty)

    def _update_consensus(self, partitions: Any, weights: Array, consensus: Any) -> Any:
        return fusion_step(partitions, weights, *consensus, **self._penalties())

    def _objective(self, partitions: Any, weights: Array, consensus: Any) -> float:
        return fusion_objective(partitions, weights, *consensus, **self._penalties())

    def _penalties(self) -> dict[str, Any]:
        return {
            "weight_penalty": self.weight_penalty,
            "reference_penalty": self.reference_penalty,
        }

    def _result(
        self, partitions: Any, weights: Array, consensus: Any, rng: Rng
    ) -> Array:
        self.clustering_weights_ = weights
        self.consensus_ = F = to_numpy(consensus[0]).astype(np.float64, copy=False)
        return kmeans(F, F.shape[1], rng, n_init=self.n_init).labels
