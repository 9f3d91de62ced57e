# Everything runs in .venv, made from the lock files. `make demo` needs only Python 3.10 or later.
PYTHON ?= python3
VENV ?= .venv
BIN := $(VENV)/bin
PYTEST_ARGS ?=
JOBS ?= 2

.PHONY: help demo setup test lint types layers extension unit bench score docs wheel vsix lock clean

help:
	@echo "make demo    set up, then explain the transpose sample"
	@echo "make test    set up, then lint, type check, layer check and every test"
	@echo "make bench   time and memory budgets"
	@echo "make score   precision, recall and estimates on the labelled reports, by rule"
	@echo "make docs    write rules/README.md and the shown output again"
	@echo "make wheel   build dist/*.whl"
	@echo "make vsix    package the VS Code extension (needs Node 20)"
	@echo "make lock    write the lock files again from pyproject.toml (needs uv)"

$(VENV)/bin/python:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 10))' \
	  || { echo "gpuadvisor needs Python 3.10 or later; try: make PYTHON=python3.12" >&2; exit 1; }
	@$(PYTHON) -m venv $(VENV) \
	  || { echo "no venv module; on Debian or Ubuntu: apt-get install python3-venv" >&2; exit 1; }

$(VENV)/.runtime: requirements.lock pyproject.toml | $(VENV)/bin/python
	$(BIN)/python -m pip install -q --disable-pip-version-check --require-hashes -r requirements.lock
	$(BIN)/python -m pip install -q --disable-pip-version-check --no-deps -e .
	@touch $@

$(VENV)/.dev: requirements-dev.lock $(VENV)/.runtime
	$(BIN)/python -m pip install -q --disable-pip-version-check --require-hashes -r requirements-dev.lock
	@touch $@

setup: $(VENV)/.dev

demo: $(VENV)/.runtime
	$(BIN)/gpuadvisor explain samples/transpose/transpose.ncu-rep

lint: $(VENV)/.dev
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .

types: $(VENV)/.dev
	$(BIN)/mypy

layers: $(VENV)/.dev
	$(BIN)/lint-imports

unit: $(VENV)/.dev
	$(BIN)/pytest -n $(JOBS) --dist loadgroup -m "not bench" $(PYTEST_ARGS)

extension:
	@if command -v npm >/dev/null; then \
	  cd vscode-extension && npm ci --no-audit --no-fund --loglevel=error && npm run check && npm test; \
	else echo "no npm: the VS Code extension is not checked"; fi

# In this order, so that the tests' own summary is the last thing said.
test: lint types layers extension unit

bench: $(VENV)/.dev
	$(BIN)/pytest -m bench -s $(PYTEST_ARGS) tests/bench

score: $(VENV)/.dev
	$(BIN)/python -m tests.score

# The page of all rules, and the output that the READMEs show.
docs: $(VENV)/.dev
	$(BIN)/gpuadvisor rules list --format markdown > rules/README.md.new && mv rules/README.md.new rules/README.md
	UPDATE_EXPECTED=1 $(BIN)/pytest -q tests/test_documents.py

wheel: $(VENV)/.dev
	$(BIN)/python -m build --no-isolation --wheel

vsix:
	cd vscode-extension && npm ci --no-audit --no-fund --loglevel=error && npm run package

LOCK := uv pip compile --universal --python-version 3.10 --generate-hashes --upgrade \
  --no-emit-index-url --no-annotate --no-header pyproject.toml
lock:
	$(LOCK) -o requirements.lock
	$(LOCK) --group dev -c requirements.lock -o requirements-dev.lock

clean:
	rm -rf $(VENV) dist build .mypy_cache .ruff_cache .pytest_cache .import_linter_cache
