# SPDX-License-Identifier: Apache-2.0
#: Tests
TEST_CPPFLAGS = -Itest
test_support := $(patsubst %.c,$(OUT)/%.o,$(wildcard test/support/*.c))
unit_tests := $(patsubst %.c,$(OUT)/%,$(wildcard test/unit/test_*.c))
case_runner := $(OUT)/test/cases/run_cases

$(OUT)/test/%.o: ALL_CPPFLAGS += $(TEST_CPPFLAGS)
$(OUT)/test/unit/%: $(OUT)/test/unit/%.o $(test_support) $(static_library)
	$(CC) $(ALL_LDFLAGS) $^ $(LIBS) -o $@
$(case_runner): $(case_runner).o $(test_support) $(static_library)
	$(CC) $(ALL_LDFLAGS) $^ $(LIBS) -o $@

# The tool's own readers, with what they need.
$(OUT)/test/unit/test_database: $(patsubst %,$(OUT)/tools/%.o,database message printed)
$(OUT)/test/unit/test_tool_files: $(OUT)/tools/platform_posix.o
$(OUT)/test/unit/test_database: LIBS += $(TOOL_LIBS)

check-unit: $(unit_tests) ## unit tests, one program a file
	@for test in $(unit_tests); do echo "  $$test"; $(EMULATOR) $$test || exit 1; done
$(OUT)/test/cli/make_model: $(OUT)/test/cli/make_model.o $(test_support) $(static_library)
	$(CC) $(ALL_LDFLAGS) $^ $(LIBS) -o $@
check-cli: $(tool) $(OUT)/test/cli/make_model ## golden cases of the tool
	sh test/cli/run.sh $(tool)
check-readme: $(tool) $(OUT)/test/cli/make_model ## README.md, docs/targets.md and docs/picture-*.svg show what the tool prints
	sh test/checks/readme.sh README.md $(tool) "$(demo_command)"
	@$(targets_page)
	@diff docs/targets.md $(BUILD)/targets.md && diff docs/evidence/targets.md $(BUILD)/sources.md || \
		{ echo "docs/targets.md or docs/evidence/targets.md is out of date (make targets-page)" >&2; exit 1; }
	@rm -rf $(BUILD)/asked && mkdir $(BUILD)/asked && $(evidence_pages) $(BUILD)/asked
	@diff -r docs/evidence/asked $(BUILD)/asked || { echo "docs/evidence/asked is out of date (make evidence-pages)" >&2; exit 1; }
	@rm -rf $(BUILD)/pictures && mkdir $(BUILD)/pictures
	@$(call draw_pictures,$(BUILD)/pictures/)
	@for picture in docs/picture-*.svg; do cmp $$picture $(BUILD)/pictures/$${picture#docs/picture-} || \
		{ echo "$$picture is out of date (make accept), or not in the list of pictures" >&2; exit 1; } done
# PICTURE=MODEL
pictures := detector=detector.dynamo if=early-exit-cnn.ts14.if
draw_pictures = for picture in $(pictures); do \
	$(tool) fixtures/$${picture\#*=}.onnx -t hexagon --format svg -o $(1)$${picture%%=*}.svg || exit 1; done
targets_page = $(PYTHON) tools/generate/targets.py $(tool) $(OUT)/test/cli/make_model $(BUILD)/targets.md $(BUILD)/sources.md
put_targets_page = mv $(BUILD)/targets.md docs/targets.md && mv $(BUILD)/sources.md docs/evidence/targets.md
accept: $(tool) $(OUT)/test/cli/make_model ## rewrite the golden cases from what the tool prints now; then read the diff
	sh test/cli/run.sh $(tool) --accept
	sh test/checks/readme.sh README.md $(tool) "$(demo_command)" --accept
	$(PYTHON) test/checks/examples.py docs/formats.md --accept
	@$(call draw_pictures,docs/picture-)
	$(targets_page) && $(put_targets_page)
records = include/records.table python/src/npu_partition/results.py docs/json.md docs/api.md docs/split.md \
	python/src/npu_partition/rows.py $(headers)
records: ## the headers, results.py, rows.py and tables of docs/ from include/records.table
	$(PYTHON) tools/generate/records.py $(records)
check-records: ## they say what the table says
	$(PYTHON) tools/generate/records.py --check $(records)
check-headers: $(generated_headers) ## every header compiles alone; the public one as C99 and C++ too
	@for header in $(headers) $$(find lib -name '*.h'); do \
		echo "#include \"$$header\"" | $(CC) -std=c11 -fsyntax-only $(WARNINGS) -I. $(ALL_CPPFLAGS) -x c - || exit 1; done
	echo '#include "npu_partition.h"' | $(CC) -std=c99 -pedantic-errors -Wall -Wextra -Iinclude -fsyntax-only -x c -
	echo '#include "npu_partition.h"' | $(CXX) -std=c++11 -pedantic-errors -Wall -Wextra -Iinclude -fsyntax-only -x c++ -
check-symbols: $(shared_library) ## the shared library exports what the header declares, and both are what was promised
	sh test/checks/symbols.sh $(shared_library) test/checks/symbols.txt "$(CC)" $(headers)
check-structure: ## stages include only earlier stages; functions and files keep to their lengths
	sh test/checks/structure.sh
	sh test/checks/operators.sh
check-operators: ## which files of lib name an operator, and what nobody has answered in operators.table
	sh test/checks/operators.sh --list
$(OUT)/core/count_partitions: examples/count_partitions.c $(core_library)
	@mkdir -p $(@D)
	$(CC) $(ALL_CPPFLAGS) $(ALL_CFLAGS) $(ALL_LDFLAGS) $^ $(LIBS) -pthread -o $@
check-links: $(tool) $(OUT)/core/count_partitions ## stages link only earlier stages, and the core analyses alone
	sh test/checks/links.sh $(OUT) $(OUT)/core/count_partitions $(tool) fixtures/distilbert-base.ts14.dyn.onnx
$(OUT)/test/checks/toml_values: $(OUT)/test/checks/toml_values.o $(static_library)
	$(CC) $(ALL_LDFLAGS) $^ $(LIBS) -o $@
check-toml: $(OUT)/test/checks/toml_values ## the TOML reader against Python's, on random documents
	$(PYTHON) test/checks/toml.py $<
$(VENV)/hooks: $(VENV)/ready
	$(VENV)/bin/pip install --quiet pre-commit pyyaml check-jsonschema cmarkgfm
	touch $@
check-hooks-quick: $(tool) $(VENV)/hooks ## hooks of pre-commit, GitHub and GitLab, with the tool that is built
	$(VENV)/bin/python test/checks/hooks.py quick $(tool)
check-merge-gate: $(tool) $(OUT)/test/cli/make_model $(VENV)/hooks ## what a pull request sees: 12 models, a baseline, the action, stubs of the hosts
	$(VENV)/bin/python test/checks/merge_gate.py $(tool) $(OUT)/test/cli/make_model
# A library to be loaded before the tool.
$(OUT)/test/checks/fail_allocation.so: test/checks/fail_allocation.c
	@mkdir -p $(@D)
	$(CC) -shared -fPIC -O1 $(WARNINGS) -Wno-missing-prototypes $< -o $@
check-hostile-gate: $(tool) $(OUT)/test/cli/make_model $(VENV)/hooks ## a hostile pull request: runner, job and interfaces for comments are played
	$(VENV)/bin/python -B test/checks/hostile_gate.py $(tool) $(OUT)/test/cli/make_model
check-baseline: $(tool) $(OUT)/test/cli/make_model $(OUT)/test/checks/fail_allocation.so ## what got worse fails, whatever became of the baseline, its cache and memory
	$(PYTHON) -B test/checks/baseline.py $^
check-first-cause: $(tool) ## check names the first cause that the report names, in 80 columns
	$(PYTHON) test/checks/first_cause.py $(tool) fixtures
check-first-cause-all: $(tool) ## the same of all models of MODELS
	$(PYTHON) test/checks/first_cause.py $(tool) $(MODELS)
check-pasted: $(tool) $(OUT)/test/cli/make_model ## every line that a report has to be pasted does what it says, from another folder
	$(PYTHON) test/checks/pasted_runs.py $(tool) $(OUT)/test/cli/make_model fixtures
check-pasted-all: $(tool) $(OUT)/test/cli/make_model ## the same of all models of MODELS
	$(PYTHON) test/checks/pasted_runs.py $(tool) $(OUT)/test/cli/make_model $(MODELS)
check-hooks: $(VENV)/hooks ## the same from a clean clone, which they build (needs PyPI; 5 minutes)
	$(VENV)/bin/python test/checks/hooks.py full
check-proto: $(OUT)/test/checks/describe_proto $(VENV)/ready ## onnx.proto and the scan's table against the official schema
	$(VENV)/bin/python test/checks/check_proto.py $<
$(OUT)/test/checks/describe_proto: $(OUT)/test/checks/describe_proto.o $(static_library)
	$(CC) $(ALL_LDFLAGS) $^ $(LIBS) -o $@
$(OUT)/test/checks/rewrite_model: $(OUT)/test/checks/rewrite_model.o $(test_support) $(static_library)
	$(CC) $(ALL_LDFLAGS) $^ $(LIBS) -o $@
check-roundtrip: $(OUT)/test/checks/rewrite_model $(BUILD)/case-models/ready $(VENV)/ready ## models written again mean the same to protobuf
	$(VENV)/bin/python test/checks/roundtrip.py $< fixtures $(BUILD)/case-models
$(OUT)/test/checks/print_elements: $(OUT)/test/checks/print_elements.o $(static_library)
	$(CC) $(ALL_LDFLAGS) $^ $(LIBS) -o $@
$(OUT)/test/checks/print_sizes: $(OUT)/test/checks/print_sizes.o $(static_library)
	$(CC) $(ALL_LDFLAGS) $^ $(LIBS) -o $@
$(OUT)/test/checks/equivalent_nodes: $(OUT)/test/checks/equivalent_nodes.o $(test_support) $(static_library)
	$(CC) $(ALL_LDFLAGS) $^ $(LIBS) -o $@
$(OUT)/test/checks/failing_models: $(OUT)/test/checks/failing_models.o $(test_support) $(static_library)
	$(CC) $(ALL_LDFLAGS) $^ $(LIBS) -o $@
# The debug build asserts that a verdict that a node shares with another is the one that its own rules give it.
GRAPHS ?= 500
# One of so many models next to each text case.
NEIGHBOURS ?= 40
judge-all: $(tool) $(case_runner) $(OUT)/test/checks/equivalent_nodes $(BUILD)/case-models/ready
	$(case_runner) $(sort $(wildcard test/cases/*.cases))
	$(case_runner) --neighbours $(NEIGHBOURS) $(sort $(wildcard test/cases/*.cases))
	$(tool) fixtures/*.onnx --target all --format json > $(OUT)/fixtures.json
	$(tool) $(BUILD)/case-models/*.onnx --target all --format json > $(OUT)/cases.json
	$(OUT)/test/checks/equivalent_nodes $(GRAPHS) $(SEED) test/checks/every_question.ops
check-equivalent: $(BUILD)/case-models/ready ## nodes that share a verdict, judged each for itself (GRAPHS random ones, SEED)
	$(MAKE) VARIANT=debug judge-all
# There each request of an arena is an allocation.
allocation_tests := test_allocation_failure test_allocation_failure_files $(filter-out test_rewrite_language, \
	$(patsubst test/unit/%.c,%,$(wildcard test/unit/test_rewrite_*.c)))
check-memory: $(BUILD)/case-models/ready ## every allocation of the public calls fails once
	@$(MAKE) VARIANT=debug $(allocation_tests:%=$(BUILD)/debug/test/unit/%) $(BUILD)/debug/test/checks/failing_models
	@for test in $(allocation_tests); do $(BUILD)/debug/test/unit/$$test || exit 1; done
	$(BUILD)/debug/test/checks/failing_models fixtures/*.onnx $(BUILD)/case-models/*.onnx
snapshot = $(PYTHON) test/checks/snapshot.py $(tool) fixtures $(BUILD)/case-models test/snapshot
check-snapshot: $(tool) $(BUILD)/case-models/ready ## no answer of any target on fixtures and text cases changes unseen
	$(snapshot)
accept-snapshot: $(tool) $(BUILD)/case-models/ready ## write down today's answers; then read the diff
	$(snapshot) --accept
diff_pairs = $(VENV)/bin/python test/checks/diff_pairs.py $(tool) fixtures
check-diff: $(tool) $(VENV)/ready ## what diff says of pairs of models whose difference is known (MODELS=folder: of a corpus, too)
	$(diff_pairs)
check-diff-quick: $(tool) $(VENV)/ready
	$(diff_pairs) --quick
check-queries: $(tool) ## the queries of docs/results.md print what it shows, on the fixtures
	$(PYTHON) test/checks/queries.py $(tool) $(BUILD)/queries docs/results.md
check-queries-parquet: $(tool) $(shared_library) $(VENV)-queries/ready ## those of DuckDB and pyarrow, too (needs PyPI)
	$(VENV)-queries/bin/python test/checks/queries.py $(tool) $(BUILD)/queries docs/results.md
$(VENV)-queries/ready:
	$(PYTHON) -m venv $(VENV)-queries
	$(VENV)-queries/bin/pip install --quiet duckdb pyarrow
	touch $@
check-values: $(GENERATED)/include/operator_rows.def ## docs/inside/architecture.md lists the operators without a value, no more and no less
	$(PYTHON) test/checks/values.py $< docs/inside/architecture.md $(wildcard test/cases/infer-*.cases)
check-precision: $(tool) $(BUILD)/case-models/ready ## what lists say of precisions, against what they take of the text cases
	$(PYTHON) test/checks/precision.py $(tool) $(BUILD)/case-models $(basename $(notdir $(oplists)))
check-json: $(tool) $(BUILD)/case-models/ready ## docs/json.md against what the tool prints; targets do not depend on each other
	$(PYTHON) test/checks/json_fields.py $(tool) fixtures docs/json.md $(BUILD)/case-models/compiled-*.onnx
	$(PYTHON) test/checks/independent.py $(tool) fixtures/*.onnx
check-limits: $(tool) ## limits by name, and those of the command line at their edges
	$(PYTHON) test/checks/limits.py $(tool)
check-contents: ## what fidelity calls equal contents of partitions
	$(PYTHON) test/checks/contents.py
check-interrupts: $(tool) ## what is left of files when the tool is ended while it writes them
	$(PYTHON) test/checks/interrupts.py $(tool) fixtures
cpu_clock = $(OUT)/test/checks/cpu_clock.so
$(cpu_clock): test/checks/cpu_clock.c
	@mkdir -p $(@D)
	$(CC) -O2 $(WARNINGS) -fPIC -shared $< -o $@
check-timeout: $(tool) $(cpu_clock) ## what goes on past --timeout, of the worst models and op lists
	$(PYTHON) test/checks/timeout.py $(tool) $(cpu_clock)
check-timeout-all: $(tool) $(cpu_clock) ## the same of all shapes that grow, by all commands; takes an hour
	$(PYTHON) test/checks/timeout.py $(tool) $(cpu_clock) --shapes 4
check-opens: $(tool) $(OUT)/test/cli/make_model ## the files that the tool opens, and that it starts and connects to nothing
	sh test/checks/opens.sh $(tool) $(OUT)/test/cli/make_model fixtures/mobilenetv2.dynamo.onnx
check-same-advice: $(tool) $(shared_library) $(VENV)/ready ## one advice for a path, a pipe, memory in Python and a scan
	PYTHONPATH=$(CURDIR)/python/src NPU_PARTITION_LIBRARY=$(abspath $(shared_library)) $(VENV)/bin/python -B \
		test/checks/same_advice.py $(tool) fixtures
check-scan: $(tool) $(BUILD)/case-models/ready ## scan: threads, order, kills and resumption, limits, memory
	$(PYTHON) test/checks/scan.py $(tool) fixtures $(BUILD)/case-models
	rm -f $(BUILD)/lines.jsonl
	$(PYTHON) test/checks/examples.py docs/scan.md

check-formats: $(tool) $(VENV)-formats/ready ## SARIF, annotations, Markdown, JUnit, CSV and pictures, read by the programs that they are for
	$(VENV)-formats/bin/python test/checks/formats.py $(tool) fixtures
	$(PYTHON) test/checks/examples.py docs/formats.md
$(VENV)-formats/ready:
	$(PYTHON) -m venv $(VENV)-formats
	$(VENV)-formats/bin/pip install --quiet attrs jsonpath-ng PyYAML junitparser markdown-it-py linkify-it-py
	$(VENV)-formats/bin/pip install --quiet --no-deps sarif-om sarif-tools # whose charts need much
	touch $@
# What was clean stays so until it changes.
define CHECK_SOURCE
$(BUILD)/checked-$(1)/%: % | $(generated_headers)
	@mkdir -p $$(@D)
	@$(1) -fsyntax-only $$(ALL_CPPFLAGS) -Itest -std=c11 -O2 $$(WARNINGS) -Werror -MMD -MP -MF $$@.d -MT $$@ $$<
	@touch $$@
endef
$(foreach compiler,gcc clang,$(eval $(call CHECK_SOURCE,$(compiler))))
checked_sources := $(foreach compiler,gcc clang,$(addprefix $(BUILD)/checked-$(compiler)/,$(sources) $(tool_sources) $(test_sources)))
check-compilers: $(checked_sources) ## gcc and clang have nothing to warn of
# What `make check` needs, by all processors; the checks themselves run one after the other. Under a -j of the user's
# there is nothing to do, as make itself builds that beside them.
in_parallel = $(if $(filter -j%,$(MAKEFLAGS)),true,$(MAKE) -j$(processors))
check-built:
	+@$(in_parallel) built $(checked_sources)
	+@$(in_parallel) VARIANT=debug built-debug
built: all $(unit_tests) $(case_runner) $(fuzz_targets:%=$(OUT)/test/fuzz/replay-%) $(BUILD)/case-models/ready \
	$(addprefix $(OUT)/test/,cli/make_model fuzz/make_mutants checks/toml_values checks/describe_proto checks/rewrite_model)
built-debug: $(tool) $(case_runner) $(allocation_tests:%=$(OUT)/test/unit/%) \
	$(addprefix $(OUT)/test/checks/,equivalent_nodes failing_models)
.PHONY: check-built built built-debug
check: check-built check-unit check-cases check-cli check-snapshot check-rules check-precision check-equivalent check-memory check-promises check-fuzz-corpus check-readme check-headers check-records check-symbols check-structure check-links check-compilers check-json check-formats check-diff-quick check-queries check-values check-toml check-same-advice check-scan check-limits check-contents check-opens check-interrupts check-timeout check-hooks-quick check-merge-gate check-hostile-gate check-baseline check-first-cause check-pasted check-proto check-roundtrip check-page check-python check-tutorial check-benchmark ## all tests
asan: ## the unit, text and golden cases under address and undefined-behaviour sanitizers
	$(MAKE) VARIANT=asan check-unit check-cases check-cli check-fuzz-corpus


# The models of the text cases, from which mutants are made. Another variant, which runs beside the checks that read
# them, takes them as they are.
$(BUILD)/case-models/ready: $(if $(filter default,$(VARIANT)),$(case_runner)) $(wildcard test/cases/*.cases) | $(case_runner)
	@rm -rf $(@D) && mkdir -p $(@D)
	$(case_runner) --write $(@D) $(sort $(wildcard test/cases/*.cases))
	@touch $@

check-rules: $(tool) ## every rule of a list has a case that it refuses, every op one that is taken
	@for list in $(basename $(notdir $(oplists))); do \
		$(PYTHON) test/checks/rule_cases.py $(tool) $$list $$(grep -l "^target $$list\b" test/cases/*.cases) || exit 1; done

evidence_pages = $(PYTHON) test/checks/evidence.py $(sort $(wildcard test/cases/evidence-*.cases))
evidence-pages: ## docs/evidence/asked from the cases that are reports
	$(evidence_pages) docs/evidence/asked
.PHONY: evidence-pages

check-cases: $(case_runner) ## text cases (test/cases/README.md)
	$(EMULATOR) $(case_runner) $(sort $(wildcard test/cases/*.cases))

.PHONY: check-operators check-unit check-cli check-readme accept check-headers check-records records check-symbols check-structure check-links check-toml \
	check-hooks-quick check-hooks check-merge-gate check-hostile-gate check-baseline check-first-cause check-first-cause-all check-proto check-roundtrip judge-all check-equivalent check-memory check-snapshot \
	accept-snapshot check-diff check-diff-quick check-queries check-queries-parquet check-values check-precision \
	check-json check-limits check-contents check-opens check-interrupts check-timeout check-timeout-all check-same-advice check-scan check-formats check-compilers check asan check-rules \
	check-cases
