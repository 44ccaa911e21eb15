"""Weighted methods and their twins: the same methods with all weights equal.

Most twins are a limit of the method itself, such as the exponent 0 of weights that are
powers. A few methods have a named variant without weights, or a plain method that they
become.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

__all__ = ["RECIPIENTS", "TWINS", "Twin"]

#: Whatever is penalised by so much is equal to nine digits.
MUCH = 1e9


@dataclass(frozen=True)
class Twin:
    """A weighted method and what makes all of its weights equal.

    Parameters
    ----------
    recipient : str
        What is weighed: of :data:`RECIPIENTS`.

    method : str
        Catalogue id.

    uniform : dict
        Parameters of the twin.

    weighted : dict, default={}
        Parameters of the method itself, beside its defaults.

    plain : str, default=None
        Catalogue id of the twin, where it is another method.

    needs : str, default="labels"
        What they are given: labels, data, or data and labels of it, or views.
    """

    recipient: str
    method: str
    uniform: Mapping[str, Any] = field(default_factory=dict)
    weighted: Mapping[str, Any] = field(default_factory=dict)
    plain: str | None = None
    needs: str = "labels"

    def estimator(self, weighted: bool, n_clusters: int, seed: int) -> Any:
        """The method, or its twin.

        Parameters
        ----------
        weighted : bool
            Which of the two.

        n_clusters, seed : int
            Number of clusters, and the seed.

        Returns
        -------
        estimator : EnsembleMethod
            Not fitted.
        """
        import comitia

        name = self.method if weighted or self.plain is None else self.plain
        parameters = self.weighted if weighted else self.uniform
        return comitia.method(name)(
            n_clusters=n_clusters, random_state=seed, **parameters
        )

    @property
    def says(self) -> str:
        """How the twin is made, in words."""
        if self.plain is not None:
            return self.plain
        return ", ".join(
            f"{name}={value:g}" if isinstance(value, float) else f"{name}={value}"
            for name, value in self.uniform.items()
        )


#: What weights belong to, and what is junk there.
RECIPIENTS = {
    "clusterings": "clusterings with nine tenths of their labels drawn at random",
    "clusters": "clusterings with nine tenths of their labels drawn at random",
    "objects": "clusterings with nine tenths of their labels drawn at random; for "
    "methods that draw objects from data, objects anywhere in space",
    "features": "features without clusters",
    "views": "views without clusters",
}

TWINS = (
    Twin("clusterings", "weac", {"weight_power": 0.0}),
    Twin("clusterings", "gp_mgla", {"weight_power": 0.0}),
    Twin("clusterings", "lourenco_2013", {"weight_penalty": MUCH}),
    Twin("clusterings", "bregman_cc", {"weight_penalty": MUCH}),
    Twin("clusterings", "dias", {"weight_penalty": MUCH}),
    Twin("clusterings", "wcc", {"weight_penalty": MUCH}),
    Twin("clusterings", "wgnmf", {"weight_penalty": MUCH}),
    Twin(
        "clusterings",
        "zhou_tang_2006",
        {"variant": "voting"},
        weighted={"variant": "weighted"},
    ),
    Twin("clusters", "lwea", {"theta": MUCH}),
    Twin("clusters", "lwgp", {"theta": MUCH}),
    Twin("clusters", "lwmc", {"theta": MUCH}),
    Twin(
        "clusters",
        "ecpcs_mc",
        {"variant": "uniform"},
        weighted={"variant": "certainty"},
    ),
    Twin("clusters", "iwnmf", {"weight_penalty": MUCH}),
    Twin("objects", "sec", plain="kcc"),
    Twin("objects", "womc", {"smoothing": MUCH}),
    Twin("objects", "wosp", {"smoothing": MUCH}, needs="data and labels"),
    Twin("objects", "wohb", {"smoothing": MUCH}, needs="data and labels"),
    Twin("objects", "topchy_2004", {"retention": MUCH}, needs="data"),
    Twin("objects", "parvin_objects_2013", {"retention": 1.0}, needs="data"),
    Twin("features", "wspa", {"weight_penalty": MUCH}, needs="data"),
    Twin("features", "lac_link_2013", {"weight_penalty": MUCH}, needs="data"),
    Twin("features", "wlac", {"weight_penalty": MUCH}, needs="data"),
    Twin("features", "fwlac", {"weight_penalty": MUCH}, needs="data"),
    Twin(
        "features",
        "abc",
        {"top_fraction": 0.5, "top_probability": 0.5, "n_clusterings": 200},
        weighted={"n_clusterings": 200},
        needs="data",
    ),
    Twin("views", "mv_l21_nmf", {"weight_power": MUCH}, needs="views"),
    Twin("views", "mvcc", {"weight_penalty": MUCH}, needs="views"),
    Twin("views", "cgmv_ufs", {"weight_power": MUCH}, needs="views"),
    Twin("views", "zhao_2020", {"weight_penalty": MUCH}, needs="views"),
)
