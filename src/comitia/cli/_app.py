"""The commands together, for cyclopts. Their help is their docstring."""

from cyclopts import App

from comitia.cli._advice import choose_k, compare, recommend
from comitia.cli._catalogue import list_methods, show
from comitia.cli._prediction import predict
from comitia.cli._results import combine, fit, report
from comitia.cli._table_check import check
from comitia.cli.warm import warm

__all__ = ["app"]

app = App(
    name="comitia",
    help_format="markdown",
    version_flags=[],
    # Ctrl-C is for comitia.cli._run_command, which says what is kept.
    suppress_keyboard_interrupt=False,
)
for each in (
    fit,
    predict,
    combine,
    compare,
    choose_k,
    check,
    recommend,
    report,
    warm,
):
    app.command(each)

methods = App(name="methods")
methods.default(list_methods)
methods.command(show)
app.command(methods)
