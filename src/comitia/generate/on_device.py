"""K-means ensembles of data that live on a device; the labels stay there."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.utils import check_random_state

from comitia._arrays import as_tensor, device_of, require_device_memory, to_numpy
from comitia.ensemble import Ensemble
from comitia.exceptions import ComitiaError
from comitia.generate.base import MANY_OBJECTS, Generator, Member
from comitia.generate.columns import Columns, Frame
from comitia.storage import OnDevice

__all__ = ["fit_on_device"]

Tensor = Any

# Objects whose features are turned into columns at once.
_ROWS = 1 << 20


def fit_on_device(generator: Any, X: Any) -> Any:
    """Fit a generator to data on a device.

    Members are fitted on samples, which are brought into memory, as those of data in
    memory are. All objects then go to the nearest centre where they are. The labels
    are those of the same data in memory, unless an object is as near to two centres as
    single precision can tell.

    Parameters
    ----------
    generator : KMeansGenerator
        How members are made. A generator that needs all objects at once (few objects,
        ``solver="lloyd"``, sampled objects, a checkpoint) gets a copy of them in
        memory, and its labels are put on the device.

    X : tensor or CuPy array of shape (n_objects, n_features)
        The data.

    Returns
    -------
    generator : KMeansGenerator
        The same, with an ensemble on the device and with members in memory.
    """
    generator._validate_params()
    data = _checked(X)
    if not _from_samples(generator, len(data)):
        Generator.fit(generator, to_numpy(data).astype(np.float64))
        generator.ensemble_ = Ensemble.on_device(generator.ensemble_, device_of(data))
        return generator
    generator.n_features_in_ = data.shape[1]
    plans = generator._plan(data, check_random_state(generator.random_state))
    frame = _frame(data)
    models = [_fitted(generator, data, frame, plan) for plan in plans]
    codes = _labels(_columns(data, frame), models)
    sizes = [model.n_clusters for model in models]
    generator.ensemble_ = Ensemble.assemble(
        OnDevice(codes), np.array(sizes), None, "hard"
    )
    generator.members_ = [
        Member(model, np.arange(model.n_clusters)) for model in models
    ]
    return generator


def _from_samples(generator: Any, n: int) -> bool:
    few = generator.solver == "auto" and n < MANY_OBJECTS
    return not (
        few
        or generator.solver == "lloyd"
        or generator.objects is not None
        or generator.checkpoint is not None
    )


def _checked(X: Any) -> Tensor:
    data = as_tensor(X)
    if data.ndim != 2 or 0 in data.shape:
        raise ComitiaError(
            "X must have one row per object and one column per feature; got shape "
            f"{tuple(data.shape)}."
        )
    if not data.isfinite().all():
        raise ComitiaError("X must be finite; it contains NaN or infinity.")
    return data


def _frame(data: Tensor) -> Frame:
    import torch

    low, high = (end.to(torch.float64) for end in data.aminmax(dim=0))
    shift = data.sum(dim=0, dtype=torch.float64) / len(data)
    return Frame.between(to_numpy(shift), to_numpy(low), to_numpy(high))


def _fitted(generator: Any, data: Tensor, frame: Frame, plan: dict[str, Any]) -> Any:
    rows = as_tensor(generator._sample_rows(len(data), plan)).to(data.device)
    sample = frame.columns(to_numpy(data[rows]).astype(np.float64))
    return generator._fit_sample(Columns(sample, frame), plan)


def _columns(data: Tensor, frame: Frame) -> Tensor:
    """The data in the frame, feature by feature, as ``Frame.columns`` makes them."""
    import torch

    n, p = data.shape
    device = device_of(data)
    require_device_memory(n * p, f"the features of {n} objects", device)
    columns = torch.empty((p, n), dtype=torch.float32, device=data.device)
    shift = as_tensor(frame.shift).to(data.device)
    for lo in range(0, n, _ROWS):
        rows = data[lo : lo + _ROWS].to(torch.float64)
        columns[:, lo : lo + _ROWS] = ((rows - shift) * frame.scale).T
    return columns


def _labels(columns: Tensor, models: list[Any]) -> Tensor:
    """The nearest centre of each object for each member, (n_clusterings, n)."""
    import torch

    from comitia._kernels.device import narrowest, nearest_centers
    from comitia.generate.large import half_squares

    n = columns.shape[1]
    dtype = narrowest(max(model.n_clusters for model in models))
    codes = torch.empty((len(models), n), dtype=dtype, device=columns.device)
    for m, model in enumerate(models):
        seen = _mapped(columns, model.features)
        codes[m] = nearest_centers(seen, model.values, half_squares(model.values))
    return codes


def _mapped(columns: Tensor, features: Any) -> Tensor:
    """The features as a member sees them, added up as ``FeatureMap`` does."""
    if features is None:
        return columns
    how: NDArray[Any] = features.how
    if how.ndim == 1:
        return columns[as_tensor(how).to(columns.device)]
    directions = how.T.astype(np.float32)
    mapped = columns.new_zeros((len(directions), columns.shape[1]))
    for d, direction in enumerate(directions):
        for part, column in zip(direction.tolist(), columns, strict=True):
            mapped[d] += part * column
    return mapped
