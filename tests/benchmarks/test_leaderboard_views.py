"""Views are scored beside what a README and the authors of papers tell."""

import numpy as np
import pytest

from benchmarks.evaluation.leaderboards import views
from benchmarks.evaluation.leaderboards.readme_figures import readme_table
from benchmarks.evaluation.store import Options

README = """\
# Data

### Multi-view

| name | n | k | KM ARI | KM NMI | best view ARI | KM-L2 ARI | AL ARI |
|---|---|---|---|---|---|---|---|
| two | 40 | 2 | 0.250 | 0.300 | 0.500 (X1) |  | – |

### Temporal

| name | n |
|---|---|
| other | 7 |
"""


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "README.md").write_text(README, encoding="utf-8")
    (tmp_path / "multiview").mkdir()
    (tmp_path / "multiview_ref").mkdir()
    y = np.arange(40) % 2
    X = 9.0 * y[:, None] + np.random.RandomState(0).rand(40, 2)
    np.savez(tmp_path / "multiview" / "two.npz", X0=X, X1=-X, y=y)
    found = np.column_stack([y + 1, np.ones(40)])
    np.savez(
        tmp_path / "multiview_ref" / "mvkkm_synthetic.npz",
        view1=X,
        view2=-X,
        gt=y[:, None] + 1,
        p=[1.0, 1.5],
        mvkkm_labels=found,
    )
    return tmp_path


def test_a_table_of_the_readme_ends_where_the_next_begins(folder):
    assert set(readme_table(folder, "Multi-view")) == {"two"}
    assert readme_table(folder, "Temporal")["other"] == {"name": "other", "n": "7"}
    assert readme_table(folder, "Nothing") == readme_table(None, "Temporal") == {}


def test_rows_have_the_figures_of_the_readme_and_of_authors(folder):
    made = list(views._jobs(Options(data=folder, seeds=(0,))))
    told = {
        (job.key["data"], job.key["method"]): job.function(**job.key, **job.arguments)
        for job in made
        if job.key["method"] not in views.METHODS
    }
    assert told["two", "README: k-means"]["ari"] == 0.25
    assert told["two", "README: k-means"]["nmi"] == 0.3
    assert told["two", "README: best view, by the classes"]["ari"] == 0.5
    # An empty cell and a dash are no figures.
    assert len([one for one in told if one[0] == "two"]) == 2
    assert told["mvkkm_synthetic", "its authors, p = 1"]["ari"] == 1.0
    assert told["mvkkm_synthetic", "its authors, p = 1.5"]["ari"] == 0.0


def test_labels_belong_to_the_rows_that_were_shuffled(folder, monkeypatch):
    by_sign = lambda X, k, seed: (X[0][:, 0] > 5).astype(int)  # noqa: E731
    monkeypatch.setitem(views.METHODS, "sign", by_sign)
    for data in ("two", "mvkkm_synthetic"):
        found = views.fit(data, "sign", 3, "choose", folder)
        assert (found["ari"], found["n_views"], found["n_objects"]) == (1.0, 2, 40)


def test_the_page_has_what_was_run(tmp_path, folder):
    options = Options(data=folder, results=tmp_path / "out", smoke=True)
    views.run(options)
    text = views.page(options.results, tmp_path)
    assert "README: k-means" in text
    assert "Data of two papers" in text
    assert "its authors, p = 1.5" in text
    assert "leaderboard_views.csv" in text
