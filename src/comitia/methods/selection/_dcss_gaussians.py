"""Gaussians compared with each other, and several made into one."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

__all__ = ["MergedGaussians", "bhattacharyya", "merge_gaussians"]

Array = NDArray[np.float64]


class MergedGaussians(NamedTuple):
    """A mixture made of groups of Gaussians."""

    proportions: Array  # (n_groups,), share of each group; they sum to 1
    means: Array  # (n_groups, n_features), means
    # (n_groups, n_features, n_features), covariances; (n_groups, n_features) if
    # diagonal
    covariances: Array


def bhattacharyya(means: ArrayLike, covariances: ArrayLike) -> Array:
    r"""Bhattacharyya distance of each two of several Gaussians.

    .. math::
        D_{ab} = \tfrac18 (\mu_a - \mu_b)' \bar\Sigma^{-1} (\mu_a - \mu_b) +
        \tfrac12 \ln \frac{\det \bar\Sigma}{\sqrt{\det \Sigma_a \det \Sigma_b}},
        \qquad \bar\Sigma = \tfrac12 (\Sigma_a + \Sigma_b) .
    """
    mu = np.asarray(means, dtype=np.float64)
    sigma = np.asarray(covariances, dtype=np.float64)
    n = len(mu)
    distances = np.zeros((n, n))
    log_det = _log_det(sigma)
    for a in range(n - 1):
        between = (sigma[a] + sigma[a + 1 :]) / 2.0
        apart = mu[a + 1 :] - mu[a]
        if sigma.ndim == 2:
            solved = apart / between
        else:
            solved = np.linalg.solve(between, apart[:, :, None])[:, :, 0]
        spread = _log_det(between) - (log_det[a] + log_det[a + 1 :]) / 2.0
        distance = (apart * solved).sum(axis=1) / 8.0 + spread / 2.0
        distances[a, a + 1 :] = distances[a + 1 :, a] = np.maximum(distance, 0.0)
    return distances


def merge_gaussians(
    weights: ArrayLike, means: ArrayLike, covariances: ArrayLike, groups: ArrayLike
) -> MergedGaussians:
    r"""Replace each group of Gaussians by the one with the same moments.

    .. math::
        \pi_g = \sum_{a \in g} \pi_a, \qquad
        \mu_g = \frac{1}{\pi_g} \sum_{a \in g} \pi_a \mu_a, \qquad
        \Sigma_g = \frac{1}{\pi_g} \sum_{a \in g} \pi_a \bigl( \Sigma_a +
        (\mu_a - \mu_g)(\mu_a - \mu_g)' \bigr) .
    """
    w = np.asarray(weights, dtype=np.float64)
    mu = np.asarray(means, dtype=np.float64)
    sigma = np.asarray(covariances, dtype=np.float64)
    of = np.asarray(groups)
    shares = np.zeros((int(of.max()) + 1, len(w)))
    shares[of, np.arange(len(w))] = w
    proportions = shares.sum(axis=1) / w.sum()
    shares /= shares.sum(axis=1, keepdims=True)
    centers = shares @ mu
    apart = mu - centers[of]
    if sigma.ndim == 2:
        scatter = apart**2
    else:
        scatter = apart[:, :, None] * apart[:, None, :]
    covariance = np.tensordot(shares, sigma + scatter, axes=1)
    return MergedGaussians(proportions, centers, covariance)


def _log_det(sigma: Array) -> Array:
    if sigma.ndim == 2:
        return np.asarray(np.log(sigma).sum(axis=1))
    return np.asarray(np.linalg.slogdet(sigma)[1])
