# driftline: `make demo` and `make test` work as the first command on a fresh machine with Python and make.
PYTHON ?= python3
VENV   ?= .venv
BIN    := $(VENV)/bin
READY  := $(VENV)/.ready
OUT    ?= driftline-demo.html
WORKERS ?= 2
MINUTES ?= 5
TESTS   ?=
SAMPLE  ?= 400

.DEFAULT_GOAL := help
.PHONY: help setup hooks demo test test-slow test-matrix coverage mutants fuzz fuzz-guided kill-tests licences sbom check format docs bench release clean

help:  ## show this list
	@grep -hE '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed -E 's/^([a-z-]+):[^#]*## */  make \1\t/' | expand -t 18

setup: $(READY)  ## create the virtual environment and install driftline into it

$(READY): pyproject.toml constraints.txt
	@command -v $(PYTHON) >/dev/null || { echo "Python 3.11 or later is needed; set PYTHON=/path/to/python3"; exit 2; }
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { echo "Python 3.11 or later is needed; set PYTHON=/path/to/python3"; exit 2; }
	@echo "Setting up $(VENV) (once; a few minutes) ..."
	@test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --constraint constraints.txt --editable '.[dev]'
	@touch $@

hooks: setup  ## run format, lint, types and layers before every commit
	$(BIN)/pre-commit install

demo: setup  ## simulate a newswire with known drift, analyse it, write a report
	$(BIN)/driftline demo -o $(OUT)

test: setup  ## run the default test suite
	$(BIN)/python -m pytest -n $(WORKERS)

test-slow: setup  ## run the tests marked slow as well (real data, browsers, long simulations)
	$(BIN)/python -m pytest -n $(WORKERS) -m "slow or not slow"

test-matrix: setup  ## run TESTS (default: all) on Python 3.11 to 3.13 with the lowest and the newest dependencies
	$(BIN)/python -m tools.test_matrix --output benchmarks/results/reliability/test_matrix.md $(TESTS)

coverage: setup  ## run TESTS (default: all) and print which lines of Python they do not reach
	$(BIN)/python -m pytest -q -n $(WORKERS) --cov --cov-report=term-missing $(TESTS)

mutants: setup  ## put SAMPLE small faults into the core modules, and list those that no test detects
	$(BIN)/python -m tools.mutants --sample $(SAMPLE) --output benchmarks/results/reliability/mutants.md

fuzz: setup  ## mutate everything that is read, for MINUTES (default 5); keep what fails as a regression
	$(BIN)/python -m tests.fuzz --minutes $(MINUTES)

fuzz-guided: setup  ## mutate what readers read, guided by coverage (atheris; Linux), for MINUTES
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --constraint constraints.txt --editable '.[dev,fuzz]'
	$(BIN)/python -m tests.fuzz --guided --minutes $(MINUTES)

licences: setup  ## list the licences of all dependencies; fail on a forbidden licence or a known vulnerability
	$(BIN)/python -m tools.licences

sbom: setup  ## write a bill of materials (CycloneDX) to sbom.json
	$(BIN)/python -m tools.sbom sbom.json

check: setup  ## check formatting, lint, types, layers and documentation
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy
	$(BIN)/lint-imports
	$(BIN)/python -m tools.licences >/dev/null
	$(BIN)/python -m pytest -q tests/docs

format: setup  ## rewrite the sources in the project's format
	$(BIN)/ruff format .
	$(BIN)/ruff check --fix .

docs: setup  ## build the documentation site into build/site; a warning is an error
	NO_MKDOCS_2_WARNING=1 $(BIN)/python -m mkdocs build

bench: setup  ## run a row of every benchmark family, as ratios to the peers
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --constraint constraints.txt --editable '.[dev,bench]'
	$(BIN)/python -m benchmarks

kill-tests: setup  ## kill save, watch, label and the search index at every call that changes a file, and at random
	$(BIN)/python -m tests.kill --output benchmarks/results/reliability/kill_tests.md

release: setup  ## check, build, try out and tag VERSION; with TRY_OUT=1, stop before commit and tag
	@test -n "$(VERSION)" || { echo "which version? make release VERSION=0.2.0"; exit 2; }
	$(BIN)/python -m tools.release $(VERSION) $(if $(TRY_OUT),--try-out)

clean:  ## remove the environment and everything generated
	rm -rf $(VENV) build dist src/*.egg-info .pytest_cache .ruff_cache .mypy_cache .import_linter_cache .coverage $(OUT)
	find . -name __pycache__ -type d -prune -exec rm -rf {} +
