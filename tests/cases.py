"""Many cases of one check in one test; a failure names its cases."""

__all__ = ["check_each"]


def check_each(check, cases):
    """Try a check on every case, and say at the end on which it failed, and how.

    Parameters
    ----------
    check : callable
        Called as ``check(case)``; raises where it fails.

    cases : dict
        Names of the cases, and the cases.
    """
    failed = []
    for name, case in cases.items():
        try:
            check(case)
        except Exception as error:
            error.add_note(f"It was the case {name!r}.")
            failed.append(error)
    if failed:
        raise ExceptionGroup(f"{len(failed)} of {len(cases)} cases", failed)
