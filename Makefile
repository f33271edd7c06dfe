# Everything a developer or a user types. `make` alone lists it.
.DEFAULT_GOAL := help
SHELL := /bin/bash
PYTHON ?= python3
UV := $(shell command -v uv 2>/dev/null || echo .uv/bin/uv)
BIN := .venv/bin
COMPILE := $(UV) pip compile --python-version 3.11 --universal --generate-hashes --no-emit-index-url --no-header --quiet

.PHONY: help setup run test test-slow check bench lock clean

help: ## list the targets
	@grep -hE '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed -E 's/^([a-z-]+):.*## (.*)/  make \1|\2/' | column -t -s '|'

setup: .venv/.ready ## make .venv and fetch the jars, once

.venv/.ready: requirements/lake.txt requirements/dev.txt spark_jobs/spark/jars.txt pyproject.toml
	@$(UV) --version >/dev/null 2>&1 || \
		($(PYTHON) -m venv .uv && .uv/bin/pip install --quiet --require-hashes -r requirements/uv.txt)
	@$(UV) venv --quiet --allow-existing --python $(PYTHON) .venv
	@$(UV) pip sync --quiet --python $(BIN)/python --require-hashes requirements/lake.txt requirements/dev.txt
	@$(UV) pip install --quiet --python $(BIN)/python --no-deps --no-build-isolation --editable .
	@$(BIN)/lagoon doctor --fix --landing tests/recorded --lake build/lake | grep -v landing || true
	@touch $@

run: setup build/landing ## build a lake from the bundled recording and print the findings
	$(BIN)/lagoon run --landing build/landing --lake build/lake

build/landing: tests/recorded/landing.py
	@$(BIN)/python $< kafka-4.3 $@

test: setup ## run the tests but the slow ones, quick ones first
	@# In a process of their own: what libraries print when it ends comes before the summary, which is the last line.
	$(BIN)/pytest -n 1 -m "not slow" tests/unit tests/contract tests/end_to_end

test-slow: setup ## run the slow tests: a scheduler, an installed wheel, kills at many places, hostile names
	$(BIN)/pytest -m slow --durations=20 tests

check: setup ## check style, types, imports, SQL
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports
	$(BIN)/sqlfluff lint dbt_project/models

bench: setup ## measure every speed claim, and print them as one table (hours)
	@rm -f build/claims.jsonl; mkdir -p build
	@for bench in decode_segments read_logs $$(ls benchmarks/bench_*.py | xargs -n1 basename -s .py); do \
		echo "== $$bench"; LAGOON_CLAIMS=build/claims.jsonl $(BIN)/python -m benchmarks.$$bench || exit 1; done
	@$(BIN)/python -m benchmarks.claims build/claims.jsonl

lock: ## pin the requirements again, by hash
	$(COMPILE) requirements/lake.in --output-file requirements/lake.txt
	$(COMPILE) requirements/dev.in --output-file requirements/dev.txt
	$(COMPILE) requirements/airflow.in --output-file requirements/airflow.txt
	$(COMPILE) requirements/superset.in --output-file requirements/superset.txt
	$(COMPILE) requirements/java.in --output-file requirements/java.txt
	$(COMPILE) requirements/uv.in --output-file requirements/uv.txt

clean: ## delete what was built, except .venv
	rm -rf build .pytest_cache .mypy_cache .ruff_cache

include $(wildcard make/*.mk)
