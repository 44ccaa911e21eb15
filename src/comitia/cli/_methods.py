"""A method and its generator, from what was typed."""

from __future__ import annotations

import ast
import difflib
from collections.abc import Sequence
from typing import Any

from comitia.cli._run_command import UsageError
from comitia.exceptions import ComitiaError

__all__ = ["GENERATORS", "build", "parse_params"]

GENERATORS = {
    "kmeans": "KMeansGenerator",
    "spectral": "SpectralGenerator",
    "landmark-spectral": "LandmarkSpectralGenerator",
    "neighbor-spectral": "NeighborSpectralGenerator",
    "genie": "GenieGenerator",
    "mixed": "MixedGenerator",
    "hierarchical": "HierarchicalGenerator",
    "mixture": "MixtureGenerator",
    "kernel": "KernelGenerator",
    "fuzzy": "FuzzyGenerator",
    "tree": "TreeGenerator",
    "community": "GraphGenerator",
    "graph": "GraphGenerator",
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
    n_clusterings: int | str | None = None,
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

    n_clusterings : int or "auto", default=None
        How many clusterings are made.

    n_jobs : int, default=1
        Number of parallel jobs.

    Returns
    -------
    method : EnsembleMethod
        Not fitted yet.
    """
    from comitia._sklearn import validate_parameters
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
    estimator.check_parameters()
    validate_parameters(estimator.get_params(deep=False).get("generator"))
    return estimator


def _generator(
    estimator: Any, name: str | None, n_clusterings: int | str | None, n_jobs: int
) -> Any:
    from comitia import generate

    if name is None:
        made = estimator.get_generator()
    else:
        made = getattr(generate, GENERATORS[name])()
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
