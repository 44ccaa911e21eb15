# Everything here works from a fresh clone with Python 3.11 or newer, pip and make.
#
#   make demo     the whole job on a small data set
#   make test     lint, then the tests
#   make test-nightly   the property tests with many more examples, damaged files, and
#                       kernels that look at every index; a day, and goes on where it
#                       stopped. build/nightly.csv has what is done, and
#                       benchmarks/results/nightly.csv what was done elsewhere
#   make test-oldest    the tests with the oldest versions that are promised to work
#   make test-portable  the tests as other processors would run them, and on a busy
#                       machine; hours. TESTS="src tests/test_common.py" runs a part
#   make test-foreign   doctests and the common suite as one other processor would
#   make audit          known weaknesses of what is installed; needs the network
#   make bench    speed, memory and quality against peers; some minutes
#                 make bench TOPICS="agreement linkage" runs a part of it
#   make bench-full     the evaluation: fidelity, peers, all methods on all data; hours,
#                       and goes on where it stopped. COMITIA_DATA names the data
#   make leaderboards   protocols and published figures of others, in
#                       build/leaderboards; goes on where it stopped, and ends with what
#                       differs from the tables kept here. COMITIA_DATA names the data
#   make bench-scale    from a million to a hundred million objects; an hour
#   make docs     the documentation, in build/docs; warnings are errors
#   make release  sdist and wheel in dist/, tried by every Python that is found here;
#                 dist/UPLOAD.md says what to upload, and nothing is uploaded. REPOSITORY,
#                 DOCS and CONTACT, given once, are written where they belong
#   make format   put the code into shape

PYTHON ?= python3
VENV := .venv
PEERS := .venv-peers
OLDEST := .venv-oldest
RELEASE := .venv-release
BIN := $(VENV)/bin
JOBS ?= 2
TOPICS ?=
TESTS ?=
REPOSITORY ?=
DOCS ?=
CONTACT ?=

# Each pytest worker has a core; numba keeps two threads so that the tests can compare
# the results of one and two. Some containers tell Python to keep no bytecode: each of
# the hundreds of processes that the tests start would compile the package again.
TEST_ENV := OMP_NUM_THREADS=1 OPENBLAS_NUM_THREADS=1 MKL_NUM_THREADS=1 NUMBA_NUM_THREADS=2 PYTHONDONTWRITEBYTECODE=
PIP := PIP_DISABLE_PIP_VERSION_CHECK=1 $(BIN)/python -m pip install --quiet
# pip would compile on one core, and the tests of all libraries too, and itself. Some of
# these files are no Python, which is no failure.
COMPILE := $(BIN)/python -m compileall -qq -r 20 -j 0 \
  -x '/(tests|pip|setuptools|mypy|mypyc|sphinx|docutils|fontTools)/' $(VENV)/lib || true

.PHONY: help setup demo test test-nightly test-oldest test-portable test-foreign audit lint format bench bench-full leaderboards bench-scale docs release clean

help:
	@sed -n 's/^#   //p' Makefile

setup: $(VENV)/.dev

$(BIN)/python:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || \
	  { echo "comitia needs Python 3.11 or newer; try make PYTHON=python3.12" >&2; exit 1; }
	$(PYTHON) -m venv $(VENV)

# The demo needs what users need; the rest needs the tools as well.
$(VENV)/.installed: pyproject.toml | $(BIN)/python
	$(PIP) --no-compile --editable '.[cli,report]'
	@$(COMPILE)
	@touch $@

$(VENV)/.dev: pyproject.toml | $(BIN)/python
	$(PIP) --no-compile --editable '.[dev]' pip-audit
	@$(COMPILE)
	@touch $(VENV)/.installed $@

demo: $(VENV)/.installed
	$(BIN)/comitia demo

# Lint runs beside the tests, which wait for processes now and then, and speaks after
# them if something is wrong.
test: setup
	@mkdir -p build; \
	$(MAKE) --no-print-directory lint > build/lint.txt 2>&1 & lint=$$!; \
	$(TEST_ENV) $(BIN)/python -m pytest -n $(JOBS) -q; tests=$$?; \
	wait $$lint || { cat build/lint.txt; exit 1; }; exit $$tests

# Kernels that check bounds have a cache of their own: numba does not tell them apart.
CHECKED_KERNELS := NUMBA_BOUNDSCHECK=1 NUMBA_CACHE_DIR=$(CURDIR)/build/checked-kernels

