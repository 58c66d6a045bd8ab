# SPDX-License-Identifier: Apache-2.0
#: Coverage
# Which lines and branches of lib/ the tests run, by gcov: a build of its own without optimization, and without the
# assertions of the debug build, which cannot be broken. A branch counts when it was taken at least once: each
# outcome of each condition, also those within && || ?:, each loop's end, and each case of a switch. Nothing of lib/ is
# left out; what is generated (onnx.pb-c.c, op lists, the page) lies in build/ and is no part of it.

COVERAGE_CC ?= gcc
GCOV ?= gcov
COVERAGE_LINES ?= 97
COVERAGE_BRANCHES ?= 88
COVERAGE_OUT := $(BUILD)/coverage

# The tests of `make check` that run the library. Those that fail each allocation need an arena of which every request
# is an allocation; nothing else of the debug build.
coverage_checks := check-unit check-cases check-cli check-snapshot check-rules check-precision check-json \
	check-diff-quick check-fuzz-corpus check-roundtrip check-failing-allocations check-neighbours
failing_allocations := $(addprefix $(OUT)/failing/,$(allocation_tests) failing_models)
$(OUT)/failing/arena.o: lib/base/arena.c
	@mkdir -p $(@D)
	$(CC) $(ALL_CPPFLAGS) -DNPART_EVERY_REQUEST_ALLOCATES $(filter-out --coverage,$(ALL_CFLAGS)) -c $< -o $@
$(OUT)/failing/libnpu_partition.a: $(filter-out %/arena.o,$(objects)) $(OUT)/failing/arena.o
	rm -f $@ && $(AR) rcsD $@ $^
$(OUT)/failing/test_%: $(OUT)/test/unit/test_%.o $(test_support) $(OUT)/failing/libnpu_partition.a
	$(CC) $(ALL_LDFLAGS) $^ $(LIBS) -o $@
$(OUT)/failing/failing_models: $(OUT)/test/checks/failing_models.o $(test_support) $(OUT)/failing/libnpu_partition.a
	$(CC) $(ALL_LDFLAGS) $^ $(LIBS) -o $@
check-failing-allocations: $(failing_allocations) $(BUILD)/case-models/ready
	@for test in $(allocation_tests:%=$(OUT)/failing/%); do $$test || exit 1; done
	$(OUT)/failing/failing_models fixtures/*.onnx $(BUILD)/case-models/*.onnx

check-neighbours: $(case_runner)
	$(case_runner) --neighbours $(NEIGHBOURS) $(sort $(wildcard test/cases/*.cases))

coverage: $(BUILD)/case-models/ready $(VENV)/ready ## lines and branches of lib/ that the tests run, by stage, and the worst files
	@find $(COVERAGE_OUT) -name '*.gcda' -delete 2>/dev/null || true
	@$(MAKE) VARIANT=coverage CC=$(COVERAGE_CC) $(coverage_checks)
	@$(MAKE) coverage-table
coverage-table: ## the same of the last run
	@$(PYTHON) test/checks/coverage.py $(COVERAGE_OUT) --gcov $(GCOV) $(COVERAGE_TABLE)
check-coverage: ## the same, which must reach COVERAGE_LINES and COVERAGE_BRANCHES percent
	@$(MAKE) coverage COVERAGE_TABLE="--lines $(COVERAGE_LINES) --branches $(COVERAGE_BRANCHES)"
.PHONY: coverage coverage-table check-coverage check-failing-allocations check-neighbours
