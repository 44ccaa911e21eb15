"""The commands that show the catalogue."""

from __future__ import annotations

import sys

from comitia.cli._fitting import collected_warnings
from comitia.cli._options import Flag
from comitia.cli._run_command import UsageError
from comitia.cli._summary import card_as_json, print_card, print_json, print_table
from comitia.exceptions import ComitiaError

__all__ = ["list_methods", "show"]


def list_methods(
    *,
    weighs: str | None = None,
    approach: str | None = None,
    needs: str | None = None,
    scales: str | None = None,
    json: Flag = False,
) -> None:
    """List the catalogue of methods; comitia methods show ID shows one.

    Parameters
    ----------
    weighs
        What gets the weights: clusterings, clusters, objects, pairs, features, views,
        edges or nothing; several separated by commas.
    approach
        How: fixed, variable, selection, baseline or composite.
    needs
        What there is: labels, data, constraints, views, series, graph; methods that
        need nothing beyond these are listed.
    scales
        How time and memory grow with the number of objects: linear or quadratic.
    json
        Print JSON and nothing else on standard output.
    """
    from comitia.catalogue import find_methods

    try:
        with collected_warnings() as left_out:
            cards = find_methods(
                weighs=_listed(weighs),
                approach=_listed(approach),
                needs=_listed(needs),
                scales=_listed(scales),
            )
    except ComitiaError as error:
        raise UsageError(str(error)) from None
    for text in left_out:
        print(f"comitia methods: {text}", file=sys.stderr)
    if json:
        print_json([card_as_json(card) for card in cards])
        return
    print_table(
        ("id", "weighs", "approach", "needs", "scales", "name"),
        (
            (
                card.id,
                card.weighs,
                card.approach,
                ", ".join(card.needs),
                card.scales,
                card.name,
            )
            for card in cards
        ),
    )
    print(f"\n  {len(cards)} methods; comitia methods show ID says more of one.")


def show(id: str, /, *, json: Flag = False) -> None:
    """Show one method: what it does, its parameters, its reference.

    Parameters
    ----------
    id
        Its id in comitia methods.
    json
        Print JSON and nothing else on standard output.
    """
    from comitia.catalogue import method

    try:
        cls = method(id)
    except ComitiaError as error:
        raise UsageError(str(error)) from None
    if json:
        print_json(card_as_json(cls.card, cls))
    else:
        print_card(cls)


def _listed(text: str | None) -> list[str] | None:
    return None if text is None else [each.strip() for each in text.split(",")]
