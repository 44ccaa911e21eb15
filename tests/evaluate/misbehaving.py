"""Methods that do what no method should: for the limits of compare."""

import os
import subprocess
import sys
import time
from pathlib import Path

import numpy as np

from comitia.base import EnsembleMethod
from comitia.catalogue import MethodCard


def card(called):
    return MethodCard(id=called, weighs="nothing", approach="fixed", scales="linear")


class Misbehaving(EnsembleMethod):
    """A method with a way of its own."""

    def __init__(self, n_clusters=None, *, path=None, random_state=None):
        self.n_clusters = n_clusters
        self.path = path
        self.random_state = random_state

    _parameter_constraints = {
        name: EnsembleMethod._parameter_constraints[name]
        for name in ("n_clusters", "random_state")
    }


class Hanging(Misbehaving):
    """Starts a process, notes both, and never ends."""

    card = card("hanging")

    def _combine(self, ensemble, X, rng):
        child = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(600)"])
        Path(self.path).write_text(f"{os.getpid()} {child.pid}")
        time.sleep(600)


class Greedy(Misbehaving):
    """Takes memory until there is none."""

    card = card("greedy")

    def _combine(self, ensemble, X, rng):
        taken = []
        while True:
            taken.append(np.ones(4_000_000))


class Crashing(Misbehaving):
    """Takes its process with it."""

    card = card("crashing")

    def _combine(self, ensemble, X, rng):
        print("about to crash")
        os.abort()


class Raising(Misbehaving):
    """Has a bug."""

    card = card("raising")

    def _combine(self, ensemble, X, rng):
        print("not for the parent to read")
        return {}["no such key"]


class Picky(Misbehaving):
    """Works on all objects, but not on fewer."""

    card = card("picky")

    def _combine(self, ensemble, X, rng):
        if ensemble.n_objects < 50:
            raise RuntimeError("too few")
        return ensemble.labels[:, 0]


class Random(Misbehaving):
    """Guesses."""

    card = card("random")

    def _combine(self, ensemble, X, rng):
        return rng.randint(self.n_clusters, size=ensemble.n_objects)
