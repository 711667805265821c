# SPDX-FileCopyrightText: The Dryfit authors
# SPDX-License-Identifier: Apache-2.0
#
# One target per task. Each sets up what it needs, says what it does in one line per stage (logs: build/log), and is
# quick when there is nothing left to do. Everything but Debian packages stays in this folder: build, bin, dist, .venv.

PYTHON ?= python3
# The environment that the demo and the tests use, and the one with the newest PyTorch.
TORCH := torch-2.6.0
TORCH_LATEST := torch-latest
TORCH_PYTHON := .venv/$(TORCH)/bin/python
TOOLS_PYTHON := .venv/tools/bin/python

# `make accuracy`, `make evaluate`: where the measurements lie, and how many jobs go side by side.
DATA ?= ../shared/data
JOBS ?= $(shell nproc)
# `make compat`: the versions of PyTorch, each with an environment of 8 GB.
COMPAT_TORCH ?= 2.4.1 2.6.0 2.11.0 2.15.0
COMPAT_REQUIREMENTS = $(foreach torch,$(COMPAT_TORCH),$(wildcard tools/setup/requirements-compat*-$(torch).txt))
# `make train`: how the rows are divided.
TRAIN_FOLDS ?= module5_s0
# `make surrogate`: the rows that it learns from, and what its card says.
HARVEST ?= data/harvest/first.jsonl
SURROGATE ?= models/surrogate.dryfit-model
SURROGATE_DATE ?= 2026-11-16
SURROGATE_LICENCE ?= Apache-2.0
# `make compute-model`: what its card says.
COMPUTE_MODEL ?= models/compute.dryfit-model
COMPUTE_DATE ?= 2026-11-16
COMPUTE_LICENCE ?= Apache-2.0

STAGE := tools/setup/stage.sh
VENV := PYTHON=$(PYTHON) tools/setup/venv.sh
CTEST := ctest -j $(shell nproc)
# Two targets at once, for a download beside a build.
SIDE_BY_SIDE = DRYFIT_SIDE_BY_SIDE=1 $(MAKE) --no-print-directory -j4
# Under asan, with clang, beside the whole command; those with threads under tsan too.
asan_TESTS := trace_test snapshot_test simulator_test oracle_test whatif_test cuda_test nvml_test nvml_with_cuda_test
tsan_TESTS := trace_test cuda_test nvml_test nvml_with_cuda_test
# What `make test` runs, the fast stages first.
TEST_STAGES := check build-everything test-cpp test-python test-page test-asan test-tsan tidy fuzz
FUZZ_SECONDS ?= 60
CPP_FILES = $(shell find src apps include bench tests -name '*.h' -o -name '*.cpp')
WHEEL_SOURCES = $(shell find src apps include cards models cmake python data/convolutions -type f -not -name '*.pyc') \
                pyproject.toml CMakeLists.txt $(wildcard README.md)

.DEFAULT_GOAL := help
# Each stage uses all cores by itself.
ifndef DRYFIT_SIDE_BY_SIDE
.NOTPARALLEL:
endif
.DELETE_ON_ERROR:
.PHONY: help setup packages headers tools-venv venv venv-latest venv-2.11 venv-2.1 venv-peft venv-harvest venv-comparators venv-exports \
        build build-tests build-beside-download build-everything environments demo \
        test test-fast test-latest test-cpp test-python test-slurm test-page check test-asan test-tsan test-asan-all tidy fuzz \
        limits-board accuracy-profile build-training test-training accuracy accuracy-twice evaluate \
        train surrogate compute-model bench bench-estimate bench-latency bench-h100 limits-scan operators compat pictures strings format wheel clean distclean

help: ## this list
	@grep -hE '^[a-z0-9.-]+:.*## ' $(MAKEFILE_LIST) | awk -F ':.*## ' '{printf "  make %-16s %s\n", $$1, $$2}'

# ---- set-up

setup: packages tools-venv headers venv ## Debian packages, CUDA headers, the Python environment with torch 2.6.0

packages:
	@tools/setup/packages.sh build

