"""A cluster of processes over TLS: killed, slow or restarted, the labels are the same.

``python -m benchmarks.tcp_cluster [part ...] [--runs N] [--smoke] [--out FOLDER]``

``dask scheduler`` and three ``dask worker`` are processes of their own that talk TLS
over the loopback device, with a certificate that is made for the run. The workers have
different memory. What comes out is compared, byte by byte, with what one process makes
in memory. Parts:

- ``killed``: in each stage of a run one worker is killed with SIGKILL, at a moment that
  is drawn from the time of the stage, and another one is started in its place;
- ``slow``: one worker stands still four fifths of the time;
- ``scheduler``: ``comitia fit --scheduler`` loses its scheduler at a random number of
  finished blocks; a new one is started, and ``--resume`` goes on.

Rows come from Parquet and from Zarr in turns, through ``file://`` paths. Lines are kept
as they come, and a second call adds the runs that are missing.
"""

from __future__ import annotations

import argparse
import csv
import hashlib
import json
import os
import random
import resource
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np

import comitia
from benchmarks.harness import ONE_THREAD, ROOT

RESULTS = Path(__file__).parent / "results"
COLUMNS = ("part", "run", "source", "stages", "kills", "same_labels", "cpu_s", "note")
PARTS = {"killed": 30, "slow": 2, "scheduler": 5}
STAGES = ("generate", "combine", "results")
# Memory of the workers, as --memory-limit.
MEMORY = ("2GB", "1GB", "500MB")
K, FEATURES, BLOCKS = 4, 6, 12
# Seconds after which a process that does not do what it should is given up.
PATIENCE = 300

Result = dict[str, Any]


def main(arguments: list[str] | None = None) -> int:
    """Run what the command line asks for; 1 if a label differs."""
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.tcp_cluster", description=__doc__
    )
    parser.add_argument("parts", nargs="*", help=f"of {', '.join(PARTS)}; all")
    parser.add_argument("--runs", type=int, help="of each part")
    parser.add_argument("--smoke", action="store_true", help="few objects")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--out", type=Path, default=RESULTS)
    asked = parser.parse_args(arguments)
    unknown = {*asked.parts} - {*PARTS}
    if unknown:
        parser.error(f"there is no part {unknown.pop()!r}; give {', '.join(PARTS)}")
    rows = read(asked.out)
    with tempfile.TemporaryDirectory() as work:
        data = Data(Path(work), 6_000 if asked.smoke else 60_000)
        with Cluster(Path(work), MEMORY[: 2 if asked.smoke else 3]) as cluster:
            for part in asked.parts or PARTS:
                done = sum(row["part"] == part for row in rows)
                for run in range(done, asked.runs or PARTS[part]):
                    draw = random.Random(f"{asked.seed} {part} {run}")
                    source = ("parquet", "zarr")[run % 2]
                    before = cluster.cpu()
                    got = DO[part](cluster, data, source, draw)
                    spent = round(cluster.cpu() - before, 1)
                    line = {"part": part, "run": run, "source": source}
                    rows.append({**line, **got, "cpu_s": spent})
                    print(rows[-1], flush=True)
                    write(asked.out, rows, arguments)
    return int(any(str(row["same_labels"]) != "True" for row in rows))


def read(folder: Path) -> list[Result]:
    """The lines that are there."""
    path = folder / "tcp_cluster.csv"
    if not path.exists():
        return []
    with path.open(newline="") as file:
        return list(csv.DictReader(file))


def write(folder: Path, rows: list[Result], arguments: list[str] | None) -> None:
    """Keep the lines, and what they were run on."""
    from benchmarks.__main__ import machine

    path = folder / "tcp_cluster.csv"
    with path.open("w", newline="") as file:
        writer = csv.DictWriter(file, COLUMNS, lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)
    words = sys.argv[1:] if arguments is None else arguments
    about = {
        "command": " ".join(["python -m benchmarks.tcp_cluster", *words]),
        "workers": MEMORY,
        **machine(("dask", "distributed", "pyarrow", "zarr", "fsspec")),
    }
    path.with_suffix(".json").write_text(json.dumps(about, indent=1) + "\n")


# -- what is computed ------------------------------------------------------------------


