"""What a generator of one's own writes, and what it gets for that."""

import ast
import inspect
from pathlib import Path

import numpy as np
import pytest
from numpy.testing import assert_array_equal
from sklearn.base import clone

import comitia
from comitia.exceptions import ComitiaError
from comitia.generate import Generator, KMeansGenerator, ViewsGenerator, generate_blocks
from comitia.generate import generator as generator_module
from comitia.generate.member import Made

X = np.random.RandomState(0).rand(50, 3)
EXECUTORS = [
    "executor_memory",
    "executor_row_blocks",
    "executor_device",
    "regenerate",
    "views_generator",
    "_kmeans_on_samples",
    "estimators",
]


class _Split:
    """Two clusters: below and above a value of one feature."""

    n_clusters = 2

    def __init__(self, feature, value, frame=None):
        self.feature, self.value, self.frame = feature, value, frame

    def predict(self, X):
        return (X[:, self.feature] > self.value).astype(np.int32)

    def label_columns(self, columns):
        return (columns[self.feature] > self.value).astype(np.int32)

    def state(self):
        return {"split": np.array([self.feature, self.value])}


class SplitGenerator(Generator):
    """Splits at the mean of a random feature.

    Parameters
    ----------
    n_clusterings, n_jobs, checkpoint, verbose, random_state : shared
    """

    def __init__(
        self,
        n_clusterings=5,
        *,
        n_jobs=None,
        checkpoint=None,
        verbose=False,
        random_state=None,
    ):
        self.n_clusterings = n_clusterings
        self.n_jobs = n_jobs
        self.checkpoint = checkpoint
        self.verbose = verbose
        self.random_state = random_state

    def plan(self, X, rng):
        return [{"draw": float(u)} for u in rng.rand(self.n_clusterings)]

    def fit_member(self, X, plan):
        feature = int(plan["draw"] * X.shape[1])
        model = _Split(feature, X[:, feature].mean())
        return Made(model.predict(X), model=model)


class SampledSplits(SplitGenerator):
    """The same on samples.

    Parameters
    ----------
    n_clusterings, n_jobs, checkpoint, verbose, random_state : shared
    """

    fit_member = Generator.fit_member

    def needs_memory(self, n=None):
        return ""

    def prepare(self, X):
        return comitia.generate.columns.Columns.of(X)

    def sample_rows(self, n, plan):
        return np.arange(0, n, 2)

    def fit_sample(self, sample, plan):
        feature = int(plan["draw"] * len(sample.values))
        return _Split(feature, sample.values[feature].mean())


@pytest.mark.parametrize("kind", [SplitGenerator, SampledSplits])
def test_jobs_and_checkpoints_come_for_free(kind, tmp_path):
    plain = kind(4, random_state=0).fit(X)
    assert plain.ensemble_.n_clusterings == 4
    for parameters in ({"n_jobs": 2}, {"checkpoint": tmp_path / "run"}):
        once = kind(4, random_state=0, **parameters).fit(X)
        again = clone(once).fit(X)
        assert_array_equal(once.ensemble_.labels, plain.ensemble_.labels)
        assert_array_equal(again.ensemble_.labels, plain.ensemble_.labels)


def test_a_member_whose_model_was_not_kept_is_made_again_when_asked(tmp_path):
    first = SplitGenerator(3, checkpoint=tmp_path, random_state=0).fit(X)
    again = clone(first).fit(X)
    assert_array_equal(again.transform(X), first.ensemble_.labels)


def test_members_on_samples_label_rows_in_blocks(tmp_path):
    memory = SampledSplits(4, random_state=0).generate(X)
    blocks = generate_blocks(
        SampledSplits(4, random_state=0), X, tmp_path, block_rows=20
    )
    assert_array_equal(blocks.labels, memory.labels)


def test_a_generator_that_needs_all_objects_says_so(tmp_path):
    with pytest.raises(ComitiaError, match="generator=SplitGenerator needs all"):
        generate_blocks(SplitGenerator(), X, tmp_path)
    with pytest.raises(ComitiaError, match="generator=ViewsGenerator needs all"):
        generate_blocks(ViewsGenerator(), X, tmp_path)
    with pytest.raises(ComitiaError, match='solver="lloyd" needs all'):
        generate_blocks(KMeansGenerator(solver="lloyd"), X, tmp_path)


def test_what_is_not_written_is_missed():
    class Nothing(SplitGenerator):
        plan = Generator.plan

    class Unfitted(SplitGenerator):
        fit_member = Generator.fit_member

        def prepare(self, X):
            return comitia.generate.columns.Columns.of(X)

    with pytest.raises(TypeError, match="Nothing does not plan its members"):
        Nothing().fit(X)
    with pytest.raises(TypeError, match="Unfitted does not fit its members on"):
        Unfitted().fit(X)


def test_shared_parameters_and_overridden_methods_have_their_texts():
    assert ": shared" not in inspect.getdoc(SplitGenerator)
    assert "n_jobs : int, default=None" in inspect.getdoc(SplitGenerator)
    assert SplitGenerator.plan.__doc__ == Generator.plan.__doc__
    for name in comitia.generate.__all__:
        assert ": shared" not in getattr(comitia.generate, name).__doc__, name


@pytest.mark.parametrize("name", EXECUTORS)
def test_nobody_calls_a_private_method_of_somebody_elses_generator(name):
    path = Path(generator_module.__file__).with_name(f"{name}.py")
    tree = ast.parse(path.read_text(encoding="utf-8"))
    own = {
        node.name
        for node in ast.walk(tree)
        if isinstance(node, ast.FunctionDef) and node.name.startswith("_")
    }
    foreign = [
        ast.unparse(node)
        for node in ast.walk(tree)
        if isinstance(node, ast.Attribute)
        and node.attr.startswith("_")
        and not node.attr.startswith("__")
        and ast.unparse(node.value) not in ("self", "cls", "super()")
        and node.attr not in own | {"_parameter_constraints"}
    ]
    assert not foreign
