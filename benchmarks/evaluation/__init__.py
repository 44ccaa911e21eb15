"""The evaluation: is comitia faithful to the papers, and what is better than what?

``python -m benchmarks.evaluation [part ...]`` runs it. A part is a module of this
package that offers

``run(options) -> None``
    Make the jobs of the part and hand them to :func:`benchmarks.evaluation.store.run`,
    which keeps one row for each in ``options.results / "<part>.csv"``. With
    ``options.smoke`` it takes seconds; without ``options.data`` it takes what comes
    with scikit-learn.

``page(results, figures) -> str``
    What the documentation says of it, in reStructuredText: read ``<part>.csv`` in the
    folder ``results``, write plots into the folder ``figures``, and show them with
    ``.. image:: /generated/evaluation/<file>``; :mod:`benchmarks.evaluation.pages`
    helps. Headings are underlined with ``^``. Without the file, return
    ``pages.NOT_MEASURED``.
"""

__all__ = ["PARTS"]

#: The parts, in the order in which they run and are told.
PARTS = ("fidelity", "peers", "everything", "default", "recipients")
