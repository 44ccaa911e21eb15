"""Both sides of every size at which the path changes give the same labels."""

import ast
from pathlib import Path

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

import comitia
from comitia import Ensemble, sizes
from comitia.generate.estimators import median_distance
from comitia.optimize.eigenpairs import largest_eigenpairs
from tests.fixtures import planted, same_partition

ROOT = Path(__file__).parents[1]
SRC = ROOT / "src" / "comitia"

N, K = 400, 3

# More than there is of anything here.
ALL = 10**9

# Constant: its values on one side and on the other, what else is set on both.
SIDES = {
    "FEW_LABELS": (0, ALL, {"FEW_INCREMENTS": ALL}),
    "FEW_INCREMENTS": (0, ALL, {"FEW_LABELS": ALL}),
    "FEW_CELLS": (0, ALL, {"CELLS_PER_OBJECT": 0, "FEW_LABELS": 0}),
    "CELLS_PER_OBJECT": (0, ALL, {"FEW_CELLS": 0, "FEW_LABELS": 0}),
    "MANY_ROWS": (60, ALL, {"SAMPLE_ROWS": 200}),
    "SAMPLE_ROWS": (100, 300, {"MANY_ROWS": 60}),
    "LARGER_SAMPLE_ROWS": (40, ALL, {"MANY_ROWS": 60, "SAMPLE_ROWS": 15}),
    "TRIED_ROWS": (40, ALL, {"MANY_ROWS": 60, "SAMPLE_ROWS": 200}),
    "GLANCE_ROWS": (20, ALL, {"FEW_LABELS": 0}),
    "SMALL_MATRIX": (0, ALL, {}),
    "DENSE_MATRIX": (10, ALL, {}),
    "MANY_FOR_TREES": (0, ALL, {}),
    "MANY_FOR_GRAPHS": (0, ALL, {}),
}

# Constant: where a test of its own runs both sides.
ELSEWHERE = {
    "CONTENT_ORDER_BYTES": "tests/test_data_order.py",
    "CONTENT_ORDER_OBJECTS": "tests/test_data_order.py",
    "KEPT_DISTANCES": "tests/methods/test_zhou_zhu_2017_clustering.py",
    "KEPT_TABLE_BYTES": "tests/test_growth.py",
    "KRYLOV_MATRIX": "tests/methods/test_trce.py",
    "SETTLED_PAIRS": "tests/generate/test_stopping.py",
    "MEMBER_BYTES": "tests/io/test_new_objects.py",
    "SHAPES_SAMPLE": "tests/generate/test_sizes.py",
    "SHAPES_SAMPLE_EACH": "tests/generate/test_sizes.py",
    "SINGLE_PRECISION_OBJECTS": "tests/generate/test_sizes.py",
    "MANY_FEATURES": "tests/cluster/test_genie.py",
    "SPANNING_TREE_OBJECTS": "tests/generate/test_sizes.py",
    "COMPILED_NEAREST_OBJECTS": "tests/generate/test_kmeans_on_samples.py",
    "ALL_PAIRS_VERTICES": "tests/methods/test_lf_consensus.py",
    "EXACT_NEIGHBORS_OBJECTS": "tests/generate/test_graph_generator.py",
    "DENSE_COLUMNS": "tests/display/test_object_map.py",
    "FAMILY_ANSWERS_OBJECTS": "tests/methods/test_consensus_families.py",
    "FEW_OBJECTS": "tests/test_blocks.py",
    "KMEANS_SAMPLE": "tests/generate/test_executor_row_blocks.py",
    "KMEANS_SAMPLE_EACH": "tests/generate/test_executor_row_blocks.py",
    "LANDMARK_GRAPH_SAMPLE": "tests/generate/test_landmark_spectral.py",
    "LANDMARK_GRAPH_SAMPLE_EACH": "tests/generate/test_landmark_spectral.py",
    "MANY_FILE_ROWS": "tests/cli/test_out_of_core.py",
    "RIVALS_SAMPLE": "tests/methods/test_consensus_rivals.py",
    "SAMPLED_KMEANS_OBJECTS": "tests/generate/test_kmeans_on_samples.py",
    "ROTATED_OBJECTS": "tests/prepare/test_table_preparer.py",
    "FEW_TO_SHARE": "tests/test_threads.py",
    "FEW_TO_SHARE_BLAS": "tests/test_threads.py",
    "FILLED_OBJECTS": "tests/prepare/test_table_preparer.py",
    "WIDE_COLUMNS": "tests/prepare/test_table_preparer.py",
    "SAMPLE_BYTES": "tests/generate/test_executor_row_blocks.py",
}

