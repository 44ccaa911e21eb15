"""Results that the tests of the report share, and a browser where there is one."""

import os
import shutil

import numpy as np
import pytest
from sklearn.datasets import load_iris

from comitia import Ensemble, method
from comitia.generate import KMeansGenerator
from comitia.io.results import Result
from tests.fixtures import planted

SCRIPT = "<script>window.hacked = 1</script>"
NAMES = [
    SCRIPT,
    "</script><img src=x onerror='window.hacked = 1'>",
    "\"quoted\" and 'quoted'",
    "a\u202eevil\x00b",
    "{{ 7 * 7 }}",
    "x" * 500,
    "&lt;b&gt;",
]

CHOICE = {
    "ks": [2, 3, 4],
    "criteria": {"pac": [0.1, 0.05, 0.2], "silhouette": [0.5, 0.6, None]},
    "better": {"pac": "lower", "silhouette": "higher"},
    "best": {"pac": 3, "silhouette": 3},
    "votes": {"pac": 3},
    "cdf": [[0.5, 0.6, 1.0], [0.6, 0.62, 1.0], [0.7, 0.8, 1.0]],
    "cdf_at": [0.0, 0.5, 1.0],
    "n_clusters": 3,
    "reason": "Three clusters: both criteria say so.",
    "notes": ["On 5 resamples."],
}


@pytest.fixture(scope="session")
def iris():
    """A result with everything: data, names, classes, a choice of k."""
    data = load_iris()
    X = (data.data - data.data.mean(axis=0)) / data.data.std(axis=0)
    estimator = method("lwgp")(
        n_clusters=3, generator=KMeansGenerator(12, n_clusters=(2, 6)), random_state=0
    ).fit(X)
    return Result.from_estimator(
        estimator,
        X,
        feature_names=data.feature_names,
        object_names=[f"flower {i}" for i in range(150)],
        truth=data.target_names[data.target],
        choice=CHOICE,
        notes=["150 rows, 4 columns, standardised."],
        timings={"fit": 0.25},
        command="comitia fit iris.csv -k 3 -m lwgp",
        source="data/iris.csv",
        raw=data.data,
    )


@pytest.fixture(scope="session")
def nasty():
    """A result in which every name tries to be something else."""
    labels, _ = planted(40, 3, 6, noise=0.2, seed=1)
    names = NAMES + [f"o{i}" for i in range(40 - len(NAMES))]
    votes = Ensemble(labels, clustering_names=NAMES[:6], groups=NAMES[:6])
    X = np.random.RandomState(0).randn(40, len(NAMES))
    return Result.from_estimator(
        method("weac")(n_clusters=3).fit(votes),
        X,
        object_names=names,
        feature_names=NAMES,
        truth=[SCRIPT if i % 2 else "ok" for i in range(40)],
        choice={**CHOICE, "reason": SCRIPT, "notes": [SCRIPT]},
        notes=[SCRIPT],
        command=SCRIPT,
        source=f"/tmp/{SCRIPT}",
    )


@pytest.fixture(scope="session")
def browser():
    """Chromium without a screen and without a network; skips where there is none."""
    playwright = pytest.importorskip(
        "playwright.sync_api", reason="playwright is not installed"
    )
    chromium = os.environ.get("CHROMIUM") or shutil.which("chromium")
    if chromium is None:
        pytest.skip("there is no chromium on this machine; install Debian's")
    with playwright.sync_playwright() as driver:
        launched = driver.chromium.launch(
            executable_path=chromium,
            args=[
                "--no-sandbox",
                "--disable-gpu",
                "--disable-quic",
                "--no-first-run",
                "--disable-background-networking",
                "--disable-component-update",
                "--disable-sync",
            ],
        )
        yield launched
        launched.close()


@pytest.fixture
def visit(browser):
    """Open a file; at the end nothing must have been fetched or complained of."""
    contexts, wrong = [], []

    def open_page(path, width=1280, height=900):
        context = browser.new_context(
            viewport={"width": width, "height": height}, offline=True
        )
        contexts.append(context)
        page = context.new_page()
        page.on("console", lambda message: wrong.append(message.text))
        page.on("pageerror", lambda error: wrong.append(str(error)))
        page.on(
            "request",
            lambda request: (
                None
                if request.url.startswith("data:") or request.url == path.as_uri()
                else wrong.append(request.url)
            ),
        )
        page.goto(path.as_uri())
        page.wait_for_selector("html[data-ready]")
        return page

    yield open_page
    for context in contexts:
        context.close()
    assert wrong == []
