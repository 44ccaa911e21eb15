"""The comparison with leidenalg runs without it, on a network of two triangles."""

import csv

import numpy as np
import pytest

from benchmarks.leiden_quality import main


def test_our_modularity_is_written(tmp_path):
    (tmp_path / "graphs").mkdir()
    # Two triangles and a bridge, a link twice, a loop and a link without weight.
    edges = [
        [0, 1],
        [1, 2],
        [2, 0],
        [3, 4],
        [4, 5],
        [5, 3],
        [2, 3],
        [1, 0],
        [4, 4],
        [0, 5],
    ]
    weights = [1.0] * 9 + [0.0]
    np.savez(tmp_path / "graphs" / "tiny.npz", n=6, edges=edges, weights=weights)
    out = tmp_path / "out.csv"
    assert main(["--data", str(tmp_path), "--out", str(out)]) == 0
    with out.open() as file:
        (row,) = csv.DictReader(file)
    assert (row["n"], row["links"]) == ("6", "7")
    # 6 of 7 links are inside, and each half has half of the degrees.
    assert float(row["leiden"]) == pytest.approx(6 / 7 - 0.5, abs=1e-5)


def test_a_folder_without_networks_is_refused(tmp_path, capsys):
    with pytest.raises(SystemExit):
        main(["--data", str(tmp_path)])
    assert "no .npz files" in capsys.readouterr().err
