"""Fitted numbers as JSON can hold them, and scikit-learn's transformers from them."""

from __future__ import annotations

import base64
from typing import Any

import numpy as np
from numpy.typing import NDArray

from comitia.exceptions import ComitiaError

__all__ = [
    "filling_imputer",
    "joined_scaler",
    "packed",
    "pca_state",
    "restored_pca",
    "restored_scaler",
    "scaler_state",
    "unpacked",
]

# Longer arrays are written as the bytes of their numbers.
_LONG = 64

_SCALERS = {
    "StandardScaler": ("mean_", "scale_"),
    "RobustScaler": ("center_", "scale_"),
    "MinMaxScaler": ("min_", "scale_", "data_min_", "data_max_"),
}


def packed(array: NDArray[Any]) -> dict[str, Any]:
    """An array of floats for JSON, to the last bit."""
    array = np.ascontiguousarray(array, dtype="<f8")
    if array.size <= _LONG and np.isfinite(array).all():
        return {"shape": list(array.shape), "values": array.ravel().tolist()}
    text = base64.b64encode(array.tobytes()).decode("ascii")
    return {"shape": list(array.shape), "float64": text}


def unpacked(state: dict[str, Any]) -> NDArray[np.float64]:
    """The array that :func:`packed` was given."""
    if "values" in state:
        values = np.array(state["values"], dtype=np.float64)
    else:
        raw = base64.b64decode(state["float64"], validate=True)
        values = np.frombuffer(raw, dtype="<f8").astype(np.float64)
    if values.size != np.prod(state["shape"]):
        raise ComitiaError("the preparation is damaged: an array has lost its shape.")
    return values.reshape(state["shape"])


def filling_imputer(fill: NDArray[np.float64], strategy: str = "median") -> Any:
    """An imputer that fills in given values."""
    from sklearn.impute import SimpleImputer

    return SimpleImputer(strategy=strategy).fit(fill[None, :])


def joined_scaler(scalers: list[Any]) -> Any:
    """One scaler of several columns, from those of each; None if there is none."""
    first = scalers[0]
    if first is None:
        return None
    whole = type(first)()
    for each in _SCALERS[type(first).__name__]:
        parts = [getattr(scaler, each) for scaler in scalers]
        setattr(whole, each, np.concatenate(parts))
    whole.n_features_in_ = len(whole.scale_)
    return whole


def scaler_state(scaler: Any) -> dict[str, Any] | None:
    """What a scaler learnt."""
    if scaler is None:
        return None
    name = type(scaler).__name__
    learnt = {each: packed(getattr(scaler, each)) for each in _SCALERS[name]}
    return {"class": name, **learnt}


def restored_scaler(state: dict[str, Any] | None) -> Any:
    """The scaler of that state."""
    if state is None:
        return None
    from sklearn import preprocessing

    if state["class"] not in _SCALERS:
        raise ComitiaError(f"the preparation names a scaler {state['class']!r}.")
    scaler = getattr(preprocessing, state["class"])()
    for each in _SCALERS[state["class"]]:
        setattr(scaler, each, unpacked(state[each]))
    scaler.n_features_in_ = len(scaler.scale_)
    return scaler


def pca_state(pca: Any) -> dict[str, Any] | None:
    """What principal components are."""
    if pca is None:
        return None
    return {name: packed(getattr(pca, name)) for name in ("mean_", "components_")}


def restored_pca(state: dict[str, Any] | None) -> Any:
    """The principal components of that state."""
    if state is None:
        return None
    from sklearn.decomposition import PCA

    pca = PCA()
    pca.mean_, pca.components_ = (
        unpacked(state["mean_"]),
        unpacked(state["components_"]),
    )
    pca.n_components_, pca.n_features_in_ = pca.components_.shape
    # Read by transform for its type alone, as whiten is False.
    pca.explained_variance_ = np.ones(pca.n_components_)
    return pca
