"""Are we better than what people use now? Speed, memory and quality, in one run.

``peers.csv`` has a row for each tool, case and seed. The tools, ours and those of other
packages, get the same input: labels of members, a table, views or series, which need no
data folder. ``peers_junk.csv`` and ``peers_pools.csv`` ask when weighting wins; see
:mod:`benchmarks.evaluation.peers.junk`.

Packages that are not there are left out; ``peers.json`` says which, and why. R's clue
and ConsensusClusterPlus are r-cran-clue and r-bioc-consensusclusterplus on Debian;
``benchmarks/peers/labels.txt`` says how tsml-eval and PCE are found.
"""
