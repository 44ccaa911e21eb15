"""The methods, quick to fit, and small data for each thing that fit can be given."""

import inspect

import numpy as np
from scipy.cluster.hierarchy import linkage
from scipy.sparse import csr_array

from comitia import Ensemble
from comitia.catalogue import method_classes
from comitia.generate import KMeansGenerator

METHODS = method_classes()

# Three clear clusters of eight objects.
TRUTH = np.repeat([0, 1, 2], 8)
X = np.random.RandomState(0).rand(24, 3) + 4.0 * np.eye(3)[TRUTH]
LABELS = np.column_stack([TRUTH, TRUTH, np.roll(TRUTH, 1), TRUTH == 0])
ENSEMBLE = Ensemble(LABELS)
GRAPH = csr_array((TRUTH[:, None] == TRUTH).astype(float) - np.eye(24))
TREES = [linkage(X, "average"), linkage(X, "single")]


def make(cls, **parameters):
    """A method that is quick to fit: three clusters, few members, few rounds."""
    quick = {
        "n_clusters": 3,
        "generator": KMeansGenerator(n_clusterings=4),
        "n_clusterings": 4,
        "n_rounds": 4,
        "random_state": 0,
    }
    quick |= cls.card.quick | parameters
    known = inspect.signature(cls).parameters
    return cls(**{name: value for name, value in quick.items() if name in known})


def methods_that(need, *, but=()):
    """The methods whose card names a need, and none of the others."""
    return [
        cls
        for cls in METHODS
        if need in cls.card.needs and not {*but} & {*cls.card.needs}
    ]


def is_on_tables(cls):
    """Whether a table of numbers is something that the method can be given."""
    return not {"graph", "dendrograms"} & {*cls.card.needs}


def given(cls, data=X, labels=ENSEMBLE):
    """What fit is called with, for a method of any kind: arguments and keywords."""
    needs = cls.card.needs
    if "graph" in needs:
        return (GRAPH,), {}
    if "dendrograms" in needs:
        return (TREES,), {}
    if "views" in needs:
        return ([data[:, :2], data[:, 1:]],), {}
    if needs == ("labels",):
        return (labels,), {}
    return (data,), {"ensemble": labels} if "labels" in needs else {}
