"""All that is tried with a method: its promises, and checks of scikit-learn."""

from __future__ import annotations

import functools
import warnings
from collections.abc import Callable, Iterable, Iterator
from typing import Any

from comitia.exceptions import ComitiaWarning
from comitia.testing._promises import PROMISES, on_tables
from comitia.testing.easy_inputs import quick_method

__all__ = ["check_method", "method_checks", "parametrize_with_checks"]


def check_method(method_class: type) -> None:
    """Try everything that a method promises; raise at the first that does not hold.

    Parameters
    ----------
    method_class : type
        The class of the method.

    Examples
    --------
    >>> from comitia import method
    >>> from comitia.testing import check_method
    >>> check_method(method("lwgp"))  # doctest: +SKIP
    """
    from unittest import SkipTest  # what scikit-learn's checks raise

    for name, check in method_checks(method_class):
        try:
            check(method_class)
        except SkipTest:
            continue
        except Exception as error:
            error.add_note(f"This was the check {name!r} of {method_class.__name__}.")
            raise


def method_checks(method_class: type) -> Iterator[tuple[str, Callable[[type], None]]]:
    """List what a method promises: our checks, then those of scikit-learn.

    Parameters
    ----------
    method_class : type
        The class of the method.

    Yields
    ------
    name : str
        What the check is called in ``exempt`` of the card. Those that are there are
        left out.

    check : callable
        Called as ``check(method_class)``; raises if the promise is not kept.

    Examples
    --------
    >>> from comitia import method
    >>> from comitia.testing import method_checks
    >>> names = [name for name, _ in method_checks(method("lwgp"))]
    >>> "deterministic" in names
    True
    """
    for name, check, reason in _checks_of(method_class):
        if not reason:
            yield name, check


def parametrize_with_checks(classes: Iterable[type]) -> Any:
    """Parametrise a test over all checks of several methods; needs pytest.

    Parameters
    ----------
    classes : iterable of type
        The classes of the methods.

    Returns
    -------
    decorator : pytest.mark.parametrize
        For a test ``test(cls, check)`` that calls ``check(cls)``. What ``exempt`` of a
        card names among the checks of scikit-learn is expected to fail.

    Examples
    --------
    >>> from comitia import method
    >>> from comitia.testing import parametrize_with_checks
    >>> @parametrize_with_checks([method("lwgp")])
    ... def test_lwgp(cls, check):
    ...     check(cls)
    """
    import pytest

    cases = [
        pytest.param(
            cls,
            check,
            id=f"{cls.card.id}-{name}",  # type: ignore[attr-defined]
            marks=[pytest.mark.xfail(reason=reason)] if reason else [],
        )
        for cls in classes
        for name, check, reason in _checks_of(cls)
    ]
    return pytest.mark.parametrize(("cls", "check"), cases)


def _checks_of(cls: Any) -> Iterator[tuple[str, Callable[[Any], None], str]]:
    """Name, check, and the reason why one of scikit-learn's must fail, if any."""
    for one in PROMISES:
        if one.name not in cls.card.exempt and one.applies(cls):
            yield one.name, functools.partial(_quietly, one.run), ""
    if not on_tables(cls):
        return
    from sklearn.utils.estimator_checks import estimator_checks_generator

    for estimator, check in estimator_checks_generator(quick_method(cls)):
        options = ",".join(f"{key}={value}" for key, value in check.keywords.items())
        name = check.func.__name__
        if name.startswith("check_transformer") and _inherits_transform(cls):
            continue
        if (name in _OF_THE_BASE or options == _AGAIN) and not _is_first_of_its_kind(
            cls
        ):
            continue
        on_it = functools.partial(_on_estimator, estimator, check)
        call = functools.partial(_quietly, on_it)
        reason = cls.card.exempt.get(name, "")
        yield f"{name}({options})" if options else name, call, reason


# Checks of scikit-learn that what all methods inherit decides: how input is read and
# refused before a method sees it, and how members label new objects.
_OF_THE_BASE = {
    "check_dict_unchanged",
    "check_dtype_object",
    "check_estimators_dtypes",
    "check_estimators_nan_inf",
    "check_fit2d_predict1d",
    "check_fit_check_is_fitted",
    "check_fit_score_takes_y",
    "check_methods_sample_order_invariance",
    "check_methods_subset_invariance",
    "check_n_features_in",
    "check_n_features_in_after_fitting",
    "check_pipeline_consistency",
    "check_positive_only_tag_during_fit",
}

# What was checked on other data already, on those that cannot be written to, which
# check_readonly_memmap_input tries with every method.
_AGAIN = "readonly_memmap=True"


def _is_ours(cls: Any) -> bool:
    return bool(cls.__module__.startswith("comitia."))


def _is_first_of_its_kind(cls: Any) -> bool:
    """Whether no method of ours before it reads the same input by the same code.

    Methods of other packages are always the first, and so is the default.
    """
    return not _is_ours(cls) or cls in _first_of_each_kind()


@functools.cache
def _first_of_each_kind() -> set[type]:
    from comitia.base import EnsembleMethod
    from comitia.catalogue import method, method_classes

    reading = [
        name for name in dir(EnsembleMethod) if name.startswith(("_check", "_new"))
    ]
    first: dict[Any, type] = {}
    for each in filter(_is_ours, method_classes()):
        code = tuple(getattr(each, name) for name in (*reading, "_make_ensemble"))
        first.setdefault((tuple(each.card.needs), code), each)
    return {*first.values(), method()}


def _inherits_transform(cls: Any) -> bool:
    """Whether ``transform`` of one of our methods is tried by way of the default."""
    from comitia.base import EnsembleMethod
    from comitia.catalogue import DEFAULT_METHOD

    ours = _is_ours(cls) and cls.card.id != DEFAULT_METHOD
    parts = ("transform", "fit_transform", "_new_shares", "_check_new", "vote_weights")
    heirs = cls.__mro__[: cls.__mro__.index(EnsembleMethod)]
    return ours and not any(part in vars(each) for each in heirs for part in parts)


def _on_estimator(estimator: Any, check: Callable[[Any], None], cls: Any) -> None:
    check(estimator)


def _quietly(check: Callable[[Any], None], cls: Any) -> None:
    """Run a check; what a method says of ensembles that do not suit it is no fault."""
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", "only .* of n_clusters", ComitiaWarning)
        warnings.filterwarnings("ignore", "the ensemble has no groups", ComitiaWarning)
        warnings.filterwarnings("ignore", "walks from objects that", ComitiaWarning)
        check(cls)
