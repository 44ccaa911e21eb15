"""Tables on storage that fsspec opens: the labels of the same table in a file."""

import pickle
from types import SimpleNamespace

import numpy as np
import pytest
from numpy.testing import assert_array_equal

from comitia import Ensemble
from comitia._storage_paths import StoredPath, path_of, refuse_pickles
from comitia.cli import main
from comitia.exceptions import ComitiaError
from comitia.generate import KMeansGenerator, generate_blocks, open_rows
from comitia.io import read_table

fsspec = pytest.importorskip("fsspec")
pa = pytest.importorskip("pyarrow")
pq = pytest.importorskip("pyarrow.parquet")
zarr = pytest.importorskip("zarr")

# Zarr warns of asynchronous things that are not ours.
pytestmark = pytest.mark.filterwarnings("ignore::Warning:zarr")

N = 900
X = np.random.RandomState(0).randn(N, 3) + 6 * np.eye(3)[np.arange(N) % 3]
FIT = ["-k", "3", "--n-clusterings", "4", "--no-report", "--quiet"]


class Broken(fsspec.AbstractFileSystem):
    """Storage whose keys are wrong."""

    protocol = "broken"

    def exists(self, path, **how):
        raise RuntimeError("the keys\nare wrong")


@pytest.fixture
def stored():
    """A folder of Parquet files, a text file, and an array of Zarr."""
    storage = fsspec.filesystem("memory")
    for number, rows in enumerate(np.array_split(np.arange(N), 4)):
        columns = {f"x{j}": X[rows, j] for j in range(3)}
        with storage.open(f"/shared/parts/part-{number}.parquet", "wb") as file:
            pq.write_table(pa.table(columns), file, row_group_size=70)
    with storage.open("/shared/one.parquet", "wb") as file:
        pq.write_table(pa.table({f"x{j}": X[:, j] for j in range(3)}), file)
    with storage.open("/shared/table.csv", "wb") as file:
        file.write(b"a,b\n1,2\n3,5\n")
    group = zarr.open_group(storage.get_mapper("/shared/two.zarr"), mode="w")
    group.create_array("X", data=X, chunks=(100, 3))
    array = storage.get_mapper("/shared/array.zarr")
    zarr.create_array(array, data=X, chunks=(64, 2))
    yield "memory://shared"
    storage.rm("/shared", recursive=True)


def generator():
    return KMeansGenerator(4, n_clusters=(2, 5), solver="landmark", random_state=0)


@pytest.mark.parametrize("name", ["parts", "one.parquet", "array.zarr", "two.zarr/X"])
def test_rows_on_storage_are_those_of_the_array(name, stored, tmp_path):
    rows = open_rows(f"{stored}/{name}")
    assert (len(rows), rows.n_features) == X.shape
    # Another process opens the storage itself.
    again = pickle.loads(pickle.dumps(rows))
    assert_array_equal(again.read(95, 431), X[95:431])
    made = generate_blocks(
        generator(), f"{stored}/{name}", tmp_path / "blocks", block_rows=130
    )
    assert made == generator().generate(X)


