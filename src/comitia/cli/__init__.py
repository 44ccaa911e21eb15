"""The command line. Nothing heavy is imported before a command needs it."""

import sys
from collections.abc import Sequence

__all__ = ["main"]

_HELP = """\
comitia: many clusterings in, one better clustering out.

Usage: comitia COMMAND [OPTION]...

Commands:
  demo               the whole job on the wine data of scikit-learn
  fit DATA           a table of features in, a weighted consensus out
  predict DIR DATA   labels of new rows, by the result in a folder
  combine LABELS...  label columns in, one clustering each; the consensus out
  compare DATA       several methods side by side
  choose-k DATA      how many clusters: criteria over a range of k
  check DATA         what would be done with each column of a table, and why
  recommend DATA     which methods: those that fit and are the best measured
  methods            the catalogue; methods show ID for one of them
  report DIR         write report.html of a result folder again
  warm               compile everything once, so that no first result waits

Options:
  -h, --help         show this and stop; comitia COMMAND --help says more
  --version          show the version and stop

Tables are .csv .tsv .json (also .gz .bz2 .xz .zst), .xlsx .parquet .feather .npy .npz
.mat .zarr .h5ad, a folder of .parquet files, or - for standard input.
Try: comitia demo; comitia fit data.csv -k 3
"""

_DEMO_HELP = """\
Usage: comitia demo [OPTION]...

Combine 32 clusterings of the wine data of scikit-learn, of which 24 see nothing but
noise, compare the result with the known cultivars and with k-means, and write the
result folder with its report.

Options:
  -o, --out DIR      where the results go (default: comitia-demo)
  --force            replace a folder that is not the demo's own
  --no-report        write no report.html
  -h, --help         show this and stop
"""

_COMMANDS = (
    "demo",
    "fit",
    "predict",
    "combine",
    "compare",
    "choose-k",
    "check",
    "recommend",
    "methods",
    "report",
    "warm",
)


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command.

    Parameters
    ----------
    arguments : sequence of str, default=None
        What stands behind ``comitia`` on the command line; by default what was typed.

    Returns
    -------
    code : int
        0 when all went well, 1 when the command failed, 2 when it was not understood,
        130 after Ctrl-C, 143 after SIGTERM.
    """
    given = [*(sys.argv[1:] if arguments is None else arguments)]
    if not given or given[0] in ("-h", "--help"):
        print(_HELP, end="")
        return 0
    if given[0] == "--version":
        from comitia import __version__

        print(f"comitia {__version__}")
        return 0
    command, *options = given
    if command not in _COMMANDS:
        from difflib import get_close_matches

        close = get_close_matches(command, _COMMANDS, n=1)
        hint = f"did you mean {close[0]}?" if close else "see comitia --help."
        print(f"comitia: {command!r} is not a command; {hint}", file=sys.stderr)
        return 2
    if command == "demo" and {"-h", "--help"} & {*options}:
        print(_DEMO_HELP, end="")
        return 0
    from comitia.cli._run_command import run_command

    return run_command(command, options)
