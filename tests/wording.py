r"""How shared constructor parameters are described, everywhere alike.

A description begins with one of the texts of its parameter; what is special to a class
follows. :data:`OWN` lists the parameters that mean something else in one class.
"""

import re

K = "Number of clusters. ``None`` "
EVERY_K = "Number of clusters, of each clustering and of the result. ``None`` "

METHODS = {
    "n_clusters": (
        K + "cuts each tree at its longest lifetime",
        K + "takes the eigengap of the ensemble's graph",
        K + "takes the eigengap of plain k-means clusterings",
        K + "takes the eigengap of the views' neighbour graphs",
        K + "leaves it to the search",
        EVERY_K + "takes the eigengap of plain k-means clusterings",
        EVERY_K + "takes the eigengap of a first ensemble",
        EVERY_K + r"draws it for each clustering, from 2 to :math:`\sqrt n`",
    ),
    "generator": ("Makes the clusterings when :meth:`fit` is given data alone.",),
    "random_state": (
        "Seed of the generator.",
        "Seed of the generator and of the consensus.",
        "Seed of the clusterings.",
        "Seed of the clusterings and of the consensus.",
        "Seed of the starts",
        "Not used: nothing is random.",
    ),
    "n_jobs": ("Number of parallel jobs.",),
    "n_init": (
        "Number of starts; the best one is kept.",
        "Number of starts of ",
        "Number of partitions METIS makes; the one that cuts least is kept.",
    ),
    "max_iter": ("Most ",),
    "tol": ("Stop when ",),
    "n_rounds": ("Number of clusterings", "Most clusterings"),
    "n_clusterings": ("Number of clusterings, :math:`M",),
    "views": ("Which columns make up each view, when :meth:`fit` is given one table.",),
    "linkage": (
        "Distance of two clusters in the tree",
        "Distance of two clusters in each tree",
        "Distance of two clusters in both trees",
    ),
    "agreement": ("How alike two clusterings are",),
    "clustering_weights": ("Weight of each clustering",),
    "imbalance": ("How much larger than the mean ", "How much heavier than the mean "),
    "cooling": ("What a temperature is multiplied by to get the next.",),
}

GENERATORS = {
    "n_clusters": (
        "Number of clusters of each clustering, or the range it is drawn from.",
    ),
    "n_clusterings": ("Size of the ensemble, :math:`M`.",),
    "random_state": ("Seed.",),
    "n_jobs": ("Number of parallel jobs",),
}

CLUSTERERS = {
    "n_clusters": ("Number of clusters.",),
    "n_init": ("Number of starts; the best objective wins.",),
    "max_iter": ("Most ",),
    "random_state": ("Seed of the starts.",),
}

TYPES = {
    "n_clusters": "int, default=None",
    "generator": "generator, default=None",
    "random_state": "int, RandomState instance or None, default=None",
    "n_jobs": "int, default=None",
    "views": "list of slice or of lists of int, default=None",
}

# Methods, generators and clusterers whose parameter means something of its own.
OWN = {
    "n_clusters": {
        "MixedGenerator",  # for the generators inside
        "SelfOrganizingMap",  # units
        "TreeGenerator",  # leaves
        "WeightedGaussianMixture",  # components
        "multi_view",  # depends on the method
        "time_series",  # likewise
        "ec_bnmf",  # an upper limit
        "ecg",  # must be None
        "fast_ensemble",  # must be None
        "lf_consensus",  # must be None
        "greedy_diversity_2014",  # that of the reference
        "mwk_central",  # the index decides
        "voting",  # that of the reference
        "wu_2017",  # threshold first
        "yang_2016",  # must be None
        "zhou_tang_2006",  # that of the reference
    },
    "generator": {
        "lf_consensus",  # of graphs
        "liu_2010",  # of views
        "wu_2017",  # of graphs
        "time_series",  # of series
        "yang_chen_2011",  # of series
    },
    "random_state": {
        "E2CP",
        "GaussianHMM",
        "KMedoids",
        "KernelParetoClustering",
        "Leiden",
        "MixedGenerator",  # of the generators inside
        "RepresentationGenerator",  # of the generators inside
        "SelfOrganizingMap",
        "ViewsGenerator",
        "WeightedGaussianMixture",
        "multi_view",
        "time_series",
    },
    "n_jobs": {"multi_view", "time_series"},
    "views": {"multi_view"},
    "n_clusterings": {"TreeGenerator"},
    "n_init": {
        "COPKMeans",  # fewest violations
        "E2CP",
        "HMMKModels",  # likelihood
        "KMedoids",
        "LAC",  # the mean over objects
        "WeightedGaussianMixture",  # likelihood
        "mwk_central",  # for each exponent
    },
    "max_iter": {"KernelParetoClustering"},
    "n_rounds": {"ceam", "jia_2011", "omvc", "yang_tan_2012"},  # bags, passes
    "agreement": {"jia_2011", "voting"},  # with a benchmark, with a reference
}


def deviations(cls, texts, name):
    """Which shared parameters a class describes in other words, with what it says.

    Parameters
    ----------
    cls : type
        The class.

    texts : dict
        METHODS, GENERATORS or CLUSTERERS.

    name : str
        What OWN calls the class: its catalogue id, or its name.

    Returns
    -------
    found : list of str
        Empty where all is well.
    """
    from numpydoc.docscrape import NumpyDocString

    found = []
    for parameter in NumpyDocString(cls.__doc__)["Parameters"]:
        called = parameter.name
        if called not in texts or name in OWN.get(called, ()):
            continue
        text = " ".join(" ".join(parameter.desc).split())
        text = re.sub(r"^default=(\(.*?\)|\S+) ", "", text)  # of a type on two lines
        if not text.startswith(texts[called]):
            found.append(f"{cls.__name__}.{called}: {text}")
        elif texts is METHODS and parameter.type != TYPES.get(called, parameter.type):
            found.append(f"{cls.__name__}.{called}: {parameter.type}")
    return found
