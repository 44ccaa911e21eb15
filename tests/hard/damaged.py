"""Damage and forge files that comitia reads back, and read them, case by case.

``OMP_NUM_THREADS=1 NUMBA_NUM_THREADS=1 python -m tests.hard.damaged FOLDER N SEED``

Case number I of a seed is always the same: ``... FOLDER 1 SEED I`` makes it once more,
leaves its files in FOLDER and says how it ends. Each case is read in a process of its
own, a fork of this one, which has imported everything. Bits that flipped, files that
were cut and the like must end in a ComitiaError or in the undamaged answer. A forgery,
with checksums and digests that are right, must end in a ComitiaError or in an answer
of labels that are clusters. Prints JSON.
"""

import gzip
import hashlib
import json
import os
import random
import resource
import shutil
import signal
import sys
import time
import traceback
import warnings
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import openpyxl
import pyarrow as pa
from numpy.lib import format as npy
from pyarrow import feather
from scipy.io import savemat

import comitia
from comitia import Ensemble, config, sizes
from comitia._files import (
    array_digest,
    file_digest,
    read_arrays,
    signed,
    write_arrays,
)
from comitia.exceptions import ComitiaError
from comitia.generate import (
    FuzzyGenerator,
    KMeansGenerator,
    LandmarkSpectralGenerator,
    generate_blocks,
)
from comitia.io import Result
from comitia.io._file_columns import Reading, read_columns
from comitia.report import write_report

# What a process that reads a case ends with; everything else is a crash.
SAME, REFUSED, OTHER, BARE = 0, 10, 11, 12

# A case that takes longer hangs. Reading one takes less than a second.
SECONDS = 120

# What a process may allocate beyond what this one has.
MOST_BYTES = 3 << 30

N, M, K = 150, 6, 3
RNG = np.random.RandomState(0)
TRUTH = np.arange(N) % K
LABELS = np.where(RNG.rand(N, M) < 0.3, RNG.randint(5, size=(N, M)), TRUTH[:, None])
PARTIAL = np.where(RNG.rand(N, M) < 0.1, -1, LABELS)
NAMES = {"groups": list("aabbcc"), "clustering_names": list("uvwxyz")}
X = RNG.randn(N, 3) + 4 * np.eye(3)[TRUTH]


# -- what is read ---------------------------------------------------------------------


@dataclass
class Format:
    """Something that comitia writes and reads back."""

    write: Callable[[Path], None]
    read: Callable[[Path], list]
    # Without digests, labels that are in range and wrong cannot be told.
    has_digests: bool = True


def fits_of(votes, methods=("lwgp", "sec", "voting", "mcla", "lwea")):
    """Labels that compiled kernels make of an ensemble."""
    found = []
    for name in methods:
        fitted = comitia.method(name)(n_clusters=K, random_state=0).fit(votes)
        labels = fitted.labels_
        assert labels.shape == (votes.n_objects,)
        assert 0 <= labels.min() <= labels.max() < fitted.n_clusters_
        found.append(labels)
    return found


def content_of(votes):
    """What is in an ensemble, after a look at what kernels rely on."""
    codes, k = votes.codes, votes.n_clusters_each
    assert codes.shape == (len(k), votes.n_objects)
    assert codes.min() >= 0
    assert (codes.max(axis=1) <= k).all()
    B = votes.membership
    assert B.shape == (votes.n_objects, k.sum())
    assert B.nnz == 0 or 0 <= B.indices.min() <= B.indices.max() < k.sum()
    assert (votes.kind == "hard") <= bool((codes.max(axis=1) < k).all())
    names = [votes.groups, votes.object_names, votes.clustering_names]
    return [votes.kind, codes, k, B.data, B.indices, *names]


def saved(votes, **how):
    return lambda folder: votes.save(folder / "votes", **how)


def saved_file(votes):
    return lambda folder: votes.save(folder / "votes.npz")


def loaded(name="votes", methods=None):
    def read(folder):
        votes = Ensemble.load(folder / name)
        fits = fits_of(votes) if methods is None else fits_of(votes, methods)
        return content_of(votes) + fits

    return read


def opened(folder):
    votes = Ensemble.open(folder / "votes")
    fits = fits_of(votes, ("lwgp", "sec", "voting"))
    return fits + content_of(votes)


