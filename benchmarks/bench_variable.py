"""Methods that optimise weights and consensus together: time and memory.

Those that need products with B alone: a hundred sweeps over twenty thousand objects are
to take less than a minute and less than 2 GB. No peer has them.
"""

import warnings
from collections.abc import Callable
from typing import Any

from sklearn.exceptions import ConvergenceWarning
from sklearn.metrics import adjusted_rand_score

import comitia
from benchmarks.ensembles import planted_labels
from benchmarks.harness import Row, cpu, peak_mb, two_thread_wall

# Updates of the weights that make a hundred sweeps; wcc sweeps twenty times in each.
METHODS = {"wcc": 5, "wgnmf": 100, "dias": 100, "iwnmf": 100}
N_CLUSTERS, N_CLUSTERINGS, NOISE = 20, 20, 0.5


def run(scale: str) -> list[Row]:
    """One row for each method, without a peer."""
    smoke = scale == "smoke"
    return [_row(name, 300 if smoke else 20_000, smoke=smoke) for name in METHODS]


def fit_case(id: str, n_objects: int) -> Callable[[], Any]:
    """A hundred sweeps from the labels on; the tolerance of zero lets none out."""
    labels, _ = planted_labels(n_objects, N_CLUSTERS, N_CLUSTERINGS, NOISE)
    method = comitia.method(id)(
        n_clusters=N_CLUSTERS, max_iter=METHODS[id], tol=0.0, n_init=1, random_state=0
    )

    def fit() -> Any:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ConvergenceWarning)
            return method.fit(comitia.Ensemble(labels))

    return fit


def _row(id: str, n_objects: int, *, smoke: bool) -> Row:
    _, truth = planted_labels(n_objects, N_CLUSTERS, N_CLUSTERINGS, NOISE)
    case = fit_case(id, n_objects)
    ours_s = cpu(case, 1, warm_up=not smoke)
    fitted = case()
    return Row(
        id,
        f"n={n_objects} M={N_CLUSTERINGS} k={N_CLUSTERS} noise={NOISE}",
        ours_s,
        target=None if smoke else "<= 60 s, <= 2 GB",
        wall2_s=None if smoke else two_thread_wall(fit_case, id, n_objects, repeats=1),
        peak_mb=None if smoke else peak_mb(fit_case, id, n_objects, warm_up=(id, 500)),
        note=f"{fitted.n_iter_} updates, ARI "
        f"{adjusted_rand_score(truth, fitted.labels_):.3f}",
    )
