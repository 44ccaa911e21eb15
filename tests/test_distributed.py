"""Row blocks on Dask's workers: the labels of the same ensemble in memory."""

import asyncio
import concurrent.futures
import os
import signal
import threading

import numpy as np
import pytest
from numpy.testing import assert_array_equal

import comitia
from comitia import Ensemble
from comitia.exceptions import ComitiaError, EnsembleFileError

dask = pytest.importorskip("dask")
distributed = pytest.importorskip("distributed")
da = pytest.importorskip("dask.array")

from comitia.distributed import (  # noqa: E402
    DaskBlocks,
    client_for,
    current_client,
    result_arrays,
)

# Dask and its event loop warn of things that are not ours.
pytestmark = pytest.mark.filterwarnings("ignore::Warning")

# More than an ensemble that is read whole has.
N, M, K = 60_000, 5, 4


@pytest.fixture(scope="module")
def labels():
    rng = np.random.RandomState(0)
    truth = rng.randint(K, size=N)
    noisy = rng.uniform(size=(N, M)) < 0.5
    labels = np.where(noisy, rng.randint(30, size=(N, M)), truth[:, None])
    labels[::97, 1] = -1
    return labels


@pytest.fixture(scope="module")
def client():
    cluster = distributed.LocalCluster(
        n_workers=2, threads_per_worker=1, processes=False, dashboard_address=":0"
    )
    with cluster, distributed.Client(cluster, set_as_default=False) as client:
        yield client


def fitted(name, votes):
    return comitia.method(name)(n_clusters=K, random_state=0).fit(votes)


@pytest.mark.parametrize("name", ["lwgp", "sec", "voting", "mcla"])
def test_labels_from_workers_are_those_from_memory(name, labels, client, tmp_path):
    votes = Ensemble(labels)
    votes.save(tmp_path / "e", block_rows=N // 7)
    alone = fitted(name, votes)
    array = da.from_array(labels, chunks=(N // 5, 2))
    for given in (
        Ensemble.open(tmp_path / "e", client=client),
        Ensemble.from_dask(array, client=client),
        Ensemble.from_dask(array),
    ):
        got = fitted(name, given)
        assert_array_equal(got.labels_, alone.labels_)
        assert_array_equal(got.confidence_, alone.confidence_)


def test_an_array_gives_the_ensemble_that_its_labels_give(labels, client):
    # Labels with gaps, of which some blocks have none, are numbered as in memory.
    gaps = labels * 7 + (labels == -1) * 6
    names = list("abcde")
    votes = Ensemble(gaps, clustering_names=names)
    array = da.from_array(gaps, chunks=(N // 3, M))
    got = Ensemble.from_dask(array, client=client, clustering_names=names)
    assert got == votes
    assert_array_equal(got.agreement(), votes.agreement())


def test_results_come_back_as_arrays(labels, client):
    array = da.from_array(labels, chunks=(N // 4, M))
    made = fitted("lwgp", Ensemble.from_dask(array, client=client))
    got = result_arrays(made)
    assert got.labels.chunks == got.confidence.chunks
    assert got.membership.shape == (N, K)
    future = client.compute([got.labels, got.confidence, got.membership])
    found, confidence, membership = client.gather(future)
    assert_array_equal(found, made.labels_)
    assert_array_equal(confidence, made.confidence_)
    assert_array_equal(membership, made.membership_)


@pytest.mark.parametrize(
    ("array", "words"),
    [
        (np.zeros((4, 2), int), "two-dimensional Dask array"),
        (da.zeros(4, dtype=int), "two-dimensional Dask array"),
        (da.zeros((4, 2)), "Dask array of integers"),
        (da.zeros((0, 2), dtype=int), "is empty"),
        (da.full((4, 2), -1, dtype=int), "clustering 0 are all missing"),
        (da.full((4, 2), -2, dtype=int), "must be 0 or more"),
    ],
)
def test_arrays_that_hold_no_labels_are_refused(array, words):
    with pytest.raises(ComitiaError, match=words):
        Ensemble.from_dask(array)


def test_sums_of_many_blocks_are_made_on_the_workers(client):
    blocks = DaskBlocks.of(client, [np.array([i]) for i in range(30)])
    assert blocks.total().tolist() == [435]
    assert [int(v[0]) for v in blocks.each(np.negative)] == [-i for i in range(30)]
    assert len(blocks.map(np.negative)) == 30


@pytest.mark.parametrize(
    ("error", "words"),
    [
        (concurrent.futures.CancelledError(), "the connection to it, was lost"),
        (asyncio.CancelledError(), "the connection to it, was lost"),
        (distributed.comm.CommClosedError(), "the connection to it, was lost"),
        (distributed.scheduler.KilledWorker("x", None, 3), "smaller blocks help"),
    ],
)
def test_a_cluster_that_is_lost_is_a_connection_error(error, words, client):
    address = client.scheduler.address
    with pytest.raises(ConnectionError, match=words), client_for(address):
        raise error


def test_certificates_that_are_not_there_are_asked_for():
    with (
        pytest.raises(ConnectionError, match="DASK_DISTRIBUTED__COMM__TLS__CA_FILE"),
        client_for("tls://127.0.0.1:9"),
    ):
        pass


def test_there_need_not_be_a_client():
    assert current_client() is None


def test_a_worker_that_is_killed_does_not_change_the_result(labels, tmp_path):
    votes = Ensemble(labels)
    votes.save(tmp_path / "e", block_rows=N // 8)
    alone = fitted("sec", votes)
    with client_for(n_workers=2) as client:
        pids = list(client.run(os.getpid).values())
        killed = []

        def kill():
            if not done.wait(0.3):
                os.kill(pids[0], signal.SIGKILL)
                killed.append(pids[0])

        done = threading.Event()
        killer = threading.Thread(target=kill)
        killer.start()
        got = fitted("sec", Ensemble.open(tmp_path / "e", client=client))
        done.set()
        killer.join()
    assert killed, "the fit was over before a worker could be killed"
    assert_array_equal(got.labels_, alone.labels_)


def test_a_worker_that_starts_again_slowly_is_waited_for():
    """Dask gives it up after some time, and then there may be none left."""
    with (
        dask.config.set({"distributed.deploy.lost-worker-timeout": "1 ms"}),
        client_for(n_workers=1) as client,
    ):
        (pid,) = client.run(os.getpid).values()
        os.kill(pid, signal.SIGKILL)
        assert client.submit(os.getpid, pure=False).result(timeout=120) != pid
        assert len(client.cluster.workers) == 1


@pytest.mark.parametrize("error", [KeyError("tcp://127.0.0.1:1"), TimeoutError()])
def test_workers_that_cannot_be_closed_in_order_spoil_nothing(error, monkeypatch):
    close = distributed.LocalCluster.close

    def stumble(cluster, timeout=None):
        close(cluster, timeout)
        raise error

    monkeypatch.setattr(distributed.LocalCluster, "close", stumble)
    with client_for(n_workers=1) as client:
        assert client.submit(int).result() == 0


def test_workers_notice_a_flipped_bit(client, labels, tmp_path):
    Ensemble(labels).save(tmp_path / "e", block_rows=N // 3)
    path = tmp_path / "e" / "block-00002.npy"
    content = bytearray(path.read_bytes())
    content[1000] ^= 1
    path.write_bytes(content)
    with pytest.raises(EnsembleFileError, match=r"block-00002\.npy is damaged"):
        fitted("lwgp", Ensemble.open(tmp_path / "e", client=client))
