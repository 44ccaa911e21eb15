"""Kill Dask's workers at random moments, in every stage of a fit on row blocks.

``python -m tests.hard.killed_workers FOLDER N_KILLS SEED``

A stage is run on two worker processes, of which one is killed after a moment that is
drawn from the time that the stage takes when nobody is killed. Dask starts another one
in its place. What comes out is compared, byte by byte, with what comes out without
workers. Prints JSON.
"""

import hashlib
import json
import os
import random
import signal
import sys
import threading
import time
from pathlib import Path

import dask.array as da
import numpy as np

import comitia
from comitia import Ensemble
from comitia.distributed import client_for, result_arrays
from comitia.generate import KMeansGenerator, generate_blocks

N, K = 60_000, 4
METHODS = ("sec", "lwgp", "voting", "mcla")
STAGES = (
    "blocks of a file",
    "blocks of an array",
    *(f"{name} on {what}" for name in METHODS for what in ("a folder", "an array")),
    "results",
)


def digest(*arrays):
    """Equal for arrays that are equal byte by byte."""
    parts = [np.ascontiguousarray(array).tobytes() for array in arrays]
    return hashlib.blake2b(b"|".join(parts)).hexdigest()


def generator():
    """How clusterings are made."""
    return KMeansGenerator(4, n_clusters=(3, 9), solver="landmark", random_state=0)


def fit(name, votes):
    """A method on an ensemble."""
    return comitia.method(name)(n_clusters=K, random_state=0).fit(votes)


class Stages:
    """What is done on workers, stage by stage.

    Parameters
    ----------
    folder : Path
        An empty folder.
    """

    def __init__(self, folder):
        rng = np.random.RandomState(0)
        truth = rng.randint(K, size=N)
        noisy = rng.uniform(size=(N, 5)) < 0.5
        labels = np.where(noisy, rng.randint(30, size=(N, 5)), truth[:, None])
        labels[::97, 1] = -1
        self.folder, self.labels, self.n_folders = folder, labels, 0
        self.rows = rng.randn(N, 6) + 3 * np.eye(6)[truth]
        np.save(folder / "rows.npy", self.rows)
        votes = Ensemble(labels)
        votes.save(folder / "votes", block_rows=N // 12)
        self.votes, self._alone = votes, {}

    def alone(self, stage):
        """A digest of what comes out without workers."""
        what = stage.partition(" ")[0]
        if what not in self._alone:
            if what == "blocks":
                arrays = [generator().generate(self.rows).codes]
            elif what == "results":
                made = fit("sec", self.votes)
                arrays = made.labels_, made.membership_
            else:
                made = fit(what, self.votes)
                arrays = made.labels_, made.confidence_
            self._alone[what] = digest(*arrays)
        return self._alone[what]

    def run(self, stage, client):
        """Run a stage; a digest of what came out."""
        what, _, on = stage.partition(" ")
        array = da.from_array(self.labels, chunks=(N // 12, 5))
        if what == "blocks":
            self.n_folders += 1
            target = self.folder / f"blocks-{self.n_folders}"
            source = self.folder / "rows.npy"
            if on == "of an array":
                source = da.from_array(self.rows, chunks=(N // 12, 6))
            made = generate_blocks(
                generator(), source, target, block_rows=N // 40, client=client
            )
            return digest(made.codes)
        if what == "results":
            made = fit("sec", Ensemble.from_dask(array, client=client))
            got = result_arrays(made)
            return digest(*client.gather(client.compute([got.labels, got.membership])))
        if on == "on a folder":
            votes = Ensemble.open(self.folder / "votes", client=client)
        else:
            votes = Ensemble.from_dask(array, client=client)
        made = fit(what, votes)
        return digest(made.labels_, made.confidence_)


def run_killed(stages, stage, client, moment, draw):
    """Run a stage and kill a worker; what came out, and whether one was killed."""
    victim = draw.choice(sorted(client.run(os.getpid).values()))
    done, killed = threading.Event(), []

    def kill():
        if not done.wait(moment):
            os.kill(victim, signal.SIGKILL)
            killed.append(victim)

    killer = threading.Thread(target=kill)
    killer.start()
    try:
        found = stages.run(stage, client)
    except Exception as error:
        found = f"{type(error).__name__}: {error}"
    finally:
        done.set()
        killer.join()
    return found, bool(killed)


def run(folder, n_kills, seed):
    """Kill so often; what was seen."""
    stages, draw = Stages(Path(folder)), random.Random(seed)
    names = [*STAGES]
    draw.shuffle(names)
    kills, wrong, times, n_clusters = dict.fromkeys(names, 0), [], {}, 0
    while sum(kills.values()) < n_kills:
        n_clusters += 1
        with client_for(n_workers=2) as client:
            # Another worker is started in the place of one that is gone; where that
            # takes too long, on a busy machine, all begin again.
            while sum(kills.values()) < n_kills and two_workers(client):
                stage = names[sum(kills.values()) % len(names)]
                if stage not in times:
                    stages.run(stage, client)  # imports and compiles, in every worker
                    begin = time.monotonic()
                    stages.run(stage, client)
                    times[stage] = time.monotonic() - begin
                moment = draw.random() * times[stage]
                found, killed = run_killed(stages, stage, client, moment, draw)
                kills[stage] += killed
                if found != stages.alone(stage):
                    wrong.append(f"{stage}: {found}")
                print(stage, f"{moment:.2f} s", killed, file=sys.stderr)
    return {"kills": kills, "wrong": wrong, "clusters": n_clusters, "seconds": times}


def two_workers(client):
    """Wait for both workers; whether they came."""
    try:
        client.wait_for_workers(2, timeout=60)
    except TimeoutError:
        return False
    return True


if __name__ == "__main__":
    print(json.dumps(run(sys.argv[1], int(sys.argv[2]), int(sys.argv[3]))))