tools-venv: | packages
	@$(STAGE) tools-venv "Python environment for tools and tests" -- env $(VENV) tools

headers: | packages ## the vendor's public headers, into build/headers
	@$(STAGE) headers "CUDA and NVML headers" -- tools/setup/headers.sh $(PYTHON)

venv: | packages
	@$(STAGE) venv "PyTorch 2.6.0 in .venv (about 3 GB to download the first time)" -- env $(VENV) $(TORCH)

venv-latest: | packages ## .venv/torch-latest: the newest PyTorch known to work
	@$(STAGE) venv-latest "The newest PyTorch in .venv (about 3 GB to download the first time)" -- \
	    env $(VENV) $(TORCH_LATEST)

venv-2.11: | packages ## .venv/torch-2.11.0: the PyTorch of the B200 recordings
	@$(STAGE) venv-2.11 ".venv/torch-2.11.0 (about 3 GB to download the first time)" -- \
	    env $(VENV) torch-2.11.0

venv-2.1: | packages ## .venv/torch-2.1.2: the PyTorch of the 4-bit recording, with bitsandbytes
	@$(STAGE) venv-2.1 ".venv/torch-2.1.2 (about 3 GB to download the first time)" -- \
	    env $(VENV) torch-2.1.2

venv-peft: | packages ## .venv/peft: PyTorch 2.12 with peft and diffusers, for the measurements of summer 2026
	@$(STAGE) venv-peft ".venv/peft (about 3 GB to download the first time)" -- env $(VENV) peft

venv-harvest: | packages ## .venv/harvest: torch 2.6.0 with torchvision, transformers and timm, for `dryfit harvest`
	@$(STAGE) venv-harvest ".venv/harvest (about 3 GB to download the first time)" -- env $(VENV) harvest

venv-comparators: | packages ## .venv/comparators: the tree libraries that the networks are compared with
	@$(STAGE) venv-comparators ".venv/comparators (about 300 MB to download the first time)" -- \
	    env $(VENV) comparators

venv-exports: | packages ## .venv/exports: the tools that open what `dryfit export` writes
	@$(STAGE) venv-exports ".venv/exports (about 20 MB to download the first time)" -- env $(VENV) exports

venv-compat-%: | packages
	@$(STAGE) $@ ".venv/compat-$* (about 4 GB to download the first time)" -- env $(VENV) compat-$*

# ---- build

build: packages headers ## the command, at bin/dryfit
	@$(STAGE) build "Building Dryfit" -- tools/setup/build.sh product product

build-tests: build ## the C++ tests and the developers' tools
	@$(STAGE) build-tests "Building the tests and the developers' tools" -- tools/setup/build.sh all developer

# Downloads use the network and builds use the cores, so they run beside each other.
build-beside-download: packages
	@$(SIDE_BY_SIDE) venv build

build-everything: packages tools-venv
	@$(SIDE_BY_SIDE) environments build-tests

environments: venv venv-latest venv-exports

wheel: build/wheel/.built ## the Python wheel, into dist/

# The compiler by the name that CMake finds it under: by another, nothing of the release build would be found in ccache.
build/wheel/.built: $(WHEEL_SOURCES) | packages tools-venv headers
	@rm -rf dist
	@$(STAGE) wheel "Building the wheel" -- env CC=cc CXX=c++ $(TOOLS_PYTHON) -m pip wheel --no-cache-dir --no-deps --wheel-dir dist .
	@touch $@

# ---- use

demo: build-beside-download ## a verdict and a page for a real training script on two GPUs
	@tools/setup/demo.sh $(dir $(TORCH_PYTHON))

# ---- tests

test: ## everything: checks, C++, Python with two versions of PyTorch, browser, clang, sanitizers, clang-tidy, fuzzers
	@tools/setup/all_stages.sh $(TEST_STAGES)

test-fast: build-tests tools-venv check test-cpp ## the tests that need no PyTorch; under 3 minutes once built
	@$(STAGE) test-python-fast "Python tests without PyTorch" --show '=.* passed' -- \
	    $(TOOLS_PYTHON) -m pytest -m "not torch and not slow" -n $(JOBS) --dist loadfile

