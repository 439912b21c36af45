# Every target makes its own environment in .venv: Python 3.11 or newer, git and make are all it needs.
PYTHON ?= python3
BIN := .venv/bin
# The seed of the throw that is pictured.
PORTRAIT := 1
READY := .venv/.installed
RACERS := .venv/.racers

# The checks of `make test`, in order; the first that fails ends it. Each is a target of its own.
# pytest comes last, so that its summary closes the output.
CHECKS := lint format types imports docstrings jit-off tests

.NOTPARALLEL:
.PHONY: help study notebooks bench test $(CHECKS) test-slow check-bits mutants clean

help: ## show this list
	@sed -n 's/^\([a-z-]*\):.*## /\1\t/p' Makefile | while IFS='	' read -r name text; do printf '%-12s %s\n' "$$name" "$$text"; done

study: $(READY) ## run every experiment at full size, then print the report
	$(BIN)/python -m experiments run
	$(BIN)/dicesim throw -n 1 --seed $(PORTRAIT) --png experiments/results/throw.png --gif experiments/results/throw.gif
	$(BIN)/python -m experiments.notebooks
	$(BIN)/python -m experiments report --into README.md --page experiments/results
	$(BIN)/python -m experiments report

notebooks: $(READY) ## run every notebook and keep what it shows
	$(BIN)/python -m experiments.notebooks

bench: $(RACERS) ## race the simulator against other engines, in CPU seconds, on the same throws
	$(BIN)/python -m benchmarks --into README.md

test: $(CHECKS) ## run every check but the long ones

lint: $(READY) ## ruff: faults and style
	@echo '== lint'
	@$(BIN)/ruff check .

format: $(READY) ## ruff: layout
	@echo '== format'
	@$(BIN)/ruff format --check .

types: $(READY) ## mypy, strict
	@echo '== types'
	@$(BIN)/mypy

imports: $(READY) ## import-linter: which part may import which
	@echo '== imports'
	@$(BIN)/lint-imports

docstrings: $(READY) ## numpydoc: docstrings of the public names
	@echo '== docstrings'
	@NUMBA_DISABLE_JIT=1 $(BIN)/python -m tests.docstrings dicesim

jit-off: $(READY) ## the marked tests with the compiler off
	@echo '== jit-off'
	@NUMBA_DISABLE_JIT=1 $(BIN)/pytest -q -m 'jit_off and not slow' tests

tests: $(READY) ## doctests, README examples and tests
	@echo '== tests'
	@$(BIN)/pytest -q

test-slow: $(READY) ## the long tests
	$(BIN)/pytest -m slow tests

check-bits: $(READY) ## the same bytes under other CPU features, workers and compilers
	$(BIN)/pytest -m bits tests

mutants: $(READY) ## broken kernels, each of which must be caught
	$(BIN)/python -m experiments run faults

clean: ## remove the environment, caches and builds
	rm -rf .venv build dist .mypy_cache .pytest_cache .ruff_cache .import_linter_cache
	find . -name __pycache__ -type d -prune -exec rm -rf {} +

$(READY): pyproject.toml
	@$(PYTHON) -c 'import sys; sys.exit("Python 3.11 or newer is needed, this is %d.%d: make PYTHON=python3.11" % sys.version_info[:2] if sys.version_info < (3, 11) else 0)'
	$(PYTHON) -m venv .venv
	$(BIN)/python -m pip install --quiet --upgrade 'pip>=25.1'
	$(BIN)/python -m pip install --quiet --editable . --group dev
	@touch $@

$(RACERS): $(READY)
	$(BIN)/python -m pip install --quiet --group bench
	@touch $@
