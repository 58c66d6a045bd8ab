# SPDX-License-Identifier: Apache-2.0
# npu-partition: `make help` lists the targets. CC, CFLAGS, CPPFLAGS, LDFLAGS, PREFIX, DESTDIR and NO_SQLITE are yours.

PREFIX ?= /usr/local
PROTOC_C ?= protoc-c
PYTHON ?= python3
CFLAGS ?= -O2 -g

# A variant is a set of flags with objects of its own: default, debug (asserts what must hold), and those of FLAGS_ below.
VARIANT ?= default
BUILD := build
OUT := $(if $(filter default,$(VARIANT)),$(BUILD),$(BUILD)/$(VARIANT))
GENERATED := $(BUILD)/generated
VENV := $(BUILD)/venv
SANITIZE := -fsanitize=address,undefined -fno-sanitize-recover=undefined -fno-omit-frame-pointer
# The debug build fills what nobody has initialized, where the compiler can, so that it is seen when it is read.
takes = $(shell echo 'int x;' | $(CC) $(1) -x c -c -o /dev/null - 2>/dev/null && echo $(1))
FLAGS_debug = -DNPART_DEBUG $(call takes,-ftrivial-auto-var-init=pattern)
FLAGS_asan := $(SANITIZE) -O1
FLAGS_tsan := -fsanitize=thread -O1
FLAGS_msan := -fsanitize=memory -fsanitize-memory-track-origins -fno-omit-frame-pointer -O1
FLAGS_fuzz := $(SANITIZE) -O1 -fsanitize=fuzzer-no-link
FLAGS_afl := $(SANITIZE) -O1
FLAGS_coverage := --coverage -fprofile-update=atomic -O0
VARIANT_FLAGS := $(FLAGS_$(VARIANT))

header := include/npu_partition.h
number = $(shell sed -n 's/^\#define NPART_VERSION_$(1) //p' $(header))
MAJOR := $(call number,MAJOR)
VERSION := $(MAJOR).$(call number,MINOR).$(call number,PATCH)

WARNINGS := -Wall -Wextra -Wshadow -Wconversion -Wvla -Wstrict-prototypes -Wmissing-prototypes -Wwrite-strings \
	-Wcast-qual -Wundef $(if $(WERROR),-Werror)
# Of the tool alone; NO_SQLITE=1 builds one that writes no databases.
SQLITE_CPPFLAGS := $(if $(NO_SQLITE),,-DTOOL_HAS_SQLITE)
ALL_CPPFLAGS = -Iinclude -Ilib -isystem $(GENERATED) $(SQLITE_CPPFLAGS) $(CPPFLAGS)
# The old floating-point unit of 32-bit x86 computes with more bits than double has: its answers would be others.
MACHINE_FLAGS := $(if $(filter 1,$(shell echo __i386__ | $(CC) -E -P -x c -)),-msse2 -mfpmath=sse)
# What is built does not depend on the folder that it is built in.
ALL_CFLAGS = -std=c11 -fPIC -fvisibility=hidden -ffile-prefix-map=$(CURDIR)=. -MMD -MP $(WARNINGS) $(MACHINE_FLAGS) $(CFLAGS) $(VARIANT_FLAGS)
ALL_LDFLAGS = $(LDFLAGS) $(VARIANT_FLAGS)
LIBS := -lprotobuf-c -lm
TOOL_LIBS := -ljansson $(if $(NO_SQLITE),,-lsqlite3)