def saved_before(folder):
    """As folders were before they had digests."""
    saved(Ensemble(PARTIAL, **NAMES), block_rows=60)(folder)
    path = folder / "votes" / "ensemble.json"
    about = json.loads(path.read_text())
    for name in ("digest", "digests", "blocks"):
        del about[name]
    path.write_text(json.dumps({**about, "format": "comitia-ensemble-2"}))
    for block in path.parent.glob("block-*.npy"):
        np.save(block, np.load(block))


def kept(generator):
    """Half of the members of a generator."""

    def write(folder):
        generator().set_params(checkpoint=folder / "kept").fit(X)
        for path in sorted((folder / "kept").glob("member-*"))[::2]:
            path.unlink()

    return write


def resumed(generator):
    def read(folder):
        made = generator().set_params(checkpoint=folder / "kept").fit(X)
        return [*content_of(made.ensemble_), made.transform(X[:20])]

    return read


def kmeans():
    return KMeansGenerator(4, n_clusters=(2, 4), solver="minibatch", random_state=0)


def landmarks():
    return LandmarkSpectralGenerator(4, n_clusters=3, n_landmarks=20, random_state=0)


def fuzzy():
    return FuzzyGenerator(4, n_clusters=3, random_state=0)


def blocks_of(folder):
    return generate_blocks(kmeans(), X, folder / "blocks", block_rows=60)


def stopped_blocks(folder):
    blocks_of(folder)
    (folder / "blocks" / "ensemble.json").unlink()
    (folder / "blocks" / "block-00001.npy").unlink()


def resumed_blocks(folder):
    return content_of(blocks_of(folder)) + fits_of(blocks_of(folder), ("lwgp",))


def saved_result(folder):
    names = [f"o{i}" for i in range(N)]
    votes = Ensemble(PARTIAL, object_names=names, **NAMES)
    fitted = comitia.method("lwea")(n_clusters=K).fit(X, ensemble=votes)
    Result.from_estimator(fitted, X, truth=TRUTH).save(folder / "result")


def loaded_result(folder):
    result = Result.load(folder / "result")
    assert 0 <= result.labels.min() <= result.labels.max() < result.n_clusters
    fields = dict(vars(result))
    profile = fields.pop("profile")
    write_report(result, folder / "report.html")
    return [
        *content_of(fields.pop("ensemble")),
        *(() if profile is None else vars(profile).values()),
        *(fields[name] for name in sorted(fields)),
    ]


def packed_table(folder):
    lines = [",".join(map(repr, row)) for row in X.tolist()]
    text = "\n".join(["a,b,c", *lines]).encode()
    (folder / "table.csv.gz").write_bytes(gzip.compress(text))


def feather_table(folder):
    columns = {**dict(zip("abc", X.T, strict=True)), "kind": TRUTH.astype(str)}
    feather.write_feather(pa.table(columns), folder / "table.feather", chunksize=60)


def matlab_table(folder):
    savemat(folder / "table.mat", {"X": X, "y": TRUTH}, do_compression=True)


def spreadsheet(folder):
    book = openpyxl.Workbook()
    for row in [list("abc"), *X.tolist()]:
        book.active.append(row)
    book.save(folder / "table.xlsx")


def read_input(name):
    """The columns of a table that somebody else wrote."""

    def read(folder):
        found = read_columns(folder / name, Reading())
        assert len({len(column) for column in found.values}) == 1
        assert len(found.names) == len(found.values)
        return [found.names, *found.values, found.object_names]

    return read


FUZZY = Ensemble.from_memberships(
    [RNG.dirichlet([0.3] * k, size=N) for k in (2, 3, 4)], groups="aab"
)
OVERLAPPING = Ensemble.from_clusters(
    [[np.flatnonzero(RNG.rand(N) < 0.5) for _ in range(3)] for _ in range(3)], N
)
SOFT = ("lwgp", "lwea")