test-latest: venv-latest build-tests ## the tests that run under the newest PyTorch
	@$(STAGE) test-latest "Python tests under $(TORCH_LATEST)" --show '=.* passed' -- \
	    .venv/$(TORCH_LATEST)/bin/python -m pytest -k $(TORCH_LATEST) -n $(JOBS) --dist loadfile

test-python: environments | build-tests
	@$(STAGE) test-python "Python tests, with PyTorch 2.6.0 and the newest, and the wheel" --show '=.* passed' -- \
	    $(TORCH_PYTHON) -m pytest -n $(JOBS) --dist loadfile

test-cpp: | build-tests
	@$(STAGE) test-cpp "C++ tests" --show 'tests passed' -- $(CTEST) --preset release

test-slurm: setup build ## `dryfit harvest --on slurm` on a real Slurm cluster of one machine
	@$(STAGE) slurm-packages "Slurm (Debian packages)" -- tools/setup/packages.sh slurm
	@DRYFIT_TEST_SLURM=1 $(STAGE) test-slurm "Python tests on Slurm" --show '=.* passed' -- \
	    $(TORCH_PYTHON) -m pytest tests/slurm

test-page: setup build-tests ## the page of `dryfit report` in a real browser (Debian's chromium)
	@tools/setup/packages.sh page
	@DRYFIT_TEST_PAGE=1 $(STAGE) test-page "The page in a browser" --show '=.* passed' -- \
	    $(TOOLS_PYTHON) -m pytest tests/page

check: tools-venv ## includes, links and words of the docs and of all texts for users, layout of the C++ files
	@tools/setup/packages.sh format
	@$(STAGE) check-includes "Direction of the includes" -- tools/check_includes
	@$(STAGE) check-docs "Links and words of the docs" -- tools/check_docs
	@$(STAGE) check-strings "The list of texts for users, and their words" -- tools/user_strings --check
	@$(STAGE) check-format "Layout of the C++ files (clang-format)" -- clang-format-19 --dry-run -Werror $(CPP_FILES)

test-asan test-tsan: test-%: packages headers ## tests of driver, trace, snapshot, simulator, whatif: clang with asan and ubsan; with threads: tsan
	@tools/setup/packages.sh clang
	@test -f build/$*/build.ninja || $(STAGE) $*-configure "Configuring (preset $*)" -- cmake --preset $*
	@$(STAGE) $*-build "Building the tests (preset $*)" -- cmake --build --preset $* --target $($*_TESTS) $($*_ALSO)
	@$(STAGE) $*-test "The tests (preset $*)" --show 'tests passed' -- \
	    $(CTEST) --preset $* -E '_NOT_BUILT|^Evaluate|^TrainCompute'

# The build with clang compiles the whole command, so that both compilers warn of nothing.
asan_ALSO := product

test-asan-all: test-asan ## the same, plus estimate, explain and predictor under asan
	@$(STAGE) asan-build-all "Building more tests (preset asan)" -- \
	    cmake --build --preset asan --target estimate_test explain_test predictor_test dryfit_evaluate dryfit_train_compute
	@$(STAGE) asan-test-all "The tests (preset asan)" --show 'tests passed' -- $(CTEST) --preset asan -E _NOT_BUILT

fuzz: packages headers ## each fuzzer over its corpus: [FUZZ_SECONDS=60]
	@tools/setup/packages.sh clang
	@test -f build/asan/build.ninja || $(STAGE) asan-configure "Configuring (preset asan)" -- cmake --preset asan
	@$(STAGE) fuzz-build "Building the fuzzers (preset asan)" -- cmake --build --preset asan --target fuzzers
	@$(STAGE) fuzz "Each fuzzer for $(FUZZ_SECONDS) s" --show '^fuzzers: ' -- tools/setup/fuzz.sh build/asan $(FUZZ_SECONDS) $(JOBS)

