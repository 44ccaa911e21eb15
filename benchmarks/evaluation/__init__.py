"""The evaluation: is comitia faithful to the papers, and what is better than what?

``python -m benchmarks.evaluation [part ...]`` runs it. A part is a folder of this
package with what only it needs, and two functions:

``<part>.run.run(options) -> None``
    Make the jobs of the part and hand them to :func:`benchmarks.evaluation.store.run`,
    which keeps one row for each in the table ``options.results / "<part>.csv"``. With
    ``options.smoke`` it takes seconds; without ``options.data`` it takes what comes
    with scikit-learn.

``<part>.page.page(results, figures) -> str``
    What the documentation says of it, in reStructuredText: read the table with
    :func:`benchmarks.evaluation.store.read`, write plots into the folder ``figures``,
    and show them with ``.. image:: /generated/evaluation/<file>``;
    :mod:`benchmarks.evaluation.pages` helps. Headings are underlined with ``^``.
    Without a table, return ``pages.NOT_MEASURED``.

What several parts share stands beside them: the data sets and the pools, the jobs and
the processes that do them, the tables that keep their rows, and what pages have in
common.
"""

__all__ = ["PARTS"]

#: The parts, in the order in which they run and stand on the page.
PARTS = (
    *("fidelity", "peers", "everything", "default", "recipients", "networks"),
    "leaderboards",
)
