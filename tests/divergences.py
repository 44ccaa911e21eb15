"""Bregman divergences and their means, by the textbook."""

import numpy as np
from scipy.special import kl_div

from comitia.optimize import get_bregman


def elementwise(x, y, name):
    """D(x, y) of numbers."""
    x, y = np.asarray(x, dtype=float), np.asarray(y, dtype=float)
    if name == "squared":
        return (x - y) ** 2
    return kl_div(x, y) if name == "kl" else x / y - np.log(x / y) - 1


def divergence(x, y, name):
    """D(x, y) of vectors, along the last axis."""
    if name != "norm":
        return elementwise(x, y, name).sum(axis=-1)
    x, y = np.asarray(x, dtype=float), np.asarray(y, dtype=float)
    length = np.linalg.norm(y, axis=-1)
    inner = (x * y).sum(axis=-1) / np.where(length > 0, length, 1.0)
    return np.linalg.norm(x, axis=-1) - inner


def left_mean(points, weights, name):
    """The c with the least weighted sum of D(c, x)."""
    g = get_bregman(name)
    shares = np.asarray(weights) / np.sum(weights)
    return g.inverse(np.tensordot(shares, g.gradient(np.asarray(points)), axes=1))