FORMATS = {
    "file": Format(saved_file(Ensemble(LABELS, **NAMES)), loaded("votes.npz")),
    "partial file": Format(saved_file(Ensemble(PARTIAL, **NAMES)), loaded("votes.npz")),
    "fuzzy file": Format(saved_file(FUZZY), loaded("votes.npz", SOFT)),
    "overlapping file": Format(saved_file(OVERLAPPING), loaded("votes.npz", SOFT)),
    "folder": Format(saved(Ensemble(LABELS, **NAMES), block_rows=60), loaded()),
    "opened folder": Format(saved(Ensemble(PARTIAL, **NAMES), block_rows=60), opened),
    "old folder": Format(saved_before, opened, has_digests=False),
    "fuzzy folder": Format(saved(FUZZY, block_rows=60), loaded(methods=SOFT)),
    "named folder": Format(
        saved(Ensemble(PARTIAL, object_names=range(N), **NAMES), block_rows=60),
        loaded(methods=SOFT),
    ),
    "kmeans members": Format(kept(kmeans), resumed(kmeans)),
    "landmark members": Format(kept(landmarks), resumed(landmarks)),
    "fuzzy members": Format(kept(fuzzy), resumed(fuzzy)),
    "stopped blocks": Format(stopped_blocks, resumed_blocks),
    "result": Format(saved_result, loaded_result),
    "packed table": Format(packed_table, read_input("table.csv.gz"), False),
    "feather table": Format(feather_table, read_input("table.feather"), False),
    "matlab table": Format(matlab_table, read_input("table.mat"), False),
    "spreadsheet": Format(spreadsheet, read_input("table.xlsx"), False),
}


def digest_of(answer):
    """One text for an answer, equal for equal ones."""
    digest = hashlib.blake2b(digest_size=16)
    for part in answer:
        if isinstance(part, np.ndarray):
            digest.update(f"{part.dtype} {part.shape}".encode() + part.tobytes())
        elif isinstance(part, dict):
            digest.update(digest_of([*map(repr, part), *part.values()]).encode())
        elif isinstance(part, list | tuple):
            digest.update(digest_of(part).encode())
        else:
            digest.update(repr(part).encode("utf-8", "surrogatepass"))
    return digest.hexdigest()


# -- damage ---------------------------------------------------------------------------


def files_of(folder):
    return sorted(path for path in folder.rglob("*") if path.is_file())


def flip_bits(folder, draw):
    path = draw.choice(files_of(folder))
    content = bytearray(path.read_bytes())
    for _ in range(draw.choice((1, 1, 2, 10, 3000))):
        content[draw.randrange(len(content))] ^= 1 << draw.randrange(8)
    path.write_bytes(content)


def cut(folder, draw):
    path = draw.choice(files_of(folder))
    content = path.read_bytes()
    path.write_bytes(content[: draw.randrange(len(content))])


def overwrite(folder, draw):
    """A sector of zeros, of noise or of something else of the same file."""
    path = draw.choice(files_of(folder))
    content = bytearray(path.read_bytes())
    start, length = draw.randrange(len(content)), draw.choice((4, 64, 512))
    other = draw.randrange(len(content))
    new = draw.choice((bytes(length), draw.randbytes(length), content[other:][:length]))
    content[start : start + length] = new[: len(content) - start]
    path.write_bytes(content)


def insert(folder, draw):
    path = draw.choice(files_of(folder))
    content = path.read_bytes()
    start = draw.choice((draw.randrange(len(content)), len(content)))
    new = draw.choice((draw.randbytes(draw.choice((1, 16, 400))), b"\0" * 16))
    path.write_bytes(content[:start] + new + content[start:])


def swap(folder, draw):
    """Two files change places, one takes the place of another, or one is gone."""
    one, other = draw.choice(files_of(folder)), draw.choice(files_of(folder))
    first, second = one.read_bytes(), other.read_bytes()
    how = draw.randrange(3)
    if how == 0:
        one.write_bytes(second)
        other.write_bytes(first)
    elif how == 1:
        one.write_bytes(second)
    else:
        one.unlink()


DAMAGE = (flip_bits, flip_bits, cut, overwrite, insert, swap)


# -- forgeries ------------------------------------------------------------------------


def forge(folder, draw):
    """Change one file in a way that its author could, and sign what depends on it."""
    path = draw.choice(files_of(folder))
    how = {".json": forge_json, ".npz": forge_npz, ".npy": forge_npy}
    if path.suffix in (".gz", ".feather", ".mat", ".xlsx"):
        flip_bits(folder, draw)
    else:
        how.get(path.suffix, forge_text)(path, draw)
    sign(folder)


def forge_json(path, draw):
    about = json.loads(path.read_text())
    for _ in range(draw.choice((1, 1, 3))):
        places = [*_places(about)]
        where, name = draw.choice(places)
        if draw.random() < 0.15 and isinstance(where, dict):
            where.pop(name)
        else:
            where[name] = _other_value(where[name], draw)
    path.write_text(json.dumps(about))


def _places(value):
    """Every place in a piece of JSON that holds a value."""
    for name in value if isinstance(value, dict) else range(len(value)):
        yield value, name
        if isinstance(value[name], dict | list):
            yield from _places(value[name])


