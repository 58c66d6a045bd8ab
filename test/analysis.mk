# SPDX-License-Identifier: Apache-2.0
# What looks for defects that no test asserts, included by the Makefile: runs under watch of threads and of memory.

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
	$(if $(wildcard tools/scan.c),$(tool) scan fixtures -t hexagon -j 4 --output $(OUT)/scan.jsonl)

.PHONY: check-threads run-threads
