# Every command of the project; CONTRIBUTING.md explains them. `make demo` and `make test` set up all they need.
# Paths are relative throughout, so the folder may have a space in its name.

PYTHON ?= python3
THRESHER_WERROR ?= OFF

BIN := .venv/bin
PACKAGE_SOURCES := pyproject.toml CMakeLists.txt README.md LICENSE \
  $(shell find src -type f ! -name '*.pyc' ! -name '_core.*')
CORE := src/thresher/_core
CXX_SOURCES := $(wildcard $(CORE)/*/*.cpp $(CORE)/*/*.hpp tests/core/*.cpp tests/core/*.hpp)
CORE_SOURCES := $(filter-out $(CORE)/python/%,$(wildcard $(CORE)/*/*.cpp))
CORE_TESTS := $(wildcard tests/core tests/tree tests/forest tests/oracle tests/properties)
PYTHON_SOURCES := $(wildcard src tests benchmarks fuzz)

SANITIZER_FLAGS := -std=c++20 -O1 -g -fno-omit-frame-pointer -fno-sanitize-recover=all \
  -ffp-contract=off -Wall -Wextra -Wpedantic -Werror -pthread -I$(CORE)

.DELETE_ON_ERROR:
.NOTPARALLEL:
.PHONY: demo test test-slow test-oldest lint format stub reproduction bench bench-full bench-scale sanitize fuzz clean

demo: .venv/installed
	$(BIN)/thresher demo

test: .venv/installed-test
	$(BIN)/python -m pytest -m "not slow" -n 2 --durations=20 tests --pyargs thresher

test-slow: .venv/installed-test
	$(BIN)/python -m pytest -m slow tests

test-oldest: .venv-oldest/installed-test
	.venv-oldest/bin/python -m pytest -m "not slow" tests/tree tests/forest tests/test_linear.py tests/threshold \
	  tests/model_file/test_file.py tests/seam/test_engine.py tests/scale/test_local.py

lint: .venv/installed-test .venv/installed-lint
	$(BIN)/ruff format --check $(PYTHON_SOURCES)
	$(BIN)/ruff check $(PYTHON_SOURCES)
	$(BIN)/mypy
	$(BIN)/clang-format --dry-run --Werror $(CXX_SOURCES)
	PYTHONPATH=src $(BIN)/lint-imports
	$(COPY_STUB) build/_core.pyi
	cmp build/_core.pyi src/thresher/_core.pyi || { echo 'The stub is out of date: run make stub.' >&2; exit 1; }

format: .venv/installed-lint
	$(BIN)/ruff format $(PYTHON_SOURCES)
	$(BIN)/ruff check --fix $(PYTHON_SOURCES)
	$(BIN)/clang-format -i $(CXX_SOURCES)

# The build generates the stub beside the compiled module; type checkers of the sources read this copy.
COPY_STUB = $(BIN)/python -c 'import shutil, sys, sysconfig; \
  shutil.copyfile(sysconfig.get_path("platlib") + "/thresher/_core.pyi", sys.argv[1])'

stub: .venv/installed
	$(COPY_STUB) src/thresher/_core.pyi

# The paper's study run again: the page and its figures.
reproduction: .venv/installed-test
	rm -rf build/reproduction
	$(BIN)/thresher compare --paper --out build/reproduction
	cp build/reproduction/reproduction.md docs/
	cp build/reproduction/images/*.svg docs/images/

bench: .venv/installed-bench
	$(BIN)/python benchmarks/bench.py

bench-full: .venv/installed-bench
	$(BIN)/python benchmarks/bench.py --full

# A tree from 2 and from 20 million rows of Parquet (2 GB, made in a temporary folder).
bench-scale: .venv/installed-bench
	$(BIN)/python benchmarks/scale.py

sanitize: sanitize-address sanitize-thread

# Bytes that break the reading of model files are searched for a minute; what is found stays in build/fuzz.
FUZZ_SECONDS ?= 60

fuzz: .venv/installed-fuzz
	mkdir -p build/fuzz/corpus
	$(BIN)/python fuzz/model_file.py -max_total_time=$(FUZZ_SECONDS) -timeout=10 -rss_limit_mb=1024 \
	  -print_final_stats=1 -artifact_prefix=build/fuzz/ build/fuzz/corpus tests/golden/version_2 tests/golden/version_1

clean:
	rm -rf build dist thresher-demo .venv .venv-oldest .venv-sanitize .pytest_cache .mypy_cache .ruff_cache \
	  .hypothesis .import_linter_cache
	find src tests benchmarks docs -name __pycache__ -type d -prune -exec rm -rf {} +

# ---- the wheel is compiled once and installed into each environment -------------------------------------

build/wheel/built: $(PACKAGE_SOURCES) | .venv/created
	rm -rf $(@D)
	$(BIN)/python -m pip wheel --quiet --no-deps --wheel-dir $(@D) \
	  --config-settings=cmake.define.THRESHER_WERROR=$(THRESHER_WERROR) .
	touch $@

.venv/created .venv-oldest/created .venv-sanitize/created:
	rm -rf $(@D)
	$(PYTHON) -m venv $(@D)
	touch $@

# $(call install,environment,folder of the wheel,extra,more requirements): pip keeps an installed wheel of
# the same version unless told otherwise, hence the second call.
define install
set -- $(2)/thresher-*.whl && \
  $(1)/bin/python -m pip install --quiet "$$1$(3)" $(4) && \
  $(1)/bin/python -m pip install --quiet --no-deps --force-reinstall "$$1"
endef

.venv/installed: build/wheel/built
	$(call install,.venv,build/wheel)
	touch $@

.venv/installed-test .venv/installed-lint .venv/installed-bench .venv/installed-fuzz: .venv/installed-%: .venv/installed
	$(call install,.venv,build/wheel,[$*])
	touch $@

.venv-oldest/installed-test: build/wheel/built | .venv-oldest/created
	$(call install,.venv-oldest,build/wheel,[test],'scikit-learn==1.7.*')
	touch $@

# ---- sanitizers: a C++ driver of the core, then the Python tests that reach it --------------------------

.PHONY: sanitize-address sanitize-thread
sanitize-address: SANITIZE := address,undefined
sanitize-address: RUNTIME := libasan.so
sanitize-thread: SANITIZE := thread
sanitize-thread: RUNTIME := libtsan.so
# polars cannot be imported under TSan.
sanitize-thread: WITHOUT := --ignore tests/tree/test_bad_input.py --ignore tests/tree/test_text.py

# The interpreter keeps memory until it exits, so leaks are searched in the driver only.
sanitize-address sanitize-thread: | .venv-sanitize/created
	rm -rf build/$@ && mkdir -p build/$@
	$(CXX) $(SANITIZER_FLAGS) -fsanitize=$(SANITIZE) $(CORE_SOURCES) tests/core/driver.cpp \
	  -o build/$@/driver
	build/$@/driver
	.venv-sanitize/bin/python -m pip wheel --quiet --no-deps --wheel-dir build/$@ \
	  --config-settings=cmake.define.THRESHER_SANITIZE=$(SANITIZE) \
	  --config-settings=cmake.build-type=RelWithDebInfo .
	$(call install,.venv-sanitize,build/$@,[test])
	LD_PRELOAD="$$($(CXX) -print-file-name=$(RUNTIME)) $$($(CXX) -print-file-name=libstdc++.so.6)" \
	  ASAN_OPTIONS=detect_leaks=0 TSAN_OPTIONS=ignore_noninstrumented_modules=1 \
	  .venv-sanitize/bin/python -m pytest --capture=sys -m "not slow" $(WITHOUT) $(CORE_TESTS)
