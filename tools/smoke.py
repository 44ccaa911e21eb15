"""What an installed comitia must do, without the repository and without extras.

    python -P tools/smoke.py

``tools/release.py`` runs it in each fresh environment, from an empty folder.
"""

import importlib
import pkgutil
import sys
import tempfile
from pathlib import Path

import numpy as np

import comitia
from comitia.agreement import adjusted_rand


def main() -> None:
    """Import everything, fit on labels and on data, save and load."""
    where = Path(comitia.__file__)
    assert where.is_relative_to(sys.prefix), f"{where} is not of this environment"
    left_out = {module.split(".")[1] for module in import_all()}
    assert left_out <= {"cli", "plot", "report", "scanpy"}, left_out

    votes = comitia.Ensemble([[0, 0, 0], [0, 0, 1], [1, 1, 1], [1, 1, 0]])
    fitted = comitia.method("lwea")(n_clusters=2).fit(votes)
    assert fitted.labels_.tolist() == [0, 0, 1, 1]

    rng = np.random.default_rng(0)
    truth = np.repeat([0, 1, 2], 30)
    X = rng.normal(size=(90, 4)) + 8 * truth[:, None]
    model = comitia.ConsensusClustering(n_clusters=3, random_state=0).fit(X)
    assert adjusted_rand(model.labels_, truth) == 1

    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "ensemble.npz")
        model.ensemble_.save(path)
        loaded = comitia.Ensemble.load(path)
        assert np.array_equal(loaded.labels, model.ensemble_.labels)
    print(f"comitia {comitia.__version__}: {len(comitia.methods())} methods", end=", ")
    print(f"Python {sys.version.split()[0]}, NumPy {np.__version__}")


def import_all() -> list[str]:
    """Import every module; the names of those that need a package of an extra."""
    lacking = []
    for found in pkgutil.walk_packages(comitia.__path__, "comitia."):
        if "__main__" not in found.name:
            try:
                importlib.import_module(found.name)
            except ModuleNotFoundError as error:
                if (error.name or "").startswith("comitia"):
                    raise
                lacking.append(found.name)
    return lacking


if __name__ == "__main__":
    main()
