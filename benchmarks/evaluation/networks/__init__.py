"""Consensus of communities beside single runs, on public and on artificial networks.

``networks.csv`` has a row for each network and rival, with means over the seeds:
agreement with known classes or groups where there are any, modularity, how alike the
runs of different seeds are, and seconds. Half of the networks are there to choose by,
the others to confirm. ``networks_cells.csv`` has one large network of cells from end to
end: members, consensus, stability and report.
"""
