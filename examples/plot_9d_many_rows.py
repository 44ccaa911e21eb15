"""
From a million rows to all of them
==================================

Rows that do not fit into memory are clustered in blocks. Before a night is spent on ten
million, a part says what to expect: how long, how much memory, and whether there is
anything to find.

Here the part has 20 000 rows and "all" 60 000, so that the page builds in seconds; set
the two numbers to what you have. ``docs/scale.rst`` has times for up to a hundred
million objects.
"""

import tempfile
from pathlib import Path

import numpy as np

import comitia
from comitia.generate import KMeansGenerator, generate_blocks

PART, ALL = 20_000, 60_000
folder = Path(tempfile.mkdtemp())

# %%
# A file that is written, and later read, in blocks: five kinds of rows in ten columns.
rng = np.random.RandomState(0)
centers = rng.normal(scale=3, size=(5, 10)).astype(np.float32)
rows = np.lib.format.open_memmap(
    folder / "rows.npy", mode="w+", dtype=np.float32, shape=(ALL, 10)
)
truth = rng.randint(5, size=ALL)
for low in range(0, ALL, PART):
    here = truth[low : low + PART]
    rows[low : low + PART] = centers[here] + rng.normal(size=(len(here), 10))

# %%
# The part, with two seeds. Labels that hang on the seed would say so.
lwgp = comitia.method("lwgp")
labels = []
for seed in (0, 1):
    generator = KMeansGenerator(10, n_clusters=(5, 15), random_state=seed)
    votes = generate_blocks(
        generator, rows[:PART], folder / f"part-{seed}", block_rows=10_000
    )
    labels.append(lwgp(n_clusters=5, random_state=seed).fit_predict(votes))
same = comitia.agreement.adjusted_rand(*labels)
print(f"two seeds agree on {PART:,} rows: {same:.2f}")

# %%
# All rows, straight from the file; blocks that are done survive a kill.
generator = KMeansGenerator(10, n_clusters=(5, 15), random_state=0)
votes = generate_blocks(
    generator, folder / "rows.npy", folder / "all", block_rows=10_000
)
found = lwgp(n_clusters=5, random_state=0).fit_predict(votes)
again = comitia.agreement.adjusted_rand(found[:PART], labels[0])
print(f"the part alone and the part of all: {again:.2f}")

# %%
# **The decision.** Go on to all rows only where the part does not hang on the seed;
# otherwise look for other columns or another number of clusters first.
print("Decision:", "run all rows tonight" if same > 0.9 else "do not run all rows yet")
