"""``comitia demo``: from data to a weighted consensus, on data that everybody has."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from comitia.cli._fitting import fit_and_keep
from comitia.cli._folder import ResultFolder
from comitia.cli._input_files import FitInput
from comitia.cli._meter import Meter
from comitia.cli._run_command import UsageError
from comitia.cli._summary import print_lines, print_table, result_lines

if TYPE_CHECKING:
    from comitia.ensemble import Ensemble

__all__ = ["clustering_weights", "demo", "run_demo"]

_N_CLUSTERINGS = 50
_CLUSTERS_EACH = (2, 13)
_SEED = 0
_COMMAND = "comitia demo"


def run_demo(options: Sequence[str]) -> None:
    """Run the demo with the options that were typed.

    Read by hand, so that the demo needs no extra.

    Parameters
    ----------
    options : sequence of str
        What stands behind ``comitia demo``.
    """
    words, settings = [*options], {"force": False, "report": True}
    out = "comitia-demo"
    while words:
        word = words.pop(0)
        name, equals, value = word.partition("=")
        if name in ("-o", "--out"):
            out = value if equals else (words.pop(0) if words else "")
            if not out:
                raise UsageError(f"{name} needs a folder; write {name} DIR.")
        elif word == "--force":
            settings["force"] = True
        elif word == "--no-report":
            settings["report"] = False
        else:
            raise UsageError(f"demo does not know {word!r}.")
    demo(out, **settings)


def demo(out: str = "comitia-demo", *, force: bool = False, report: bool = True) -> Any:
    """Combine 50 k-means clusterings of the wine data by LWGP.

    The 13 features are standardised, because they are measured in different units.
    Each clustering has 2 to 13 clusters. The consensus is asked for the three
    cultivars that are known, and compared with them.

    Parameters
    ----------
    out : str, default="comitia-demo"
        The result folder. One that the demo has written is written again.

    force : bool, default=False
        Write into a folder that is somebody else's.

    report : bool, default=True
        Write the report, if the extra for it is installed.

    Returns
    -------
    result : Result
        The result.
    """
    from sklearn.datasets import load_wine

    from comitia.agreement import agreement_with
    from comitia.catalogue import method
    from comitia.generate import KMeansGenerator

    wine = load_wine()
    names = wine.target_names[wine.target]
    X = (wine.data - wine.data.mean(axis=0)) / wine.data.std(axis=0)
    generator = KMeansGenerator(_N_CLUSTERINGS, n_clusters=_CLUSTERS_EACH)
    estimator = method("lwgp")(n_clusters=3, generator=generator, random_state=_SEED)
    words = (
        f"wine of scikit-learn, {len(X)} objects, {X.shape[1]} columns, standardised"
    )
    about = {
        "feature_names": [*wine.feature_names],
        "truth": names,
        "notes": [f"{X.shape[1]} columns, standardised."],
        "source": "sklearn.datasets.load_wine",
        "raw": wine.data,
    }
    with ResultFolder.held(out, force=force or _is_ours(Path(out))) as folder:
        result, where = fit_and_keep(
            estimator,
            FitInput(X, about=about),
            folder,
            meter=Meter(),
            command=_COMMAND,
            report=report,
        )
    alone = agreement_with(wine.target, result.ensemble, "adjusted_rand")
    print_lines(
        [
            *result_lines(
                result, folder.path, where, data=words, truth="the known cultivars"
            ),
            ("", f"ARI {alone.mean():.3f} for the 50 clusterings on average", ""),
        ]
    )
    _print_extremes(result, alone)
    print("\n  LWGP trusts clusters that the other clusterings keep whole.")
    if report and where is None:
        print("  For the report: pip install 'comitia[report]'")
    return result


def _is_ours(folder: Path) -> bool:
    """True for a folder that an earlier demo wrote, which may be written again."""
    try:
        about = json.loads((folder / "result.json").read_text(encoding="utf-8"))
        return bool(about["command"] == _COMMAND)
    except (OSError, ValueError, LookupError, TypeError):
        return False


def _print_extremes(result: Any, alone: NDArray[np.float64]) -> None:
    """The three heaviest and the three lightest clusterings."""
    weights = clustering_weights(result.ensemble, result.weights["cluster_weights"])
    order = np.argsort(-weights, kind="stable")
    rows = [
        (
            word if place == 0 else "",
            str(m),
            str(result.ensemble.n_clusters_each[m]),
            f"{weights[m]:.3f}",
            f"{alone[m]:.3f}",
        )
        for word, three in (("heaviest", order[:3]), ("lightest", order[-3:]))
        for place, m in enumerate(three)
    ]
    print()
    head = ("", "clustering", "clusters", "weight", "ARI")
    print_table(head, rows, right=range(1, 5))


def clustering_weights(
    ensemble: Ensemble, cluster_weights: NDArray[np.float64]
) -> NDArray[np.float64]:
    r"""Weight of each clustering, where a method weighs clusters.

    The mean weight of the cluster an object is in, over the objects:

    .. math::
        \bar w_m = \sum_{c \in C_m} |c| \, w_c \Big/ \sum_{c \in C_m} |c|.

    Parameters
    ----------
    ensemble : Ensemble
        The clusterings.

    cluster_weights : ndarray of shape (n_clusters,)
        The weight :math:`w_c` of each cluster of the ensemble.

    Returns
    -------
    weights : ndarray of shape (n_clusterings,)
        The weight of each clustering.

    Examples
    --------
    >>> import numpy as np
    >>> from comitia import Ensemble
    >>> votes = Ensemble([[0, 0], [0, 1], [0, 1], [1, 1]])
    >>> clustering_weights(votes, np.array([1.0, 0.2, 0.4, 0.8]))
    array([0.8, 0.7])
    """
    starts = ensemble.offsets[:-1]
    weighted = np.add.reduceat(ensemble.sizes * cluster_weights, starts)
    return weighted / np.add.reduceat(ensemble.sizes, starts)
