"""Runs the plans of a generator on data in memory."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from contextlib import nullcontext
from copy import copy
from functools import partial
from numbers import Integral
from typing import Any

from comitia._content_order import ContentOrder, order_for
from comitia._inputs import count_objects
from comitia._lock import locked
from comitia._names import names_of, proper_names
from comitia._optional import import_optional
from comitia._steps import OnProgress, check_random_state, threads_for
from comitia.ensemble import Ensemble
from comitia.generate._checkpoint import Checkpoint
from comitia.generate.generator import Generator, Keep, Plan, report_each
from comitia.generate.member import Made, MadeAgain, Member
from comitia.generate.stopping import AUTO, MOST, fit_until

__all__ = ["fit_in_memory", "fit_plans"]


def fit_in_memory(
    generator: Generator,
    X: Any,
    on_progress: OnProgress | None = None,
    time_limit: float | None = None,
) -> tuple[Ensemble, list[Member]]:
    """Run a generator on data in memory.

    Parameters
    ----------
    generator : Generator
        Who plans the members and fits them.

    X : what the generator clusters
        The data, as they were given.

    on_progress, time_limit : shared
        As for :meth:`Generator.fit`.

    Returns
    -------
    ensemble : Ensemble
        The clusterings.

    members : list of Member
        What labels new objects.
    """
    names: dict[str, Any] = {"object_names": proper_names(names_of(X))}
    X = generator.check_data(X)
    order = order_for(generator, X)
    if order is not None:
        X = order.sort(X)
    auto = getattr(generator, "n_clusterings", None) == AUTO
    if auto:
        # As many as there may be are planned; those that are not needed are not made.
        generator = copy(generator).set_params(n_clusterings=MOST)
    plans = generator.plan(X, check_random_state(generator.random_state))
    n = count_objects(X)
    folder = generator.checkpoint
    with nullcontext() if folder is None else locked(folder):
        keep: Keep = _fit_now
        if folder is not None:
            checkpoint = Checkpoint(
                folder,
                generator.fingerprint(X),
                plans,
                n,
                is_seeded=isinstance(generator.random_state, Integral),
            )
            plans, keep = checkpoint.plans, checkpoint.keep
        shift = generator.shift_of(X)
        X = generator.prepare(X if shift is None else X - shift)
        members: Iterable[tuple[int, Made]]
        if auto or time_limit is not None:
            members = fit_until(
                generator, X, plans, keep, n, auto=auto, time_limit=time_limit
            )
        else:
            members = enumerate(generator.fit_members(X, plans, keep))
        members = report_each(members, len(plans), on_progress)
        with threads_for(n):
            found = dict(
                _with_bar(members, len(plans)) if generator.verbose else members
            )
    # A loop may end before its last round.
    plans = [plans[m] for m in sorted(found)]
    made = [found[m] for m in sorted(found)]
    groups = [plan.get("group") for plan in plans]
    if any(groups):
        names["groups"] = groups
    models = [_model_of(generator, X, *one) for one in zip(plans, made, strict=True)]
    if order is not None:
        generator.put_back(order)
    return generator.assemble(_as_given(made, order), names), [
        Member(model, one.names, shift) for model, one in zip(models, made, strict=True)
    ]


def fit_plans(generator: Generator, X: Any, plans: list[Plan]) -> Ensemble:
    """Run plans that are not the generator's own.

    Parameters
    ----------
    generator : Generator
        Who fits the members.

    X : what ``Generator.check_data`` returns
        The data.

    plans : list of dict
        What the members are to do.

    Returns
    -------
    ensemble : Ensemble
        The clusterings.
    """
    order = order_for(generator, X)
    if order is not None:
        X = order.sort(X)
    shift = generator.shift_of(X)
    X = generator.prepare(X if shift is None else X - shift)
    with threads_for(count_objects(X)):
        made = list(generator.fit_members(X, plans, _fit_now))
    return generator.assemble(_as_given(made, order), {})


def _as_given(made: list[Made], order: ContentOrder | None) -> list[Made]:
    """Members with their objects in the order in which these were given."""
    return made if order is None else [one.put_back(order) for one in made]


def _fit_now(m: int, fit: Callable[[], Made]) -> Made:
    return fit()


def _model_of(generator: Generator, X: Any, plan: Plan, made: Made) -> Any:
    if not made.earlier:
        return made.model
    model = generator.restore(plan, made.state)
    return MadeAgain(partial(generator.fit_member, X, plan)) if model is None else model


def _with_bar(members: Iterable[Any], total: int) -> Iterable[Any]:
    progress = import_optional("rich.progress", "verbose=True", "cli")
    return progress.track(members, total=total, description="clusterings")