@pytest.mark.parametrize("name", ["parts", "one.parquet", "array.zarr"])
def test_the_command_line_reads_storage(name, stored, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    np.save("table.npy", X)
    blocks = ["--block-rows", "200", "-o", "there"]
    assert main(["fit", "table.npy", *FIT, *blocks[:3], "here"]) == 0
    assert main(["fit", f"{stored}/{name}", *FIT, *blocks]) == 0, capsys.readouterr()
    here, there = (pq.read_table(tmp_path / p / "labels") for p in ("here", "there"))
    assert there.equals(here)
    if name != "parts":  # and without blocks, as they are few
        assert_array_equal(read_table(f"{stored}/{name}").raw, X)


def test_an_array_of_zarr_may_be_on_this_machine(tmp_path):
    zarr.save_array(str(tmp_path / "array.zarr"), X)
    for path in (tmp_path / "array.zarr", f"file://{tmp_path}/array.zarr"):
        assert_array_equal(open_rows(path).read(3, 9), X[3:9])


def test_many_rows_of_zarr_are_read_in_blocks_unasked(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("comitia.sizes.MANY_FILE_ROWS", 100)
    zarr.save_array("array.zarr", X)
    options = [each for each in FIT if each != "--quiet"]
    assert main(["fit", "array.zarr", *options]) == 0
    assert "in blocks" in capsys.readouterr().out


def test_text_on_storage_is_read_too(stored):
    assert read_table(f"{stored}/table.csv").raw.tolist() == [[1, 2], [3, 5]]


@pytest.mark.parametrize(
    "url",
    [
        "https://example.org/t.parquet",
        "http://example.org/t.zarr",
        "HTTPS://example.org/t.csv",
        "github://owner:name@main/t.parquet",
        "reference://x.zarr",
        "zip://t.parquet::https://example.org/t.zip",
        "simplecache://x::https://example.org/t.parquet",
    ],
)
def test_the_web_is_refused(url, capsys):
    for read in (open_rows, read_table):
        with pytest.raises(ComitiaError, match="is a URL, and comitia reads files"):
            read(url)
    assert main(["fit", url, "-k", "3"]) == 1
    assert "is a URL, and comitia reads files" in capsys.readouterr().err


def test_storage_that_cannot_be_opened_is_said_in_one_line(capsys):
    with pytest.raises(ComitiaError, match=r"fsspec knows no nosuch:// paths"):
        open_rows("nosuch://bucket/t.parquet")
    fsspec.register_implementation(
        "lacking", "no_such_package.FS", errtxt="Install lackingfs", clobber=True
    )
    with pytest.raises(ImportError, match=r"lacking://b/t\.parquet.*Install lackingfs"):
        open_rows("lacking://b/t.parquet")
    fsspec.register_implementation("broken", Broken, clobber=True)
    with pytest.raises(ComitiaError, match=r"cannot be read \(the keys are wrong\)"):
        open_rows("broken://b/t.parquet").read(0, 1)
    assert main(["fit", "broken://b/t.parquet", "-k", "3"]) == 1
    assert capsys.readouterr().err.count("\n") == 1


def test_what_is_not_there_is_said(stored):
    with pytest.raises(ComitiaError, match="there is no file or folder memory://"):
        open_rows("memory://shared/other.parquet")
    fsspec.filesystem("memory").mkdir("/shared/empty")
    with pytest.raises(ComitiaError, match=r"holds no \.parquet file"):
        open_rows("memory://shared/empty")


def test_row_blocks_and_results_stay_in_folders(stored, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    votes = Ensemble([[0, 0], [0, 1], [1, 1]])
    for save in (
        lambda: votes.save("memory://e"),
        lambda: Ensemble.open("memory://e"),
        lambda: Ensemble.load("memory://e.npz"),
        lambda: generate_blocks(generator(), X, "memory://e"),
        lambda: open_rows(f"{stored}/t.npy"),
        lambda: read_table(f"{stored}/t.h5ad"),
    ):
        with fsspec.open(f"{stored}/t.npy", "wb"), fsspec.open(f"{stored}/t.h5ad", "w"):
            pass
        with pytest.raises(ComitiaError, match="a folder of this machine, or one"):
            save()
    assert main(["fit", f"{stored}/one.parquet", *FIT, "-o", "memory://out"]) == 1
    assert "a result is written to a folder of this machine" in capsys.readouterr().err
    assert [*tmp_path.iterdir()] == []
    votes.save(f"file://{tmp_path}/e")
    assert Ensemble.open(f"file://{tmp_path}/e") == votes


def test_paths_of_this_machine_need_no_fsspec(tmp_path, monkeypatch):
    monkeypatch.setitem(__import__("sys").modules, "fsspec", None)
    assert path_of(f"file://{tmp_path}/t.npy") == tmp_path / "t.npy"
    assert path_of(tmp_path) == tmp_path
    with pytest.raises(ImportError, match=r"pip install 'comitia\[dask\]'"):
        path_of("memory://t.parquet")


def test_what_is_no_table_of_numbers_in_zarr_is_refused(stored, tmp_path):
    with pytest.raises(ComitiaError, match="is a group of arrays; give one of them"):
        open_rows(f"{stored}/two.zarr")
    zarr.save_array(str(tmp_path / "flat.zarr"), X[:, 0])
    with pytest.raises(ComitiaError, match=r"must have shape \(n_objects"):
        open_rows(tmp_path / "flat.zarr")
    (tmp_path / "bad.zarr").mkdir()
    with pytest.raises(ComitiaError, match=r"bad\.zarr cannot be read as \.zarr"):
        open_rows(tmp_path / "bad.zarr")
    holes = X.copy()
    holes[417, 1] = np.nan
    zarr.save_array(str(tmp_path / "holes.zarr"), holes)
    with pytest.raises(ComitiaError, match="has NaN or infinity in row 418"):
        open_rows(tmp_path / "holes.zarr").read(400, 500)


@pytest.mark.parametrize("where", ["filters", "compressor", "compressors"])
def test_pickles_in_zarr_are_refused(where):
    codec = SimpleNamespace(codec_id="pickle")
    found = codec if where == "compressor" else (codec,)
    with pytest.raises(ComitiaError, match="holds pickles, which are not read"):
        refuse_pickles(SimpleNamespace(**{where: found}), StoredPath("memory://x.zarr"))
