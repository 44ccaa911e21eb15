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
from comitia.cli._summary import (
    print_lines,
    print_table,
    print_wrapped,
    result_lines,
)

if TYPE_CHECKING:
    from comitia.ensemble import Ensemble

__all__ = ["demo", "run_demo"]

# Clusterings of columns that were measured, and of columns of noise; columns of each.
_N_MEASURED, _N_NOISE = 8, 24
_N_COLUMNS = 6
_SEED = 0
_COMMAND = "comitia demo"

# A method that weighs clusterings, and the same without weights.
_METHOD, _UNWEIGHTED = "weac", "eac"

# Seeds 0 to 9.
_OTHER_DRAWS = (
    "Over ten draws of columns the mean ARI is 0.78 with these weights, 0.56 with "
    "equal ones, and 0.86 for k-means on all columns."
)


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
    """Combine 32 clusterings of the wine data, of which 24 see nothing but noise.

    To each of the 13 measurements comes a copy with its rows shuffled, which means
    nothing, as in tables that nobody has cleaned. A clustering is k-means with three
    clusters on six columns: 8 on columns that were measured, 24 on columns of noise.
    WEAC weighs them by their agreement with the others, without knowing the cultivars;
    what it finds is compared with these, with EAC, which is WEAC with equal weights,
    and with k-means on all columns.

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
    from sklearn.cluster import KMeans
    from sklearn.datasets import load_wine

    from comitia.agreement import adjusted_rand, agreement_with
    from comitia.catalogue import method
    from comitia.report import result_alerts

    wine = load_wine()
    rng = np.random.RandomState(_SEED)
    noise = np.column_stack([rng.permutation(column) for column in wine.data.T])
    raw = np.hstack([wine.data, noise])
    X = (raw - raw.mean(axis=0)) / raw.std(axis=0)
    names = [*wine.feature_names, *(f"shuffled {n}" for n in wine.feature_names)]
    ensemble = _members(X, rng)
    n, p = wine.data.shape
    words = f"wine of scikit-learn, {n} objects, {p} columns, and {p} of noise"
    about = {
        "feature_names": names,
        "truth": wine.target_names[wine.target],
        "notes": [f"{p} columns and the same with shuffled rows, standardised."],
        "source": "sklearn.datasets.load_wine",
        "raw": raw,
    }
    estimator: Any = method(_METHOD)(n_clusters=3)
    with ResultFolder.held(out, force=force or _is_ours(Path(out))) as folder:
        result, where = fit_and_keep(
            estimator,
            FitInput(X, ensemble, about=about),
            folder,
            meter=Meter(),
            command=_COMMAND,
            report=report,
        )
    alone = agreement_with(wine.target, ensemble, "adjusted_rand")
    plain = KMeans(3, n_init=10, random_state=_SEED).fit_predict(X)
    equal: Any = method(_UNWEIGHTED)(n_clusters=3)
    others = {
        "with equal weights": adjusted_rand(wine.target, equal.fit_predict(ensemble)),
        "for k-means on all 26 columns": adjusted_rand(wine.target, plain),
        f"for the {_N_MEASURED} clusterings of the wine, on average": (
            alone[:_N_MEASURED].mean()
        ),
        f"for the {_N_NOISE} of noise": alone[_N_MEASURED:].mean(),
    }
    print_lines(
        [
            *result_lines(
                result, folder.path, where, data=words, truth="the known cultivars"
            ),
            *(("", f"ARI {ari:.3f} {who}", "") for who, ari in others.items()),
            *(
                ("warning", f"{alert.title}.", "")
                for alert in result_alerts(result)
                if alert.serious
            ),
        ]
    )
    weights = result.weights["clustering_weights"]
    _print_extremes(ensemble.clustering_names, weights, alone)
    print()
    print_wrapped(
        f"Each clustering saw {_N_COLUMNS} columns, and nobody said which are noise: "
        "clusterings that agree with the others weigh more. The correlation of weight "
        f"and ARI is {np.corrcoef(weights, alone)[0, 1]:.2f}. {_OTHER_DRAWS}"
    )
    if report and where is None:
        print("  For the report: pip install 'comitia[report]'")
    return result


def _members(X: NDArray[np.float64], rng: np.random.RandomState) -> Ensemble:
    """k-means on a few columns at a time, each called by what it saw."""
    from sklearn.cluster import KMeans

    from comitia.ensemble import Ensemble

    measured, noise = np.split(np.arange(X.shape[1]), 2)
    labels = []
    for m in range(_N_MEASURED + _N_NOISE):
        pool = measured if m < _N_MEASURED else noise
        columns = np.sort(rng.choice(pool, size=_N_COLUMNS, replace=False))
        k_means = KMeans(3, n_init=1, random_state=rng.randint(np.iinfo(np.int32).max))
        labels.append(k_means.fit_predict(X[:, columns]))
    called = [f"wine {m + 1}" for m in range(_N_MEASURED)]
    called += [f"noise {m + 1}" for m in range(_N_NOISE)]
    return Ensemble(labels, clustering_names=called)


def _is_ours(folder: Path) -> bool:
    """True for a folder that an earlier demo wrote, which may be written again."""
    try:
        about = json.loads((folder / "result.json").read_text(encoding="utf-8"))
        return bool(about["command"] == _COMMAND)
    except (OSError, ValueError, LookupError, TypeError):
        return False


def _print_extremes(
    names: Any, weights: NDArray[np.float64], alone: NDArray[np.float64]
) -> None:
    """The three heaviest and the three lightest clusterings."""
    order = np.argsort(-weights, kind="stable")
    rows = [
        (
            word if place == 0 else "",
            str(names[m]),
            f"{weights[m]:.3f}",
            f"{alone[m]:.2f}",
        )
        for word, three in (("heaviest", order[:3]), ("lightest", order[-3:]))
        for place, m in enumerate(three)
    ]
    print()
    print_table(("", "clustering", "weight", "ARI"), rows, right=(2, 3))
