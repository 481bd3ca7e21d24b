# Needs python3 (3.11 or newer) and make; everything else goes into .venv.
PYTHON ?= python3

PLUGINS := $(patsubst %/pyproject.toml,%,$(wildcard plugins/*/pyproject.toml))
# The template that plugin authors copy is installed for the tests alone: it is no part of the product.
TEMPLATE := plugins/kernelopt-minimal
PRODUCT := $(filter-out $(TEMPLATE),$(PLUGINS))
SOURCES := kernelopt asv_benchmarks $(wildcard $(PLUGINS:%=%/kernelopt_*))
BIN := .venv/bin
PIP := $(BIN)/python -m pip --disable-pip-version-check install -q -c constraints.txt
READY := .venv/.ready
TEST_READY := .venv/.test-ready
DOCS_READY := .venv/.docs-ready
BENCH_READY := .venv/.bench-ready

# The matrices here are small: with more threads the linear algebra waits for itself, above all on a busy machine.
OMP_NUM_THREADS ?= 1
export OMP_NUM_THREADS
# What Python compiles is kept: tests start many processes, which would compile all of it again.
unexport PYTHONDONTWRITEBYTECODE

.DEFAULT_GOAL := help
.PHONY: help demo test test-matrix test-all lint docs bench release-check clean

help: ## list these targets
	@sed -n 's/^\([a-z-]*\):.*## \(.*\)/  make \1	\2/p' Makefile | expand -t 20

demo: $(READY) ## learn a kernel on real data and say what came out
	@$(BIN)/kernelopt demo

test: $(TEST_READY) ## run the tests of the library and of every plugin
	$(BIN)/python -m pytest -n logical --dist worksteal

test-matrix: $(TEST_READY) ## every family with every criterion and every solver, every reference value with each
	KERNELOPT_MATRIX=all $(BIN)/python -m pytest tests/test_matrix.py tests/test_reference.py -n logical --dist worksteal

test-all: lint test test-matrix docs bench ## everything: style, types, tests, documentation, benchmarks once

lint: $(TEST_READY) ## check style, format and types
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy $(SOURCES)

docs: $(DOCS_READY) ## build the documentation into .cache/site, and look at every page where there is a browser
	NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs build --strict --config-file - < docs/mkdocs.yml
	$(BIN)/python docs/look.py .cache/site
	@echo "open .cache/site/index.html"

bench: $(BENCH_READY) ## run every benchmark once, on the working tree
	cd asv_benchmarks && ../$(BIN)/asv machine --yes > /dev/null
	cd asv_benchmarks && ../$(BIN)/asv run --quick --show-stderr --dry-run --launch-method forkserver \
	  --environment existing:../$(BIN)/python

release-check: ## build what would be released, and use it in a clean environment of each Python on the path
	$(PYTHON) release/check.py

clean: ## remove .venv and everything that was built
	rm -rf .venv .cache .asv asv_benchmarks/.asv .pytest_cache .mypy_cache .ruff_cache .hypothesis build dist
	find kernelopt plugins tests asv_benchmarks -name __pycache__ -type d -prune -exec rm -rf {} +

$(READY): pyproject.toml constraints.txt $(PRODUCT:%=%/pyproject.toml)
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || \
	  { echo "kernelopt needs Python 3.11 or newer, $(PYTHON) is older or missing: make PYTHON=python3.12 ..."; exit 1; }
	@echo "setting up .venv (once; a minute or two)"
	@test -x $(BIN)/python || $(PYTHON) -m venv .venv || \
	  { echo "$(PYTHON) cannot make virtual environments; on Debian and Ubuntu: apt install python3-venv"; exit 1; }
	$(PIP) -e .[plot,parquet,report] $(PRODUCT:%=-e ./%)
	@touch $@

$(TEST_READY): $(READY) $(TEMPLATE)/pyproject.toml
	$(PIP) -e ./$(TEMPLATE) array-api-compat array-api-strict pandas pytest pytest-xdist hypothesis ruff mypy
	@touch $@

$(DOCS_READY): $(TEST_READY)
	$(PIP) mkdocs-material mkdocstrings-python latex2mathml ziamath nbclient ipykernel
	@touch $@

$(BENCH_READY): $(TEST_READY)
	$(PIP) asv
	@touch $@
