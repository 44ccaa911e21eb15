"""Consensus functions of tsml-eval and of PCE; runs in an environment of its own.

``python run_label_peers.py PACKAGE FOLDER N_CLUSTERS SEED LIMIT METHOD ...`` reads
``FOLDER/labels.npy`` of shape (n_objects, n_clusterings), and writes the consensus of
each method to ``FOLDER/<METHOD>.npy``. Prints a line of JSON for each: the method, and
its CPU seconds and peak of memory above that before, in MB, or the error. A method that
takes more than LIMIT seconds of CPU time is ended. PCE is read from the folder that
``COMITIA_PCE`` names. Imports nothing of comitia.
"""

import contextlib
import io
import json
import os
import signal
import sys
import time
import types
import warnings
from pathlib import Path

import numpy as np


def main(package, folder, n_clusters, seed, limit, methods):
    """Run the methods on the ensemble of the folder."""
    labels = np.load(Path(folder) / "labels.npy")
    call = {"tsml-eval": tsml_eval, "PCE": pce}[package]
    signal.signal(signal.SIGPROF, end)
    for method in methods:
        told = {"method": method}
        try:
            with contextlib.redirect_stdout(io.StringIO()) as said:
                prepared = call(method, labels, n_clusters, seed)
                before = memory("VmRSS")
                forget_peak()
                signal.setitimer(signal.ITIMER_PROF, limit)
                start = time.process_time()
                found = prepared()
                told["seconds"] = time.process_time() - start
                told["peak_mb"] = max(memory("VmHWM") - before, 0.0)
            # PCE says that it failed, and gives every object the same label.
            if "failed on repeat" in said.getvalue():
                raise RuntimeError(said.getvalue().strip().splitlines()[-1])
            np.save(Path(folder) / f"{method}.npy", np.asarray(found).ravel())
        except Exception as error:
            text = f"{type(error).__name__}: {error}"
            # Where it lies on this machine is nobody's business.
            text = text.replace(os.environ.get("COMITIA_PCE") or "\0", "PCE")
            told = {"method": method, "error": text}
        signal.setitimer(signal.ITIMER_PROF, 0)
        print(json.dumps(told), flush=True)


def tsml_eval(method, labels, n_clusters, seed):
    """A consensus of tsml-eval, whose clusterers have their labels already."""
    from sklearn.base import BaseEstimator
    from tsml_eval.estimators.clustering import consensus

    class Given(BaseEstimator):
        def __init__(self, labels=None, random_state=None):
            self.labels, self.random_state = labels, random_state

        def fit(self, X, y=None):
            self.labels_ = np.asarray(self.labels)
            return self

    made = getattr(consensus, method)(
        [Given(column.tolist()) for column in labels.T],
        n_clusters=n_clusters,
        random_state=seed,
    )
    return lambda: made.fit(np.zeros((len(labels), 1))).labels_


def pce(method, labels, n_clusters, seed):
    """A consensus of PCE; its package imports what consensus functions do not need."""
    folder = Path(os.environ["COMITIA_PCE"]) / "pce"
    package = types.ModuleType("pce")
    package.__path__ = [str(folder)]
    sys.modules.setdefault("pce", package)
    import pce.consensus

    function = getattr(pce.consensus, method)
    return lambda: function(
        labels, nClusters=n_clusters, nBase=labels.shape[1], nRepeat=1, seed=seed
    )[0][0]


def end(*_):
    """Tell the method that its time is up."""
    raise TimeoutError("more than the CPU time that it may take")


def forget_peak():
    """Let the peak begin anew, where the system can do that."""
    with contextlib.suppress(OSError):
        Path("/proc/self/clear_refs").write_text("5")


def memory(what):
    """Memory now (VmRSS) or at the peak (VmHWM), in MB; 0 where it is unknown."""
    with contextlib.suppress(OSError):
        for line in Path("/proc/self/status").read_text().splitlines():
            if line.startswith(what):
                return int(line.split()[1]) * 1024 / 1e6
    return 0.0


if __name__ == "__main__":
    warnings.simplefilter("ignore")
    package, folder, n_clusters, seed, limit, *methods = sys.argv[1:]
    main(package, folder, int(n_clusters), int(seed), float(limit), methods)
