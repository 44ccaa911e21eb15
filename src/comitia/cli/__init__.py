"""The command line. Nothing heavy is imported before a command needs it."""

import sys
from collections.abc import Sequence

__all__ = ["main"]

_HELP = """\
comitia: many clusterings in, one better clustering out.

Usage: comitia COMMAND [OPTION]...

Commands:
  demo               the whole job on the wine data of scikit-learn
    -o, --out DIR    where the results go (default: comitia-demo)

Options:
  -h, --help         show this and stop
  --version          show the version and stop
"""


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command.

    Parameters
    ----------
    arguments : sequence of str, default=None
        What stands behind ``comitia`` on the command line; by default what was typed.

    Returns
    -------
    code : int
        0 when all went well, 1 when the command failed, 2 when it was not understood.
    """
    given = [*(sys.argv[1:] if arguments is None else arguments)]
    if not given or {"-h", "--help"} & {*given}:
        print(_HELP, end="")
        return 0
    if given == ["--version"]:
        from comitia import __version__

        print(f"comitia {__version__}")
        return 0
    command, *options = given
    if command != "demo":
        return _refuse(f"{command!r} is not a command; the only one yet is demo.")
    out = "comitia-demo"
    while options:
        option = options.pop(0)
        name, equals, value = option.partition("=")
        if name not in ("-o", "--out"):
            return _refuse(f"demo does not know {option!r}; it takes --out DIR.")
        if not equals:
            value = options.pop(0) if options else ""
        if not value:
            return _refuse(f"{name} needs a folder; write {name} DIR.")
        out = value
    from comitia.cli.demo import demo

    try:
        demo(out)
    except (OSError, ValueError) as error:
        print(f"comitia demo: {error}", file=sys.stderr)
        return 1
    return 0


def _refuse(message: str) -> int:
    print(f"comitia: {message}\nTry comitia --help.", file=sys.stderr)
    return 2