tidy: packages headers ## clang-tidy with the short list of .clang-tidy
	@tools/setup/packages.sh clang
	@test -f build/release/build.ninja || $(STAGE) configure "Configuring (preset release)" -- cmake --preset release
	@$(STAGE) tidy "clang-tidy" -- tools/setup/tidy.sh build/release $(JOBS)

build-training: packages headers venv-latest ## dryfit-train, which needs libtorch, into bin/
	@test -f build/training/build.ninja || \
	    $(STAGE) training-configure "Configuring (preset training)" -- cmake --preset training
	@$(STAGE) training-build "Building (preset training)" -- cmake --build --preset training --target dryfit_train
	@$(STAGE) training-install "Installing into build/training/stage, link in bin/" -- sh -c \
	    'cmake --install build/training --component training && tools/setup/link_executables.sh build/training/stage'

test-training: build-training ## builds the predictor's training with libtorch, and tests it
	@$(STAGE) training-tests-build "Building the tests (preset training)" -- \
	    cmake --build --preset training --target training_test train_test dryfit_evaluate
	@for folder in src/training apps/train; do \
	    $(STAGE) training-test-$$(basename $$folder) "The tests of $$folder" --show 'tests passed' -- \
	        $(CTEST) --test-dir build/training/$$folder --output-on-failure --no-tests=error || exit 1; \
	done

# ---- numbers

accuracy: setup venv-2.11 venv-2.1 venv-peft venv-latest build ## the scoreboard over all measurements: [DATA=<folder>] [JOBS=<n>] [ACCURACY_FLAGS=...]
	tools/accuracy --data "$(DATA)" --jobs $(JOBS) --json build/accuracy/rows.jsonl --html build/accuracy/index.html \
	    $(ACCURACY_FLAGS)

limits-board: setup build ## xMem's three measures for every limit, and its second runs: [DATA=<folder>] [JOBS=<n>] [ACCURACY_FLAGS=...]
	tools/accuracy --data "$(DATA)" --jobs $(JOBS) --limits --markdown build/accuracy/limits.md \
	    --source xmem-cnn xmem-transformer xmem-second-runs-cnn xmem-second-runs-transformer $(ACCURACY_FLAGS)

accuracy-profile: build ## estimates from CPU profiles compared with xMem's runs, `dryfit run` and four other tools; finished rows are kept
	@tools/accuracy_profile --data $(DATA)

accuracy-twice: setup venv-2.11 venv-2.1 venv-peft venv-latest build ## the scoreboard twice from scratch; both must be identical: [ACCURACY_FLAGS=...]
	@mkdir -p build/accuracy
	@for turn in 1 2; do \
	    tools/accuracy --data "$(DATA)" --jobs $(JOBS) --fresh --answers build/accuracy/twice-$$turn.jsonl \
	        --markdown build/accuracy/twice-$$turn.md $(ACCURACY_FLAGS) > build/accuracy/twice-$$turn.txt || exit 1; \
	done
	cmp build/accuracy/twice-1.txt build/accuracy/twice-2.txt
	cmp build/accuracy/twice-1.md build/accuracy/twice-2.md

evaluate: venv-comparators build build-training ## learned predictors compared with tree libraries, out of fold: [DATA=<folder>] [JOBS=<n>] [EVALUATE_FLAGS=...]
	@mkdir -p build/evaluate/networks
	bin/dryfit-train-compute --data "$(DATA)" --cards cards --out build/evaluate/networks/timm-throughput-module5_s0-compute.csv
	.venv/comparators/bin/python tools/comparators --data "$(DATA)" --jobs $(JOBS) $(EVALUATE_FLAGS)
	.venv/comparators/bin/python tools/comparators --data "$(DATA)" --jobs $(JOBS) $(EVALUATE_FLAGS) \
	    --final --set timm-memory --folds module5_s2
	$(if $(EVALUATE_FLAGS),,.venv/comparators/bin/python tools/evaluation_page)

