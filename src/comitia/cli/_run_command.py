"""How a command ends: every failure is one line and an exit code."""

from __future__ import annotations

import itertools
import os
import shlex
import signal
import sys
import threading
import warnings
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any

from comitia._optional import import_optional
from comitia.exceptions import ComitiaError

__all__ = [
    "Terminated",
    "UsageError",
    "refuse_absent",
    "run_command",
    "typed_command",
]

FAILED, NOT_UNDERSTOOD, INTERRUPTED, TERMINATED, CLOSED = 1, 2, 130, 143, 141


class UsageError(ComitiaError):
    """What was typed cannot be understood."""


class Terminated(KeyboardInterrupt):
    """SIGTERM: the run ends as it does after Ctrl-C."""


# What was typed, for the result to remember.
_typed: ContextVar[Sequence[str]] = ContextVar("comitia_typed", default=())


def typed_command() -> str:
    """What was typed, as it can be typed again.

    Returns
    -------
    line : str
        Without ``--resume`` and ``--force``, which belong to one occasion.
    """
    words = [word for word in _typed.get() if word not in ("--resume", "--force")]
    return shlex.join(["comitia", *words])


def refuse_absent(path: str) -> None:
    """Tell a file that is not there, before anything is loaded that could read it.

    Parameters
    ----------
    path : str
        What a command is given to read.
    """
    if path != "-" and "://" not in path and not os.path.exists(path):
        raise ComitiaError(f"there is no file {path}.")


def run_command(command: str, options: Sequence[str]) -> int:
    """Run a command and turn whatever it raises into a line and an exit code.

    Parameters
    ----------
    command : str
        The command.

    options : sequence of str
        What stands behind it.

    Returns
    -------
    code : int
        The exit code.
    """
    _typed.set([command, *options])
    # Into a file or a pipe Windows writes the characters of one language, and may lack
    # those of a table.
    if getattr(sys.stdout, "errors", None) == "strict":
        sys.stdout.reconfigure(errors="backslashreplace")  # type: ignore[union-attr]
    try:
        with _ends_on_sigterm(), warnings.catch_warnings():
            # Commands show the warnings that are meant for their users themselves.
            warnings.simplefilter("ignore")
            _refuse_absent_files(command, options)
            if command == "demo":
                from comitia.cli.demo import run_demo

                run_demo(options)
            else:
                _app(command, options)
            sys.stdout.flush()
    except BrokenPipeError:
        # Whoever read has had enough, as head does. What is left goes nowhere.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return CLOSED
    except Terminated as error:
        return _say(command, f"terminated{_because(error)}", TERMINATED)
    except KeyboardInterrupt as error:
        return _say(command, f"interrupted{_because(error)}", INTERRUPTED)
    except UsageError as error:
        return _say(command, f"{error} Try comitia {command} --help.", NOT_UNDERSTOOD)
    except (ComitiaError, ImportError, OSError, ValueError) as error:
        return _say(command, _in_words(error), FAILED)
    except MemoryError as error:
        notes = getattr(error, "__notes__", ())
        text = "the memory is not enough; try a linear method."
        return _say(command, " ".join([text, *notes]), FAILED)
    except Exception as error:
        if os.environ.get("COMITIA_TRACEBACK"):
            raise
        message = (
            f"failed with {type(error).__name__}: {str(error).rstrip('.')}. This "
            "should not happen; "
            "COMITIA_TRACEBACK=1 shows where."
        )
        return _say(command, message, FAILED)
    return 0


# Commands whose first words are files.
_READERS = ("fit", "predict", "combine", "compare", "choose-k", "check")


def _refuse_absent_files(command: str, options: Sequence[str]) -> None:
    """What stands before the first option is a file, whatever the options are."""
    if command in _READERS and not {"-h", "--help"} & {*options}:
        for word in itertools.takewhile(lambda word: word[:1] != "-", options):
            refuse_absent(word)


def _app(command: str, options: Sequence[str]) -> None:
    cyclopts = import_optional("cyclopts", "this command", "cli")
    from comitia.cli._app import app

    try:
        app(
            [command, *_stdin_last(options)],
            exit_on_error=False,
            print_error=False,
            result_action="return_value",
        )
    except cyclopts.CycloptsError as error:
        raise UsageError(" ".join(str(error).split())) from None


def _stdin_last(options: Sequence[str]) -> list[str]:
    """A lone hyphen is standard input, not an option: it goes behind the options."""
    if "--" in options or "-" not in options:
        return [*options]
    return [*(word for word in options if word != "-"), "--", "-"]


@contextmanager
def _ends_on_sigterm() -> Iterator[None]:
    def stop(number: int, frame: Any) -> None:
        raise Terminated

    # Handlers belong to the main thread; elsewhere somebody else is in charge.
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    before = signal.signal(signal.SIGTERM, stop)
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, before)


def _in_words(error: Exception) -> str:
    text = str(error)
    if isinstance(error, OSError) and error.strerror:
        where = f"{error.filename}: " if error.filename else ""
        text = f"{where}{error.strerror}."
    # What the command has added, such as what is kept for --resume.
    return " ".join([text, *getattr(error, "__notes__", ())])


def _because(error: BaseException) -> str:
    return f"; {error}" if str(error) else "."


def _say(command: str, message: str, code: int) -> int:
    print(f"comitia {command}: {' '.join(message.split())}", file=sys.stderr)
    return code