NUMBERS = (0, 1, -1, 2, 7, 255, 256, 2**31 - 1, 2**31, 2**63, 10**12, -(10**9))


def _other_value(value, draw):
    others = [None, True, "", "x", "\ud800", [], {}, 0.5, 1e308, draw.choice(NUMBERS)]
    if isinstance(value, int) and draw.random() < 0.7:
        return draw.choice((value + 1, value - 1, -value, *NUMBERS))
    if isinstance(value, list) and draw.random() < 0.5:
        return draw.choice((value[:-1], value + value, value[::-1], [value]))
    if isinstance(value, str) and draw.random() < 0.5:
        return draw.choice(("hard", "partial", "fuzzy", "labels", "archives", "int32"))
    return draw.choice(others)


def forge_npz(path, draw):
    arrays = dict(read_arrays(path))
    for _ in range(draw.choice((1, 1, 2))):
        name = draw.choice(sorted(arrays))
        if draw.random() < 0.1:
            arrays.pop(name)
            if not arrays:
                break
        else:
            arrays[name] = _other_array(arrays[name], draw)
    write_arrays(path, arrays, compress=draw.random() < 0.5)


def forge_npy(path, draw):
    codes = _other_array(np.load(path), draw)
    with open(path, "wb") as file:
        np.save(file, codes)
        if codes.flags.c_contiguous and codes.nbytes:
            file.write(array_digest(codes))
    if draw.random() < 0.3:
        # Another header before the same bytes.
        content = path.read_bytes()
        old, new = draw.choice(
            (
                (b"False", b"True "),
                (b"'fortran_order'", b"'fortran order'"),
                (b"|u1", b"|i1"),
                (b"|u1", b"|O "),
                (b"(6, ", b"(7, "),
                (b"(6, ", b"(9999999999, "),
                (b"(6, 60)", b"(60, 6)"),
                (b"(6, ", b"(-6, "),
            )
        )
        path.write_bytes(content.replace(old, new, 1))


def _other_array(array, draw):
    array = np.array(array)
    how = draw.randrange(9)
    flat = array.reshape(-1)
    if how <= 2 and array.size:
        if array.dtype.kind == "U":
            flat[draw.randrange(flat.size)] = draw.choice(("", "hard", "partial", "é"))
        else:
            values = (*NUMBERS, int(1e6)) if array.dtype.kind in "iu" else (np.nan, 1e9)
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                flat[draw.randrange(flat.size)] = np.array(draw.choice(values)).astype(
                    array.dtype
                )
    elif how == 3:
        array = array[1:] if array.ndim else array.reshape(1)
    elif how == 4:
        array = array.T if array.ndim == 2 else array[..., None]
    elif how == 5:
        kind = draw.choice(("i1", "u2", ">i4", "<i8", "f4", ">f8", "?", "c16", "S3"))
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            try:
                array = array.astype(kind)
            except ValueError:
                array = np.zeros(array.shape, kind)
    elif how == 6:
        array = np.zeros(draw.choice(((0,), (0, 0), (2, 0), ())), array.dtype)
    elif how == 7 and array.size:
        array = np.roll(array, 1, axis=-1) if array.ndim else array
    elif array.dtype.kind == "U" and array.size:
        array = np.full(array.shape, 0x7FFFFFFF, np.uint32).view("<U1")
    else:
        array = np.concatenate([array, array], axis=-1) if array.ndim else array
    return array


def forge_text(path, draw):
    """Change, drop or double a cell or a line."""
    lines = path.read_text().splitlines()
    number = draw.randrange(len(lines))
    cells = lines[number].split(",")
    how = draw.randrange(4)
    if how <= 1:
        cells[draw.randrange(len(cells))] = draw.choice(
            ("0", "1", "-1", "7", "nan", "inf", "", "x", "1e400", "9" * 30, "\ud800")
        )
        lines[number] = ",".join(cells)
    elif how == 2:
        del lines[number]
    else:
        lines.insert(number, lines[number])
    path.write_text("\n".join(lines) + "\n", errors="surrogatepass")


def sign(folder):
    """Make the digests those of the files."""
    for path in folder.rglob("*.json"):
        about = json.loads(path.read_text())
        if not isinstance(about, dict) or "digest" not in about:
            continue
        if isinstance(about.get("digests"), list):
            about["digests"] = [
                _block_digest(path.parent, number, old)
                for number, old in enumerate(about["digests"])
            ]
        elif isinstance(about.get("digests"), dict):
            about["digests"] = {
                name: file_digest(path.parent / name)
                if (path.parent / name).is_file()
                else old
                for name, old in about["digests"].items()
            }
        path.write_text(json.dumps(signed(about)))