# Those with a test of their own below.
BELOW = {
    "BLOCK_ROWS",
    "DEVICE_CELLS",
    "DEVICE_GLANCE_ROWS",
    "FEW_VALUES",
    "MEDIAN_DISTANCE_SAMPLE",
    "N_LANDMARKS",
}

# Where own numbers choose no path to labels: they say how much is drawn, written or
# tried, or count bytes and characters.
SHOWN = {"display", "evaluate", "io", "plot", "report"}
BYTES = {"_files.py", "config.py", "distributed"}


@pytest.fixture
def votes():
    labels, _ = planted(N, K, 8, noise=0.15, seed=3)
    return labels


def set_sizes(monkeypatch, **values):
    for name, value in values.items():
        monkeypatch.setattr(sizes, name, value)


def weights_of(estimator):
    names = ("clustering_weights_", "cluster_weights_", "object_weights_")
    return [getattr(estimator, name) for name in names if hasattr(estimator, name)]


@pytest.mark.parametrize("method", ["lwgp", "lwea", "kcc", "sec", "voting"])
@pytest.mark.parametrize("name", SIDES)
def test_both_sides_give_the_same_labels_and_weights(name, method, votes, monkeypatch):
    one, other, also = SIDES[name]
    fits = []
    for value in (one, other):
        set_sizes(monkeypatch, **also, **{name: value})
        estimator = comitia.method(method)(K, random_state=0)
        fits.append(estimator.fit(Ensemble(votes)))
    assert same_partition(fits[0].labels_, fits[1].labels_)
    for ours, theirs in zip(*map(weights_of, fits), strict=True):
        assert_allclose(ours, theirs, rtol=1e-9)


@pytest.mark.parametrize("name", ["MANY_FOR_TREES", "MANY_FOR_GRAPHS", "FEW_LABELS"])
def test_the_default_finds_the_same_on_both_sides(name, votes, monkeypatch):
    found = []
    for value in SIDES[name][:2]:
        set_sizes(monkeypatch, **{name: value})
        estimator = comitia.ConsensusClustering(K, random_state=0)
        found.append(estimator.fit(Ensemble(votes)).labels_)
    assert same_partition(*found)


@pytest.mark.parametrize("name", ["FEW_LABELS", "FEW_CELLS"])
def test_agreement_is_the_same_on_both_sides(name, votes, monkeypatch):
    one, other, also = SIDES[name]
    found = []
    for value in (one, other):
        set_sizes(monkeypatch, **also, **{name: value})
        found.append(Ensemble(votes).agreement("nmi_sqrt"))
    assert_allclose(*found, rtol=1e-12)


@pytest.mark.parametrize(("name", "value"), [("SMALL_MATRIX", 0), ("DENSE_MATRIX", 10)])
def test_eigenpairs_are_the_same_on_both_sides(name, value, monkeypatch):
    A = np.random.RandomState(0).randn(60, 60)
    expected = largest_eigenpairs(A + A.T, 4)
    monkeypatch.setattr(sizes, name, value)
    for ours, theirs in zip(largest_eigenpairs(A + A.T, 4), expected, strict=True):
        assert_allclose(ours, theirs, atol=1e-9)


@pytest.mark.parametrize("missing", [0.0, 0.1])
def test_labels_are_coded_alike_whether_counted_or_sorted(missing, monkeypatch):
    rng = np.random.RandomState(0)
    labels = rng.randint(0, 50, size=(100, 3)) * 40
    labels[rng.rand(*labels.shape) < missing] = -1
    codes = []
    for value in (0, ALL):
        monkeypatch.setattr(sizes, "FEW_VALUES", value)
        codes.append(Ensemble(labels).codes)
    assert_array_equal(*codes)


