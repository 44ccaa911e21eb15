"""Do the methods give what their authors published?

``fidelity.csv`` has the scores of every method on ten draws of every pool
(:mod:`benchmarks.evaluation.pools`) by two criteria, which are those of the papers:

``true-k``
    As many clusters as there are classes.
``best-k``
    The best score of 2, 3, …, 30 clusters, for each measure; ``k`` is that of the best
    NMI. It looks at the classes, and is there because the papers have it.

``fidelity_linkage.csv`` compares the trees of LWEA and WEAC with those that SciPy's
average linkage makes of the dense matrix, ``fidelity_ties.csv`` asks whether SciPy's
depend on rounding where ours are not theirs, and ``fidelity_variants.csv`` has methods
as their authors ran them, where that differs from our default. Means and spreads, with
the published ones beside them, are in ``fidelity_summary.csv``.
"""
