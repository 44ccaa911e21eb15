"""The indices as their formulas read, in loops that are obviously right."""

import itertools
import math

import numpy as np


def clusters(X, labels):
    return [X[labels == name] for name in np.unique(labels)]


def dist(x, y):
    return math.sqrt(sum((a - b) ** 2 for a, b in zip(x, y, strict=True)))


def centers(X, labels):
    return [members.mean(axis=0) for members in clusters(X, labels)]


def pairs(items):
    return list(itertools.combinations(items, 2))


def center_of(X, labels):
    """The centre of each object's own cluster."""
    return [X[labels == label].mean(axis=0) for label in labels]


def sse(X, labels):
    return sum(dist(x, c) ** 2 for x, c in zip(X, center_of(X, labels), strict=True))


def calinski_harabasz(X, labels):
    n, k, mean = len(X), len(clusters(X, labels)), X.mean(axis=0)
    between = sum(len(C) * dist(C.mean(axis=0), mean) ** 2 for C in clusters(X, labels))
    return between / (k - 1) / (sse(X, labels) / (n - k))


def centroid_separation_ratio(X, labels):
    k = len(clusters(X, labels))
    above = sum(dist(c, d) for c, d in pairs(centers(X, labels)))
    below = sum(dist(x, c) for x, c in zip(X, center_of(X, labels), strict=True))
    return above / ((k - 1) / 2 * below)


def cluster_size_difference(X, labels):
    sizes = [len(C) for C in clusters(X, labels)]
    return max(sizes) - min(sizes)


def compactness(X, labels):
    return math.sqrt(sse(X, labels) / len(X))


def connectedness(X, labels):
    total = 0.0
    for i, x in enumerate(X):
        near = sorted((dist(x, y), j) for j, y in enumerate(X) if j != i)[:10]
        for place, (_, j) in enumerate(near, start=1):
            total += (labels[i] != labels[j]) / place
    return total


def davies_bouldin(X, labels):
    groups = clusters(X, labels)
    means = [C.mean(axis=0) for C in groups]
    spread = [
        np.mean([dist(x, m) for x in C]) for C, m in zip(groups, means, strict=True)
    ]
    k = len(groups)
    return np.mean(
        [
            max(
                (spread[r] + spread[v]) / dist(means[r], means[v])
                for v in range(k)
                if v != r
            )
            for r in range(k)
        ]
    )


def dunn(X, labels):
    apart, together = [], []
    for i, j in pairs(range(len(X))):
        (together if labels[i] == labels[j] else apart).append(dist(X[i], X[j]))
    return min(apart) / max(together)


def hubert_raw(X, labels):
    every = pairs(range(len(X)))
    return sum(dist(X[i], X[j]) * (labels[i] != labels[j]) for i, j in every) / len(
        every
    )


def hubert_normalized(X, labels):
    every = pairs(range(len(X)))
    distances = [dist(X[i], X[j]) for i, j in every]
    apart = [float(labels[i] != labels[j]) for i, j in every]
    return np.corrcoef(distances, apart)[0, 1]


def modified_hubert(X, labels):
    own, every = center_of(X, labels), pairs(range(len(X)))
    return sum(dist(X[i], X[j]) * dist(own[i], own[j]) for i, j in every) / len(every)


def index_i(X, labels):
    mean = X.mean(axis=0)
    whole = sum(dist(x, mean) for x in X)
    inside = sum(dist(x, c) for x, c in zip(X, center_of(X, labels), strict=True))
    farthest = max(dist(c, d) for c, d in pairs(centers(X, labels)))
    return (whole / inside * farthest / len(clusters(X, labels))) ** 2


def inter_cluster_distance(X, labels):
    return np.mean([dist(c, d) ** 2 for c, d in pairs(centers(X, labels))])


def intra_cluster_distance(X, labels):
    return np.mean(
        [
            np.mean([dist(x, C.mean(axis=0)) ** 2 for x in C])
            for C in clusters(X, labels)
        ]
    )


def mean_cluster_size(X, labels):
    return np.mean([len(C) for C in clusters(X, labels)])


def mean_distance_to_center(X, labels):
    return np.mean([min(dist(x, c) for c in centers(X, labels)) for x in X])


def point_symmetry(X, labels):
    gap = min(dist(c, d) for c, d in pairs(centers(X, labels)))
    parts = []
    for C in clusters(X, labels):
        c, total = C.mean(axis=0), 0.0
        for i, x in enumerate(C):
            if dist(x, c) > 0:
                total += dist(x, c) * min(
                    dist(x - c, c - y) / (dist(x, c) + dist(y, c))
                    for j, y in enumerate(C)
                    if j != i
                )
        parts.append(total / len(C))
    return np.mean(parts) / gap


def r_squared(X, labels):
    total = sum(dist(x, X.mean(axis=0)) ** 2 for x in X)
    return (total - sse(X, labels)) / total


def rmsstd(X, labels):
    squares = sum(((C - C.mean(axis=0)) ** 2).sum() for C in clusters(X, labels))
    freedom = sum(len(C) - 1 for C in clusters(X, labels))
    return math.sqrt(squares / (X.shape[1] * freedom))


def scat(X, labels):
    groups = clusters(X, labels)
    return np.mean([np.linalg.norm(C.var(axis=0)) for C in groups]) / np.linalg.norm(
        X.var(axis=0)
    )


def s_dbw(X, labels):
    groups = clusters(X, labels)
    k = len(groups)
    radius = math.sqrt(sum(np.linalg.norm(C.var(axis=0)) for C in groups)) / k
    total = 0.0
    for r, v in itertools.permutations(range(k), 2):
        both = np.vstack([groups[r], groups[v]])
        a, b = groups[r].mean(axis=0), groups[v].mean(axis=0)

        def density(u, both=both):
            return sum(dist(x, u) <= radius for x in both)

        total += density((a + b) / 2) / max(density(a), density(b), 1)
    return scat(X, labels) + total / (k * (k - 1))


def dis(X, labels):
    C = centers(X, labels)
    gaps = [dist(c, d) for c, d in pairs(C)]
    return max(gaps) / min(gaps) * sum(1 / sum(dist(c, d) for d in C) for c in C)


def sd(X, labels):
    return dis(X, labels) * scat(X, labels) + dis(X, labels)


def silhouette(X, labels):
    widths = []
    for i, x in enumerate(X):
        mean = {
            name: np.mean(
                [dist(x, y) for j, y in enumerate(X) if labels[j] == name and j != i]
                or [0.0]
            )
            for name in np.unique(labels)
        }
        a = mean.pop(labels[i])
        b = min(mean.values())
        alone = (labels == labels[i]).sum() == 1
        widths.append(0.0 if alone else (b - a) / max(a, b))
    return np.mean(widths)


def xie_beni(X, labels):
    gap = min(dist(c, d) for c, d in pairs(centers(X, labels)))
    return sse(X, labels) / len(X) / gap**2


def simplified_silhouette(X, labels):
    widths = []
    names = np.unique(labels)
    for x, label in zip(X, labels, strict=True):
        far = {name: dist(x, X[labels == name].mean(axis=0)) for name in names}
        a = far.pop(label)
        b = min(far.values())
        alone = (labels == label).sum() == 1
        widths.append(0.0 if alone else (b - a) / max(a, b))
    return np.mean(widths)


def centroid_dunn(X, labels):
    gap = min(dist(c, d) for c, d in pairs(centers(X, labels)))
    return gap / (
        2 * max(dist(x, c) for x, c in zip(X, center_of(X, labels), strict=True))
    )
