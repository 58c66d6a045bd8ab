# SPDX-License-Identifier: Apache-2.0
#: Speed and memory
$(OUT)/test/bench/%: test/bench/%.c $(OUT)/onnx.pb-c.o
	@mkdir -p $(@D)
	$(CC) -isystem $(GENERATED) -O2 $^ -lprotobuf-c -o $@
$(OUT)/test/bench/stages: test/bench/stages.c $(static_library)
	@mkdir -p $(@D)
	$(CC) -Iinclude -O2 $^ $(LIBS) -o $@
bench_helpers := $(OUT)/test/bench/unpack $(OUT)/test/bench/measure $(OUT)/test/bench/stages

bench: $(tool) $(bench_helpers) $(VENV)/ready ## speed and memory, as ratios against peers in the same run
	$(VENV)/bin/python test/bench/make_models.py fixtures $(BUILD)/bench
	$(VENV)/bin/python test/bench/bench.py --tool $(tool) --helpers $(OUT)/test/bench \
		--models $(BUILD)/bench --corpus $(MODELS)
# pip alone tries versions of winml-cli's packages for an hour; uv finds them.
$(VENV)-peers/ready:
	$(PYTHON) -m venv $(VENV)-peers
	$(VENV)-peers/bin/pip install --quiet uv
	$(VENV)-peers/bin/uv pip install --quiet --python $(VENV)-peers/bin/python onnx onnxruntime winml-cli
	touch $@
bench-peers: $(tool) $(bench_helpers) $(VENV)-peers/ready ## the same, with the slow peers (9 GB of memory)
	$(VENV)-peers/bin/python test/bench/make_models.py fixtures $(BUILD)/bench --peers
	$(VENV)-peers/bin/python test/bench/bench.py --tool $(tool) --helpers $(OUT)/test/bench \
		--models $(BUILD)/bench --corpus $(MODELS) --peers
bench-million: $(tool) $(bench_helpers) $(VENV)/ready ## cost of a node in a graph of a million, beside one of 100,000 (14 GB of memory)
	$(VENV)/bin/python test/bench/make_models.py fixtures $(BUILD)/bench --million
	$(VENV)/bin/python test/bench/bench.py --tool $(tool) --helpers $(OUT)/test/bench \
		--models $(BUILD)/bench --corpus $(MODELS) --million
SCAN_MODELS ?= 10000
bench-scan: $(tool) $(OUT)/test/fuzz/make_mutants $(OUT)/test/bench/measure $(VENV)/ready ## SCAN_MODELS models in a scan, killed and resumed, beside ONNX's loader and the usability checker (MODELS)
	$(VENV)/bin/python test/bench/scan.py --tool $(tool) --maker $(OUT)/test/fuzz/make_mutants \
		--measure $(OUT)/test/bench/measure --folder $(BUILD)/bench-scan --count $(SCAN_MODELS) fixtures $(MODELS)
GROWTH ?=
bench-growth: $(tool) $(OUT)/test/bench/measure ## how time, memory and output grow with n: shapes of models, commands, formats (GROWTH=options of test/bench/growth.py)
	$(PYTHON) -B test/bench/growth.py --tool $(tool) --measure $(OUT)/test/bench/measure --out $(BUILD)/growth $(GROWTH)

.PHONY: bench bench-peers bench-million bench-scan bench-growth

# The fragmentation benchmark (docs/evidence/benchmark.md). BENCHMARK has the options of oracles/benchmark/run.py: --python torch=PYTHON
# for each environment that exports, --oracle TARGET=SCRIPT for each compiler that is asked.
BENCHMARK ?=
BENCHMARK_FOLDER ?= $(BUILD)/benchmark
benchmark: $(tool) $(shared_library) ## the fragmentation benchmark: makes, plans and asks what is missing (BENCHMARK=options of oracles/benchmark/run.py)
	$(PYTHON) -B oracles/benchmark/run.py --folder $(BENCHMARK_FOLDER) $(BENCHMARK)
	$(PYTHON) -B oracles/benchmark/page.py $(BENCHMARK_FOLDER) --page docs/evidence/benchmark.md
check-benchmark: $(tool) $(shared_library) ## the benchmark on three fixtures: killed and resumed, compared, its page
	$(PYTHON) -B test/checks/benchmark.py $(tool) $(shared_library) $(BUILD)/check-benchmark

.PHONY: benchmark check-benchmark
