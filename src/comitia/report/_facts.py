"""What the report says of a result, in names and sentences."""

from __future__ import annotations

from functools import cached_property

import numpy as np

from comitia.display.result_numbers import ResultNumbers
from comitia.partition.k_probabilities import either
from comitia.report._page_text import (
    capital,
    count,
    listed,
    number,
    percent,
    printable,
    sentences,
)

__all__ = ["Facts"]

# Fewer standard errors than this between clusters are no gap.
GAP = 2.0

# Mean adjusted Rand index below which clusterings hardly agree.
HARDLY = 0.1


class Facts(ResultNumbers):
    """Names of what a result holds, and the three things worth knowing."""

    # -- names --------------------------------------------------------------------

    def object_name(self, i: int) -> str:
        names = self.result.object_names
        return f"object {i}" if names is None else printable(names[i])

    def clustering_name(self, m: int) -> str:
        names = self.ensemble.clustering_names
        return f"clustering {m}" if names is None else printable(names[m])

    def item(self, name: str, i: int) -> str:
        """What stands behind the i-th weight."""
        if name == "object_weights":
            return self.object_name(i)
        if name == "view_weights":
            names = self.result.view_names
            return printable(names[i % len(names)]) if names else f"view {i}"
        if name == "feature_weights":
            names = self.result.feature_names
            return printable(names[i % len(names)]) if names else f"feature {i}"
        if name == "cluster_weights" or len(self.result.weights[name]) != self.M:
            m = int(self.ensemble.clustering_of[i])
            within = i - int(self.ensemble.offsets[m])
            return f"{self.clustering_name(m)}, cluster {within}"
        return self.clustering_name(i)

    @cached_property
    def method_name(self) -> str:
        return str(self.result.card.get("name") or self.result.method)

    @cached_property
    def why_one_would_do(self) -> str:
        """Why the clusters may be slices of one; empty if nothing says so."""
        choice = self.result.choice
        if self.k == 1:
            return ""
        if choice is not None and choice.get("n_clusters"):
            is_one = int(choice["n_clusters"]) == 1
            return sentences(choice.get("reason")) if is_one else ""
        gap = self.result.scores.get("gap_between_clusters")
        if gap is not None:
            if gap >= GAP:
                return ""
            return (
                "There is no gap in the data along the lines between the centres of "
                "the clusters: halfway from centre to centre there are about as many "
                "objects as around the centres, so the clusters may be slices of one "
                f"cloud (a quick test: {number(gap, 2)} standard errors, a gap has "
                f"more than {number(GAP)}; blind to clusters inside each other). Run "
                "comitia choose-k for a thorough answer."
            )
        if self.result.profile is None and self.mean_between < HARDLY:
            return (
                "The clusterings hardly agree with one another (adjusted Rand index "
                f"{number(self.mean_between, 2)} on average, where chance gives 0), "
                "as they would without any clusters to be found."
            )
        return ""

    # -- the three things worth knowing -------------------------------------------

    @cached_property
    def headlines(self) -> list[dict[str, str]]:
        return [self._how_many(), self._how_sure(), self._what_disagrees()]

    def _how_many(self) -> dict[str, str]:
        sizes = self.result.sizes
        if self.k == 1:
            text = f"{count(self.n, 'object')} in one cluster."
        elif self.k <= 8:
            each = [f"{size:,}".replace(",", "\u202f") for size in sizes.tolist()]
            text = f"{count(self.n, 'object')} in clusters of {listed(each)}."
        else:
            text = (
                f"{count(self.n, 'object')} in clusters of {number(sizes.min())} to "
                f"{number(sizes.max())}, half of them of {number(np.median(sizes))} or "
                "fewer."
            )
        choice = self.result.choice
        if choice is not None and choice.get("n_clusters"):
            best = int(choice["n_clusters"])
            text += (
                " That is the number that is recommended."
                if best == self.k
                else f" {best} is recommended."
            )
            likely = [int(one) for one in choice.get("likely") or []]
            if len(likely) > 1:
                text += f" It may as well be {either(sorted(likely))}."
        elif self.result.parameters.get("n_clusters") is None:
            text += " The method chose the number of clusters itself."
        else:
            text += " The number of clusters was given."
        return {
            "label": "How many",
            "value": count(self.k, "cluster"),
            "text": text,
        }

    def _how_sure(self) -> dict[str, str]:
        if self.why_one_would_do:
            return {
                "label": "How sure",
                "value": "in doubt",
                "text": "One cluster would do, as the warning below says. The "
                f"clusterings cut the data alike (confidence "
                f"{number(self.mean_confidence, 2)}), which is no evidence for "
                "clusters.",
            }
        unsure = int((~self.sure).sum())
        text = (
            f"On average an object is in the right cluster with a probability of "
            f"{number(self.mean_confidence, 2)}, unless all clusterings err alike. "
        )
        if self.k == 1:
            text = "With one cluster there is nothing to be unsure of. "
        elif unsure:
            text += (
                f"{count(unsure, 'object is', 'objects are')} nearer to a guess than "
                f"to certainty ({percent(unsure / self.n)})"
            )
            least = int(self.cluster_confidence.argmin())
            text += (
                f"; cluster {least} is the least certain "
                f"({number(self.cluster_confidence[least], 2)})."
            )
        else:
            text += "No object is nearer to a guess than to certainty."
        value = f"{self.mean_confidence:.2f} confidence"
        return {"label": "How sure", "value": value, "text": text.strip()}

    def _what_disagrees(self) -> dict[str, str]:
        if self.M == 1:
            return {
                "label": "What disagrees",
                "value": "1 clustering",
                "text": "There is a single clustering, so nothing can disagree.",
            }
        worst = int(self.with_consensus.argmin())
        text = (
            f"The {self.M} clusterings agree {number(self.mean_between, 2)} with one "
            f"another and {number(float(self.with_consensus.mean()), 2)} with the "
            "result (adjusted Rand index: 0 is chance, 1 is equal)."
        )
        if self.with_consensus[worst] < 1:
            text += (
                f" {capital(self.clustering_name(worst))} disagrees most "
                f"({number(self.with_consensus[worst], 2)})."
            )
        if self.mixed is not None and self.mixed[2] >= 0.01:
            a, b, share = self.mixed
            text += (
                f" Clusters {a} and {b} are most often mixed up "
                f"({percent(share)} of their votes)."
            )
        return {
            "label": "What disagrees",
            "value": f"{self.mean_between:.2f} agreement".replace("-", "−"),
            "text": text,
        }
