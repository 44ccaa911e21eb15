"""Numbers, yes/no columns and categories side by side, each variable on its scale."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.impute import SimpleImputer
from sklearn.preprocessing import (
    MinMaxScaler,
    OneHotEncoder,
    RobustScaler,
    StandardScaler,
)

from comitia.exceptions import ComitiaError
from comitia.prepare._column_kinds import as_level, number_or_limit
from comitia.prepare._dates import (
    CYCLES,
    cyclic_features,
    days_of,
    days_of_numbers,
    is_month_first,
)
from comitia.prepare._fitted_state import (
    filling_imputer,
    joined_scaler,
    packed,
    restored_scaler,
    scaler_state,
    unpacked,
)
from comitia.prepare.column_decisions import (
    ColumnDecision,
    Preferences,
    numbers_meant,
)
from comitia.prepare.missing_words import is_missing_word
from comitia.prepare.table_columns import TableColumn

__all__ = ["VariableCoder"]

Floats = NDArray[np.float64]

# Variance of one dimension of a discrete variable, as a share of that of a number.
_SHARE = 0.5

# Rows that a missing number is the mean of, and the work to look at a number of one,
# where a row of labels is 1.
_N_NEAREST, _COST_OF_NUMBER = 5, 0.02

# No more than one value in a hundred is so many standard deviations from the mean,
# whatever the distribution (Chebyshev).
_ELSEWHERE = 10.0

# What is said of columns of new rows.
_WORDS = "is one of numbers and has {} other, such as {!r}, taken for missing."
_MOVED = (
    "lies elsewhere than in the table that was clustered: most rows are more than "
    f"{_ELSEWHERE:g} standard deviations from its mean; is the unit the same?"
)


class VariableCoder:
    r"""Columns as numbers, before and after they are scaled.

    A discrete variable of :math:`L` levels becomes :math:`L` columns of 0 and 1 (one
    column if :math:`L = 2`), centred and multiplied with one factor, so that their
    variances sum to :math:`(L - 1) / 2`: half of that of a standardised number for each
    of the dimensions that they span.

    Parameters
    ----------
    decisions : sequence of ColumnDecision
        What each column is. Those that are not used are left out.

    scale : {"standard", "robust", "none"}
        What is done to numbers.

    asked : Preferences
        The rest of what was asked for.
    """

    def __init__(
        self, decisions: Sequence[ColumnDecision], scale: str, asked: Preferences
    ) -> None:
        self.decisions = list(decisions)
        self.scale = scale
        self.asked = asked
        used = [j for j, each in enumerate(self.decisions) if each.used]
        kind = {j: self.decisions[j].kind for j in used}
        cyclic = asked.dates == "cyclic"
        self.cyclic = [j for j in used if kind[j] == "date" and cyclic]
        self.discrete = [j for j in used if kind[j] in ("boolean", "category")]
        self.numbers = [j for j in used if j not in {*self.cyclic, *self.discrete}]
        # Columns of dates that begin with the month.
        self.month_first: set[int] = set()
        # Rows that what is missing is taken from; medians are, if there are none.
        self.seen: Floats | None = None

    # -- columns in, matrices out ---------------------------------------------------

    def _number_matrix(self, columns: Sequence[TableColumn]) -> Floats:
        found = [self._number_column(columns[j], j) for j in self.numbers]
        n = len(columns[0].values)
        return np.stack(found, axis=1) if found else np.empty((n, 0))

    def _number_column(self, column: TableColumn, j: int) -> Floats:
        about = self.decisions[j]
        if about.kind == "date":
            return self._days(column, j)
        if about.kind == "ordinal" and about.levels:
            place = {level: float(i + 1) for i, level in enumerate(about.levels)}
            return np.array([place.get(text or "", np.nan) for text in _texts(column)])
        values = numbers_meant(about, column)
        if about.kind == "counts":
            return np.log1p(values)
        return np.sqrt(values) if about.kind == "shares" else values

    def _code_matrix(self, columns: Sequence[TableColumn]) -> Floats:
        """Places of the values among the levels: NaN if missing, beyond if unknown."""
        found = [
            _codes(columns[j], levels)
            for j, levels in zip(self.discrete, self.levels, strict=True)
        ]
        return np.stack(found, axis=1)

    def _day_matrix(self, columns: Sequence[TableColumn]) -> Floats:
        n = len(columns[0].values)
        found = [self._days(columns[j], j) for j in self.cyclic]
        return np.stack(found, axis=1) if found else np.empty((n, 0))

    def _days(self, column: TableColumn, j: int) -> Floats:
        if not column.is_text:
            return days_of_numbers(column.values)
        days = days_of(column.values, j in self.month_first)
        assert days is not None
        return days

    # -- fitting --------------------------------------------------------------------

    def fit(self, columns: Sequence[TableColumn]) -> VariableCoder:
        self.month_first = {
            j
            for j in [*self.numbers, *self.cyclic]
            if self.decisions[j].kind == "date"
            and columns[j].is_text
            and is_month_first(columns[j].values)
        }
        numbers = self._number_matrix(columns)
        self.scaler = self._new_scaler()
        if self.numbers:
            scaled = self._scaled(numbers, fit=True)
            self.medians = SimpleImputer(strategy="median").fit(scaled).statistics_
        if self.cyclic:
            days = SimpleImputer(strategy="median").fit(self._day_matrix(columns))
            self.day_fill = days.statistics_
        if self.discrete:
            self.levels = [_levels(columns[j]) for j in self.discrete]
            codes = self._code_matrix(columns)
            fill = SimpleImputer(strategy="most_frequent").fit(codes)
            self.most_frequent = fill.statistics_
            indicators = self._indicators(codes)
            self.shift, self.factor = self._weights(indicators)
        near = self.numbers and self.asked.fills_from_nearest(len(numbers))
        if near and (self.asked.impute == "knn" or np.isnan(numbers).any()):
            self.seen = self._compared(scaled, columns)
        return self

    def join(self, parts: Sequence[VariableCoder]) -> VariableCoder:
        """Take what was learnt by coders of one used column each, in their order."""
        numbers = [each for each in parts if each.numbers]
        discrete = [each for each in parts if each.discrete]
        used = [j for j, each in enumerate(self.decisions) if each.used]
        self.month_first = {
            j for j, each in zip(used, parts, strict=True) if each.month_first
        }
        if numbers:
            self.scaler = joined_scaler([each.scaler for each in numbers])
            self.medians = np.concatenate([each.medians for each in numbers])
        if self.cyclic:
            fills = [each.day_fill for each in parts if each.cyclic]
            self.day_fill = np.concatenate(fills)
        if discrete:
            self.levels = [level for each in discrete for level in each.levels]
            for name in ("most_frequent", "shift", "factor"):
                learnt = [getattr(each, name) for each in discrete]
                setattr(self, name, np.concatenate(learnt))
        return self

    def _new_scaler(self) -> Any:
        if self.asked.categorical == "gower" and self.scale != "none":
            return MinMaxScaler()
        return {"standard": StandardScaler(), "robust": RobustScaler()}.get(self.scale)

    def _scaled(self, numbers: Floats, fit: bool = False) -> Floats:
        limits = [self.decisions[j].limits or (-np.inf, np.inf) for j in self.numbers]
        if np.isfinite(limits).any():
            numbers = np.clip(numbers, *np.array(limits).T)
        if self.scaler is None:
            return numbers
        if fit:
            self.scaler.fit(numbers)
        return np.asarray(self.scaler.transform(numbers))

    def _filled(self, scaled: Floats, columns: Sequence[TableColumn]) -> Floats:
        """Scaled numbers, with something in place of what is missing."""
        filled = np.where(np.isnan(scaled), self.medians, scaled)
        if self.seen is not None and np.isnan(scaled).any():
            from comitia._kernels.gaps import fill_from_nearest
            from comitia._kernels.sums import over_ranges

            known = np.ascontiguousarray(self.seen.T)
            given = self._compared(scaled, columns), known, _N_NEAREST, filled
            cost = _COST_OF_NUMBER * known.size
            over_ranges(partial(fill_from_nearest, *given), len(filled), cost)
        return filled

    def _compared(self, scaled: Floats, columns: Sequence[TableColumn]) -> Floats:
        """What is known of the rows: scaled numbers, then indicators."""
        if not self.discrete:
            return np.ascontiguousarray(scaled)
        codes = self._code_matrix(columns)
        indicators = (self._indicators(codes) - self.shift) * self.factor
        indicators[np.repeat(np.isnan(codes), self._widths(), axis=1)] = np.nan
        return np.concatenate([scaled, indicators], axis=1)

    def _indicators(self, codes: Floats) -> Floats:
        """Columns of 0 and 1; one for a variable with two levels."""
        fill = filling_imputer(self.most_frequent, "most_frequent")
        places = [np.arange(len(each), dtype=np.float64) for each in self.levels]
        encoder = OneHotEncoder(
            categories=places,
            drop="if_binary",
            handle_unknown="ignore",
            sparse_output=False,
        ).fit(np.zeros((1, len(places))))
        return np.asarray(_quietly(encoder.transform, fill.transform(codes)))

    def _widths(self) -> list[int]:
        return [1 if len(each) == 2 else len(each) for each in self.levels]

    def _weights(self, indicators: Floats) -> tuple[Floats, Floats]:
        p = indicators.shape[1]
        mean, variance = indicators.mean(axis=0), indicators.var(axis=0)
        how = self.asked.categorical
        if self.scale == "none":
            return np.zeros(p), np.ones(p)
        if how == "gower":
            widths = np.repeat(self._widths(), self._widths())
            return np.zeros(p), np.where(widths == 1, 1.0, np.sqrt(0.5))
        if how == "standard":
            return mean, 1 / np.sqrt(np.where(variance > 0, variance, 1.0))
        factor, start = np.ones(p), 0
        for width, levels in zip(self._widths(), self.levels, strict=True):
            mine = slice(start, start + width)
            start += width
            if how == "famd":
                spread = variance[mine] if width == 1 else mean[mine]
                factor[mine] = 1 / np.sqrt(np.where(spread > 0, spread, 1.0))
            else:
                total = variance[mine].sum()
                share = _SHARE * max(len(levels) - 1, 1)
                factor[mine] = np.sqrt(share / total) if total > 0 else 1.0
        return mean, factor

    # -- what comes out -------------------------------------------------------------

    def both(self, columns: Sequence[TableColumn]) -> tuple[Floats, Floats]:
        """The table with everything filled in: scaled, and in its own units."""
        scaled, plain = [], []
        if self.numbers:
            numbers = self._number_matrix(columns)
            values = self._scaled(numbers)
            filled = self._filled(values, columns)
            missing = np.isnan(numbers)
            if missing.any():
                back = (
                    filled
                    if self.scaler is None
                    else (self.scaler.inverse_transform(filled))
                )
                numbers = np.where(missing, back, numbers)
            scaled.append(filled)
            plain.append(numbers)
        if self.cyclic:
            days = self._day_matrix(columns)
            days = np.where(np.isnan(days), self.day_fill, days)
            cycles = [cyclic_features(column) for column in days.T]
            scaled.append(np.concatenate(cycles, axis=1))
            plain.append(scaled[-1])
        if self.discrete:
            indicators = self._indicators(self._code_matrix(columns))
            scaled.append((indicators - self.shift) * self.factor)
            plain.append(indicators)
        order = self._order()
        return (
            np.concatenate(scaled, axis=1)[:, order],
            np.concatenate(plain, axis=1)[:, order],
        )

    def gaps(
        self, columns: Sequence[TableColumn]
    ) -> Iterator[tuple[str, int, list[str]]]:
        """Of each column: its name, how many values are missing, unknown levels."""
        found = {each.name: each for each in columns}
        for j in [*self.numbers, *self.cyclic]:
            name = self.decisions[j].column
            yield name, int(np.isnan(self._number_column(found[name], j)).sum()), []
        for at, j in enumerate(self.discrete):
            name, levels = self.decisions[j].column, self.levels[at]
            texts = _texts(found[name])
            unknown = sorted({text for text in texts if text is not None} - {*levels})
            yield name, texts.count(None), unknown

    def odd_columns(self, columns: Sequence[TableColumn]) -> Iterator[tuple[str, str]]:
        """Columns of new rows that are not what they were, and why, in words."""
        found = {each.name: each for each in columns}
        for at, j in enumerate(self.numbers):
            about = self.decisions[j]
            column = found[about.column]
            numeric = about.kind in ("numeric", "counts", "shares")
            if column.is_text and numeric:
                words = [
                    value
                    for value in column.values
                    if value is not None
                    and number_or_limit(value) is None
                    and not is_missing_word(value)
                ]
                if words:
                    yield about.column, _WORDS.format(len(words), words[0])
            if isinstance(self.scaler, StandardScaler):
                values = self._number_column(column, j)
                values = values[np.isfinite(values)]
                z = (values - self.scaler.mean_[at]) / self.scaler.scale_[at]
                if len(z) and 2 * np.count_nonzero(np.abs(z) > _ELSEWHERE) > len(z):
                    yield about.column, _MOVED

    def _owners(self) -> list[int]:
        """The column of the table that each column of the matrix comes from."""
        owners = list(self.numbers)
        owners += [j for j in self.cyclic for _ in range(2 * len(CYCLES))]
        if self.discrete:
            for j, width in zip(self.discrete, self._widths(), strict=True):
                owners += [j] * width
        return owners

    def _order(self) -> NDArray[np.int64]:
        return np.argsort(self._owners(), kind="stable")

    @property
    def groups(self) -> NDArray[np.int64]:
        """For each column of the matrix the variable that it belongs to, from 0."""
        return np.unique(np.sort(self._owners()), return_inverse=True)[1]

    @property
    def names(self) -> list[str]:
        """Names of the columns of the matrix."""
        names = [self.decisions[j].column for j in self.numbers]
        for j in self.cyclic:
            name = self.decisions[j].column
            names += [f"{name} {wave} of the {c}" for c in CYCLES for wave in _WAVES]
        for at, j in enumerate(self.discrete):
            name, levels = self.decisions[j].column, self.levels[at]
            if [*levels] == ["0", "1"]:
                names.append(name)
            else:
                shown = levels[1:] if len(levels) == 2 else levels
                names += [f"{name}={level}" for level in shown]
        return [names[i] for i in self._order()]

    # -- state ----------------------------------------------------------------------

    def to_dict(self) -> dict[str, Any]:
        """What was learnt, for JSON."""
        state: dict[str, Any] = {"month_first": sorted(self.month_first)}
        if self.numbers:
            state["scaler"] = scaler_state(self.scaler)
            state["medians"] = packed(self.medians)
            if self.seen is not None:
                state["seen"] = packed(self.seen)
        if self.cyclic:
            state["day_fill"] = packed(self.day_fill)
        if self.discrete:
            state["levels"] = [[*each] for each in self.levels]
            state["most_frequent"] = packed(self.most_frequent)
            state["shift"] = packed(self.shift)
            state["factor"] = packed(self.factor)
        return state

    def restore(self, state: dict[str, Any]) -> VariableCoder:
        """Take what was learnt from a state."""
        self.month_first = {*map(int, state.get("month_first", ()))}
        if self.numbers:
            self.scaler = restored_scaler(state["scaler"])
            self.medians = unpacked(state["medians"])
            if self.medians.shape != (len(self.numbers),):
                raise ComitiaError("the preparation is damaged: medians are missing.")
        if self.cyclic:
            self.day_fill = unpacked(state["day_fill"])
        if self.discrete:
            self.levels = [[*map(str, each)] for each in state["levels"]]
            self.most_frequent = unpacked(state["most_frequent"])
            self.shift = unpacked(state["shift"])
            self.factor = unpacked(state["factor"])
        if self.numbers and "seen" in state:
            self.seen = unpacked(state["seen"])
            # The kernel does not look whether its columns are there.
            width = len(self.numbers) + (sum(self._widths()) if self.discrete else 0)
            if self.seen.ndim != 2 or self.seen.shape[1] != width:
                raise ComitiaError("the preparation is damaged: rows lack columns.")
        return self


_WAVES = ("sine", "cosine")


def _texts(column: TableColumn) -> list[str | None]:
    if column.is_text:
        return column.values.tolist()
    return [None if v != v else as_level(v) for v in column.values.tolist()]


def _levels(column: TableColumn) -> list[str]:
    """The different values as text, in their order."""
    if column.is_text:
        return sorted({*column.values} - {None}, key=_level_key)
    distinct = np.unique(column.values[~np.isnan(column.values)])
    return [as_level(value) for value in distinct.tolist()]


def _codes(column: TableColumn, levels: Sequence[str]) -> Floats:
    place: dict[Any, float] = {level: float(at) for at, level in enumerate(levels)}
    unknown = float(len(levels))
    if column.is_text:
        place[None] = np.nan
        codes = [place.get(value, unknown) for value in column.values]
        return np.array(codes, dtype=np.float64)
    distinct, inverse = np.unique(column.values, return_inverse=True)
    known = [
        np.nan if value != value else place.get(as_level(value), unknown)
        for value in distinct.tolist()
    ]
    return np.array(known, dtype=np.float64)[inverse]


def _level_key(level: str) -> tuple[int, float, str]:
    """Numbers in their order, before words in theirs."""
    try:
        return 0, float(level), level
    except ValueError:
        return 1, 0.0, level


def _quietly(transform: Any, X: Any) -> Any:
    """Without the warning of scikit-learn about levels it has not seen."""
    import warnings

    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)
        return transform(X)
