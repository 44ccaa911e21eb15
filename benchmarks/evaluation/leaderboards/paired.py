"""Two columns of scores on the same data sets: by how much, and could it be chance?"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import ArrayLike

from benchmarks.evaluation.pages import about

__all__ = ["Paired", "paired", "source"]

#: Bootstrap samples of the data sets, and the share of them inside the interval.
N_SAMPLES, INSIDE = 10_000, 0.95
#: Differences up to this are ties.
TIE = 0.01


@dataclass(frozen=True)
class Paired:
    """Scores of ours minus theirs, data set by data set.

    Attributes
    ----------
    n_sets : int
        Number of data sets.

    gain, low, high : float
        Mean difference, and the ends of its bootstrap interval over the data sets.

    effect : float
        Matched-pairs rank-biserial correlation: 1 if ours is better on every set, -1 if
        theirs is.

    p : float
        Of Wilcoxon's signed rank test, two-sided.

    won, tied, lost : int
        Data sets on which ours is better, within 0.01, and worse.
    """

    n_sets: int
    gain: float
    low: float
    high: float
    effect: float
    p: float
    won: int
    tied: int
    lost: int

    def told(self) -> str:
        """The comparison as part of a sentence.

        Returns
        -------
        text : str
            The mean difference, then in brackets the interval, the test, the effect
            and on how many data sets ours is better, tied and worse.
        """
        return (
            f"{self.gain:+.3f} ({INSIDE:.0%} bootstrap interval {self.low:+.3f} to "
            f"{self.high:+.3f}; Wilcoxon's signed rank test p = {self.p:.2g}, "
            f"rank-biserial effect {self.effect:+.2f}; {self.won} won, {self.tied} "
            f"tied, {self.lost} lost of {self.n_sets})"
        )

    def in_short(self) -> str:
        """The same where the words were said before.

        Returns
        -------
        text : str
            The mean difference, and in brackets the interval, p and the effect.
        """
        return (
            f"{self.gain:+.3f} ({self.low:+.3f} to {self.high:+.3f}, p = {self.p:.2g}, "
            f"effect {self.effect:+.2f})"
        )


def paired(ours: ArrayLike, theirs: ArrayLike) -> Paired:
    """Compare two columns of scores.

    Parameters
    ----------
    ours, theirs : array-like of shape (n_sets,)
        Scores on the same data sets, larger is better. A failure is the worst score,
        not a gap.

    Returns
    -------
    paired : Paired
        The comparison.
    """
    from scipy.stats import rankdata, wilcoxon

    # Differences that only rounding makes are none.
    gain = np.round(np.asarray(ours, float) - np.asarray(theirs, float), 10)
    if not np.isfinite(gain).all():
        raise ValueError("scores have gaps; give a failure the worst score.")
    n = len(gain)
    draws = np.random.RandomState(0).randint(n, size=(N_SAMPLES, n))
    tail = 100 * (1 - INSIDE) / 2
    low, high = np.percentile(gain[draws].mean(axis=1), [tail, 100 - tail])
    differ = gain[gain != 0]
    effect, p = 0.0, 1.0
    if len(differ):
        ranks = rankdata(np.abs(differ))
        effect = float((np.sign(differ) * ranks).sum() / ranks.sum())
        p = float(wilcoxon(differ).pvalue)
    won, lost = int((gain > TIE).sum()), int((gain < -TIE).sum())
    return Paired(
        n,
        float(gain.mean()),
        float(low),
        float(high),
        effect,
        p,
        won,
        n - won - lost,
        lost,
    )


def source(results: Path, board: str) -> str:
    """Where the figures of a board come from: file, command, and who measured.

    Parameters
    ----------
    results : path
        Folder of the tables.

    board : str
        Name of the board.

    Returns
    -------
    text : str
        One or two paragraphs of reStructuredText.
    """
    return (
        f"From ``benchmarks/results/evaluation/leaderboard_{board}.csv``; ``make "
        "leaderboards`` makes its rows again.\n\n"
        f"{about(results, f'leaderboard_{board}')}"
    )