test-nightly: setup
	$(TEST_ENV) $(BIN)/python -m tests.hard.nightly --jobs $(JOBS)
	COMITIA_PROFILE=nightly $(TEST_ENV) $(BIN)/python -m pytest -n $(JOBS) -q tests/hard/test_faults.py tests/hard/test_damage.py tests/generate/test_graph_generator.py
	@mkdir -p build/checked-kernels
	$(CHECKED_KERNELS) $(TEST_ENV) $(BIN)/python -m pytest -n $(JOBS) -q tests/test_common.py tests/test_blocks.py tests/test_ensemble.py tests/test_agreement.py tests/partition tests/represent tests/validity tests/cluster tests/generate

# The tools know nothing of each other and run side by side, those that take longest
# first. What one says stays together, where make can do that (from version 4 on).
LINT := $(addprefix lint-,mypy docstrings imports stubs format rules audit)
SYNC := $(if $(filter output-sync,$(.FEATURES)),--output-sync)

.PHONY: $(LINT)

lint: setup
	@$(MAKE) --no-print-directory --keep-going --jobs=$(JOBS) $(SYNC) $(LINT)

lint-stubs:
	$(BIN)/python tools/make_stubs.py --check

lint-format:
	$(BIN)/ruff format --check .

lint-rules:
	$(BIN)/ruff check .

lint-mypy:
	$(BIN)/mypy

lint-docstrings:
	$(BIN)/python tools/lint_docstrings.py

lint-imports:
	$(BIN)/lint-imports --no-cache --no-logo

lint-audit:
	$(BIN)/python tools/audit.py

# As in lint, which goes on where no service can be asked; this does not.
audit: setup
	$(BIN)/python tools/audit.py --required

# The oldest versions that pyproject.toml promises to work with, and what these need
# themselves: scikit-learn 1.6 parametrises its checks in a way that pytest 9 warns of,
# matplotlib 3.9 calls what pyparsing 3.3 warns of, and warnings are errors here.
test-oldest: | $(BIN)/python
	@mkdir -p build
	$(BIN)/python tools/lower_bounds.py cli report plot io dask device hypergraph > build/oldest.txt
	test -x $(OLDEST)/bin/python || $(PYTHON) -m venv $(OLDEST)
	$(OLDEST)/bin/python -m pip install --quiet -c build/oldest.txt \
	  --editable '.[cli,report,plot,io,dask,device,hypergraph]' 'pytest<9' 'pyparsing<3.3' \
	  pytest-xdist hypothesis pyyaml psutil polars numpydoc array-api-strict
	$(TEST_ENV) $(OLDEST)/bin/python -m pytest -n $(JOBS) -q tests

test-portable: setup
	$(TEST_ENV) $(BIN)/python tools/test_portable.py -n $(JOBS) $(TESTS)

test-foreign: setup
	$(TEST_ENV) $(BIN)/python tools/test_portable.py --foreign -n $(JOBS) src docs tests/test_common.py

format: setup
	$(BIN)/python tools/make_stubs.py
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

bench: setup $(PEERS)/.installed
	$(BIN)/python -m benchmarks $(TOPICS)

bench-full: setup $(PEERS)/.installed
	$(BIN)/python -m benchmarks.evaluation --jobs $(JOBS)

leaderboards: setup
	$(BIN)/python -m benchmarks.evaluation leaderboards --jobs $(JOBS) --time-limit 600 --out build/leaderboards

bench-scale: setup
	$(PIP) --editable '.[dask,cli,report,io]'
	$(BIN)/python -m benchmarks.scale
	$(BIN)/python -m benchmarks.scale_features

docs: setup
	$(PIP) --editable '.[docs]'
	MPLBACKEND=Agg $(BIN)/sphinx-build -W --keep-going -q -b html -d build/doctrees docs build/docs
	@echo "build/docs/index.html"

release:
	test -x $(RELEASE)/bin/python || $(PYTHON) -m venv $(RELEASE)
	$(RELEASE)/bin/python -m pip install --quiet build twine check-wheel-contents
	$(RELEASE)/bin/python -m tools.places --repository '$(REPOSITORY)' --docs '$(DOCS)' --contact '$(CONTACT)'
	$(RELEASE)/bin/python -m tools.release

# Peers that need an old SciPy live in an environment of their own.
$(PEERS)/.installed: benchmarks/peers/requirements.txt benchmarks/peers/no-deps.txt | $(BIN)/python
	test -x $(PEERS)/bin/python || $(PYTHON) -m venv $(PEERS)
	$(PEERS)/bin/python -m pip install --quiet --disable-pip-version-check -r benchmarks/peers/requirements.txt
	$(PEERS)/bin/python -m pip install --quiet --disable-pip-version-check --no-deps -r benchmarks/peers/no-deps.txt
	@touch $@

clean:
	rm -rf $(VENV) $(PEERS) $(OLDEST) $(RELEASE) build dist docs/generated docs/gallery comitia-demo .pytest_cache .mypy_cache .ruff_cache .hypothesis
	find src tests benchmarks -name __pycache__ -type d -exec rm -rf {} +
