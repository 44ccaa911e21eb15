"""comitia by protocols that others wrote, beside figures that others published.

``make leaderboards`` runs all boards on the data that ``COMITIA_DATA`` names, goes on
where it stopped, and ends with how its rows differ from the committed ones. A board is
a module of this package with a constant and three functions:

``KEY``
    The columns that tell its rows apart, such as ``("data", "method", "seed")``: those
    of :attr:`~benchmarks.evaluation.jobs.Job.key`.

``run(options) -> None``
    Make its jobs and hand them to :func:`benchmarks.evaluation.store.run` as the part
    ``leaderboard_<board>``, which keeps one row for each in ``leaderboard_<board>.csv``
    of ``options.results`` and does not do again what has a row. ``options.data`` is the
    folder of the data, ``options.seeds`` the repetitions, ``options.stop_after`` the
    seconds that are left. With ``options.smoke`` it takes seconds, and without
    ``options.data`` what comes with scikit-learn.

``answer(results) -> str``
    What came out, in one or two sentences: who is better, by how much, and the test.
    Without rows, ``pages.NOT_MEASURED``.

``page(results, figures) -> str``
    The sub-page below its title, in reStructuredText: whose protocol it is, what is
    compared, tables and plots. It ends with :func:`~.paired.source`, which names the
    file and the command. Without rows, ``pages.NOT_MEASURED``.

Boards of data sets have jobs that call ``fit(data, method, seed, half, folder)``, or
``told_in_readme`` for figures of others: the set, the method, the seed of its order and
of the method, whether the set was there to choose our default by, and the data folder.
They return the cells of the row.

``docs/evaluation/leaderboards/<board>.rst`` has the title and includes the page as
``/generated/tables/leaderboard_<board>.rst``.

What keeps it honest: parameters are fixed before the run and the same for all sets;
what is chosen is chosen on one half of :func:`benchmarks.evaluation.data.halves` and
confirmed on the other; rows are shuffled with the seed; what fails has the worst score;
every comparison has its test and effect size from :mod:`~.paired`.
"""

__all__ = ["BOARDS"]

#: The boards, in the order in which they run and stand on the page.
BOARDS = (
    "gagolewski",
    "survey",
    "series",
    "views",
    "graphs",
    "peers",
)
