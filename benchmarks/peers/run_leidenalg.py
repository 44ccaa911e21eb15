"""Modularities that leidenalg finds; runs in an environment of its own.

``python run_leidenalg.py FILE ...``: each FILE is an .npz with ``n``, ``edges`` and
``weights``. Prints JSON: for each the modularity of ten seeds, and CPU seconds.
"""

import json
import sys
import time

import igraph
import leidenalg
import numpy as np

found = {}
for path in sys.argv[1:]:
    with np.load(path) as file:
        graph = igraph.Graph(n=int(file["n"]), edges=file["edges"].tolist())
        weights = file["weights"].tolist()
    start = time.process_time()
    partitions = [
        leidenalg.find_partition(
            graph,
            leidenalg.ModularityVertexPartition,
            weights=weights,
            n_iterations=2,
            seed=seed,
        )
        for seed in range(10)
    ]
    seconds = time.process_time() - start
    found[path] = {
        "modularity": [one.quality() for one in partitions],
        "cpu_s": seconds,
    }
print(json.dumps(found))
