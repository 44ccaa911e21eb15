"""Time ``ensembleclustering`` in the environment of the peers.

``python run_ensembleclustering.py FOLDER METHOD N_CLUSTERS REPEATS`` reads every
``labels-<seed>.npy`` of the folder, of shape (n_objects, n_clusterings), and writes
``peer-<seed>.npy`` with the consensus. The last line printed is the best CPU seconds of
one call as JSON; the line before it, the peak memory of the calls above that of the
process before them, in MB. Imports nothing of comitia: this interpreter does not have
it.
"""

import contextlib
import json
import sys
import time
from pathlib import Path

import numpy as np
from ensembleclustering import ClusterEnsembles


def main(folder: str, method: str, n_clusters: int, repeats: int) -> None:
    """Run the method on every ensemble of the folder."""
    function = getattr(ClusterEnsembles, method)
    # Its cspa and hbgf take no seed.
    extra = () if method in ("cspa", "hbgf") else (0,)
    best = float("inf")
    before = memory("VmRSS")
    forget_peak()
    for path in sorted(Path(folder).glob("labels-*.npy")):
        base_clusters = np.load(path).T.astype(float)
        for _ in range(repeats):
            start = time.process_time()
            labels = function(base_clusters, n_clusters, *extra)
            best = min(best, time.process_time() - start)
        np.save(path.with_name(path.name.replace("labels", "peer")), labels)
    print(json.dumps(max(memory("VmHWM") - before, 0.0)))
    print(json.dumps(best))


def forget_peak() -> None:
    """Let the peak begin anew, where the system can do that."""
    with contextlib.suppress(OSError):
        Path("/proc/self/clear_refs").write_text("5")


def memory(what: str) -> float:
    """Memory now (VmRSS) or at the peak (VmHWM), in MB; 0 where it is unknown."""
    with contextlib.suppress(OSError):
        for line in Path("/proc/self/status").read_text().splitlines():
            if line.startswith(what):
                return int(line.split()[1]) * 1024 / 1e6
    return 0.0


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2], int(sys.argv[3]), int(sys.argv[4]))
