"""The one place that imports scikit-learn's private names."""

from sklearn.utils._param_validation import HasMethods, Interval, StrOptions
from sklearn.utils.validation import validate_data

__all__ = ["HasMethods", "Interval", "StrOptions", "validate_data"]
