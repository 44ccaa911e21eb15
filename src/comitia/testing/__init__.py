"""What every method promises, whatever it computes: checks for ours and for yours.

A package that brings a method of its own runs them, and scikit-learn's estimator
checks, with one import::

    from comitia.testing import parametrize_with_checks
    from my_package import MyMethod


    @parametrize_with_checks([MyMethod])
    def test_my_method(cls, check):
        check(cls)

A check that cannot hold for a method is named, with the reason, in ``exempt`` of its
card.
"""

from comitia._lazy import attach

__getattr__, __dir__, __all__ = attach(
    __name__,
    {
        "all_checks": ["check_method", "method_checks", "parametrize_with_checks"],
        "easy_inputs": ["planted", "quick_method", "same_partition"],
    },
)
