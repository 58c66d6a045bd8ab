# SPDX-License-Identifier: Apache-2.0
#: The library and the tool
# npu-partition: `make help` lists the targets. CC, CFLAGS, CPPFLAGS, LDFLAGS, PREFIX, DESTDIR and NO_SQLITE are yours.

PREFIX ?= /usr/local
PROTOC_C ?= protoc-c
PYTHON ?= python3

# A variant is a set of flags with objects of its own: default, which builds quickly; optimized, of what is installed,
# packed or timed; debug (asserts what must hold); and those of FLAGS_ below.
OPTIMIZED_GOALS := optimized install install-strip uninstall bench bench-%
VARIANT ?= $(if $(filter $(OPTIMIZED_GOALS),$(MAKECMDGOALS)),optimized,default)
CFLAGS ?= $(if $(filter optimized,$(VARIANT)),-O2 -g,-Og -g1)

# All processors, where the user gives no number. Several checks run one after the other, as some share files; what
# they need is built before (check-built).
processors = $(shell nproc 2>/dev/null || getconf _NPROCESSORS_ONLN)
checks := $(filter check check-%,$(MAKECMDGOALS))
ifeq ($(MAKELEVEL)$(filter check,$(checks))$(word 2,$(checks)),0)
MAKEFLAGS += $(if $(findstring j,$(shell echo "$$MAKEFLAGS")),,-j$(processors))
endif

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
FLAGS_fuzz := -DNPART_DEBUG $(SANITIZE) -O1 -fsanitize=fuzzer-no-link
FLAGS_afl := -DNPART_DEBUG $(SANITIZE) -O1
FLAGS_coverage := --coverage -fprofile-update=atomic -O0
VARIANT_FLAGS := $(FLAGS_$(VARIANT))

# The header that programs include, and those that it includes, in their order.
header := include/npu_partition.h
headers := $(header) $(patsubst %,include/npu_partition/%.h,base model plan mend compare report runs many gate experimental)
number = $(shell sed -n 's/^\#define NPART_VERSION_$(1) //p' $(header))
MAJOR := $(call number,MAJOR)
VERSION := $(MAJOR).$(call number,MINOR).$(call number,PATCH)

WARNINGS := -Wall -Wextra -Wshadow -Wconversion -Wvla -Wstrict-prototypes -Wmissing-prototypes -Wwrite-strings \
	-Wcast-qual -Wundef $(if $(WERROR),-Werror)
# Of the tool alone; NO_SQLITE=1 builds one that writes no databases.
SQLITE_CPPFLAGS := $(if $(NO_SQLITE),,-DTOOL_HAS_SQLITE)
# The folders of lib/, each of which uses those before it alone. Who wants the analysis alone links the core.
core := base read target analysis plan runtime api
above := change compare report runs many gate
# A header is included by its stage's name, whichever folder the stage is in.
INCLUDES := -DNPART_EXPERIMENTAL -DNPART_OWN_CODE -Iinclude -Ilib -Ilib/read -Ilib/target -Ilib/analysis -Ilib/plan -Ilib/runtime -Ilib/change -Ilib/compare
ALL_CPPFLAGS = $(INCLUDES) -I$(GENERATED)/include -isystem $(GENERATED) $(SQLITE_CPPFLAGS) $(CPPFLAGS)
# The old floating-point unit of 32-bit x86 computes with more bits than double has: its answers would be others.
MACHINE_FLAGS := $(if $(filter 1,$(shell echo __i386__ | $(CC) -E -P -x c -)),-msse2 -mfpmath=sse)
# What is built does not depend on the folder that it is built in.
POSITION = -fPIC
ALL_CFLAGS = -std=c11 $(POSITION) -fvisibility=hidden -ffile-prefix-map=$(CURDIR)=. -MMD -MP $(WARNINGS) $(MACHINE_FLAGS) $(CFLAGS) $(VARIANT_FLAGS)
ALL_LDFLAGS = $(LDFLAGS) $(VARIANT_FLAGS)
LIBS := -lprotobuf-c -lm -pthread
TOOL_LIBS := $(if $(NO_SQLITE),,-lsqlite3)

