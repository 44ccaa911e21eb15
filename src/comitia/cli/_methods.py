"""A method and its generator, from what was typed."""

from __future__ import annotations

import ast
import difflib
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from time import perf_counter
from typing import Any

from comitia.cli._conduct import UsageError
from comitia.exceptions import ComitiaError

__all__ = ["GENERATORS", "build", "generation", "parse_params"]

GENERATORS = {
    "kmeans": "KMeansGenerator",
    "spectral": "SpectralGenerator",
    "landmark-spectral": "LandmarkSpectralGenerator",
    "hierarchical": "HierarchicalGenerator",
    "mixture": "MixtureGenerator",
    "kernel": "KernelGenerator",
    "fuzzy": "FuzzyGenerator",
    "tree": "TreeGenerator",
    "community": "CommunityGenerator",
}

# Parameters that have an option of their own.
_OPTION_OF = {
    "n_clusters": "-k",
    "random_state": "--seed",
    "n_jobs": "--n-jobs",
    "generator": "--generator",
}
# What is not for --param, on the method or on its generator.
_OWN = {"random_state", "n_jobs", "checkpoint", "verbose"}

_WORDS = {"true": True, "false": False, "none": None}


def parse_params(given: Sequence[str]) -> dict[str, Any]:
    """Read ``NAME=VALUE`` pairs.

    Parameters
    ----------
    given : sequence of str
        What was typed.

    Returns
    -------
    parameters : dict
        Values are Python literals where they can be read so, and text elsewhere.
    """
    parameters: dict[str, Any] = {}
    for pair in given:
        name, equals, value = pair.partition("=")
        name = name.strip().replace("-", "_")
        if not equals or not name:
            raise UsageError(f"--param {pair!r} is not NAME=VALUE.")
        if name in _OPTION_OF:
            raise UsageError(f"--param {name}: use {_OPTION_OF[name]}.")
        parameters[name] = _value(value.strip())
    return parameters


def _value(text: str) -> Any:
    if text.lower() in _WORDS:
        return _WORDS[text.lower()]
    try:
        return ast.literal_eval(text)
    except (ValueError, SyntaxError):
        return text


def build(
    id: str,
    n_clusters: int | None,
    *,
    seed: int,
    params: Sequence[str] = (),
    generator: str | None = None,
    n_clusterings: int | None = None,
    n_jobs: int = 1,
) -> Any:
    """Make a method, with its parameters checked.

    Parameters
    ----------
    id : str
        Its catalogue id.

    n_clusters : int or None
        Number of clusters; None lets the method choose.

    seed : int
        The seed.

    params : sequence of str, default=()
        ``NAME=VALUE`` pairs.

    generator : str, default=None
        The name of a generator; the method's own by default.

    n_clusterings : int, default=None
        How many clusterings are made.

    n_jobs : int, default=1
        Number of parallel jobs.

    Returns
    -------
    method : EnsembleMethod
        Not fitted yet.
    """
    from comitia.catalogue import method

    try:
        cls = method(id)
    except ComitiaError as error:
        raise UsageError(str(error)) from None
    estimator = cls(n_clusters=n_clusters, random_state=seed)
    known = estimator.get_params(deep=False)
    if "n_jobs" in known:
        estimator.set_params(n_jobs=n_jobs)
    if "generator" in known:
        estimator.set_params(
            generator=_generator(estimator, generator, n_clusterings, n_jobs)
        )
    elif generator is not None:
        raise UsageError(
            f"{id} makes its clusterings in its own way; leave out --generator."
        )
    elif n_clusterings is not None:
        own = next((n for n in ("n_clusterings", "n_rounds") if n in known), None)
        if own is None:
            raise UsageError(
                f"{id} decides itself how many clusterings it makes; leave out "
                "--n-clusterings."
            )
        estimator.set_params(**{own: n_clusterings})
    for name, value in parse_params(params).items():
        _set(estimator, name, value)
    estimator._validate_params()
    made = estimator.get_params(deep=False).get("generator")
    if hasattr(made, "_parameter_constraints"):
        made._validate_params()
    return estimator


def _generator(
    estimator: Any, name: str | None, n_clusterings: int | None, n_jobs: int
) -> Any:
    from comitia import generate
    from comitia.base import EnsembleMethod

    # The default of all methods clusters tables.
    general = type(estimator)._default_generator is EnsembleMethod._default_generator
    if name is None and general and "graph" in estimator.card.needs:
        name = "community"
    made = (
        estimator._default_generator()
        if name is None
        else getattr(generate, GENERATORS[name])()
    )
    known = made.get_params(deep=False)
    if n_clusterings is not None:
        if "n_clusterings" not in known:
            raise UsageError(
                f"{type(made).__name__} decides itself how many clusterings it makes; "
                "leave out --n-clusterings."
            )
        made.set_params(n_clusterings=n_clusterings)
    if "n_jobs" in known:
        made.set_params(n_jobs=n_jobs)
    return made


def _set(estimator: Any, name: str, value: Any) -> None:
    known = [
        each
        for each in estimator.get_params()
        if each not in _OPTION_OF and each.rpartition("__")[2] not in _OWN
    ]
    if name not in known:
        close = difflib.get_close_matches(name, known, n=2)
        shown = [n for n in known if "__" not in n]
        raise UsageError(
            f"{estimator.card.id} has no parameter {name!r}; "
            + (
                f"did you mean {' or '.join(close)}?"
                if close
                else f"it has {', '.join(shown) or 'none'}."
            )
        )
    estimator.set_params(**{name: value})


class Generation:
    """How the making of the clusterings went.

    Attributes
    ----------
    seconds : float or None
        How long it took; None if none were made.
    """

    seconds: float | None = None


@contextmanager
def generation(estimator: Any, checkpoint: Path | None) -> Iterator[Generation]:
    """Let a method save finished clusterings, and time their making.

    ``fit`` makes the clusterings and combines them in one go. Only for this fit, and
    on this one estimator, the step that makes them is wrapped.

    Parameters
    ----------
    estimator : EnsembleMethod
        The method.

    checkpoint : Path or None
        The folder of finished clusterings.

    Yields
    ------
    made : Generation
        Filled in when the clusterings are made.
    """
    from comitia.base import EnsembleMethod

    made = Generation()
    make, own = estimator._generate, estimator._generator
    # A method that looks for its number of clusters may make clusterings twice; one
    # checkpoint holds one ensemble.
    twice = type(estimator)._generate is not EnsembleMethod._generate
    if twice and estimator.n_clusters is None:
        checkpoint = None

    def saving() -> Any:
        generator = own()
        if checkpoint is not None and "checkpoint" in generator.get_params(deep=False):
            generator.set_params(checkpoint=str(checkpoint))
        return generator

    def timed(X: Any, rng: Any) -> Any:
        begin = perf_counter()
        # Methods that have no parameter for it ask for their generator by this name;
        # what they make later, to refine, is not the ensemble and is not saved.
        estimator._generator = saving
        try:
            return make(X, rng)
        finally:
            del estimator._generator
            made.seconds = perf_counter() - begin

    estimator._generate = timed
    try:
        yield made
    finally:
        del estimator._generate
        generator = getattr(estimator, "generator_", None)
        if generator is not None and hasattr(generator, "checkpoint"):
            generator.checkpoint = None  # it is gone when the folder is complete
        if getattr(estimator, "generator", None) is not None:
            estimator.generator.checkpoint = None
