"""What ``ConsensusClustering(n_clusters=k)`` does when nothing else is said.

A default is a generator, a weighting and a consensus. Half of the data sets, drawn at
random, are there to choose it, the others to confirm the choice. The clusterings of a
data set, a generator and a seed are made once, and every mix of weighting and consensus
combines them: a row of ``default.csv`` has their adjusted Rand indices side by side.
``default_junk.csv`` has the same of planted clusterings, of which a growing share is
junk: nine tenths of its labels are random.

``default_rivals.csv`` has the default, single algorithms and published methods on all
tables, each from the data on; ``default_battery.csv`` has some of them on the sets of
Gagolewski's battery, columns as they are, the best of the reference labels.
"""
