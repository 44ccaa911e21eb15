"""Values of every kind through every door: the same answer at all of them."""

import datetime as dt
from decimal import Decimal
from fractions import Fraction

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from comitia import Ensemble, method
from comitia.cluster import KMedoids
from comitia.exceptions import ComitiaError
from comitia.generate import KMeansGenerator
from comitia.validity.pairs import silhouette

NUMBERS = [0.0, 0.25, 0.5, 5.0, 5.25, 5.5]
DAYS = [dt.datetime(2026, 1, 1) + dt.timedelta(days=x) for x in NUMBERS]
UTC = [day.replace(tzinfo=dt.UTC) for day in DAYS]

# What a column may hold, and the words that refuse it; None if it is read.
_DATES = "dates"
_MISSING = "NaN|not a table of numbers|must be numbers|not an array of numbers"
KINDS = {
    "numbers": (NUMBERS, None),
    "whole numbers": ([0, 0, 0, 5, 5, 5], None),
    "truth values": ([False] * 3 + [True] * 3, None),
    "numbers as text": ([str(x) for x in NUMBERS], None),
    "decimals": ([Decimal(str(x)) for x in NUMBERS], None),
    "datetimes": (DAYS, _DATES),
    "datetimes of a time zone": (UTC, _DATES),
    "dates": ([day.date() for day in DAYS], _DATES),
    "times": ([dt.time(hour) for hour in range(6)], _DATES),
    "durations": ([day - DAYS[0] for day in DAYS], _DATES),
    "words": ([*"aaabbb"], "numbers|convert"),
    "complex numbers": ([x + 1j for x in NUMBERS], "[Cc]omplex|numbers"),
    "None": ([None, *NUMBERS[1:]], _MISSING),
    "NaN": ([np.nan, *NUMBERS[1:]], _MISSING),
}


def typed(values):
    """The type that NumPy has for the values; it has none for those of a time zone."""
    if isinstance(values[0], dt.datetime) and values[0].tzinfo is None:
        return np.array(values, "datetime64[us]")
    return np.array(
        values, "timedelta64[us]" if isinstance(values[0], dt.timedelta) else None
    )


DOORS = {
    "an array": lambda values: typed(values)[:, None],
    "an array of objects": lambda values: np.array([[v] for v in values], object),
    "an array of NumPy's objects": lambda values: np.array(
        [[v] for v in typed(values)], object
    ),
    "lists": lambda values: [[v] for v in values],
    "lists of NumPy's scalars": lambda values: [[v] for v in typed(values)],
    "pandas": lambda values: pd.DataFrame({"a": values}),
    "pandas, beside numbers": lambda values: pd.DataFrame({"n": NUMBERS, "a": values}),
    "pandas, as objects": lambda values: pd.DataFrame({"a": values}, dtype=object),
    "pandas, nullable": lambda values: pd.DataFrame({"a": values}).convert_dtypes(),
    "Polars": lambda values: pl.DataFrame({"n": NUMBERS, "a": values}),
    "Arrow": lambda values: pa.table({"n": NUMBERS, "a": values}),
}
# No such column can be made.
IMPOSSIBLE = {("complex numbers", "pandas, nullable"), ("complex numbers", "Arrow")}

READERS = {
    "a method": lambda X: method("lwea")(2, generator=KMeansGenerator(2)).fit(X),
    "a method for views": lambda X: method("minimax_fcm")(2, n_init=1).fit(
        {"u": X, "v": X}
    ),
    "a generator": lambda X: KMeansGenerator(2).generate(X),
    "a clusterer": lambda X: KMedoids(2).fit(X),
    "an index": lambda X: silhouette(X, [0, 0, 0, 1, 1, 1]),
}
COMBINATIONS = [
    (kind, door) for kind in KINDS for door in DOORS if (kind, door) not in IMPOSSIBLE
]


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
@pytest.mark.parametrize("reader", READERS)
@pytest.mark.parametrize(("kind", "door"), COMBINATIONS)
def test_data_of_a_kind_are_read_or_refused_alike_at_every_door(kind, door, reader):
    values, words = KINDS[kind]
    X = DOORS[door](values)
    if words is None:
        READERS[reader](X)
    else:
        with pytest.raises(ValueError, match=words):
            READERS[reader](X)


def test_the_column_with_the_dates_is_named():
    frame = pd.DataFrame({"n": NUMBERS, "joined": DAYS})
    for X in (frame, pl.from_pandas(frame), pa.Table.from_pandas(frame)):
        with pytest.raises(ComitiaError, match="dates or durations in column 'joined'"):
            method("lwea")(2).fit(X)
    frame.columns = ["a", "a"]
    with pytest.raises(ComitiaError, match="dates or durations in column 'a'"):
        method("lwea")(2).fit(frame)


# As labels most things are names.
_FRACTIONS = "not whole numbers"
LABELS = {
    "whole numbers": ([0, 0, 0, 5, 5, 5], None),
    "whole floats": ([0.0] * 3 + [5.0] * 3, None),
    "truth values": ([False] * 3 + [True] * 3, None),
    "words": ([*"aaabbb"], None),
    "whole decimals": ([Decimal(1)] * 3 + [Decimal(2)] * 3, None),
    "fractions": (NUMBERS, _FRACTIONS),
    "decimals": ([Decimal(str(x)) for x in NUMBERS], _FRACTIONS),
    "ratios": ([Fraction(1, 3), *[Fraction(1, 2)] * 5], _FRACTIONS),
    "datetimes": (DAYS, "dates|datetime64"),
    "datetimes of a time zone": (UTC, "dates"),
    "dates": ([day.date() for day in DAYS], "dates"),
    "durations": ([day - DAYS[0] for day in DAYS], "dates|timedelta64"),
    "complex numbers": ([1j] * 3 + [2j] * 3, "complex"),
}
LABEL_DOORS = {
    "a vector": lambda values: [typed(values)],
    "a Series": lambda values: [pd.Series(values)],
    "pandas": lambda values: pd.DataFrame({"a": values}),
    "Polars": lambda values: pl.DataFrame({"a": values}),
    "Arrow": lambda values: pa.table({"a": values}),
} | {name: DOORS[name] for name in ("an array", "an array of objects", "lists")}
NO_COLUMN = {("complex numbers", "Arrow"), ("ratios", "Arrow")}


@pytest.mark.parametrize("door", LABEL_DOORS)
@pytest.mark.parametrize("kind", LABELS)
def test_labels_of_a_kind_are_read_or_refused_alike_at_every_door(kind, door):
    if (kind, door) in NO_COLUMN:
        pytest.skip("Arrow has no such column.")
    values, words = LABELS[kind]
    table = LABEL_DOORS[door](values)
    if words is None:
        assert Ensemble(table).labels.ravel().tolist() == [0, 0, 0, 1, 1, 1]
    else:
        with pytest.raises(ComitiaError, match=words):
            Ensemble(table)
