"""comitia: many clusterings in, one better clustering out.

Names are resolved on first use: ``import comitia`` loads neither numba nor
scikit-learn.
"""

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from comitia import config, exceptions
    from comitia._drift import drift
    from comitia.catalogue import MethodCard, method
    from comitia.catalogue import find_methods as methods
    from comitia.ensemble import Ensemble
    from comitia.evaluate import choose_k, compare, recommend, stability
    from comitia.io import Result
    from comitia.methods.composite.consensus import ConsensusClustering
    from comitia.methods.composite.multi_view import MultiViewEnsemble
    from comitia.methods.composite.time_series import TimeSeriesEnsemble

__version__ = "0.1.0"

__all__ = [
    "ConsensusClustering",
    "Ensemble",
    "MethodCard",
    "MultiViewEnsemble",
    "Result",
    "TimeSeriesEnsemble",
    "__version__",
    "choose_k",
    "compare",
    "config",
    "drift",
    "exceptions",
    "method",
    "methods",
    "recommend",
    "stability",
]

# Where each public name lives; a module stands for itself.
_HOMES = {
    "ConsensusClustering": "comitia.methods.composite.consensus",
    "Ensemble": "comitia.ensemble",
    "MethodCard": "comitia.catalogue",
    "MultiViewEnsemble": "comitia.methods.composite.multi_view",
    "Result": "comitia.io",
    "TimeSeriesEnsemble": "comitia.methods.composite.time_series",
    "choose_k": "comitia.evaluate",
    "compare": "comitia.evaluate",
    "drift": "comitia._drift",
    "method": "comitia.catalogue",
    "recommend": "comitia.evaluate",
    "stability": "comitia.evaluate",
}
_MODULES = {
    "agreement",
    "bertopic",
    "catalogue",
    "cluster",
    "config",
    "distributed",
    "evaluate",
    "exceptions",
    "generate",
    "io",
    "methods",
    "networks",
    "optimize",
    "partition",
    "plot",
    "prepare",
    "report",
    "represent",
    "scanpy",
    "select",
    "testing",
    "validity",
    "weigh",
    "workers",
}


def __getattr__(name: str) -> Any:
    if name in _HOMES:
        value = getattr(importlib.import_module(_HOMES[name]), name)
    elif name in _MODULES:
        value = importlib.import_module(f"comitia.{name}")
    else:
        raise AttributeError(f"module 'comitia' has no attribute {name!r}")
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*__all__, *_MODULES})
