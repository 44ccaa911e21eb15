"""The one place that imports scikit-learn's private names."""

from typing import Any

from sklearn.utils import check_array, validation
from sklearn.utils._param_validation import HasMethods, Interval, StrOptions

from comitia._inputs import refuse_large, refuse_masks_and_dates
from comitia.exceptions import ComitiaError, DataTypeError

__all__ = ["HasMethods", "Interval", "StrOptions", "check_table", "validate_data"]

# NumPy's words do not say what was being read; scikit-learn's do.
_NUMPYS_WORDS = ("could not convert", "setting an array element")


def validate_data(estimator: Any, X: Any, **how: Any) -> Any:
    """Check a table as scikit-learn does, and refuse what it lets through.

    Its ``TypeError`` becomes one that is a ``ValueError`` as well.

    Parameters
    ----------
    estimator : estimator or None
        Who asks; it keeps the number and the names of the features.

    X : array-like of shape (n_objects, n_features)
        The table.

    **how : dict
        As for scikit-learn's function of this name.

    Returns
    -------
    X : ndarray of shape (n_objects, n_features)
        The table as an array.
    """
    refuse_masks_and_dates(X, "X")
    try:
        if estimator is None:
            X = check_array(X, input_name="X", **how)
        else:
            X = validation.validate_data(estimator, X, **how)
    except (TypeError, OverflowError) as error:
        raise DataTypeError(f"X is not a table of numbers: {error}") from None
    except ValueError as error:
        if not str(error).startswith(_NUMPYS_WORDS):
            raise
        raise ComitiaError(f"X is not a table of numbers: {error}.") from None
    refuse_large(X, "X")
    return X


def check_table(X: Any, **how: Any) -> Any:
    """Check a table for nobody in particular, as :func:`validate_data` does.

    Parameters
    ----------
    X : array-like of shape (n_objects, n_features)
        The table.

    **how : dict
        As for scikit-learn's ``check_array``.

    Returns
    -------
    X : ndarray of shape (n_objects, n_features)
        The table as an array.
    """
    return validate_data(None, X, **how)
