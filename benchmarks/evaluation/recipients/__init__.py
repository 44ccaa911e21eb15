"""Do weights help? Each weighted method against itself with all weights equal.

Something of which a growing share is junk is clustered by both: planted clusterings or
clusterings of the pools for methods that take labels, planted data for the others. In a
pool a clustering becomes junk when its labels are shuffled among the objects: it keeps
its sizes and says nothing. A row of ``recipients.csv`` has the adjusted Rand index of
the method and of its twin (:mod:`benchmarks.evaluation.recipients.twins`).
"""
