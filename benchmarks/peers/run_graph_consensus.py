"""Communities by leidenalg and by the authors' ECG; runs in an environment of its own.

``python run_graph_consensus.py FILE RIVAL SEED``: FILE is an .npz with ``n``, ``edges``
and ``weights``, RIVAL "leidenalg" or "partition_igraph". Prints JSON: the labels.
"""

import json
import random
import sys

import igraph
import numpy as np

path, rival, seed = sys.argv[1], sys.argv[2], int(sys.argv[3])
with np.load(path) as file:
    graph = igraph.Graph(n=int(file["n"]), edges=file["edges"].tolist())
    weights = file["weights"].tolist()
if rival == "leidenalg":
    import leidenalg

    kind = leidenalg.ModularityVertexPartition
    found = leidenalg.find_partition(graph, kind, weights=weights, seed=seed)
else:
    import partition_igraph  # noqa: F401  (gives graphs the method)

    random.seed(seed)
    found = graph.community_ecg(weights=weights)
print(json.dumps(found.membership))