class Data:
    """A table in Parquet and Zarr, and what one process makes of it."""

    def __init__(self, work: Path, n: int) -> None:
        import pyarrow as pa
        import pyarrow.parquet as pq
        import zarr

        rng = np.random.RandomState(0)
        self.X = rng.randn(n, FEATURES) + 3 * np.eye(FEATURES)[rng.randint(K, size=n)]
        self.work, self.block_rows = work, n // BLOCKS
        self.paths = {"parquet": work / "rows", "zarr": work / "rows.zarr"}
        self.paths["parquet"].mkdir()
        for number, rows in enumerate(np.array_split(self.X, 5)):
            columns = {f"x{j}": rows[:, j] for j in range(FEATURES)}
            path = self.paths["parquet"] / f"part-{number}.parquet"
            pq.write_table(pa.table(columns), path, row_group_size=n // 12)
        array = zarr.create_array(
            str(self.paths["zarr"]),
            shape=self.X.shape,
            chunks=(n // 20, FEATURES),
            dtype="f8",
        )
        array[:] = self.X
        alone = self.method()
        ensemble = alone.generator.generate(self.X)
        alone.fit(ensemble)
        self.expected = {
            "generate": digest(ensemble.codes),
            "combine": digest(alone.labels_, alone.confidence_),
            "results": digest(alone.labels_, alone.membership_),
        }
        self.n_folders = 0
        self.folder, self.fitted = work, alone

    def method(self) -> Any:
        """The method, with what makes its clusterings."""
        from comitia.generate import KMeansGenerator

        members = KMeansGenerator(
            6, n_clusters=(3, 9), solver="landmark", random_state=0
        )
        return comitia.method("lwgp")(n_clusters=K, generator=members, random_state=0)

    def run(self, stage: str, source: str, client: Any) -> str:
        """One stage on the workers; the digest of what came out."""
        from comitia.distributed import result_arrays
        from comitia.generate import generate_blocks

        if stage == "generate":
            self.n_folders += 1
            self.folder = self.work / f"blocks-{self.n_folders}"
            made = generate_blocks(
                self.method().generator,
                f"file://{self.paths[source]}",
                self.folder,
                block_rows=self.block_rows,
                client=client,
            )
            return digest(made.codes)
        if stage == "combine":
            self.fitted = self.method()
            self.fitted.fit(comitia.Ensemble.open(self.folder, client=client))
            return digest(self.fitted.labels_, self.fitted.confidence_)
        arrays = result_arrays(self.fitted)
        got = client.compute([arrays.labels, arrays.membership])
        return digest(*client.gather(got))


def digest(*arrays: Any) -> str:
    """Equal for arrays that are equal byte by byte."""
    parts = [np.ascontiguousarray(array).tobytes() for array in arrays]
    return hashlib.blake2b(b"|".join(parts)).hexdigest()


# -- the parts -------------------------------------------------------------------------


def killed(cluster: Cluster, data: Data, source: str, draw: random.Random) -> Result:
    """Kill a worker in each stage."""
    same, kills, moments = True, 0, []
    for stage in STAGES:
        if (stage, source) not in cluster.seconds:
            cluster.wait_for_workers()
            data.run(stage, source, cluster.client)  # imports and compiles
            start = time.monotonic()
            data.run(stage, source, cluster.client)
            cluster.seconds[stage, source] = time.monotonic() - start
        for _ in range(10):  # until a kill comes before the end
            cluster.wait_for_workers()
            moment = draw.random() * cluster.seconds[stage, source]
            with cluster.killed_after(moment, draw) as victims:
                found = data.run(stage, source, cluster.client)
            same = same and found == data.expected[stage]
            if victims:
                kills += 1
                moments.append(f"{stage} {moment:.2f} s: {victims[0]}")
                break
    return {
        "stages": len(STAGES),
        "kills": kills,
        "same_labels": same,
        "note": "; ".join(moments),
    }


def slow(cluster: Cluster, data: Data, source: str, draw: random.Random) -> Result:
    """Let one worker stand still most of the time."""
    cluster.wait_for_workers()
    name = draw.choice(sorted(cluster.workers))
    with cluster.slowed(cluster.workers[name]):
        same = all(
            data.run(stage, source, cluster.client) == data.expected[stage]
            for stage in STAGES
        )
    return {"stages": len(STAGES), "kills": 0, "same_labels": same, "note": name}


def scheduler(cluster: Cluster, data: Data, source: str, draw: random.Random) -> Result:
    """Lose the scheduler in the middle of ``comitia fit``, and go on."""
    data.n_folders += 1
    name = f"result-{data.n_folders}"
    out = data.work / name
    options = ["fit", f"file://{data.paths[source]}", "-k", str(K), "-m", "lwgp"]
    options += ["--n-clusterings", "6", "--block-rows", str(data.block_rows)]
    options += ["--no-report", "--quiet", "-o"]
    alone = data.work / f"{name}-alone"
    cluster.comitia(*options, str(alone), "--force").check_returncode()
    cluster.wait_for_workers()
    wanted = draw.randrange(1, BLOCKS - 3)
    on_cluster = [*options, str(out), "--scheduler", cluster.address]
    code, err = cluster.lose_scheduler(
        on_cluster, out.with_name(f"{name}.partial") / "ensemble", wanted
    )
    resume = ["--resume"] * ("go on with --resume" in err)
    cluster.restart()
    again = cluster.comitia(*on_cluster, *resume)
    same = again.returncode == 0 and labels_of(out) == labels_of(alone)
    said = err.strip().replace(f"{data.work}/", "").replace(cluster.address, "tls://…")
    return {
        "stages": 1,
        "kills": 1,
        "same_labels": same and bool(resume),
        "note": f"exit {code} at {wanted} blocks: {said}",
    }


DO: dict[str, Callable[..., Result]] = {
    "killed": killed,
    "slow": slow,
    "scheduler": scheduler,
}


def labels_of(folder: Path) -> list[Any]:
    """All labels of a result folder."""
    import pyarrow.parquet as pq

    table = pq.read_table(folder / "labels")
    return [table["cluster"].to_pylist(), table["confidence"].to_pylist()]


# -- the processes ---------------------------------------------------------------------


class Cluster:
    """A scheduler and workers that are processes of their own, and a client here."""

    def __init__(self, work: Path, memory: tuple[str, ...]) -> None:
        self.work, self.memory = work, memory
        self.seconds: dict[tuple[str, str], float] = {}
        self.workers: dict[str, subprocess.Popen[bytes]] = {}
        self.all: list[subprocess.Popen[bytes]] = []
        self.n_workers = 0
        self.client: Any = None

    def __enter__(self) -> Cluster:
        files = make_certificate(self.work)
        self.tls = [
            *("--tls-ca-file", files["ca_file"]),
            *("--tls-cert", files["cert"]),
            *("--tls-key", files["key"]),
        ]
        prefix = "DASK_DISTRIBUTED__COMM__TLS__"
        self.environment = {
            **os.environ,
            **ONE_THREAD,
            "PYTHONPATH": f"{ROOT / 'src'}{os.pathsep}{ROOT}",
            f"{prefix}CA_FILE": files["ca_file"],
            f"{prefix}CLIENT__CERT": files["cert"],
            f"{prefix}CLIENT__KEY": files["key"],
        }
        from distributed.security import Security

        self.security = Security(
            tls_ca_file=files["ca_file"],
            tls_client_cert=files["cert"],
            tls_client_key=files["key"],
            require_encryption=True,
        )
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            port = free.getsockname()[1]
        self.address = f"tls://127.0.0.1:{port}"
        try:
            self._start()
        except BaseException:
            self.stop()
            raise
        return self

    def __exit__(self, *error: object) -> None:
        self.stop()

    def _start(self) -> None:
        from distributed import Client

        port = self.address.rpartition(":")[2]
        self.scheduler = self.process(
            *("scheduler", "--host", "127.0.0.1", "--port", port, "--protocol", "tls")
        )
        for memory in self.memory:
            self.start_worker(memory)
        self.client = Client(
            self.address,
            security=self.security,
            set_as_default=False,
            timeout=PATIENCE,
        )

    def process(self, *words: str) -> subprocess.Popen[bytes]:
        """Start a process of Dask."""
        with (self.work / "dask.log").open("ab") as log:
            started = subprocess.Popen(
                [sys.executable, "-m", "dask", *words, "--no-dashboard", *self.tls],
                env=self.environment,
                cwd=self.work,
                stdout=log,
                stderr=log,
            )
        self.all.append(started)
        return started

    def start_worker(self, memory: str) -> None:
        """Start a worker, as whoever runs a cluster does when one is gone."""
        self.n_workers += 1
        name = f"{memory}-{self.n_workers}"
        self.workers[name] = self.process(
            *("worker", self.address, "--host", "127.0.0.1", "--name", name),
            *("--no-nanny", "--nthreads", "1", "--memory-limit", memory),
            *("--local-directory", str(self.work / "spill")),
        )

    def wait_for_workers(self) -> None:
        """Wait until all workers are there.

        Where a scheduler takes long to start, workers give up and are started again.
        """
        end = time.monotonic() + PATIENCE
        while len(self.client.scheduler_info()["workers"]) < len(self.memory):
            if time.monotonic() > end:
                raise TimeoutError("workers do not start; see dask.log")
            for name, worker in [*self.workers.items()]:
                if worker.poll() is not None:
                    del self.workers[name]
                    self.start_worker(name.partition("-")[0])
            time.sleep(0.1)

    @contextmanager
    def killed_after(self, seconds: float, draw: random.Random) -> Iterator[list[str]]:
        """Kill a worker after so long, if what is inside is not done before."""
        name = draw.choice(sorted(self.workers))
        done, victims = threading.Event(), []

        def kill() -> None:
            if not done.wait(seconds):
                self.workers[name].kill()
                victims.append(name)

        killer = threading.Thread(target=kill)
        killer.start()
        try:
            yield victims
        finally:
            done.set()
            killer.join()
            if victims:
                self.workers.pop(name).wait()
                self.start_worker(name.partition("-")[0])

    @contextmanager
    def slowed(self, worker: subprocess.Popen[bytes]) -> Iterator[None]:
        """Let a worker stand still four fifths of the time."""
        done = threading.Event()

        def slow_down() -> None:
            while not done.is_set():
                worker.send_signal(signal.SIGSTOP)
                done.wait(0.2)
                worker.send_signal(signal.SIGCONT)
                done.wait(0.05)

        thread = threading.Thread(target=slow_down)
        thread.start()
        try:
            yield
        finally:
            done.set()
            thread.join()

    def comitia(self, *words: str) -> subprocess.CompletedProcess[str]:
        """Run the command line."""
        return subprocess.run(
            [sys.executable, "-m", "comitia", *words],
            env=self.environment,
            capture_output=True,
            text=True,
            timeout=PATIENCE,
        )

    def lose_scheduler(
        self, words: list[str], folder: Path, blocks: int
    ) -> tuple[int, str]:
        """Run the command line, and kill the scheduler after so many blocks."""
        started = subprocess.Popen(
            [sys.executable, "-m", "comitia", *words],
            env=self.environment,
            stderr=subprocess.PIPE,
            text=True,
        )
        self.all.append(started)  # type: ignore[arg-type]
        end = time.monotonic() + PATIENCE
        while len([*folder.glob("block-*")]) < blocks and started.poll() is None:
            assert time.monotonic() < end
            time.sleep(0.001)
        self.client.close()
        self.scheduler.kill()
        _, err = started.communicate(timeout=PATIENCE)
        return started.returncode, err

    def restart(self) -> None:
        """Another scheduler at the same address, and other workers."""
        self.stop()
        self._start()

    def stop(self) -> None:
        """End all processes, and wait for them."""
        if self.client is not None:
            self.client.close(timeout=5)
        for started in self.all:
            if started.poll() is None:
                started.send_signal(signal.SIGCONT)
                started.kill()
            started.wait()
        self.all, self.workers = [], {}

    def cpu(self) -> float:
        """CPU seconds of this process, of those that ended, and of those that run."""
        total = 0.0
        for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN):
            spent = resource.getrusage(who)
            total += spent.ru_utime + spent.ru_stime
        for started in self.all:
            if started.poll() is None:
                total += _cpu_of(started.pid)
        return total


def _cpu_of(pid: int) -> float:
    """CPU seconds of a process that runs, where the system tells them."""
    try:
        fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    except OSError:
        return 0.0
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def make_certificate(folder: Path) -> dict[str, str]:
    """A certificate of one's own, with which all processes know each other."""
    openssl = shutil.which("openssl")
    if openssl is None:
        raise RuntimeError("the certificate is made by openssl, which is not here.")
    cert, key = str(folder / "cert.pem"), str(folder / "key.pem")
    curve = ("-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256")
    subprocess.run(
        [openssl, "req", "-x509", *curve, "-nodes", "-days", "2"]
        + ["-subj", "/CN=comitia", "-keyout", key, "-out", cert],
        check=True,
        capture_output=True,
    )
    return {"ca_file": cert, "cert": cert, "key": key}


if __name__ == "__main__":
    # Whoever stops this stops the processes too.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    sys.exit(main())