sources := $(foreach folder,$(core) $(above),$(wildcard lib/$(folder)/*.c lib/$(folder)/*/*.c))
generated := onnx.pb-c builtin_oplists builtin_page
objects := $(sources:%.c=$(OUT)/%.o) $(addprefix $(OUT)/,$(generated:=.o))
tool_sources := $(wildcard tools/*.c)
test_sources := $(wildcard test/unit/*.c test/cases/*.c test/support/*.c test/cli/*.c)
tool_objects := $(tool_sources:%.c=$(OUT)/%.o)
static_library := $(OUT)/libnpu_partition.a
core_objects := $(filter $(foreach folder,$(core),$(OUT)/lib/$(folder)/%),$(objects)) $(OUT)/onnx.pb-c.o $(OUT)/builtin_oplists.o
core_library := $(OUT)/libnpu_partition_core.a
shared_name := libnpu_partition.so
shared_library := $(OUT)/$(shared_name).$(VERSION)
tool := $(OUT)/npu-partition

operator_tables := $(patsubst %,$(GENERATED)/include/operator_%.def,rows traits roles weights channels static shapes changes)
record_headers := $(patsubst %,$(GENERATED)/include/record_%.h,words fields writers csv columns reader)
generated_headers := $(GENERATED)/onnx.pb-c.h $(addprefix $(GENERATED)/include/,rewrites.h printed_files.h wire_schema.def) \
	$(record_headers) $(operator_tables)

all: $(tool) $(static_library) $(shared_library) $(core_library) ## the library, static, shared and its core alone, and the tool

$(GENERATED)/onnx.pb-c.c $(GENERATED)/onnx.pb-c.h &: lib/read/onnx/onnx.proto
	@mkdir -p $(GENERATED)
	$(PROTOC_C) --proto_path=lib/read/onnx --c_out=$(GENERATED) $<

# Files that the tool prints, each as a text of its name: files to begin with, scripts for shells, what commands do.
printed := $(addprefix tools/,new.ops new.toml completion.bash completion.zsh completion.fish) $(sort $(wildcard tools/help/*.txt))
$(GENERATED)/include/printed_files.h: $(printed) tools/generate/literal.sh
	@mkdir -p $(@D)
	for file in $(printed:tools/%=%); do printf '#define TEXT_%s \\\n' $$file | tr ./ __ && \
		sh tools/generate/literal.sh <tools/$$file | sed 's/$$/ \\/' && echo || exit 1; done > $@.new && mv $@.new $@

# The table that the scan of a file goes by.
$(GENERATED)/include/wire_schema.def: lib/read/onnx/onnx.proto tools/generate/wire_schema.awk
	@mkdir -p $(@D)
	awk -f tools/generate/wire_schema.awk $< > $@.new && mv $@.new $@

# The op lists, cost files and rewrites, each as a text, so that the library works without an install.
oplists := $(sort $(wildcard oplists/*.ops))
costs := $(sort $(wildcard oplists/*.cost))
rewrites := $(sort $(wildcard oplists/*.rewrites))
$(GENERATED)/builtin_oplists.c: $(oplists) $(costs) $(rewrites) tools/generate/embed.sh tools/generate/literal.sh
	@mkdir -p $(GENERATED)
	sh tools/generate/embed.sh $(oplists) $(costs) $(rewrites) > $@.new && mv $@.new $@

# The words of closed sets, and the tables by which JSON and CSV are written.
$(record_headers): $(GENERATED)/include/record_%.h: include/records.table tools/generate/records.awk
	@mkdir -p $(@D)
	awk -f tools/generate/records.awk -v part=$* $< > $@.new && mv $@.new $@

# What stages ask of operators: each part a table.
$(operator_tables): $(GENERATED)/include/operator_%.def: lib/target/schema/operators.table tools/generate/operators.awk
	@mkdir -p $(@D)
	awk -f tools/generate/operators.awk -v part=$* $< > $@.new && mv $@.new $@

# What C code knows of the rewrites: their ids, and the functions that they name.
$(GENERATED)/include/rewrites.h: oplists/standard.rewrites tools/generate/rewrites.awk
	@mkdir -p $(@D)
	awk -f tools/generate/rewrites.awk $< > $@.new && mv $@.new $@

# The page of --format html, likewise.
$(GENERATED)/builtin_page.c: web/bundle.sh tools/generate/embed_page.sh tools/generate/literal.sh $(wildcard web/page/*)
	@mkdir -p $(GENERATED)
	sh tools/generate/embed_page.sh web/bundle.sh > $@.new && mv $@.new $@

$(GENERATED)/npu_partition.map: $(headers) packaging/version-script.sh
	@mkdir -p $(GENERATED)
	sh packaging/version-script.sh $(headers) > $@.new && mv $@.new $@

$(OUT)/onnx.pb-c.o: $(GENERATED)/onnx.pb-c.c
	@mkdir -p $(@D)
	$(CC) $(ALL_CPPFLAGS) $(filter-out $(WARNINGS),$(ALL_CFLAGS)) -c $< -o $@
$(OUT)/builtin_%.o: $(GENERATED)/builtin_%.c
	@mkdir -p $(@D)
	$(CC) $(ALL_CPPFLAGS) $(ALL_CFLAGS) -c $< -o $@
# Loops over all numbers of a model: vector code, which rounds as it is written.
$(OUT)/lib/change/weights/kernels.o: VARIANT_FLAGS += -O3 -fno-trapping-math -ffp-contract=off
# Folders are made once, not for each object.
.SECONDEXPANSION:
.PRECIOUS: %/.
%/.:
	@mkdir -p $@
$(OUT)/%.o: %.c | $(generated_headers) $$(@D)/.
	$(CC) $(ALL_CPPFLAGS) $(ALL_CFLAGS) -c $< -o $@

$(static_library): $(objects)
$(core_library): $(core_objects)
$(static_library) $(core_library):
	rm -f $@ && $(AR) rcsD $@ $^
optimized: all ## the same with -O2, in build/optimized: what `make install` installs
core: $(core_library) ## the core alone: reading, judging, planning
link_shared = $(CC) -shared -Wl,-soname,$(shared_name).$(MAJOR) -Wl,--version-script=$(GENERATED)/npu_partition.map \
	-Wl,--no-undefined $(ALL_LDFLAGS) $(objects) $(LIBS) -o $@
$(shared_library): $(objects) $(GENERATED)/npu_partition.map
	$(link_shared)
	ln -sf $(@F) $(OUT)/$(shared_name).$(MAJOR) && ln -sf $(@F) $(OUT)/$(shared_name)
$(OUT)/$(shared_name): $(shared_library)
link_tool = $(CC) $(ALL_LDFLAGS) $^ $(LIBS) $(TOOL_LIBS) -o $@
$(tool): $(tool_objects) $(static_library)
	$(link_tool)

demo_command = $(tool) fixtures/mobilenetv2.dynamo.onnx --target hexagon
demo: $(tool) ## a report on a model of fixtures/
	$(demo_command)


# ---- what the rest shares -----------------------------------------------------------------------------------------

# Models and collected answers beside the checkout, where there are any. ORACLE is a script that asks the compiler.
MODELS ?= $(firstword $(wildcard ../shared/models) fixtures)
TRUTH ?= $(wildcard ../shared/truth)
ORACLE ?=
ORACLE_PYTHON ?= $(PYTHON)
TARGET ?= hexagon
SOC ?=

# The newest release that lib/target/release describes: what models it loads is compared with it.
ONNXRUNTIME ?= 1.31.1
$(VENV)/ready:
	$(PYTHON) -m venv $(VENV)
	$(VENV)/bin/pip install --quiet onnx onnxruntime==$(ONNXRUNTIME)
	touch $@

include make/tests.mk make/analysis.mk make/coverage.mk make/cross.mk make/fuzz.mk
include make/python.mk make/browser.mk make/install.mk make/windows.mk make/wasm.mk
include make/bench.mk make/fidelity.mk make/release.mk make/site.mk

targets-page: $(tool) $(OUT)/test/cli/make_model ## docs/targets.md from the op lists
	$(targets_page) && $(put_targets_page)

includes-page: ## docs/includes.svg from the includes of lib/; needs Graphviz
	$(PYTHON) docs/includes.py docs/includes.svg

clean: ## remove everything built
	rm -rf $(BUILD)

help: ## this list
	@awk -f tools/generate/help.awk Makefile $(sort $(wildcard make/*.mk))
.SECONDARY:

.PHONY: all optimized core demo targets-page includes-page clean help
.SUFFIXES:
-include $(wildcard $(foreach other,wasm windows,$(BUILD)/$(other)/*/*.d $(BUILD)/$(other)/*/*/*.d $(BUILD)/$(other)/*/*/*/*.d) $(BUILD)/checked-*/*/*.d $(BUILD)/checked-*/*/*/*.d $(BUILD)/checked-*/*/*/*/*.d $(OUT)/lib/*/*.d $(OUT)/lib/*/*/*.d $(OUT)/tools/*.d $(OUT)/test/*/*.d)
