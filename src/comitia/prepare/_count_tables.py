"""Raw counts of many features, such as genes in cells, as numbers to compare."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array
from sklearn.decomposition import PCA

from comitia.prepare._fitted_state import pca_state, restored_pca

__all__ = ["CountCoder"]

_N_BINS = 20


class CountCoder:
    r"""Library size, logarithm, the features that vary most, principal components.

    The counts :math:`x_{ij}` of a row are divided by their sum and multiplied by the
    median sum, :math:`t`, and become :math:`\log(1 + t x_{ij} / \sum_l x_{il})`. Kept
    are the features whose variance, divided by their mean, is largest among features
    with a mean like theirs: what scanpy calls the flavour "seurat" [1]_ [2]_. The rest
    is a principal component analysis. A sparse matrix stays sparse.

    Parameters
    ----------
    n_top : int
        How many features are kept.

    n_components : int
        How many components there are.

    References
    ----------
    .. [1] R. Satija et al., "Spatial reconstruction of single-cell gene expression
       data", Nature Biotechnology 33, 2015. :doi:`10.1038/nbt.3192`

    .. [2] F. A. Wolf, P. Angerer and F. J. Theis, "SCANPY: large-scale single-cell gene
       expression data analysis", Genome Biology 19, 2018.
       :doi:`10.1186/s13059-017-1382-0`
    """

    def __init__(self, n_top: int, n_components: int) -> None:
        self.n_top = n_top
        self.n_components = n_components

    def fit(self, X: Any) -> CountCoder:
        counts = csr_array(X, dtype=np.float64)
        totals = _row_sums(counts)
        self.target = float(np.median(totals[totals > 0])) if totals.any() else 1.0
        normalized = self._normalized(counts)
        self.kept = most_variable(normalized, self.n_top)
        held = _logarithm(normalized)[:, self.kept]
        d = max(1, min(self.n_components, held.shape[0] - 1, held.shape[1] - 1))
        if min(held.shape) <= d + 1:
            self.pca = PCA(d, svd_solver="full").fit(held.toarray())
        else:
            self.pca = PCA(d, svd_solver="arpack", random_state=0).fit(held)
        return self

    def logarithms(self, X: Any) -> csr_array:
        """The features that are kept, after the logarithm."""
        return _logarithm(self._normalized(csr_array(X, dtype=np.float64)))[
            :, self.kept
        ]

    def transform(self, X: Any) -> NDArray[np.float64]:
        return np.asarray(self.pca.transform(self.logarithms(X)))

    def _normalized(self, counts: csr_array) -> csr_array:
        totals = _row_sums(counts)
        factor = self.target / np.where(totals > 0, totals, 1.0)
        scaled = counts.copy()
        scaled.data = counts.data * np.repeat(factor, np.diff(counts.indptr))
        return scaled

    def to_dict(self) -> dict[str, Any]:
        """What was learnt, for JSON."""
        return {
            "n_top": self.n_top,
            "n_components": self.n_components,
            "target": self.target,
            "kept": self.kept.tolist(),
            "pca": pca_state(self.pca),
        }

    @classmethod
    def from_dict(cls, state: dict[str, Any]) -> CountCoder:
        """The coder of that state."""
        coder = cls(int(state["n_top"]), int(state["n_components"]))
        coder.target = float(state["target"])
        coder.kept = np.array(state["kept"], dtype=np.int64)
        coder.pca = restored_pca(state["pca"])
        return coder


def most_variable(normalized: csr_array, n_top: int) -> NDArray[np.int64]:
    """The features whose dispersion stands out among those with a mean like theirs."""
    n, p = normalized.shape
    mean = normalized.sum(axis=0) / n
    square = normalized.copy()
    square.data **= 2
    variance = (square.sum(axis=0) / n - mean**2) * n / max(n - 1, 1)
    present = mean > 0
    if present.sum() <= n_top:
        return np.flatnonzero(present)
    with np.errstate(divide="ignore", invalid="ignore"):
        dispersion = np.log(np.where(variance > 0, variance / mean, np.nan))
    level = np.log1p(mean)
    ends = np.linspace(level[present].min(), level[present].max(), _N_BINS + 1)
    bins = np.digitize(level, ends[1:-1], right=True)
    score = np.full(p, -np.inf)
    for b in range(_N_BINS):
        mine = np.flatnonzero(present & (bins == b) & np.isfinite(dispersion))
        if not len(mine):
            continue
        values = dispersion[mine]
        spread = values.std(ddof=1) if len(mine) > 1 else 0.0
        # A feature alone in its bin has nothing to be compared with.
        score[mine] = (values - values.mean()) / spread if spread > 0 else 1.0
    # Ties, to rounding, go to the first.
    order = np.argsort(-np.round(score, 9), kind="stable")
    return np.sort(order[:n_top])


def _row_sums(counts: csr_array) -> NDArray[np.float64]:
    return np.asarray(counts.sum(axis=1), dtype=np.float64).ravel()


def _logarithm(normalized: csr_array) -> csr_array:
    result = normalized.copy()
    np.log1p(result.data, out=result.data)
    return result
