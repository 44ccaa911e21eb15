"""What a result rests on, in words and numbers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

__all__ = ["Explanation", "FamilyShare", "RivalScores"]

# Adjusted Rand indices from which on two answers are the same, or nearly.
_SAME, _NEARLY = 0.995, 0.9


@dataclass(frozen=True)
class FamilyShare:
    """What the clusterings of one kind have to do with a result.

    Attributes
    ----------
    name : str
        The family, as in ``groups`` of the ensemble.

    n_clusterings : int
        How many clusterings it has.

    evidence : float
        Its share of the evidence for the result: of what the labels of all objects say
        for the cluster that they are in, in place of chance; from 0 to 1.

    agreement : float or None
        Mean adjusted Rand index of its clusterings and the result; None if clusters
        overlap.

    without : float or None
        Adjusted Rand index of the result and what it would be without the family; None
        if that was not looked at.
    """

    name: str
    n_clusterings: int
    evidence: float
    agreement: float | None = None
    without: float | None = None


@dataclass(frozen=True)
class RivalScores:
    """A clustering beside the consensus, by criteria of which larger is better.

    Attributes
    ----------
    name : str
        ``"consensus"``, ``"k-means"``, ``"Ward"`` or ``"member 7 (genie)"``.

    likelihood : float
        Mean log-likelihood of the objects, a normal distribution for each cluster.

    separation : float
        From -1 to 1: how much sparser the way out of a cluster is than its inside.

    modularity : float
        Of the graph of nearest neighbours, as a share of what the sizes allow.

    agreement : float
        Adjusted Rand index with the consensus.
    """

    name: str
    likelihood: float
    separation: float
    modularity: float
    agreement: float


@dataclass(frozen=True)
class Explanation:
    """What a result rests on: families, what it would be without each, rivals.

    ``print`` it to read it.

    Attributes
    ----------
    families : tuple of FamilyShare
        Those with the most evidence first; empty if the clusterings have no groups.

    rivals : tuple of RivalScores
        The consensus and what it was compared with; empty without data.

    doubt : str or None
        A sentence, if one of the rivals looks better.

    note : str
        Why something was not looked at, or empty.

    Examples
    --------
    >>> from comitia.explanation import Explanation, FamilyShare
    >>> families = FamilyShare("a", 5, 0.6, 0.9, 0.5), FamilyShare("b", 5, 0.4, 0.8, 1)
    >>> print(Explanation(families))
    Of the evidence for the result, a has 60 % (5 clusterings) and b 40 % (5).
    Without a it would be another (0.50); without b it would be the same.
    <BLANKLINE>
    family  clusterings  evidence  agreement  without it
    a                 5      0.60       0.90        0.50
    b                 5      0.40       0.80        1.00
    """

    families: tuple[FamilyShare, ...] = ()
    rivals: tuple[RivalScores, ...] = ()
    doubt: str | None = None
    note: str = ""

    @property
    def sentences(self) -> list[str]:
        """What it says in words."""
        said = [self._shares(), self._without(), self.note, self.doubt]
        return [one for one in said if one]

    def _shares(self) -> str:
        if len(self.families) < 2:
            return ""
        first, *others = ((one, f"{100 * one.evidence:.0f} %") for one in self.families)
        told = [
            f"{first[0].name} has {first[1]} ({first[0].n_clusterings} clusterings)"
        ]
        told += [f"{one.name} {share} ({one.n_clusterings})" for one, share in others]
        return f"Of the evidence for the result, {_listed(told)}."

    def _without(self) -> str:
        told = [
            f"without {one.name} it would be {_how_alike(one.without)}"
            for one in self.families
            if one.without is not None
        ]
        text = "; ".join(told)
        return f"{text[:1].upper()}{text[1:]}." if text else ""

    def __str__(self) -> str:
        tables = []
        if self.families:
            head = ("family", "clusterings", "evidence", "agreement", "without it")
            rows = [
                (
                    f.name,
                    str(f.n_clusterings),
                    f"{f.evidence:.2f}",
                    _digits(f.agreement),
                )
                + (_digits(f.without),)
                for f in self.families
            ]
            tables.append(_table(head, rows))
        if self.rivals:
            names = ("likelihood", "separation", "modularity", "agreement")
            lines = [
                (one.name, *(_digits(getattr(one, name)) for name in names))
                for one in self.rivals
            ]
            tables.append(_table(("rival", *names), lines))
        return "\n\n".join(["\n".join(self.sentences), *tables]).strip("\n")

    def to_dict(self) -> dict[str, Any]:
        """The same for JSON.

        Returns
        -------
        about : dict
            Texts, numbers and lists of them.
        """
        about = asdict(self)
        return {name: _as_list(value) for name, value in about.items()}

    @classmethod
    def from_dict(cls, about: Mapping[str, Any]) -> Explanation:
        """Read what :meth:`to_dict` wrote.

        Parameters
        ----------
        about : dict
            Texts, numbers and lists of them.

        Returns
        -------
        explanation : Explanation
            Equal to the one that was written.
        """
        families = tuple(_checked(FamilyShare(**one)) for one in about["families"])
        rivals = tuple(_checked(RivalScores(**one)) for one in about["rivals"])
        doubt, note = about["doubt"], about["note"]
        if not isinstance(note, str) or not isinstance(doubt, str | None):
            raise TypeError("the words of the explanation are no text")
        return cls(families, rivals, doubt, note)


def _checked(one: Any) -> Any:
    for name, value in vars(one).items():
        right = isinstance(value, str) if name == "name" else _is_number(value)
        if not right:
            raise TypeError(f"{name} of the explanation is {value!r}")
    return one


def _is_number(value: Any) -> bool:
    return value is None or (
        isinstance(value, int | float) and not isinstance(value, bool)
    )


def _as_list(value: Any) -> Any:
    return list(value) if isinstance(value, tuple) else value


def _how_alike(ari: float) -> str:
    if ari >= _SAME:
        return "the same"
    return f"nearly the same ({ari:.2f})" if ari >= _NEARLY else f"another ({ari:.2f})"


def _digits(value: float | None) -> str:
    return "" if value is None else f"{value:.2f}"


def _listed(texts: list[str]) -> str:
    return " and ".join([", ".join(texts[:-1]), texts[-1]] if texts[1:] else texts)


def _table(head: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    widths = [max(map(len, column)) for column in zip(head, *rows, strict=True)]
    lines = []
    for row in [head, *rows]:
        first, *others = zip(row, widths, strict=True)
        cells = [f"{first[0]:<{first[1]}}", *(f"{t:>{w}}" for t, w in others)]
        lines.append("  ".join(cells).rstrip())
    return "\n".join(lines)