bench: setup build ## the cost of a dry run, compared with training on the CPU
	@tools/setup/packages.sh bench
	@test -f build/bench/build.ninja || $(STAGE) bench-configure "Configuring (preset bench)" -- cmake --preset bench
	@$(STAGE) bench-build "Building (preset bench)" -- cmake --build --preset bench
	build/bench/bench/trace_append_bench
	build/bench/bench/simulator_bench
	build/bench/bench/limits_bench --check
	bench/allocator_race
	bench/cost

bench-estimate: setup build ## `dryfit estimate` compared with `dryfit run` on 20 jobs, and its reading speed
	bench/estimate
	bench/estimate --speed 1024

bench-latency: venv-comparators build ## the latency of a prediction, compared with tree libraries: [DATA=<folder>] [LATENCY_FLAGS=...]
	@tools/setup/packages.sh bench
	@test -f build/bench/build.ninja || $(STAGE) bench-configure "Configuring (preset bench)" -- cmake --preset bench
	@$(STAGE) bench-latency-build "Building (preset bench)" -- cmake --build --preset bench --target latency_bench
	.venv/comparators/bin/python bench/latency --data "$(DATA)" $(LATENCY_FLAGS)

train: test-training ## out-of-fold predictions of the memory predictor, scored: [DATA=<folder>] [TRAIN_FLAGS=...]
	@mkdir -p build/train
	bin/dryfit-train --data "$(DATA)" --folds $(TRAIN_FOLDS) $(TRAIN_FLAGS) --out build/train/predictions.csv
	build/training/apps/evaluate/dryfit-evaluate --data "$(DATA)" --folds $(TRAIN_FOLDS) build/train/predictions.csv

surrogate: test-training ## the model behind `dryfit predict`, learned from dry runs: [HARVEST=<rows>] [SURROGATE=<model>] [SURROGATE_FLAGS=...]
	@mkdir -p build/train
	bin/dryfit-train --harvest "$(HARVEST)" --models models/models.jsonl --cards cards --out build/train/surrogate.csv \
	    --model "$(SURROGATE)" --name "dryfit surrogate" --date "$(SURROGATE_DATE)" --licence "$(SURROGATE_LICENCE)" $(SURROGATE_FLAGS)

compute-model: build ## the model of step times, learned from published throughput: [DATA=<folder>] [COMPUTE_MODEL=<model>] [COMPUTE_FLAGS=...]
	@mkdir -p build/train
	bin/dryfit-train-compute --data "$(DATA)" --cards cards --out build/train/compute.csv --model "$(COMPUTE_MODEL)" \
	    --date "$(COMPUTE_DATE)" --licence "$(COMPUTE_LICENCE)" $(COMPUTE_FLAGS)

bench-h100: venv-latest venv-2.11 build ## bfloat16 on an H100, under torch 2.11 and under the newest
	bench/h100

limits-scan: venv build ## least caps of twelve jobs compared with scans by dry runs; hours
	bench/limits/scan

compat: $(COMPAT_REQUIREMENTS:tools/setup/requirements-%.txt=venv-%) build ## public programs under several versions of PyTorch, into docs/compatibility.md: [COMPAT_TORCH=<versions>] [JOBS=<n>] [COMPAT_FLAGS=...]
	tools/compat --jobs $(JOBS) $(COMPAT_TORCH:%=--torch %) $(COMPAT_FLAGS)

operators: venv venv-latest build ## every operator of PyTorch's own test table, on the simulated GPU and on the CPU
	bench/operators

# ---- order

strings: ## docs/reference/strings.md, the list of all texts for users
	@tools/user_strings

pictures: setup build ## the pictures in README.md and docs/, and docs/demo.html, from a real dry run
	@tools/setup/packages.sh page
	@$(STAGE) pictures "Pictures of a dry run and its page" -- $(TOOLS_PYTHON) tools/pictures

format: ## clang-format over the C++ files
	@tools/setup/packages.sh format
	@clang-format-19 -i $(CPP_FILES)

clean: ## removes build output, keeps the Python environments
	rm -rf build bin dist

distclean: clean ## removes the Python environments too
	rm -rf .venv
