"""Tables as people have them: what columns are, how they count, what is remembered."""

import json

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy.spatial.distance import pdist
from sklearn.base import clone
from sklearn.cluster import KMeans
from sklearn.impute import KNNImputer
from sklearn.metrics import adjusted_rand_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import RobustScaler, StandardScaler
from sklearn.utils.estimator_checks import parametrize_with_checks

from comitia import ConsensusClustering, sizes
from comitia.exceptions import ComitiaError
from comitia.prepare import TablePreparer
from comitia.prepare._fitted_state import packed

N = 24
RNG = np.random.RandomState(0)
COLUMNS = {
    "customer": [f"C{i:03d}" for i in RNG.permutation(N)],
    "age": RNG.randint(20, 80, N).astype(float).tolist(),
    "income": (1000 * RNG.rand(N)).tolist(),
    "member": RNG.choice(["yes", "no"], N).tolist(),
    "coin": (RNG.rand(N) < 0.5).astype(float).tolist(),
    "region": ["north", "south", "east"] * (N // 3),
    "since": [f"2024-{1 + i % 12:02d}-{1 + i:02d}" for i in range(N)],
    "country": ["here"] * N,
}


def table(**changes):
    """The columns side by side, as an array of objects, and their names."""
    columns = {**COLUMNS, **changes}
    array = np.empty((N, len(columns)), dtype=object)
    for j, values in enumerate(columns.values()):
        array[:, j] = values
    return array, list(columns)


def frame(**changes):
    pandas = pytest.importorskip("pandas")
    return pandas.DataFrame({**COLUMNS, **changes})


def kinds_of(preparer):
    return {each["column"]: each["kind"] for each in preparer.columns_}


@parametrize_with_checks([TablePreparer()])
def test_the_checks_of_sklearn_pass(estimator, check):
    check(estimator)


# -- what a column is -----------------------------------------------------------------


def test_every_column_is_decided_on_with_a_reason():
    preparer = TablePreparer().fit(frame())
    assert kinds_of(preparer) == {
        "customer": "id",
        "age": "numeric",
        "income": "numeric",
        "member": "boolean",
        "coin": "boolean",
        "region": "category",
        "since": "date",
        "country": "constant",
    }
    used = [each["column"] for each in preparer.columns_ if each["used"]]
    assert used == ["age", "income", "member", "coin", "region"]
    for each in preparer.columns_:
        assert each["action"]
        assert each["reason"]


@pytest.mark.parametrize(
    ("values", "kind"),
    [
        (np.arange(5.0, 5 + N), "id"),
        (np.arange(5.0, 5 + N)[::-1], "id"),
        (10 * np.arange(5.0, 5 + N)[::-1], "numeric"),
        (np.where(np.arange(N) < 3, 0.5, 1.0), "boolean"),
        (np.full(N, 7.0), "constant"),
        (np.full(N, np.nan), "empty"),
        ([*"abc"] * (N // 3), "category"),
        ([f"note {i % 20}" for i in range(N)], "text"),
        (["12.5"] * 10 + ["13"] * (N - 11) + ["unknown"], "numeric"),
        (["12.5", "13", "14", "-", "n.a.", "#DIV/0!"] * (N // 6), "numeric"),
        (["12", "13", "-", "unknown"] * (N // 4), "category"),
        (["1", "2", "3", "4", "5", "5+"] * (N // 6), "category"),
        ([*["<0.5", ">9"] * 5, *(f"{i}.25" for i in range(N - 10))], "numeric"),
        (["<50", ">50"] * (N // 2), "boolean"),
        ([*["12B", "7A"] * 3, *(str(i) for i in range(N - 6))], "text"),
        ([20240101.0 + i % 28 for i in range(N)], "date"),
        ([20240101.0 + 4 * i for i in range(N)], "numeric"),
        ([f"{1 + i % 28}-{1 + i % 12}-2024" for i in range(N)], "date"),
        ([*["2024-01-15", "2023-07-01"] * (N // 2 - 1), "?", "0000-00-00"], "date"),
        ([f"{1 + i % 28}.{1 + i % 12}.2024" for i in range(N)], "date"),
        ([f"{1 + i % 12}/{28 - i}/2024" for i in range(N)], "date"),
        ([f"2024-01-{1 + i:02d} 10:30" for i in range(N)], "date"),
        ([f"2024-13-{1 + i % 3:02d}" for i in range(N)], "category"),
    ],
)
def test_a_column_is_what_its_values_are(values, kind):
    array, names = table(extra=values)
    preparer = TablePreparer().fit(array)
    assert kinds_of(preparer)[f"x{names.index('extra')}"] == kind


@pytest.mark.parametrize("form", ["{} kg", "({})", "{}-", "{}*"])
def test_numbers_written_otherwise_are_no_gaps(form):
    numbers = [f"{i}.25" for i in range(N)]
    mixed = [*map(form.format, numbers[: N // 4]), *numbers[N // 4 :]]
    (about,) = [
        each
        for each in TablePreparer().fit(frame(extra=mixed)).columns_
        if each["column"] == "extra"
    ]
    assert not about["used"]
    assert f"{N // 4} written otherwise, such as {mixed[0]!r}" in about["reason"]
    # A few are, as other words are.
    few = [*map(form.format, numbers[:2]), *numbers[2:]]
    assert kinds_of(TablePreparer().fit(frame(extra=few)))["extra"] == "numeric"


def test_a_name_can_tell_an_identifier():
    numbers = RNG.permutation(1000)[:N].astype(float)
    for name, kind in {"order_id": "id", "orderId": "id", "paid": "numeric"}.items():
        assert kinds_of(TablePreparer().fit(frame(**{name: numbers})))[name] == kind


def test_rows_are_counted_in_whatever_order_they_stand():
    counts = np.arange(1.0, N + 1)
    for rows in (counts, counts[::-1], RNG.permutation(counts)):
        assert kinds_of(TablePreparer().fit(frame(place=rows)))["place"] == "id"


def test_identifiers_may_be_missing_or_come_twice():
    numbers = RNG.choice(10**6, N, replace=False).astype(float)
    numbers[3] = numbers[5]
    numbers[7] = np.nan
    for name, kind in {"id": "id", "client_id": "id", "width": "numeric"}.items():
        assert kinds_of(TablePreparer().fit(frame(**{name: numbers})))[name] == kind


@pytest.mark.parametrize(
    "name",
    [
        *("PID", "USUBJID", "caseid", "Patient ID", "Customer Number", "order_no"),
        *("Invoice No.", "InvoiceNumber", "Kundennummer", "EAN", "phone"),
    ],
)
def test_identifiers_have_names_that_end_like_one(name):
    columns = {
        "COVID": [3 * i**2 for i in range(N)],
        "Reynolds number": [i**3 for i in range(N)],
        "number of orders": [(i - 9) ** 2 + i for i in range(N)],
        name: [7 * i**2 for i in range(N)],
    }
    preparer = TablePreparer().fit(frame(**columns))
    assert kinds_of(preparer)[name] == "id"
    for each in ("COVID", "Reynolds number", "number of orders"):
        assert kinds_of(preparer)[each] == "numeric"


def test_rows_may_be_counted_in_each_of_several_groups():
    pandas = pytest.importorskip("pandas")
    count = [*range(1, 31), *range(1, 21), *range(1, 21)]
    value = np.random.RandomState(0).randn(70)
    table = pandas.DataFrame(
        {"Sample Number": count, "week": count, "No": count, "value": value}
    )
    for rows in (table, table.sample(frac=1, random_state=0)):
        kinds = kinds_of(TablePreparer().fit(rows))
        assert kinds["Sample Number"] == kinds["No"] == "id"
        assert kinds["week"] == "numeric"
    # How many there were of something does not begin again in each group.
    table["No"] = np.random.RandomState(0).randint(1, 31, 70)
    assert kinds_of(TablePreparer().fit(table))["No"] == "numeric"


def test_dates_in_numbers_are_the_dates_in_text():
    texts = [f"2024-{1 + i % 12:02d}-{1 + i:02d}" for i in range(N)]
    written = [float(text.replace("-", "")) for text in texts]
    seconds = np.array(texts, dtype="datetime64[s]").astype(float)
    for how in ("number", "cyclic"):
        got = [
            TablePreparer(dates=how).fit_transform(frame(since=values, created_at=0))
            for values in (texts, written)
        ]
        assert_allclose(*got)
    got = [
        TablePreparer(dates="number").fit_transform(frame(since=0, created_at=values))
        for values in (texts, seconds, 1000 * seconds)
    ]
    assert_allclose(got[1], got[0])
    assert_allclose(got[2], got[0])


def test_a_limit_is_the_number_of_what_lies_below_it():
    values = [*["<0.5"] * 4, *(f"{i}.25" for i in range(N - 4))]
    limits = ["0.5" if each == "<0.5" else each for each in values]
    got = [TablePreparer().fit_transform(frame(lead=each)) for each in (values, limits)]
    assert_array_equal(*got)


def test_what_was_declared_holds():
    kinds = {
        "coin": "numeric",
        "age": "category",
        "customer": "drop",
        "region": ["south", "east", "north"],
    }
    preparer = TablePreparer(kinds=kinds, dates="number").fit(frame())
    found = kinds_of(preparer)
    assert (found["coin"], found["age"]) == ("numeric", "category")
    assert (found["customer"], found["region"]) == ("dropped", "ordinal")
    units = preparer.in_units(frame())
    at = preparer.unit_names_.index("region")
    assert_array_equal(units[:3, at], [3, 1, 2])
    day = units[:, preparer.unit_names_.index("since")]
    assert_array_equal(day[:2], [19723, 19723 + 32])  # 1 January 2024, 2 February


@pytest.mark.parametrize(
    ("kinds", "words"),
    [
        ({"nothing": "numeric"}, "which is no column"),
        ({"age": "number"}, "is not known; choose from numeric"),
        ({"region": "numeric"}, "declared numeric and holds 'east'"),
        ({"region": "boolean"}, "has 3 values"),
        ({"region": "ordinal"}, "give its values in their order"),
        ({"region": ["south", "east"]}, "'north' is not among them"),
        ({"region": "date"}, "write dates as 2026-03-31"),
    ],
)
def test_what_cannot_be_declared_is_refused(kinds, words):
    with pytest.raises(ComitiaError, match=words):
        TablePreparer(kinds=kinds).fit(frame())


def test_all_problems_come_at_once():
    bad = frame(one=[np.inf] + [1.0] * 20 + [2.0] * 3, two=[1e200] + [1.0] * (N - 1))
    with pytest.raises(ComitiaError) as error:
        TablePreparer(kinds={"two": "numeric"}).fit(bad.assign(one=bad.one + bad.age))
    assert "column 'one' has 1 infinite value, the first in row 1" in str(error.value)
    assert "the values of column 'two' are too large to be scaled" in str(error.value)


def test_types_of_dataframes_are_believed():
    pandas = pytest.importorskip("pandas")
    typed = frame(
        flag=[True, False] * (N // 2),
        size=pandas.Categorical(
            ["S", "M", "L"] * (N // 3), ["S", "M", "L"], ordered=True
        ),
        code=pandas.Categorical([3, 1, 2] * (N // 3)),
        day=pandas.date_range("2024-01-01", periods=N),
        whole=pandas.array([1, None, 3, 4] * (N // 4), dtype="Int64"),
    )
    found = kinds_of(TablePreparer().fit(typed))
    assert (found["flag"], found["size"]) == ("boolean", "ordinal")
    assert (found["code"], found["day"]) == ("category", "date")
    assert found["whole"] == "numeric"


def test_tables_of_all_libraries_are_prepared_alike():
    polars = pytest.importorskip("polars")
    pyarrow = pytest.importorskip("pyarrow")
    expected = TablePreparer().fit_transform(frame())
    for given in (polars.DataFrame(COLUMNS), pyarrow.table(COLUMNS), table()[0]):
        assert_allclose(TablePreparer().fit_transform(given), expected)


# -- how columns count ---------------------------------------------------------------


@pytest.mark.parametrize("names", [[0, 1, 2], [("a", 1), ("a", 2), ("b", 1)]])
def test_columns_with_names_that_are_no_text_are_numbered(names):
    pandas = pytest.importorskip("pandas")
    X = np.random.RandomState(2).randn(30, 3)
    prepare = TablePreparer().fit(pandas.DataFrame(X, columns=names))
    assert prepare.get_feature_names_out().tolist() == ["x0", "x1", "x2"]
    assert_array_equal(prepare.transform(X), TablePreparer().fit_transform(X))


@pytest.mark.parametrize("library", ["pandas", "pyarrow"])
@pytest.mark.parametrize("reader", [TablePreparer(), ConsensusClustering(2)])
def test_two_columns_of_one_name_are_refused(library, reader):
    made = pytest.importorskip(library)
    X = np.random.RandomState(2).randn(20, 2)
    if library == "pandas":
        twice = made.DataFrame(X, columns=["a", "a"])
    else:
        twice = made.table([X[:, 0], X[:, 1]], names=["a", "a"])
    with pytest.raises(ComitiaError, match="two columns called 'a'; rename one"):
        reader.fit(twice)


def test_a_discrete_variable_has_half_a_variance_for_each_dimension():
    preparer = TablePreparer()
    X = preparer.fit_transform(frame())
    names = preparer.get_feature_names_out().tolist()
    assert names == [
        *("age", "income", "member=yes", "coin"),
        *("region=east", "region=north", "region=south"),
    ]
    assert_array_equal(preparer.groups_, [0, 1, 2, 3, 4, 4, 4])
    variance = np.bincount(preparer.groups_, X.var(axis=0))
    assert_allclose(variance, [1, 1, 0.5, 0.5, 1.0])
    assert_allclose(X.mean(axis=0), 0, atol=1e-12)


def test_numbers_are_scaled_as_sklearn_does():
    X = RNG.randn(30, 4) * [1, 10, 100, 1000] + 5
    assert_allclose(TablePreparer().fit_transform(X), StandardScaler().fit_transform(X))
    robust = TablePreparer(scale="robust").fit_transform(X)
    assert_allclose(robust, RobustScaler().fit_transform(X))
    assert_array_equal(TablePreparer(scale="none").fit_transform(X), X)


def test_gower_is_gowers_distance():
    X, _ = table()
    prepared = TablePreparer(categorical="gower").fit_transform(X)
    i, j = 0, 5
    ages, incomes = (np.array(COLUMNS[name]) for name in ("age", "income"))
    expected = sum(
        ((values[i] - values[j]) / np.ptp(values)) ** 2 for values in (ages, incomes)
    ) + sum(
        COLUMNS[name][i] != COLUMNS[name][j] for name in ("member", "coin", "region")
    )
    assert_allclose(((prepared[i] - prepared[j]) ** 2).sum(), expected)


def test_standard_columns_have_variance_one_and_dropped_ones_are_gone():
    assert_allclose(
        TablePreparer(categorical="standard").fit_transform(frame()).var(axis=0), 1
    )
    dropped = TablePreparer(categorical="drop").fit(frame())
    assert dropped.get_feature_names_out().tolist() == ["age", "income"]


def test_famd_keeps_the_components_that_several_variables_share():
    rng = np.random.RandomState(1)
    y = np.repeat([0, 1, 2], 60)
    array = np.empty((180, 5), dtype=object)
    array[:, 0] = 3 * y + rng.randn(180)
    array[:, 1] = rng.randn(180)
    for j in (2, 3, 4):
        array[:, j] = np.array([*"abc"])[np.where(rng.rand(180) < 0.8, y, 0)]
    preparer = TablePreparer(categorical="famd").fit(array)
    X = preparer.transform(array)
    # Of numbers and indicators divided by the roots of their shares, all components.
    blocks = [StandardScaler().fit_transform(array[:, :2].astype(float))]
    for j in (2, 3, 4):
        Z = (array[:, [j]] == np.array([*"abc"])).astype(float)
        blocks.append((Z - Z.mean(axis=0)) / np.sqrt(Z.mean(axis=0)))
    whole = np.concatenate(blocks, axis=1)
    values = np.linalg.eigvalsh(np.cov(whole.T))[::-1]
    assert X.shape[1] == (values > 1).sum()
    assert_allclose(X.var(axis=0, ddof=1), values[: X.shape[1]])


def test_a_coin_does_not_decide():
    rng = np.random.RandomState(0)
    y = np.repeat([0, 1, 2], 60)
    centers = np.array([[0, 0, 0], [4, 0, 3], [0, 4, -3]])
    array = np.empty((180, 6), dtype=object)
    array[:, :3] = centers[y] + rng.randn(180, 3)
    for j in (3, 4):
        array[:, j] = (rng.rand(180) < 0.5).astype(float)
    array[:, 5] = np.array(["a", "b", "c", "d"])[rng.randint(4, size=180)]
    pipeline = make_pipeline(TablePreparer(), KMeans(3, n_init=5, random_state=0))
    assert adjusted_rand_score(y, pipeline.fit_predict(array)) > 0.75
    pipeline.set_params(tablepreparer__categorical="standard")
    assert adjusted_rand_score(y, pipeline.fit_predict(array)) < 0.6


def test_cyclic_dates_bring_december_and_january_together():
    days = ["2024-01-01", "2024-12-30", "2024-07-01"] * (N // 3)
    preparer = TablePreparer(dates="cyclic", kinds={"since": "drop"})
    X = preparer.fit_transform(frame(day=days))
    names = preparer.get_feature_names_out().tolist()
    year = X[:, [names.index(f"day {w} of the year") for w in ("sine", "cosine")]]
    assert_allclose((year**2).sum(axis=1), 1)
    near, far = year[0] - year[1], year[0] - year[2]
    assert (near**2).sum() < 0.01 < 3.9 < (far**2).sum()
    week = X[:, [names.index(f"day {w} of the week") for w in ("sine", "cosine")]]
    assert_allclose(week[0], week[1], atol=1e-9)  # Mondays all three


# -- missing values ------------------------------------------------------------------


def test_missing_values_are_filled_and_counted():
    age, region = [*COLUMNS["age"]], [*COLUMNS["region"]]
    age[3], region[4], region[7] = np.nan, None, None
    array = frame(age=age, region=region)
    preparer = TablePreparer(impute="median").fit(array)
    about = {each["column"]: each for each in preparer.columns_}
    assert about["age"]["n_missing"] == 1
    assert "1 filled: median" in about["age"]["action"]
    assert "2 filled: most frequent" in about["region"]["action"]
    units = preparer.in_units(array)
    names = preparer.unit_names_
    assert_allclose(units[3, names.index("age")], np.nanmedian(age))
    # Eight each but for two of the south that are missing.
    assert units[4, names.index("region=east")] == 1
    with pytest.raises(ComitiaError, match="column 'age' has 1 missing value"):
        TablePreparer(impute="refuse").fit(array)


@pytest.mark.parametrize("word", ["n.a.", "N.A.", "#N/A", "k.A.", "n/a", "null"])
def test_words_for_a_gap_are_no_level(word):
    member = [word, *COLUMNS["member"][1:]]
    remark = ["seen twice", "ill", *[word] * (N - 2)]
    preparer = TablePreparer().fit(frame(member=member, remark=remark))
    blank = frame(
        member=[None, *member[1:]], remark=["seen twice", "ill"] + [None] * (N - 2)
    )
    with_gaps = TablePreparer().fit(blank)
    assert preparer.columns_ == with_gaps.columns_
    assert kinds_of(preparer)["member"] == "boolean"
    assert "missing in 92%" in preparer.columns_[-1]["reason"]
    # New rows say it in the same way.
    new = preparer.transform(frame(member=member, remark=remark))
    assert_allclose(new, with_gaps.transform(blank))


@pytest.mark.parametrize("word", ["unknown", "none", "-", "NA?"])
def test_what_can_be_an_answer_is_a_level(word):
    preparer = TablePreparer().fit(frame(member=[word] * 8 + COLUMNS["member"][8:]))
    assert kinds_of(preparer)["member"] == "category"


def test_the_nearest_rows_know_better_than_the_median():
    rng = np.random.RandomState(0)
    X = np.repeat([[0.0], [10.0]], 15, axis=0) + rng.rand(30, 3)
    holes = X.copy()
    holes[20, 1] = np.nan
    filled = TablePreparer().fit(holes).in_units(holes)
    assert abs(filled[20, 1] - X[20, 1]) < 1
    assert_array_equal(np.delete(filled, 20, axis=0), np.delete(X, 20, axis=0))
    median = TablePreparer(impute="median").fit(holes).in_units(holes)[20, 1]
    assert median == np.nanmedian(holes[:, 1])


def test_without_ties_the_nearest_rows_are_those_of_scikit_learn():
    rng = np.random.RandomState(1)
    X = rng.randn(60, 4)
    X[rng.rand(60, 4) < 0.3] = np.nan
    X[0], X[1] = np.nan, [np.nan, 1, np.nan, np.nan]
    scaled = StandardScaler().fit_transform(X)
    wanted = KNNImputer().fit_transform(scaled)
    # A row that says nothing is in the middle; theirs has the means.
    wanted[0] = np.nanmedian(scaled, axis=0)
    assert_allclose(TablePreparer().fit_transform(X), wanted, atol=1e-12)


def test_rows_that_are_equally_near_count_alike():
    X = np.repeat([[0.0, 0.0, 5.0], [9.0, 9.0, 1.0]], 10, axis=0)
    X[:10, 2] += np.arange(10)
    X = np.vstack([X, [0.0, 0.0, np.nan]])
    for order in (np.arange(21), np.arange(21)[::-1]):
        filled = TablePreparer(keep_ids=True).fit(X[order]).in_units(X[order])
        assert filled[np.argsort(order)][20, 2] == pytest.approx(9.5)


def test_rows_are_compared_by_their_categories_too():
    rng = np.random.RandomState(0)
    income = np.array([1.0, 5.0, 9.0] * 20) + 0.1 * rng.randn(60)
    income[[0, 1]] = np.nan
    table = np.array([["red", "blue", "green"] * 20, income], dtype=object).T
    filled = TablePreparer().fit(table).in_units(table)[:2, -1]
    assert_allclose(filled.astype(float), [1, 5], atol=0.3)


def test_medians_stand_in_where_there_are_very_many_rows(monkeypatch):
    rng = np.random.RandomState(0)
    X = np.repeat([[0.0], [10.0]], [12, 18], axis=0) + rng.rand(30, 3)
    X[20, 1] = np.nan
    near = TablePreparer().fit(X)
    assert "like the nearest rows" in near.columns_[1]["action"]
    monkeypatch.setattr(sizes, "FILLED_OBJECTS", 29)
    far = TablePreparer().fit(X)
    assert far.columns_[1]["action"].endswith("1 filled: median")
    assert far.in_units(X)[20, 1] == np.nanmedian(X[:, 1])
    # Both can be asked for whatever the size.
    asked = TablePreparer(impute="knn").fit(X)
    assert_array_equal(asked.transform(X), near.transform(X))


def test_columns_that_are_mostly_missing_are_left_out():
    holes = np.where(np.arange(N) < 13, np.nan, np.arange(N) ** 2)
    about = TablePreparer().fit(frame(holes=holes)).columns_[-1]
    assert not about["used"]
    assert "missing in 54% of the rows" in about["reason"]
    kept = TablePreparer(max_missing=0.6).fit(frame(holes=holes))
    assert kept.columns_[-1]["used"]


# -- wide tables and counts ------------------------------------------------------------


def test_a_wide_table_of_one_unit_keeps_it_and_is_rotated():
    X = np.random.RandomState(0).randn(12, 80) * np.linspace(1, 3, 80)
    preparer = TablePreparer().fit(X)
    assert preparer.form_ == "alike"
    rotated = preparer.transform(X)
    assert rotated.shape == (12, 11)
    assert_allclose(pdist(rotated), pdist(X))
    assert_array_equal(preparer.in_units(X), X)
    assert TablePreparer(rotate=False).fit_transform(X).shape == X.shape
    own = TablePreparer(form="columns").fit(X)
    assert_allclose(pdist(own.transform(X)), pdist(StandardScaler().fit_transform(X)))


def test_columns_of_different_units_are_standardized():
    X = np.random.RandomState(0).randn(12, 80) * np.geomspace(1, 1000, 80)
    assert TablePreparer().fit(X).form_ == "columns"
    tall = np.random.RandomState(0).randn(100, 80)
    assert TablePreparer().fit(tall).form_ == "columns"


@pytest.mark.parametrize("name", ["WIDE_COLUMNS", "ROTATED_OBJECTS"])
def test_distances_are_the_same_on_both_sides_of_a_size(name, monkeypatch):
    X = np.random.RandomState(0).randn(12, 80)
    prepared = []
    for value in (11 if name == "ROTATED_OBJECTS" else 81, 60):
        monkeypatch.setattr(sizes, name, value)
        prepared.append(TablePreparer(form="alike").fit_transform(X))
    assert [each.shape[1] for each in prepared] == [80, 11]
    assert_allclose(*map(pdist, prepared))


def counts(n=90, p=120):
    """Three kinds of cells, of different depths."""
    rng = np.random.RandomState(0)
    y = np.arange(n) % 3
    means = np.exp(rng.randn(p) - 0.5)
    means = np.stack(
        [np.where(np.arange(p) % 6 == c, 6 * means, means) for c in (0, 1, 2)]
    )
    return rng.poisson(means[y] * rng.uniform(0.2, 2, (n, 1))).astype(float), y


def test_counts_are_recognized_and_normalized():
    from scipy.sparse import csr_array

    X, y = counts()
    preparer = TablePreparer(n_top_features=100, n_components=5)
    dense = preparer.fit_transform(X)
    assert preparer.form_ == "counts"
    assert dense.shape == (90, 5)
    totals = X.sum(axis=1, keepdims=True)
    logs = np.log1p(X / totals * np.median(totals))
    units = preparer.in_units(X)
    assert units.shape == (90, 100)
    names = np.array([f"x{j}" for j in range(120)])
    kept = np.flatnonzero(np.isin(names, preparer.unit_names_))
    assert_allclose(units, logs[:, kept])
    labels = KMeans(3, n_init=5, random_state=0).fit_predict(dense)
    assert adjusted_rand_score(y, labels) > 0.9
    sparse = clone(preparer).fit_transform(csr_array(X))
    assert_allclose(np.abs(sparse), np.abs(dense), atol=1e-8)
    assert TablePreparer(form="columns").fit(X).form_ == "columns"


def test_cells_may_have_names_beside_their_counts():
    pandas = pytest.importorskip("pandas")
    X, _ = counts()
    cells = pandas.DataFrame(X).rename(columns=lambda j: f"gene {j}")
    cells.insert(0, "barcode", [f"cell {i}" for i in range(len(X))])
    preparer = TablePreparer(n_components=5).fit(cells)
    assert preparer.form_ == "counts"
    assert kinds_of(preparer)["barcode"] == "id"
    expected = TablePreparer(n_components=5).fit_transform(X)
    assert_allclose(preparer.transform(cells), expected)
    assert len(preparer.unit_names_) == 120


def test_the_most_variable_genes_are_those_that_differ():
    X, _ = counts()
    preparer = TablePreparer(n_top_features=40).fit(X)
    kept = np.array([int(name[1:]) for name in preparer.unit_names_])
    # Every second one differs between the kinds of cells.
    assert (kept % 6 < 3).mean() > 0.7


def test_grey_values_and_negative_numbers_are_no_counts():
    rng = np.random.RandomState(0)
    images = np.where(rng.rand(90, 120) < 0.5, 0, rng.randint(1, 256, (90, 120)))
    assert TablePreparer().fit(images.astype(float)).form_ != "counts"
    X, _ = counts()
    assert TablePreparer().fit(X - 1).form_ != "counts"
    with pytest.raises(ComitiaError, match="has negative values"):
        TablePreparer(form="counts").fit(X - 1)


# -- what is remembered ---------------------------------------------------------------


@pytest.mark.parametrize(
    "how",
    [
        {},
        {"impute": "knn", "dates": "cyclic"},
        {"impute": "median"},
        {"categorical": "famd"},
        {"categorical": "gower", "dates": "number"},
        {"scale": "robust", "kinds": {"region": ["north", "south", "east"]}},
    ],
)
def test_a_preparer_comes_back_from_json(how):
    age = [*COLUMNS["age"]]
    age[3] = np.nan
    data = frame(age=age)
    preparer = TablePreparer(**how).fit(data)
    again = TablePreparer.from_dict(json.loads(json.dumps(preparer.to_dict())))
    new = data.iloc[::-1].reset_index(drop=True)
    assert_allclose(again.transform(new), preparer.transform(new), atol=1e-12)
    assert again.columns_ == preparer.columns_
    assert again.get_params() == {
        **preparer.get_params(),
        "kinds": how.get("kinds", {}),
    }
    assert_array_equal(again.get_feature_names_out(), preparer.get_feature_names_out())


def test_wide_tables_and_counts_come_back_from_json():
    for X in (np.random.RandomState(0).randn(12, 80), counts()[0]):
        preparer = TablePreparer().fit(X)
        again = TablePreparer.from_dict(json.loads(json.dumps(preparer.to_dict())))
        assert_allclose(again.transform(X[:4]), preparer.transform(X[:4]))


@pytest.mark.parametrize("key", ["columns", "learnt", "parameters", "format", "scale"])
def test_a_damaged_state_is_refused(key):
    state = TablePreparer().fit(frame()).to_dict()
    for value in (None, {}, "x"):
        with pytest.raises(ComitiaError, match=r"damaged|no preparation"):
            TablePreparer.from_dict({**state, key: value})


@pytest.mark.parametrize("shape", [(50, 4000), (50, 5), (50, 3), (150,)])
def test_rows_that_lack_columns_reach_no_kernel(shape):
    rng = np.random.RandomState(0)
    table = np.column_stack([rng.randn(50, 3), rng.choice([*"uvw"], 50)]).astype(object)
    table[:, :3] = table[:, :3].astype(float)
    table[3, 1] = np.nan
    state = TablePreparer().fit(table).to_dict()
    assert state["learnt"]["seen"]["shape"] == [50, 6]
    state["learnt"]["seen"] = packed(rng.randn(*shape))
    with pytest.raises(ComitiaError, match="damaged: rows lack columns"):
        TablePreparer.from_dict(state)
    state["learnt"]["medians"] = packed(rng.randn(1))
    with pytest.raises(ComitiaError, match="damaged: medians are missing"):
        TablePreparer.from_dict(state)


def test_new_rows_are_prepared_by_what_was_learnt():
    preparer = TablePreparer().fit(frame())
    row = frame().iloc[[5]].assign(region="west", age=np.nan)
    X = preparer.transform(row)
    names = preparer.get_feature_names_out().tolist()
    assert_allclose(
        X[0, names.index("age")],
        np.median(StandardScaler().fit_transform(np.c_[COLUMNS["age"]])),
    )
    # A level that was not there before is none of those that were.
    whole = preparer.transform(frame())
    at = [j for j, name in enumerate(names) if name.startswith("region")]
    assert_allclose(X[0, at], whole[:, at].min(axis=0))
    with pytest.raises(ValueError, match="age"):
        preparer.transform(frame().drop(columns="age"))


def test_columns_that_are_not_what_they_were_are_told():
    from comitia.prepare.new_rows import describe_new
    from comitia.prepare.table_columns import as_table_columns

    rng = np.random.RandomState(0)
    X = rng.randn(40, 2) + 30
    prepare = TablePreparer().fit_columns(as_table_columns(X))

    def notes(new):
        return describe_new(prepare, as_table_columns(new))

    assert notes(X[:5]) == []
    assert notes(X[:5] + [0.0, 3.0]) == []
    (unit,) = notes(X[:5] * [1.0, 1000.0])
    assert "'x1' lies elsewhere" in unit
    words = X[:3].astype(object)
    words[:2, 0] = ["x31", "-"]
    word, gaps = notes(words)
    assert "'x0' is one of numbers and has 1 other, such as 'x31'" in word
    assert gaps == "2 missing values filled in."


def test_frames_come_out_on_request():
    pandas = pytest.importorskip("pandas")
    out = TablePreparer().set_output(transform="pandas").fit_transform(frame())
    assert isinstance(out, pandas.DataFrame)
    assert [*out.columns][:2] == ["age", "income"]