@pytest.mark.parametrize("name", ["DEVICE_CELLS", "DEVICE_GLANCE_ROWS"])
def test_a_device_finds_the_same_on_both_sides(name, votes, monkeypatch):
    pytest.importorskip("torch", reason="PyTorch is not installed")
    found, shared = [], []
    for value in (20, ALL):
        set_sizes(monkeypatch, FEW_LABELS=0, FEW_OBJECTS=0, **{name: value})
        there = Ensemble.on_device(Ensemble(votes), "torch")
        found.append(comitia.method("lwgp")(K, random_state=0).fit(there).labels_)
        shared.append(there.contingency().toarray())
    assert_array_equal(*(np.asarray(labels) for labels in found))
    assert_array_equal(*shared)


def test_as_many_landmarks_as_objects_change_nothing(votes):
    assert len(votes) < sizes.N_LANDMARKS
    estimator = comitia.method("lwea")(K)
    plain = estimator.fit(Ensemble(votes)).labels_
    sampled = estimator.fit(Ensemble(votes), approximate="landmarks").labels_
    assert same_partition(plain, sampled)


def test_a_folder_holds_the_same_in_any_number_of_blocks(votes, tmp_path, monkeypatch):
    for rows in (150, ALL):
        monkeypatch.setattr(sizes, "BLOCK_ROWS", rows)
        Ensemble(votes).save(tmp_path / str(rows))
        assert len(Ensemble.open(tmp_path / str(rows)).storage.n_rows) == -(-N // rows)
        assert Ensemble.load(tmp_path / str(rows)) == Ensemble(votes)


def test_a_sample_tells_about_the_same_distance(monkeypatch):
    X = np.random.RandomState(0).randn(400, 3)
    whole = median_distance(X, np.random.RandomState(0))
    monkeypatch.setattr(sizes, "MEDIAN_DISTANCE_SAMPLE", 200)
    # Of 20 000 distances the median is known to a few per cent.
    assert_allclose(median_distance(X, np.random.RandomState(0)), whole, rtol=0.1)


def test_every_size_is_run_on_both_sides():
    assert {*SIDES, *ELSEWHERE, *BELOW} == {*sizes.__all__}
    for name, file in ELSEWHERE.items():
        assert name in (ROOT / file).read_text()


def test_sizes_that_choose_a_path_stand_in_one_module():
    found = []
    for path in sorted(SRC.rglob("*.py")):
        where = path.relative_to(SRC)
        if where.parts[0] not in SHOWN | BYTES and where.name != "sizes.py":
            found += [f"{where}:{line}" for line in compared_numbers(path.read_text())]
    assert found == []


def test_the_search_sees_names_and_literals():
    text = "_MANY = 1 << 10\nif n > _MANY or k < max(m, 500) or r > 3:\n    pass"
    assert compared_numbers(text) == [2, 2]


def compared_numbers(text):
    """Lines that compare with a whole number of 200 or more written in the file."""
    tree = ast.parse(text)
    named = {
        node.targets[0].id
        for node in tree.body
        if isinstance(node, ast.Assign)
        and isinstance(node.targets[0], ast.Name)
        and is_large(node.value)
    }
    return [
        compare.lineno
        for compare in ast.walk(tree)
        if isinstance(compare, ast.Compare)
        for part in ast.walk(compare)
        if (isinstance(part, ast.Name) and part.id in named) or is_large(part)
    ]


def is_large(node):
    """Whether an expression is a whole number such as 500, 2**16 or 1 << 20."""
    if not isinstance(node, ast.BinOp | ast.Constant):
        return False
    try:
        value = ast.literal_eval(node)
    except ValueError:
        if not isinstance(node, ast.BinOp):
            return False
        left, right = (getattr(side, "value", None) for side in (node.left, node.right))
        if not isinstance(left, int) or not isinstance(right, int):
            return False
        operators = {ast.Pow: pow, ast.LShift: int.__lshift__, ast.Mult: int.__mul__}
        operator = operators.get(type(node.op))
        value = operator(left, right) if operator and right < 60 else 0
    return isinstance(value, int) and value >= 200
