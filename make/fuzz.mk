# SPDX-License-Identifier: Apache-2.0
#: Fuzzing, mutants, mutations
fuzz_targets := $(patsubst test/fuzz/%.c,%,$(wildcard test/fuzz/fuzz_*.c))
fuzz_support := $(patsubst %,$(OUT)/test/fuzz/%.o,file folder formats generate mutate request subject sweep) $(test_support)
$(OUT)/test/fuzz/replay-%: $(OUT)/test/fuzz/%.o $(OUT)/test/fuzz/replay.o $(fuzz_support) $(static_library)
	$(CC) $(ALL_LDFLAGS) $^ $(LIBS) -o $@
$(OUT)/test/fuzz/run-%: $(OUT)/test/fuzz/%.o $(fuzz_support) $(static_library)
	$(CC) $(ALL_LDFLAGS) -fsanitize=fuzzer $^ $(LIBS) -o $@
# But for what prints, which the fuzzer has in its own way.
reader_objects = $(filter-out $(OUT)/tools/npu-partition.o $(OUT)/tools/message.o,$(tool_objects))
$(OUT)/test/fuzz/replay-fuzz_saved $(OUT)/test/fuzz/run-fuzz_saved: $(reader_objects)
$(OUT)/test/fuzz/replay-fuzz_saved $(OUT)/test/fuzz/run-fuzz_saved: LIBS := $(static_library) $(LIBS) -pthread
$(OUT)/test/fuzz/replay-fuzz_saved $(OUT)/test/fuzz/run-fuzz_saved: LIBS += $(TOOL_LIBS)
check-fuzz-corpus: $(fuzz_targets:%=$(OUT)/test/fuzz/replay-%) ## the fuzzers' corpora, run once; needs no clang
	@for target in $(fuzz_targets); do \
		$(OUT)/test/fuzz/replay-$$target test/fuzz/corpus/$$target/* || exit 1; done

# What each has found lies in build/fuzz-found/TARGET, for the next run; what stops it in build/fuzz-found.
FUZZ_SECONDS ?= 60
FUZZ ?= $(fuzz_targets)
fuzz_found := $(BUILD)/fuzz-found
fuzz-programs: $(fuzz_targets:%=$(OUT)/test/fuzz/run-%)
fuzz: ## fuzz each entry point for FUZZ_SECONDS (FUZZ=target...)
	sh tools/setup.sh fuzz
	$(MAKE) VARIANT=fuzz CC=clang fuzz-programs
	@for target in $(FUZZ); do \
		mkdir -p $(fuzz_found)/$$target; \
		$(BUILD)/fuzz/test/fuzz/run-$$target -max_total_time=$(FUZZ_SECONDS) -timeout=10 -rss_limit_mb=2048 -max_len=16384 \
			-print_final_stats=1 -artifact_prefix=$(fuzz_found)/ $(fuzz_found)/$$target test/fuzz/corpus/$$target || exit 1; done
# Goes on after a finding and after being stopped; FUZZ_STATE=--state tells what there is.
FUZZ_CPU_SECONDS ?= 7200
FUZZ_JOBS ?= 2
fuzz-long: ## fuzz all entry points for FUZZ_CPU_SECONDS together, FUZZ_JOBS at a time, and tell what each reached
	sh tools/setup.sh fuzz
	$(MAKE) VARIANT=fuzz CC=clang fuzz-programs
	$(PYTHON) test/fuzz/long.py --programs $(BUILD)/fuzz/test/fuzz --corpus test/fuzz/corpus --found $(fuzz_found) \
		--cpu-seconds $(FUZZ_CPU_SECONDS) --jobs $(FUZZ_JOBS) $(FUZZ_STATE) $(FUZZ)


$(OUT)/test/fuzz/make_mutants: $(OUT)/test/fuzz/make_mutants.o $(OUT)/test/fuzz/mutant.o $(fuzz_support) $(static_library)
	$(CC) $(ALL_LDFLAGS) $^ $(LIBS) -o $@
MUTANTS ?= 100000
FIRST_MUTANT ?= 0
check-mutants: $(tool) $(OUT)/test/fuzz/make_mutants $(BUILD)/case-models/ready ## MUTANTS changed models through the tool under sanitizers
	$(MAKE) VARIANT=asan $(BUILD)/asan/npu-partition
	$(PYTHON) test/fuzz/mutants.py --tool $(tool) --sanitized $(BUILD)/asan/npu-partition \
		--maker $(OUT)/test/fuzz/make_mutants --first $(FIRST_MUTANT) --count $(MUTANTS) fixtures $(BUILD)/case-models
mutant_stages := advice diff documents fix split
$(OUT)/test/fuzz/through-%: $(OUT)/test/fuzz/fuzz_%.o $(OUT)/test/fuzz/through.o $(OUT)/test/fuzz/mutant.o $(fuzz_support) $(static_library)
	$(CC) $(ALL_LDFLAGS) $^ $(LIBS) -o $@
mutant-programs: $(mutant_stages:%=$(OUT)/test/fuzz/through-%)
STAGE_MUTANTS ?= 200000
# What is known is kept in build/stage-mutants, from which the next run goes on.
check-stage-mutants: $(BUILD)/case-models/ready $(VENV)/ready ## STAGE_MUTANTS changed models through advice, diff, formats, fix and split under sanitizers, what is written through onnx.checker
	$(MAKE) VARIANT=asan mutant-programs
	mkdir -p $(BUILD)/fix-patterns
	$(VENV)/bin/python oracles/fidelity/fix_patterns.py $(BUILD)/fix-patterns
	$(VENV)/bin/python -B test/fuzz/stages.py --programs $(BUILD)/asan/test/fuzz --first $(FIRST_MUTANT) \
		--count $(STAGE_MUTANTS) --keep $(BUILD)/stage-mutants \
		fixtures $(BUILD)/case-models $(BUILD)/fix-patterns
PROMISE_MUTANTS ?= 2000
PROMISE_MODELS ?= fixtures $(BUILD)/case-models
check-promises: $(OUT)/test/fuzz/make_mutants $(BUILD)/case-models/ready ## PROMISE_MUTANTS changed models through the debug build, which asserts what must hold (PROMISE_MODELS=folder...)
	$(MAKE) VARIANT=debug $(BUILD)/debug/npu-partition
	$(PYTHON) -B test/fuzz/promises.py --tool $(BUILD)/debug/npu-partition --maker $(OUT)/test/fuzz/make_mutants \
		--first $(FIRST_MUTANT) --count $(PROMISE_MUTANTS) $(PROMISE_MODELS)
FIX_MUTANTS ?= 20000
check-fix-mutants: $(tool) $(OUT)/test/fuzz/make_mutants $(BUILD)/case-models/ready $(VENV)/ready ## FIX_MUTANTS changed models through fix
	$(MAKE) VARIANT=asan $(BUILD)/asan/npu-partition
	mkdir -p $(BUILD)/fix-patterns
	$(VENV)/bin/python oracles/fidelity/fix_patterns.py $(BUILD)/fix-patterns
	$(VENV)/bin/python oracles/fidelity/fix_mutants.py --tool $(tool) --sanitized $(BUILD)/asan/npu-partition \
		--maker $(OUT)/test/fuzz/make_mutants --first $(FIRST_MUTANT) --count $(FIX_MUTANTS) fixtures $(BUILD)/case-models \
		$(BUILD)/fix-patterns
MUTATIONS ?= 60
check-mutations: ## MUTATIONS changes of one token of the library, each of which a check must notice (SEED)
	$(PYTHON) test/checks/mutations.py $(BUILD)/mutations --count $(MUTATIONS) --seed $(SEED)

.PHONY: check-fuzz-corpus fuzz-programs fuzz fuzz-long check-mutants mutant-programs check-stage-mutants \
	check-promises check-fix-mutants check-mutations
