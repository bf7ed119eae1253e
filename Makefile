# Each target works as the only command on a fresh machine with Python 3.11 or newer.
# Written for GNU Make 3.81 (macOS) as well as current versions.

BIN := .venv/bin
READY := .venv/ready

.PHONY: help setup lint test fuzz demo bench lock clean

help:
	@echo 'make demo    index a copy of sample_vault and look around in it (VAULT=path: another vault)'
	@echo 'make test    format check, lint, types, import contract, tests'
	@echo 'make setup   only the environment, in .venv (PYTHON=path: with that interpreter)'
	@echo 'make lint    everything of make test but the tests'
	@echo 'make fuzz    the properties of the tests on new random examples; some minutes'
	@echo 'make bench   the benchmarks, against floors measured in the same run'
	@echo 'make lock    requirements/dev.txt anew (LOCK=--upgrade: with the newest versions)'
	@echo 'make clean   removes .venv, caches and build products'

setup: $(READY)

$(READY): requirements/dev.txt pyproject.toml scripts/setup.sh
	PYTHON='$(PYTHON)' sh scripts/setup.sh
	@touch $@

lint: $(READY)
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy
	$(BIN)/mypy tests scripts
	$(BIN)/lint-imports

test: lint
	$(BIN)/pytest -n 2

# The properties alone, each on many examples that were not tried before.
fuzz: $(READY)
	$(BIN)/pytest -n 2 -m hypothesis --hypothesis-profile=fuzz

# Handed over by the environment as typed: a path may hold quotes, blanks and dollar signs.
override VAULT := $(value VAULT)
export VAULT

demo: $(READY)
	$(BIN)/python scripts/demo.py "$$VAULT"

BENCHMARKS := searching relative_dates watch graphs agents idle

# All of them, whatever one misses; exit code 1 where any does.
bench: $(READY)
	@missed=0; $(BIN)/python -m tests.benchmarks || missed=1; \
	for each in $(BENCHMARKS); do $(BIN)/python -m tests.benchmarks.$$each || missed=1; done; \
	exit $$missed

# Made with the oldest Python we support: what it needs, later ones need at most.
lock: $(READY)
	$(BIN)/python -c 'import sys; sys.exit(sys.version_info[:2] != (3, 11) and "make lock needs a .venv of Python 3.11")'
	$(BIN)/pip-compile --quiet $(LOCK) --extra llm --generate-hashes --allow-unsafe --strip-extras --no-header \
		--no-emit-index-url --no-emit-find-links --no-emit-trusted-host --no-emit-options \
		--output-file requirements/dev.txt pyproject.toml requirements/dev.in

clean:
	rm -rf .venv .demo .bench build dist *.egg-info .mypy_cache .ruff_cache .pytest_cache .hypothesis .import_linter_cache
