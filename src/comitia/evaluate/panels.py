"""Panels: the methods that are compared when nobody names them."""

from __future__ import annotations

from comitia._steps import check_choice
from comitia.catalogue import DEFAULT_METHOD, find_methods

__all__ = ["PANELS", "panel_ids"]

# What each panel holds, in words.
PANELS: dict[str, str] = {
    "quick": "the default, and five methods of different kinds that take seconds",
    "classic": "the baselines that others are compared with",
    "linear": "every method whose time grows linearly with the objects",
    "weighs": "one method for each thing that can be weighed",
    "all": "every method that can be applied",
}
_QUICK = (DEFAULT_METHOD, "voting", "hbgf", "mcla", "lwgp", "lwea")
_WEIGHS = {
    "nothing": "eac",
    "clusterings": "weac",
    "clusters": "lwea",
    "objects": "womc",
    "features": "wlac",
}


def panel_ids(panel: str, *, has_data: bool = True) -> list[str]:
    """The methods of a panel.

    Parameters
    ----------
    panel : {"quick", "classic", "linear", "weighs", "all"}
        Name of the panel.

    has_data : bool, default=True
        Whether there are data; otherwise methods that need them are left out.

    Returns
    -------
    ids : list of str
        Catalogue ids.

    Examples
    --------
    >>> from comitia.evaluate import panel_ids
    >>> panel_ids("quick")
    ['consensus', 'voting', 'hbgf', 'mcla', 'lwgp', 'lwea']
    """
    check_choice("panel", panel, PANELS)
    cards = find_methods(needs=["labels", "data"] if has_data else ["labels"])
    ids = [card.id for card in cards]
    if panel == "quick":
        return [one for one in _QUICK if one in ids]
    if panel == "weighs":
        return [one for one in _WEIGHS.values() if one in ids]
    if panel == "classic":
        return [card.id for card in cards if card.approach == "baseline"]
    if panel == "linear":
        return [card.id for card in cards if card.scales == "linear"]
    return ids