def _block_digest(folder, number, old):
    archive = folder / f"block-{number:05d}.npz"
    if archive.exists():
        return file_digest(archive)
    try:
        path = folder / f"block-{number:05d}.npy"
        return array_digest(npy.open_memmap(path, mode="r")).hex()
    except Exception:  # a header that nobody can read
        return old


# -- cases ----------------------------------------------------------------------------


@dataclass
class Case:
    """What is done to which files."""

    number: int
    name: str
    how: str

    @property
    def format(self):
        return FORMATS[self.name]

    @property
    def allowed(self):
        """What reading it may end in."""
        damaged = self.how != "forge"
        told = damaged and self.format.has_digests
        return {SAME, REFUSED} if told else {SAME, REFUSED, OTHER}


def make_case(originals, place, seed, number):
    """The files of a case, always the same for a seed and a number."""
    draw = random.Random(f"{seed}-{number}")
    name = draw.choice(sorted(FORMATS))
    how = draw.choice((*DAMAGE, *[forge] * len(DAMAGE)))
    shutil.copytree(originals / name, place)
    how(place, draw)
    return Case(number, name, how.__name__)


def read_in_fork(case, place, answers):
    """Read a case in a process of its own; how it ended."""
    log = place.with_suffix(".log")
    pid = os.fork()
    if pid == 0:
        code = BARE
        try:
            _limit()
            answer = case.format.read(place)
            code = SAME if digest_of(answer) == answers[case.name] else OTHER
        except ComitiaError as error:
            code = REFUSED
            log.write_text(str(error), errors="replace")
        except BaseException:
            log.write_text(traceback.format_exc(), errors="replace")
        os._exit(code)
    end = time.monotonic() + SECONDS
    while time.monotonic() < end:
        done, status = os.waitpid(pid, os.WNOHANG)
        if done:
            return os.waitstatus_to_exitcode(status)
        time.sleep(0.001)
    os.kill(pid, signal.SIGKILL)
    os.waitpid(pid, 0)
    return "hangs"


def _limit():
    warnings.simplefilter("ignore")
    config.set_memory_budget("1 GB")
    used = int(Path("/proc/self/statm").read_text().split()[0]) * resource.getpagesize()
    resource.setrlimit(resource.RLIMIT_AS, (used + MOST_BYTES,) * 2)


def write_originals(folder):
    """Every format once, and what is read from it."""
    answers = {}
    for name, each in FORMATS.items():
        (folder / name).mkdir(parents=True)
        each.write(folder / name)
        copies = [folder / f"{name}-{i}" for i in range(2)]
        for copy in copies:
            shutil.copytree(folder / name, copy)
        # Here, not in a fork: what is compiled now is there in every fork.
        answers[name], again = (digest_of(each.read(copy)) for copy in copies)
        assert answers[name] == again, name
        for copy in copies:
            shutil.rmtree(copy)
    return answers


def run(folder, n_cases, seed, only=None):
    """Make and read the cases; how they ended, and which of them as they must not."""
    assert os.environ["OMP_NUM_THREADS"] == os.environ["NUMBA_NUM_THREADS"] == "1"
    # Few labels are counted before kernels are loaded, and it is kernels that crash.
    sizes.FEW_LABELS = sizes.FEW_INCREMENTS = sizes.FEW_OBJECTS = 0
    warnings.simplefilter("ignore")
    originals = folder / "originals"
    answers = write_originals(originals)
    seen, wrong = {}, []
    for number in range(n_cases) if only is None else [only]:
        place = folder / f"case-{number}"
        case = make_case(originals, place, seed, number)
        ended = read_in_fork(case, place, answers)
        log = place.with_suffix(".log")
        said = log.read_text() if log.exists() else ""
        if ended not in case.allowed or only is not None:
            wrong.append([number, case.name, case.how, ended, said])
        key = f"{case.how}: {ended}"
        seen[key] = seen.get(key, 0) + 1
        if only is None:
            shutil.rmtree(place)
            log.unlink(missing_ok=True)
    return {"seed": seed, "n_cases": sum(seen.values()), "seen": seen, "wrong": wrong}


if __name__ == "__main__":
    _, where, n, seed, *only = sys.argv
    found = run(Path(where), int(n), int(seed), *map(int, only))
    print(json.dumps(found, indent=1))
