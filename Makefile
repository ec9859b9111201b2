# Two commands do all: `make run` and `make test`. Needs Python 3.11-3.13, git and make; uses uv when it is there.
.DEFAULT_GOAL := help
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
INPUT ?= seeds
OUTPUT ?= outputs

MINUTES ?= 10
#: Options of `make faults`: with --every 1 it takes a day, with --sample 60 half an hour.
FAULTS ?= --every 8

.PHONY: help run test lint types docs lock clean faults fuzz soak audit sbom dist hostile coverage mutation

help:
	@echo "make run    set up and publish a release of $(INPUT)/ to $(OUTPUT)/ (INPUT=FOLDER OUTPUT=FOLDER)"
	@echo "make test   set up and run the tests"
	@echo "make lint   linters; make types: type checks; make docs: generated docs; make lock: new requirements.lock"
	@echo "make hostile some 290 hostile and broken inputs, one by one and in one run (half an hour)"
	@echo "make faults kill, full disk, read errors at the system calls of a run (hours; needs strace; FAULTS=--sample=60: half an hour)"
	@echo "make coverage branches of the code that the tests take; make mutation: small changes of the code that the tests notice (half an hour)"
	@echo "make fuzz   properties with 20 times the examples, then damaged files for MINUTES=10; make soak: refreshes and kills for MINUTES"
	@echo "make audit  known vulnerabilities of the locked packages; make sbom: bill of materials; make dist: wheel and sdist"

# $(call install,LOCK): the packages of a lock file by hash, then this project. The lock is complete, so nothing is
# resolved: older versions of pip would reject `httpx[http2]` once a release newer than the locked one is out.
define install
	@if command -v uv >/dev/null 2>&1; then \
  { [ -x $(BIN)/python ] || uv venv --quiet --python $(PYTHON) $(VENV); } && \
  uv pip install --quiet --compile-bytecode --python $(BIN)/python --no-deps --require-hashes -r $(1) && \
  uv pip install --quiet --python $(BIN)/python --no-deps --no-build-isolation -e .; \
else \
  { [ -x $(BIN)/pip ] || $(PYTHON) -m venv $(VENV); } && \
  $(BIN)/python -m pip install --quiet --disable-pip-version-check --no-deps --require-hashes -r $(1) && \
  $(BIN)/python -m pip install --quiet --disable-pip-version-check --no-deps --no-build-isolation -e .; \
fi
	@$(BIN)/python -m compileall -q pipeline schemas
	@touch $@
endef

$(VENV)/.ready: requirements.lock pyproject.toml
	@echo "setting up $(VENV) (once; some minutes)"
	$(call install,requirements.lock)

$(VENV)/.ready-dev: requirements-dev.lock pyproject.toml
	@echo "setting up $(VENV) with the test tools (once; a few minutes)"
	$(call install,requirements-dev.lock)

run: $(VENV)/.ready
	$(BIN)/abstracts run $(INPUT) --output $(OUTPUT)

test: $(VENV)/.ready-dev
	$(BIN)/python -m pytest -q -n auto

lint: $(VENV)/.ready-dev
	$(BIN)/ruff check .

types: $(VENV)/.ready-dev
	$(BIN)/mypy

docs: $(VENV)/.ready-dev
	$(BIN)/python -m schemas.as_text
	$(BIN)/python -m pipeline.cli_docs > docs/cli.md

$(VENV)/tools/.ready: requirements-tools.lock
	@if command -v uv >/dev/null 2>&1; then \
  uv venv --quiet --allow-existing --python $(PYTHON) $(VENV)/tools && uv pip install --quiet --python $(VENV)/tools/bin/python --no-deps --require-hashes -r $<; \
else \
  $(PYTHON) -m venv $(VENV)/tools && $(VENV)/tools/bin/python -m pip install --quiet --disable-pip-version-check --no-deps --require-hashes -r $<; \
fi
	@touch $@

hostile: $(VENV)/.ready-dev
	$(BIN)/python -m benchmarks.hostile

faults: $(VENV)/.ready-dev
	$(BIN)/python -m benchmarks.faults $(FAULTS)

coverage: $(VENV)/.ready-dev
	$(BIN)/python -m coverage erase
	$(BIN)/python -m coverage run -m pytest -q -n auto
	$(BIN)/python -m coverage combine -q
	$(BIN)/python -m coverage report

mutation: $(VENV)/.ready-dev
	$(BIN)/python -m benchmarks.mutation

fuzz: $(VENV)/.ready-dev
	$(BIN)/python -m pytest -q -n auto tests/properties --examples 20
	$(BIN)/python -m benchmarks.fuzz --minutes $(MINUTES)

soak: $(VENV)/.ready-dev
	$(BIN)/python -m benchmarks.soak --minutes $(MINUTES)

audit: $(VENV)/tools/.ready
	$(VENV)/tools/bin/pip-audit --strict --disable-pip --require-hashes -r requirements.lock

sbom: $(VENV)/tools/.ready
	@mkdir -p dist
	$(VENV)/tools/bin/cyclonedx-py requirements requirements.lock --pyproject pyproject.toml --output-reproducible -o dist/sbom.cdx.json

dist: $(VENV)/.ready-dev
	SOURCE_DATE_EPOCH=$$(git log -1 --format=%ct) $(BIN)/python -m hatchling build

lock:
	uv lock --quiet
	uv export --quiet --no-default-groups --group build --no-emit-project --format requirements-txt --no-header -o requirements.lock
	uv export --quiet --all-extras --all-groups --no-emit-project --format requirements-txt --no-header -o requirements-dev.lock

clean:
	rm -rf $(VENV) .mypy_cache .ruff_cache .pytest_cache
