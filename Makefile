# driftline: `make demo` and `make test` work as the first command on a fresh machine with Python and make.
PYTHON ?= python3
VENV   ?= .venv
BIN    := $(VENV)/bin
READY  := $(VENV)/.ready
OUT    ?= driftline-demo.html
WORKERS ?= 2
MINUTES ?= 5

.DEFAULT_GOAL := help
.PHONY: help setup demo test test-slow fuzz kill-tests licences sbom check format bench clean

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

demo: setup  ## simulate a newswire with known drift, analyse it, write a report
	$(BIN)/driftline demo -o $(OUT)

test: setup  ## run the default test suite
	$(BIN)/python -m pytest -n $(WORKERS)

test-slow: setup  ## run the tests marked slow as well (real data, browsers, long simulations)
	$(BIN)/python -m pytest -n $(WORKERS) -m "slow or not slow"

fuzz: setup  ## mutate everything that is read, for MINUTES (default 5); keep what fails as a regression
	$(BIN)/python -m tests.fuzz --minutes $(MINUTES)

licences: setup  ## list the licences of all dependencies; fail on one that is not allowed, or on a known fault
	$(BIN)/python -m tools.licences

sbom: setup  ## write a bill of materials (CycloneDX) to sbom.json
	$(BIN)/python -m tools.sbom sbom.json

check: setup  ## formatting, lint, types, layers, documentation
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy
	$(BIN)/lint-imports
	$(BIN)/python -m tools.licences >/dev/null
	$(BIN)/python -m pytest -q tests/docs

format: setup  ## rewrite the sources in the project's format
	$(BIN)/ruff format .
	$(BIN)/ruff check --fix .

bench: setup  ## print ours against the peers, as ratios
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --constraint constraints.txt --editable '.[dev,bench]'
	$(BIN)/python -m benchmarks

kill-tests: setup  ## kill save, watch and label at every call that changes a file, and at random
	$(BIN)/python -m tests.kill --output benchmarks/results/kill_tests.md

clean:  ## remove the environment and everything generated
	rm -rf $(VENV) build dist src/*.egg-info .pytest_cache .ruff_cache .mypy_cache .import_linter_cache $(OUT)
	find . -name __pycache__ -type d -prune -exec rm -rf {} +
