# SPDX-License-Identifier: Apache-2.0
#: Analyzers, threads, memory
# What looks for defects that no test asserts: analyzers of the source, each with an empty
# list of accepted findings, and runs under watch of threads and of memory.

# ---- analyzers -------------------------------------------------------------------------------------------------

# What was clean stays so until it, its headers or the analyzer's settings change; gcc lists the headers. With the
# optimizer of a release, as gcc's analyzer finds more in what that has made plain. Its malloc-leak takes what is stored
# in a caller's structure for lost (gcc 12, of most readers in tools/): leaks are found by clang's analyzer, by cppcheck
# and by make asan.
ANALYZED_FLAGS = $(ALL_CPPFLAGS) $(TEST_CPPFLAGS) -std=c11
ANALYZE_gcc = gcc $(ANALYZED_FLAGS) -O2 -fanalyzer -Wno-analyzer-malloc-leak -Werror -S -o /dev/null
ANALYZE_clang-tidy = clang-tidy --quiet
ANALYZE_cppcheck = sh test/analysis/cppcheck.sh
AFTER_clang-tidy = -- $(ANALYZED_FLAGS) 2>/dev/null
SETTINGS_clang-tidy := .clang-tidy
SETTINGS_cppcheck := test/analysis/cppcheck.sh
define ANALYZE_SOURCE
$(BUILD)/analyzed-$(1)/%: % $(SETTINGS_$(1)) | $(generated_headers)
	@mkdir -p $$(@D)
	@gcc $$(ANALYZED_FLAGS) -MM -MP -MF $$@.d -MT $$@ $$<
	@$$(ANALYZE_$(1)) $$< $$(AFTER_$(1))
	@touch $$@
analyze-planted: analyze-planted-$(1)
analyze-planted-$(1):
	@{ $$(ANALYZE_$(1)) test/analysis/planted.c $$(AFTER_$(1)) || true; } 2>&1 | sh test/analysis/planted.sh $(1) test/analysis/planted.c
.PHONY: analyze-planted-$(1)
endef
analyzers := gcc clang-tidy cppcheck
$(foreach analyzer,$(analyzers),$(eval $(call ANALYZE_SOURCE,$(analyzer))))
analyzed_sources := $(sources) $(tool_sources) $(wildcard test/support/*.c)
analyze: $(foreach analyzer,$(analyzers),$(addprefix $(BUILD)/analyzed-$(analyzer)/,$(analyzed_sources)))
ANALYZE_JOBS ?= $(shell nproc)
check-analyzers: $(generated_headers) ## gcc -fanalyzer, clang-tidy and cppcheck have nothing to say, and find what is planted
	sh tools/setup.sh analyzers
	$(MAKE) analyze-planted
	$(MAKE) --keep-going --jobs $(ANALYZE_JOBS) analyze
-include $(wildcard $(foreach analyzer,$(analyzers),$(BUILD)/analyzed-$(analyzer)/*/*.d $(BUILD)/analyzed-$(analyzer)/*/*/*.d))

.PHONY: analyze analyze-planted check-analyzers

# ---- AFL++ -----------------------------------------------------------------------------------------------------

# The entry points of `make fuzz`, and what both find. Fuzzers with mutations of their own lend them to AFL, in a library
# of the default variant, as AFL loads it into itself.
afl_mutator = $(if $(shell grep -l LLVMFuzzerCustomMutator test/fuzz/$(1).c),$(BUILD)/test/fuzz/afl-$(1).so)
afl_mutators := $(foreach target,$(patsubst test/fuzz/%.c,%,$(wildcard test/fuzz/fuzz_*.c)),$(call afl_mutator,$(target)))
afl-programs: $(patsubst test/fuzz/%.c,$(OUT)/test/fuzz/run-%,$(wildcard test/fuzz/fuzz_*.c))
afl-mutators: $(afl_mutators)
fuzz-afl: ## the same under AFL++, with the same corpora and findings (FUZZ=target..., FUZZ_SECONDS)
	sh tools/setup.sh fuzz
	$(MAKE) VARIANT=afl CC=afl-clang-fast AFL_QUIET=1 afl-programs
	$(MAKE) afl-mutators
	@$(foreach target,$(FUZZ),nice sh test/fuzz/afl.sh $(BUILD)/afl/test/fuzz/run-$(target) $(target) $(fuzz_found) \
		$(FUZZ_SECONDS) $(call afl_mutator,$(target)) || exit 1;)
$(BUILD)/test/fuzz/afl-%.so: $(BUILD)/test/fuzz/%.o $(BUILD)/test/fuzz/afl.o $(fuzz_support) $(static_library)
	$(CC) -shared $(ALL_LDFLAGS) $^ $(LIBS) -o $@

.PHONY: afl-programs afl-mutators fuzz-afl

# ---- runs under watch ------------------------------------------------------------------------------------------

# Each is shown a planted defect first.
planted_run := $(OUT)/test/analysis/planted_run
$(planted_run): $(planted_run).o
	$(CC) $(ALL_LDFLAGS) $^ -o $@
must_fail = $(planted_run) $(1) 2>/dev/null && { echo "a planted defect was not found: $(1)" >&2; exit 1; } || true

check-threads: ## threads that share handles, and scan's, under gcc's thread sanitizer
	$(MAKE) VARIANT=tsan run-threads
run-threads: $(OUT)/test/unit/test_threads $(planted_run) $(tool)
	@$(call must_fail,race)
	$(OUT)/test/unit/test_threads
	$(tool) scan fixtures --target hexagon,tidl --jobs 4 --output $(OUT)/scan.jsonl

# Values that nobody wrote: clang's memory sanitizer. What is linked is compiled with it, too.
msan_dependencies := $(BUILD)/msan/dependencies
$(msan_dependencies)/ready: tools/dependencies.sh
	sh $< $(msan_dependencies) clang ar clang $(FLAGS_msan) -fPIC
	@touch $@
msan_status := $(BUILD)/msan/status.o
$(msan_status): test/analysis/msan_status.c
	@mkdir -p $(@D)
	clang $(FLAGS_msan) -c $< -o $@
check-uninitialized: $(msan_dependencies)/ready $(msan_status) $(BUILD)/case-models/ready ## unit, text and golden cases, and corpora, under clang's memory sanitizer
	sh tools/setup.sh fuzz
	$(MAKE) VARIANT=msan CC=clang NO_SQLITE=1 CPPFLAGS="-isystem $(msan_dependencies)/include $(CPPFLAGS)" \
		LDFLAGS="-L$(msan_dependencies)/lib -Wl,--wrap=fstat64,--wrap=stat64,--wrap=lstat64 $(msan_status) $(LDFLAGS)" run-uninitialized
run-uninitialized: $(planted_run)
	@$(call must_fail,uninitialized)
	$(MAKE) check-unit check-cases check-cli check-fuzz-corpus

.PHONY: check-threads run-threads check-uninitialized run-uninitialized