sources := $(wildcard lib/*/*.c)
generated := onnx.pb-c builtin_oplists builtin_page
objects := $(sources:%.c=$(OUT)/%.o) $(addprefix $(OUT)/,$(generated:=.o))
tool_sources := $(wildcard tools/*.c)
test_sources := $(wildcard test/unit/*.c test/cases/*.c test/support/*.c test/cli/*.c)
tool_objects := $(tool_sources:%.c=$(OUT)/%.o)
static_library := $(OUT)/libnpu_partition.a
shared_name := libnpu_partition.so
shared_library := $(OUT)/$(shared_name).$(VERSION)
tool := $(OUT)/npu-partition

all: $(tool) $(static_library) $(shared_library) ## the library, static and shared, and the tool

$(GENERATED)/onnx.pb-c.c $(GENERATED)/onnx.pb-c.h &: lib/onnx/onnx.proto
	@mkdir -p $(GENERATED)
	$(PROTOC_C) --proto_path=lib/onnx --c_out=$(GENERATED) $<

# The op lists, cost files and rewrites, each as an array of bytes, so that the library works without an install.
oplists := $(sort $(wildcard oplists/*.ops))
costs := $(sort $(wildcard oplists/*.cost))
rewrites := $(sort $(wildcard oplists/*.rewrites))
$(GENERATED)/builtin_oplists.c: $(oplists) $(costs) $(rewrites) tools/generate/embed.sh
	@mkdir -p $(GENERATED)
	sh tools/generate/embed.sh $(oplists) $(costs) $(rewrites) > $@.new && mv $@.new $@

# What C code knows of the rewrites: their ids, the functions that they name, and what the advice says of them.
$(GENERATED)/rewrites.h: oplists/standard.rewrites lib/advice/actions.def tools/generate/rewrites.awk
	@mkdir -p $(GENERATED)
	awk -f tools/generate/rewrites.awk lib/advice/actions.def oplists/standard.rewrites > $@.new && mv $@.new $@

# The page of --format html, likewise.
$(GENERATED)/builtin_page.c: web/bundle.sh tools/generate/embed_page.sh $(wildcard web/page/*)
	@mkdir -p $(GENERATED)
	sh tools/generate/embed_page.sh web/bundle.sh > $@.new && mv $@.new $@

$(GENERATED)/npu_partition.map: $(header) packaging/version-script.sh
	@mkdir -p $(GENERATED)
	sh packaging/version-script.sh $(header) > $@.new && mv $@.new $@

$(OUT)/onnx.pb-c.o: $(GENERATED)/onnx.pb-c.c
	@mkdir -p $(@D)
	$(CC) $(ALL_CPPFLAGS) $(filter-out $(WARNINGS),$(ALL_CFLAGS)) -c $< -o $@
$(OUT)/builtin_%.o: $(GENERATED)/builtin_%.c
	@mkdir -p $(@D)
	$(CC) $(ALL_CPPFLAGS) $(ALL_CFLAGS) -c $< -o $@
$(OUT)/%.o: %.c | $(GENERATED)/onnx.pb-c.h $(GENERATED)/rewrites.h
	@mkdir -p $(@D)
	$(CC) $(ALL_CPPFLAGS) $(ALL_CFLAGS) -c $< -o $@

$(static_library): $(objects)
	rm -f $@ && $(AR) rcsD $@ $^
$(shared_library): $(objects) $(GENERATED)/npu_partition.map
	$(CC) -shared -Wl,-soname,$(shared_name).$(MAJOR) -Wl,--version-script=$(GENERATED)/npu_partition.map \
		-Wl,--no-undefined $(ALL_LDFLAGS) $(objects) $(LIBS) -o $@
	ln -sf $(@F) $(OUT)/$(shared_name).$(MAJOR) && ln -sf $(@F) $(OUT)/$(shared_name)
$(tool): $(tool_objects) $(static_library)
	$(CC) $(ALL_LDFLAGS) $^ $(LIBS) $(TOOL_LIBS) -pthread -o $@

demo_command = $(tool) fixtures/distilbert-base.ts14.dyn.onnx --target hexagon
demo: $(tool) ## the main job on a model of fixtures/
	$(demo_command)

include packaging/install.mk

include tools/windows/build.mk

include web/wasm/build.mk

# ---- tests ----------------------------------------------------------------------------------------------------

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
profile_objects := $(patsubst %,$(OUT)/tools/%.o,json_memory profile profile_json profile_log)
$(OUT)/test/unit/test_profile: $(profile_objects)
$(OUT)/test/unit/test_runs: $(patsubst %,$(OUT)/tools/%.o,json_memory runs)
toml_objects := $(patsubst %,$(OUT)/tools/%.o,toml toml_value)
$(OUT)/test/unit/test_toml: $(toml_objects)
$(OUT)/test/unit/test_glob: $(patsubst %,$(OUT)/tools/%.o,glob glob_files platform_posix)
$(OUT)/test/unit/test_zoo: $(patsubst %,$(OUT)/tools/%.o,columns interner json_memory zoo zoo_write)
$(OUT)/test/unit/test_database: $(patsubst %,$(OUT)/tools/%.o,database json_memory message)
$(OUT)/test/unit/test_side: $(patsubst %,$(OUT)/tools/%.o,json_memory side baseline platform_posix)
$(OUT)/test/unit/test_scan_window: $(patsubst %,$(OUT)/tools/%.o,scan_window platform_threads)
$(OUT)/test/unit/test_scan_window: LIBS += -pthread
$(OUT)/test/unit/test_profile $(OUT)/test/unit/test_runs $(OUT)/test/unit/test_side $(OUT)/test/unit/test_zoo $(OUT)/test/unit/test_database: LIBS += $(TOOL_LIBS)

check-unit: $(unit_tests) ## unit tests, one program a file
	@for test in $(unit_tests); do echo "  $$test"; $(EMULATOR) $$test || exit 1; done
$(OUT)/test/cli/make_model: $(OUT)/test/cli/make_model.o $(test_support) $(static_library)
	$(CC) $(ALL_LDFLAGS) $^ $(LIBS) -o $@
check-cli: $(tool) $(OUT)/test/cli/make_model ## golden cases of the tool
	sh test/cli/run.sh $(tool)
check-readme: $(tool) $(OUT)/test/cli/make_model ## README.md, docs/targets.md and docs/picture-*.svg show what the tool prints
	sh test/checks/readme.sh README.md "$(demo_command)"
	@$(targets_page)
	diff docs/targets.md $(BUILD)/targets.md || { echo "docs/targets.md is out of date (make targets-page)" >&2; exit 1; }
	@rm -rf $(BUILD)/pictures && mkdir $(BUILD)/pictures
	@$(call draw_pictures,$(BUILD)/pictures/)
	@for picture in docs/picture-*.svg; do cmp $$picture $(BUILD)/pictures/$${picture#docs/picture-} || \
		{ echo "$$picture is out of date (make accept), or not in the list of pictures" >&2; exit 1; } done
# PICTURE=MODEL
pictures := detector=detector.dynamo if=early-exit-cnn.ts14.if
draw_pictures = for picture in $(pictures); do \
	$(tool) fixtures/$${picture\#*=}.onnx -t hexagon --format svg -o $(1)$${picture%%=*}.svg || exit 1; done
targets_page = $(PYTHON) tools/generate/targets.py $(tool) $(OUT)/test/cli/make_model > $(BUILD)/targets.md
accept: $(tool) $(OUT)/test/cli/make_model ## rewrite the golden cases from what the tool prints now; then read the diff
	sh test/cli/run.sh $(tool) --accept
	sh test/checks/readme.sh README.md "$(demo_command)" --accept
	$(PYTHON) test/checks/examples.py docs/formats.md --accept
	@$(call draw_pictures,docs/picture-)
	$(targets_page) && mv $(BUILD)/targets.md docs/targets.md
check-headers: $(GENERATED)/onnx.pb-c.h $(GENERATED)/rewrites.h ## every header compiles alone; the public one as C99 and C++ too
	@for header in include/*.h $$(find lib -name '*.h'); do \
		echo "#include \"$$header\"" | $(CC) -std=c11 -fsyntax-only $(WARNINGS) -I. $(ALL_CPPFLAGS) -x c - || exit 1; done
	echo '#include "npu_partition.h"' | $(CC) -std=c99 -pedantic-errors -Wall -Wextra -Iinclude -fsyntax-only -x c -
	echo '#include "npu_partition.h"' | $(CXX) -std=c++11 -pedantic-errors -Wall -Wextra -Iinclude -fsyntax-only -x c++ -
check-symbols: $(shared_library) ## the shared library exports what the header declares, and both are what was promised
	sh test/checks/symbols.sh $(header) $(shared_library) test/checks/symbols.txt "$(CC)"
check-structure: ## stages include only earlier stages; functions and files keep to their lengths
	sh test/checks/structure.sh
$(OUT)/test/checks/toml_values: $(OUT)/test/checks/toml_values.o $(toml_objects)
	$(CC) $(ALL_LDFLAGS) $^ -o $@
check-toml: $(OUT)/test/checks/toml_values ## the tool's TOML reader against Python's, on random documents
	$(PYTHON) test/checks/toml.py $<
$(VENV)/hooks: $(VENV)/ready
	$(VENV)/bin/pip install --quiet pre-commit pyyaml check-jsonschema
	touch $@
check-hooks-quick: $(tool) $(VENV)/hooks ## hooks of pre-commit, GitHub and GitLab, with the tool that is built
	$(VENV)/bin/python test/checks/hooks.py quick $(tool)
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
snapshot = $(PYTHON) test/checks/snapshot.py $(tool) fixtures $(BUILD)/case-models test/snapshot.txt
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
check-values: ## docs/architecture.md lists the operators without a value, no more and no less
	$(PYTHON) test/checks/values.py lib/infer/rows.def docs/architecture.md $(wildcard test/cases/infer-*.cases)
check-precision: $(tool) $(BUILD)/case-models/ready ## what lists say of precisions, against what they take of the text cases
	$(PYTHON) test/checks/precision.py $(tool) $(BUILD)/case-models $(basename $(notdir $(oplists)))
check-json: $(tool) ## docs/json.md against what the tool prints; targets do not depend on each other
	$(PYTHON) test/checks/json_fields.py $(tool) fixtures docs/json.md
	$(PYTHON) test/checks/independent.py $(tool) fixtures/*.onnx
check-limits: $(tool) ## docs/security.md against --list-limits; the limits of the command line at their edges
	$(PYTHON) test/checks/limits.py $(tool) docs/security.md
check-contents: ## what fidelity calls equal contents of partitions
	$(PYTHON) test/checks/contents.py
check-opens: $(tool) $(OUT)/test/cli/make_model ## the files that the tool opens, and that it starts and connects to nothing
	sh test/checks/opens.sh $(tool) $(OUT)/test/cli/make_model fixtures/mobilenetv2.dynamo.onnx
check-scan: $(tool) $(BUILD)/case-models/ready ## scan: threads, order, kills and resumption, limits, memory
	$(PYTHON) test/checks/scan.py $(tool) fixtures $(BUILD)/case-models
	rm -f $(BUILD)/lines.jsonl
	$(PYTHON) test/checks/examples.py docs/scan.md
include python/python.mk python/exporters.mk python/spark.mk test/web/page.mk test/web/web.mk

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
$(BUILD)/checked-$(1)/%: % | $(GENERATED)/onnx.pb-c.h $(GENERATED)/rewrites.h
	@mkdir -p $$(@D)
	@$(1) -fsyntax-only $$(ALL_CPPFLAGS) -Itest -std=c11 -O2 $$(WARNINGS) -Werror -MMD -MP -MF $$@.d -MT $$@ $$<
	@touch $$@
endef
$(foreach compiler,gcc clang,$(eval $(call CHECK_SOURCE,$(compiler))))
checked_sources := $(foreach compiler,gcc clang,$(addprefix $(BUILD)/checked-$(compiler)/,$(sources) $(tool_sources) $(test_sources)))
check-compilers: $(checked_sources) ## gcc and clang have nothing to warn of
check: check-unit check-cases check-cli check-snapshot check-rules check-precision check-equivalent check-memory check-promises check-fuzz-corpus check-readme check-headers check-symbols check-structure check-compilers check-json check-formats check-diff-quick check-queries check-values check-toml check-scan check-limits check-contents check-opens check-hooks-quick check-proto check-roundtrip check-page check-python check-tutorial ## all tests
asan: ## the unit, text and golden cases under address and undefined-behaviour sanitizers
	$(MAKE) VARIANT=asan check-unit check-cases check-cli check-fuzz-corpus

fuzz_targets := $(patsubst test/fuzz/%.c,%,$(wildcard test/fuzz/fuzz_*.c))
fuzz_support := $(patsubst %,$(OUT)/test/fuzz/%.o,file folder formats generate mutate request subject sweep) $(test_support)
$(OUT)/test/fuzz/replay-%: $(OUT)/test/fuzz/%.o $(OUT)/test/fuzz/replay.o $(fuzz_support) $(static_library)
	$(CC) $(ALL_LDFLAGS) $^ $(LIBS) -o $@
$(OUT)/test/fuzz/run-%: $(OUT)/test/fuzz/%.o $(fuzz_support) $(static_library)
	$(CC) $(ALL_LDFLAGS) -fsanitize=fuzzer $^ $(LIBS) -o $@
$(OUT)/test/fuzz/replay-fuzz_profile $(OUT)/test/fuzz/run-fuzz_profile: $(profile_objects)
# But for what prints, which the fuzzer has in its own way.
reader_objects = $(filter-out $(OUT)/tools/npu-partition.o $(OUT)/tools/message.o,$(tool_objects))
$(OUT)/test/fuzz/replay-fuzz_saved $(OUT)/test/fuzz/run-fuzz_saved: $(reader_objects)
$(OUT)/test/fuzz/replay-fuzz_saved $(OUT)/test/fuzz/run-fuzz_saved: LIBS := $(static_library) $(LIBS) -pthread
$(foreach target,profile saved,$(OUT)/test/fuzz/replay-fuzz_$(target) $(OUT)/test/fuzz/run-fuzz_$(target)): LIBS += $(TOOL_LIBS)
$(OUT)/test/fuzz/replay-fuzz_toml $(OUT)/test/fuzz/run-fuzz_toml: $(toml_objects)
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

include test/analysis.mk test/coverage.mk test/cross.mk

# The models of the text cases, from which mutants are made. Another variant, which runs beside the checks that read
# them, takes them as they are.
$(BUILD)/case-models/ready: $(if $(filter default,$(VARIANT)),$(case_runner)) $(wildcard test/cases/*.cases) | $(case_runner)
	@rm -rf $(@D) && mkdir -p $(@D)
	$(case_runner) --write $(@D) $(sort $(wildcard test/cases/*.cases))
	@touch $@
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
	$(VENV)/bin/python test/fidelity/fix_patterns.py $(BUILD)/fix-patterns
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
	$(VENV)/bin/python test/fidelity/fix_patterns.py $(BUILD)/fix-patterns
	$(VENV)/bin/python test/fidelity/fix_mutants.py --tool $(tool) --sanitized $(BUILD)/asan/npu-partition \
		--maker $(OUT)/test/fuzz/make_mutants --first $(FIRST_MUTANT) --count $(FIX_MUTANTS) fixtures $(BUILD)/case-models \
		$(BUILD)/fix-patterns
MUTATIONS ?= 60
check-mutations: ## MUTATIONS changes of one token of the library, each of which a check must notice (SEED)
	$(PYTHON) test/checks/mutations.py $(BUILD)/mutations --count $(MUTATIONS) --seed $(SEED)
check-rules: $(tool) ## every rule of a list has a case that it refuses, every op one that is taken
	@for list in $(basename $(notdir $(oplists))); do \
		$(PYTHON) test/checks/rule_cases.py $(tool) $$list $$(grep -l "^target $$list\b" test/cases/*.cases) || exit 1; done

check-cases: $(case_runner) ## text cases (test/cases/README.md)
	$(EMULATOR) $(case_runner) $(sort $(wildcard test/cases/*.cases))

# ---- comparisons that need PyPI packages (and, for fidelity, models or oracles of your own) --------------------

# Models and collected answers beside the checkout, where there are any. ORACLE is a script that asks the compiler.
MODELS ?= $(firstword $(wildcard ../shared/models) fixtures)
TRUTH ?= $(wildcard ../shared/truth)
ORACLE ?=
ORACLE_PYTHON ?= $(PYTHON)
TARGET ?= hexagon
SOC ?=

# The newest release that lib/runtime describes: what models it loads is compared with it.
ONNXRUNTIME ?= 1.31.1
$(VENV)/ready:
	$(PYTHON) -m venv $(VENV)
	$(VENV)/bin/pip install --quiet onnx onnxruntime==$(ONNXRUNTIME)
	touch $@
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
GROWTH_TARGETS ?= hexagon,intel-npu,all
bench-growth: $(tool) $(OUT)/test/bench/measure ## how time and memory grow from n to 2n, shape by shape (GROWTH_TARGETS)
	$(PYTHON) test/bench/growth.py --tool $(tool) --measure $(OUT)/test/bench/measure --out $(BUILD)/growth \
		--targets $(GROWTH_TARGETS)
fidelity: $(tool) $(VENV)/ready ## verdicts and partitions against real compilers (MODELS, TRUTH=folder; TARGET, SOC)
	$(VENV)/bin/python test/fidelity/fidelity.py --tool $(tool) --models $(MODELS) --target $(TARGET)$(if $(SOC),:$(SOC)) \
		$(if $(TRUTH),--truth $(TRUTH)) $(if $(ORACLE),--live --oracle $(ORACLE) --python $(ORACLE_PYTHON))
fidelity-advice: $(tool) ## every node that falls back has an action, over real models (MODELS=folder)
	$(PYTHON) test/fidelity/advice.py $(tool) $(MODELS)
fidelity-first-action: $(tool) $(VENV)/ready ## the first action carried out, the compiler asked (MODELS, ORACLE, ORACLE_PYTHON)
	@test -f "$(ORACLE)" || { echo "ORACLE=SCRIPT that asks the compiler, ORACLE_PYTHON=PYTHON that runs it" >&2; exit 2; }
	$(VENV)/bin/python test/fidelity/first_action.py --tool $(tool) --target $(TARGET) --oracle $(ORACLE) \
		--python $(ORACLE_PYTHON) --cache $(BUILD)/fidelity-first-action $(MODELS)
fidelity-intel: $(tool) $(VENV)/ready ## the same for Intel's compiler and provider, gate by gate (MODELS, TRUTH=folder)
	$(VENV)/bin/python test/fidelity/intel.py --tool $(tool) --models $(MODELS) --truth $(TRUTH)
fidelity-shapes: $(tool) $(VENV)/ready ## types and shapes against other inferences and real runs (MODELS=folder)
	$(PYTHON) test/fidelity/shapes.py --tool $(tool) $(MODELS)
	$(VENV)/bin/python test/fidelity/view.py --tool $(tool) --runtime $(VENV)/bin/python $(MODELS)
fidelity-work: $(tool) $(VENV)/ready ## multiply-accumulates and bytes against onnx-tool and a table (MODELS, TRUTH=folder)
	$(VENV)/bin/pip -q install onnx-tool
	$(VENV)/bin/python test/fidelity/work.py --tool $(tool) $(MODELS) $(if $(TRUTH),--truth $(TRUTH))
fidelity-recommendation: $(tool) ## NPU or CPU, against published pairs of latencies (MODELS, TRUTH=folder)
	$(PYTHON) test/fidelity/recommendation.py $(tool) $(MODELS) $(TRUTH)/latency.csv.gz
fidelity-valid: $(tool) $(VENV)/ready ## what ONNX Runtime refuses to load, against the tool's findings (MODELS, TRUTH=folder)
	$(VENV)/bin/python test/fidelity/valid.py --tool $(tool) $(MODELS) $(if $(TRUTH),--truth $(TRUTH))
# How many random operands each operator gets, at each version and for each element type.
DRAWS ?= 2
fidelity-values: $(OUT)/test/checks/print_elements $(VENV)/ready ## computed elements against ONNX Runtime's kernels (DRAWS, SEED)
	$(VENV)/bin/python test/fidelity/values.py --printer $< --draws $(DRAWS) --seed $(SEED)
fidelity-sizes: $(tool) $(OUT)/test/checks/print_sizes $(VENV)/ready ## models run by ONNX Runtime at the sizes proposed (MODELS=folder)
	$(VENV)/bin/python test/fidelity/sizes.py --tool $(tool) --printer $(OUT)/test/checks/print_sizes \
		--cache $(BUILD)/fidelity-sizes $(MODELS)
fidelity-memory: $(tool) $(VENV)/ready ## peak activations and weights against ONNX Runtime's arena (MODELS=folder; NAMES)
	$(VENV)/bin/python test/fidelity/memory.py --tool $(tool) --page $(BUILD)/fidelity-memory.md $(MODELS) $(NAMES)
fidelity-waves: $(tool) $(VENV)/ready ## waves against ONNX Runtime's partitioner (MODELS=folder)
	$(VENV)/bin/python test/fidelity/waves.py --tool $(tool) --models $(MODELS)
# How often k networks are drawn from each set of rows.
CALIBRATION_DRAWS ?= 2
fidelity-calibrate: $(tool) ## what calibrate brings for networks that it has not seen (MODELS, TRUTH=folder; CALIBRATION_DRAWS, SEED)
	$(PYTHON) test/fidelity/calibrate.py --tool $(tool) --models $(MODELS) --truth $(TRUTH) --draws $(CALIBRATION_DRAWS) \
		--seed $(SEED)
# What `fix` writes. Folders of what they keep; the oracle's answers stay there between runs.
FIX_FOLDER ?= $(BUILD)/fidelity-fix
FIX_CACHE ?= $(BUILD)/fidelity-fix-oracle
MINUTES ?= 100000
oracle_is_needed = @test -f "$(ORACLE)" || { echo "ORACLE=SCRIPT that asks the compiler, ORACLE_PYTHON=PYTHON that runs it" >&2; exit 2; }
fidelity-fix: $(tool) $(VENV)/ready ## each rewrite of fix on pattern models and real ones, equal in ONNX Runtime (MODELS; NAMES)
	$(VENV)/bin/python test/fidelity/fix_equality.py --tool $(tool) --folder $(FIX_FOLDER) --page $(BUILD)/fix-equality.md \
		$(if $(NAMES),--only $(NAMES)) $(MODELS)
fidelity-fix-htp: $(tool) $(VENV)/ready ## the same, run on the HTP library before and after (ORACLE_PYTHON with onnxruntime-qnn, MODELS)
	$(VENV)/bin/python test/fidelity/fix_run_htp.py --tool $(tool) --python $(ORACLE_PYTHON) --folder $(FIX_FOLDER)-htp \
		--page $(BUILD)/fix-htp.md $(MODELS)
fidelity-fix-oracle: $(tool) $(VENV)/ready ## fixed models put to the compiler (ORACLE, ORACLE_PYTHON, EP, MODELS, TRUTH; MINUTES)
	$(oracle_is_needed)
	$(VENV)/bin/python test/fidelity/fix_oracle.py --tool $(tool) --oracle $(ORACLE) --python $(ORACLE_PYTHON) --ep $(EP) \
		--cache $(FIX_CACHE) $(if $(TRUTH),--truth $(TRUTH)) --minutes $(MINUTES) --page $(BUILD)/fix-oracle-$(EP).md $(MODELS)
EP ?= qnn
# PEERS is the bin folder of an environment of its own: python3 -m venv DIR && DIR/bin/pip install onnxslim onnxsim onnx onnxruntime
PEERS ?= $(firstword $(wildcard ../tools/peers/bin))
fidelity-fix-peers: $(tool) $(VENV)/ready ## fix beside onnxslim and onnxsim on the same models (PEERS=DIR/bin, MODELS; ORACLE)
	@test -x "$(PEERS)/onnxslim" || { echo "PEERS=DIR/bin, after: python3 -m venv DIR &&" \
		"DIR/bin/pip install onnxslim onnxsim onnx onnxruntime" >&2; exit 2; }
	$(VENV)/bin/python test/fidelity/fix_peers.py --tool $(tool) --peers $(PEERS) --folder $(FIX_FOLDER)-peers \
		$(if $(ORACLE),--oracle $(ORACLE) --python $(ORACLE_PYTHON) --cache $(FIX_CACHE)) --page $(BUILD)/fix-peers.md $(MODELS)
SPLIT_TARGETS ?= hexagon,tidl
fidelity-split: $(tool) $(VENV)/ready ## parts of models run one after the other, against the whole (MODELS; SPLIT_TARGETS)
	$(VENV)/bin/python test/fidelity/split.py --tool $(tool) --folder $(BUILD)/fidelity-split --target $(SPLIT_TARGETS) \
		fixtures $(MODELS)
fidelity-mobile: $(tool) $(VENV)/ready ## +checker of nnapi and coreml-* against ONNX Runtime's usability checker (MODELS=folder)
	$(VENV)/bin/python test/fidelity/mobile.py --tool $(tool) --models $(MODELS)
fit: $(tool) $(VENV)/ready ## cost parameters of oplists/hexagon.cost from published latencies (MODELS, TRUTH=folder)
	$(VENV)/bin/python test/fidelity/cost.py fit --tool $(tool) --models $(MODELS) --truth $(TRUTH)
fidelity-cost: $(tool) $(VENV)/ready ## the cost formula against them, networks held out; writes docs/fidelity-cost.md (MODELS, TRUTH)
	$(VENV)/bin/python test/fidelity/cost.py check --tool $(tool) --models $(MODELS) --truth $(TRUTH) \
		--page docs/fidelity-cost.md
# VELA stands in an environment of its own: python3 -m venv DIR && DIR/bin/pip install ethos-u-vela onnx tflite numpy
VELA ?= $(firstword $(wildcard ../tools/vela/bin/vela))
RANDOM_CASES ?= 300
SEED ?= 1
fidelity-vela: $(tool) ## the target ethos-u against Arm's Vela (VELA=DIR/bin/vela of an environment; RANDOM_CASES, SEED)
	@test -x "$(VELA)" || { echo "VELA=DIR/bin/vela, after: python3 -m venv DIR &&" \
		"DIR/bin/pip install ethos-u-vela onnx tflite numpy" >&2; exit 2; }
	$(dir $(VELA))python test/fidelity/vela.py --tool $(tool) --vela $(VELA) --random $(RANDOM_CASES) --seed $(SEED)
FACTS ?= $(firstword $(wildcard ../shared/facts))
facts-by-lot: ## draw two facts a target, to be held against source and op list (FACTS=folder of sheets, SEED)
	@test -d "$(FACTS)" || { echo "FACTS=FOLDER, of fact sheets in Markdown" >&2; exit 2; }
	$(PYTHON) test/fidelity/facts_by_lot.py --facts $(FACTS) --seed $(SEED)

targets-page: $(tool) $(OUT)/test/cli/make_model ## docs/targets.md from the op lists
	$(targets_page) && mv $(BUILD)/targets.md docs/targets.md

includes-page: ## docs/includes.svg from the includes of lib/; needs Graphviz
	$(PYTHON) docs/includes.py docs/includes.svg

clean: ## remove everything built
	rm -rf $(BUILD)

help: ## this list
	@sed -n 's/^\([a-z-]*\):.*## \(.*\)/  \1\t\2/p' Makefile packaging/*.mk python/*.mk test/*.mk test/web/*.mk web/wasm/*.mk | expand -t 20
.SECONDARY:

.PHONY: all demo check asan fuzz fuzz-long accept check-cli check-headers check-symbols check-structure check-proto \
	check-json check-limits check-contents check-opens check-queries check-queries-parquet check-values check-diff check-diff-quick check-toml check-hooks check-hooks-quick check-compilers check-readme check-rules check-equivalent check-memory check-precision check-roundtrip check-snapshot accept-snapshot judge-all \
	check-fuzz-corpus check-mutants check-stage-mutants mutant-programs check-promises check-fix-mutants check-mutations fuzz-programs \
	check-unit check-cases bench bench-peers bench-million bench-growth bench-scan fidelity fidelity-advice fidelity-calibrate fidelity-cost fidelity-first-action fidelity-fix fidelity-fix-htp fidelity-fix-oracle fidelity-fix-peers fidelity-intel fidelity-memory fidelity-shapes fidelity-sizes fidelity-split fidelity-valid fidelity-values fidelity-waves fidelity-work fidelity-mobile fidelity-vela facts-by-lot fit targets-page includes-page clean help
.SUFFIXES:
-include $(wildcard $(BUILD)/wasm/*/*/*.d $(BUILD)/wasm/*/*.d $(BUILD)/windows/*/*/*.d $(BUILD)/windows/*/*.d $(BUILD)/checked-*/*/*.d $(BUILD)/checked-*/*/*/*.d $(OUT)/lib/*/*.d $(OUT)/tools/*.d $(OUT)/test/*/*.d)
