"""Draw the figure of the paper from the committed results of the evaluation.

python -m paper.figure        writes paper/figure.png and prints its numbers
"""

from pathlib import Path

import matplotlib
import numpy as np

from benchmarks.evaluation.default.rivals_page import mean_scores
from benchmarks.evaluation.store import read

HERE = Path(__file__).parent
RESULTS = HERE.parent / "benchmarks" / "results" / "evaluation"
RIVALS = ["k-means", "Ward", "lwgp", "spectral, neighbors"]


def main(out: Path = HERE / "figure.png") -> str:
    """Draw the default against its rivals on the half that it was not chosen on."""
    matplotlib.use("Agg")
    import matplotlib.pyplot as plt

    rows = read(RESULTS / "default_rivals.csv")
    sets, table = mean_scores(rows, ["default", *RIVALS], "confirm")
    order = np.argsort(table[:, 0])
    figure, axes = plt.subplots(
        1, len(RIVALS), figsize=(8, 2.5), sharex=True, sharey=True, layout="constrained"
    )
    for ax, name, theirs in zip(axes, RIVALS, table.T[1:], strict=True):
        ax.axline((0, 0), slope=1, color="0.7", lw=0.8)
        ax.scatter(theirs[order], table[order, 0], s=10, color="#0072b2")
        ax.set_xlabel(f"ARI of {name}")
    axes[0].set_ylabel("ARI of the default")
    figure.savefig(out, dpi=200)
    plt.close(figure)
    told = [f"{len(sets)} data sets; mean ARI of the default {table[:, 0].mean():.2f}"]
    for name, theirs in zip(RIVALS, table.T[1:], strict=True):
        lost = np.sum(table[:, 0] < theirs - 0.05)
        told.append(f"{name} {theirs.mean():.2f}, better by more than 0.05 on {lost}")
    return "; ".join(told)


if __name__ == "__main__":
    print(main())
