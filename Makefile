# Two commands set everything up by themselves: `make demo` and `make test`.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
READY := $(VENV)/.ready
LOWEST := .venv-lowest
UV := .venv-uv

.PHONY: help demo test check fast format lint types imports slow lowest wheel cover bench docs fuzz mutants tables clean
.DEFAULT_GOAL := help

help:  ## this list
	@grep -E '^[a-z]+:.*##' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/' | expand -t 12

$(READY): pyproject.toml
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -e '.[dev]'
	@touch $@

demo: $(READY)  ## anonymize the bundled example data; prints where the release is and what it promises
	$(BIN)/shoal demo --force
	@echo "(here \`shoal\` is $(BIN)/shoal, until you say: . $(BIN)/activate)"

test: $(READY)  ## the default test suite
	$(BIN)/python -m pytest

check: format lint types imports fast  ## what a contributor runs before a commit, in one to two minutes

fast: $(READY)  ## the fast tests of all rooms: tests/fast.txt
	$(BIN)/python -m pytest -x $$(grep -v '^#' tests/fast.txt)

format: $(READY)  ## rewrite the code in the house format
	$(BIN)/ruff format .

lint: $(READY)  ## format and lint rules
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .

types: $(READY)  ## mypy, strict
	$(BIN)/mypy

imports: $(READY)  ## imports point one way
	$(BIN)/lint-imports

slow: $(READY)  ## the long tests too, on the reference data sets beside the project when they are there
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -e '.[spark,docs]'
	$(BIN)/python -m pytest -m slow

lowest:  ## the fast tests with the oldest dependencies that pyproject.toml admits
	$(PYTHON) -m venv --clear $(LOWEST)
	$(LOWEST)/bin/python -m pip install --quiet --disable-pip-version-check uv
	$(LOWEST)/bin/uv pip install --quiet --python $(LOWEST) --resolution lowest-direct -e '.[dev]'
	$(LOWEST)/bin/python -m pytest $$(grep -v '^#' tests/fast.txt) tests/unit/kernels/test_kept.py tests/unit/search/test_integer_program.py

wheel:  ## build both distributions, install the wheel where nothing else is, and use it: RESOLUTION=lowest-direct
	$(PYTHON) -m venv --clear $(UV)
	$(UV)/bin/python -m pip install --quiet --disable-pip-version-check uv
	PATH=$(CURDIR)/$(UV)/bin:$$PATH $(PYTHON) tools/wheel_trial.py --resolution $(or $(RESOLUTION),highest)

cover: $(READY)  ## branch coverage
	$(BIN)/python -m pytest --cov --cov-report=term

tables: $(READY)  ## docs/parameters.md and the JSON Schemas from what the code declares, and the notebook from its page
	$(BIN)/python tools/parameter_tables.py
	$(BIN)/python tools/notebook.py
	$(BIN)/python tools/decision_tables.py

docs: $(READY)  ## the site of docs/, in site/: no network is needed, every link is looked at
	@$(BIN)/python -c "import material, mkdocstrings" 2>/dev/null || $(BIN)/python -m pip install --quiet --disable-pip-version-check -e '.[docs]'
	NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs build --strict
	@echo "open site/index.html"

fuzz: $(READY)  ## damage what Shoal reads, and say what no run may do: RUNS=2000, at most SECONDS=600
	$(BIN)/python tools/fuzz.py --runs $(or $(RUNS),2000) --seconds $(or $(SECONDS),600)

mutants: $(READY)  ## how good the tests are: a sample of small mistakes, and which of them no test notices
	$(BIN)/python tools/mutants.py --sample 300

bench: $(READY)  ## what users wait for, in one table beside the Python peers, in some minutes
	-$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-deps --upgrade --target $(VENV)/peers anonypy anonypyx pycanon
	PYTHONPATH=$(CURDIR)/$(VENV)/peers $(BIN)/python benchmarks/summary.py

clean:  ## remove what make made
	rm -rf $(VENV) $(LOWEST) $(UV) .mypy_cache .ruff_cache .pytest_cache .hypothesis demo site
