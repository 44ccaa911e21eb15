"""Values that stay on the workers."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from functools import partial
from typing import Any

from comitia._optional import import_optional
from comitia.engine.row_blocks import Blocks, add, call_method

__all__ = ["DaskBlocks", "client_for", "current_client"]

# What is larger than this is sent to a worker once, not with each task.
_LARGE = 1 << 16

# Partial sums that one task adds up.
_AT_ONCE = 8

# Results that are on their way while another one is used.
_AHEAD = 4


class DaskBlocks(Blocks):
    """One value per row block, each on a worker.

    Parameters
    ----------
    client : dask.distributed.Client
        Who runs the tasks.

    futures : list of Future
        The values. Dask remembers how each was made, and makes it again when the
        worker that has it is lost.
    """

    def __init__(self, client: Any, futures: list[Any]) -> None:
        self.client = client
        self.futures = futures

    @classmethod
    def of(cls, client: Any, values: Sequence[Any]) -> DaskBlocks:
        """Blocks of small values, such as where a block is on disk.

        They travel with the tasks that make them, and so survive any worker.

        Parameters
        ----------
        client : dask.distributed.Client
            Who runs the tasks.

        values : sequence
            One for each block.

        Returns
        -------
        blocks : DaskBlocks
            Their handle.
        """
        return cls(client, [_sent(client, value) for value in values])

    def __len__(self) -> int:
        return len(self.futures)

    def map(
        self, function: Callable[..., Any] | str, *others: Any, **shared: Any
    ) -> DaskBlocks:
        """Call a function on each block, where it is.

        Parameters
        ----------
        function : callable or str
            Called as ``function(value, *values_of_the_others, **shared)``; a string
            names a method of the values.

        *others : DaskBlocks
            More values for each block.

        **shared : dict
            What all blocks get.

        Returns
        -------
        blocks : DaskBlocks
            What came out.
        """
        if isinstance(function, str):
            function = partial(call_method, method=function)
        shared = {name: self._shared(value) for name, value in shared.items()}
        given = zip(self.futures, *(other.futures for other in others), strict=True)
        return DaskBlocks(
            self.client,
            [
                self.client.submit(function, *values, **shared, pure=False)
                for values in given
            ],
        )

    def _shared(self, value: Any) -> Any:
        from dask.sizeof import sizeof

        if sizeof(value) < _LARGE:
            return value
        # A task of its own rather than scattered data: what was scattered to a worker
        # is lost with it, what a task returned is made again.
        return _sent(self.client, value)

    def each(self, function: Callable[..., Any], **shared: Any) -> Iterable[Any]:
        """Call a function on each block and bring what comes out here, one by one.

        Parameters
        ----------
        function : callable
            Called as ``function(value, **shared)``.

        **shared : dict
            What all blocks get.

        Returns
        -------
        values : iterable
            In the order of the blocks.
        """
        shared = {name: self._shared(value) for name, value in shared.items()}
        waiting: list[Any] = []
        for future in self.futures:
            waiting.append(self.client.submit(function, future, **shared, pure=False))
            if len(waiting) > _AHEAD:
                yield waiting.pop(0).result()
        while waiting:
            yield waiting.pop(0).result()

    def put(self, values: Sequence[Any]) -> DaskBlocks:
        """Send one value of this process to each block.

        Parameters
        ----------
        values : sequence
            One for each block.

        Returns
        -------
        blocks : DaskBlocks
            Their handle.
        """
        return DaskBlocks.of(self.client, values)

    def gather(self) -> Iterator[Any]:
        """Bring the values here, one after the other.

        Yields
        ------
        value : object
            In the order of the blocks.
        """
        for future in self.futures:
            yield future.result()

    def total(self) -> Any:
        """Add the values up on the workers.

        Returns
        -------
        total : object
            The sum; only it travels here.
        """
        parts = self.futures
        while len(parts) > 1:
            parts = [
                self.client.submit(add, *parts[lo : lo + _AT_ONCE], pure=False)
                for lo in range(0, len(parts), _AT_ONCE)
            ]
        return parts[0].result()


@contextmanager
def client_for(
    scheduler: str | None = None, n_workers: int | None = None
) -> Iterator[Any]:
    """A client of a running scheduler, or of workers that are started here.

    Parameters
    ----------
    scheduler : str, default=None
        Address of a scheduler, such as ``tcp://10.0.0.5:8786``. Certificates for
        ``tls://`` are those of Dask's configuration. If it is lost, the error is a
        ConnectionError; blocks that are written stay.

    n_workers : int, default=None
        Number of processes to start on this machine, with one thread each.

    Yields
    ------
    client : dask.distributed.Client
        Closed in the end, with the workers that were started.

    Examples
    --------
    >>> from comitia.distributed import client_for
    >>> with client_for(n_workers=2) as client:  # doctest: +SKIP
    ...     labels = method.fit(ensemble).labels_
    """
    distributed = import_optional("distributed", "a cluster", "dask")
    if scheduler is not None:
        with (
            _errors_of(scheduler),
            distributed.Client(scheduler, set_as_default=False) as client,
        ):
            yield client
        return
    import dask

    # A worker that was killed is started again, which takes a while on a busy machine.
    # Dask gives it up after 15 s, and once all are given up waits for ever.
    with dask.config.set({"distributed.deploy.lost-worker-timeout": "10 minutes"}):
        # Computing keeps a worker thread busy; heartbeats go on beside it.
        cluster = distributed.LocalCluster(
            n_workers=n_workers,
            threads_per_worker=1,
            processes=True,
            dashboard_address=":0",
        )
        try:
            with distributed.Client(cluster, set_as_default=False) as client:
                yield client
        finally:
            # When all are closed, Dask looks for those that were killed in its list. On
            # a busy machine it does not wait to see that one it kills has ended.
            with suppress(KeyError, TimeoutError):
                cluster.close()


@contextmanager
def _errors_of(scheduler: str) -> Iterator[None]:
    """What Dask raises when a cluster is lost, in words."""
    import asyncio
    import concurrent.futures

    from distributed.comm import CommClosedError
    from distributed.scheduler import KilledWorker

    cancelled = concurrent.futures.CancelledError, asyncio.CancelledError
    try:
        yield
    except (CommClosedError, *cancelled):
        raise ConnectionError(
            f"the scheduler {scheduler}, or the connection to it, was lost."
        ) from None
    except KilledWorker:
        raise ConnectionError(
            f"several workers of {scheduler} ended on the same block; where their "
            "memory was not enough, smaller blocks help."
        ) from None
    except TypeError as error:
        if "ssl_context" not in str(error):
            raise
        raise ConnectionError(
            f"{scheduler} needs certificates; name their files in Dask's "
            "configuration, or as DASK_DISTRIBUTED__COMM__TLS__CA_FILE, "
            "..._TLS__CLIENT__CERT and ..._TLS__CLIENT__KEY."
        ) from None


def current_client() -> Any:
    """The client that the user has made the current one.

    Returns
    -------
    client : dask.distributed.Client or None
        None where there is none.

    Examples
    --------
    >>> from comitia.distributed import current_client
    >>> current_client() is None
    True
    """
    try:
        from distributed import get_client

        return get_client()
    except (ImportError, ValueError):
        return None


def _sent(client: Any, value: Any) -> Any:
    """A value as the result of a task that carries it."""
    import dask

    # Dask warns of large tasks, which these are meant to be.
    with dask.config.set({"distributed.admin.large-graph-warning-threshold": "8 GB"}):
        return client.submit(partial(_itself, value), pure=False)


def _itself(value: Any) -> Any:
    return value
