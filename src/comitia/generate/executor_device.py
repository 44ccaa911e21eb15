"""Runs the plans of a generator on data that live on a device; labels stay there."""

from __future__ import annotations

from typing import Any

import numpy as np

from comitia._arrays import as_tensor, device_of, require_device_memory, to_numpy
from comitia._content_order import ContentOrder, has_content_order, order_for
from comitia._steps import OnProgress
from comitia.engine.storage import OnDevice
from comitia.ensemble import Ensemble
from comitia.exceptions import ComitiaError
from comitia.generate.columns import Columns, Frame
from comitia.generate.executor_memory import fit_in_memory
from comitia.generate.generator import Generator, Plan, report_each
from comitia.generate.member import Member

__all__ = ["fit_on_device"]

Tensor = Any

# Objects whose features are turned into columns at once.
_ROWS = 1 << 20


def fit_on_device(
    generator: Generator, X: Any, on_progress: OnProgress | None = None
) -> tuple[Ensemble, list[Member]]:
    """Run a generator on data on a device.

    Members are fitted on samples, which are brought into memory, as those of data in
    memory are. All objects are then labelled where they are. The labels are those of
    the same data in memory, unless an object is as near to two centres as single
    precision can tell.

    Parameters
    ----------
    generator : Generator
        Who plans the members and fits them; the models have ``label_tensor(columns)``.
        A generator that cannot label so many there (see
        :meth:`Generator.labels_tensors`), or that has a checkpoint, gets a copy of
        them in memory, and its labels are put on the device.

    X : tensor or CuPy array of shape (n_objects, n_features)
        The data.

    on_progress : callable, default=None
        As for :meth:`Generator.fit`.

    Returns
    -------
    ensemble : Ensemble
        The clusterings, on the device.

    members : list of Member
        What labels new objects, in memory.
    """
    data = _checked(X)
    if not generator.labels_tensors(len(data)) or generator.checkpoint is not None:
        copy = to_numpy(data).astype(np.float64)
        ensemble, members = fit_in_memory(generator, copy, on_progress)
        return Ensemble.on_device(ensemble, device_of(data)), members
    generator.n_features_in_ = data.shape[1]
    plans = generator.plan_members(data)
    frame = _frame(data)
    order = None
    if has_content_order(*data.shape):
        order = order_for(generator, to_numpy(data).astype(np.float64))
    fitted = (_fitted(generator, data, frame, plan, order) for plan in plans)
    models = list(report_each(fitted, len(plans), on_progress))
    codes = _labels(_columns(data, frame), models)
    k = np.array([model.n_clusters for model in models])
    groups = [str(plan["group"]) for plan in plans if "group" in plan]
    ensemble = Ensemble.assemble(
        OnDevice(codes), k, None, "hard", groups=groups or None
    )
    return ensemble, [Member(model, np.arange(model.n_clusters)) for model in models]


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


def _fitted(
    generator: Generator,
    data: Tensor,
    frame: Frame,
    plan: Plan,
    order: ContentOrder | None,
) -> Any:
    drawn = generator.sample_rows(len(data), plan)
    if order is not None:
        drawn = order.objects[drawn]
    rows = as_tensor(drawn).to(data.device)
    sample = frame.columns(to_numpy(data[rows]).astype(np.float64))
    return generator.fit_sample(Columns(sample, frame), plan)


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
    """The cluster of each object for each member, (n_clusterings, n)."""
    import torch

    from comitia._kernels.device import narrowest

    n = columns.shape[1]
    dtype = narrowest(max(model.n_clusters for model in models))
    codes = torch.empty((len(models), n), dtype=dtype, device=columns.device)
    for m, model in enumerate(models):
        codes[m] = model.label_tensor(columns)
    return codes
