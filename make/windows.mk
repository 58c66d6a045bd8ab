# SPDX-License-Identifier: Apache-2.0
#: Windows
# The build for Windows by mingw-w64. The DLL exports what the header declares, by a list, so
# that its objects are those of the static library.

WINDOWS_CC ?= x86_64-w64-mingw32-gcc
WINDOWS_AR ?= x86_64-w64-mingw32-ar
windows := $(BUILD)/windows
windows_dependencies := $(windows)/dependencies
windows_objects := $(sources:%.c=$(windows)/%.o) $(addprefix $(windows)/,$(generated:=.o))
windows_library := $(windows)/libnpu_partition_static.a
windows_tool := $(windows)/npu-partition.exe
windows_dll := $(windows)/npu_partition.dll
# C99's printf in place of Microsoft's, which rounds and writes exponents in its own way.
WINDOWS_CPPFLAGS = -D__USE_MINGW_ANSI_STDIO=1 -DNPART_STATIC $(INCLUDES) -I$(GENERATED)/include -isystem $(GENERATED) \
	-isystem $(windows_dependencies)/include
# Formats are checked where printf is C99's; its isnan warns of itself.
WINDOWS_CFLAGS = -std=c11 -O2 -MMD -MP $(WARNINGS) -Wno-format -Wno-float-conversion
WINDOWS_LIBS = -L$(windows_dependencies)/lib -lprotobuf-c -lpthread -lm

windows: $(windows_tool) $(windows_dll) ## the tool, a DLL and their import library for 64-bit Windows, in build/windows

$(windows_dependencies)/ready: tools/dependencies.sh
	sh $< $(windows_dependencies) $(WINDOWS_CC) $(WINDOWS_AR) gcc-mingw-w64-x86-64 -D__USE_MINGW_ANSI_STDIO=1 -ffile-prefix-map=$(CURDIR)=.
	@touch $@
$(windows)/onnx.pb-c.o: $(GENERATED)/onnx.pb-c.c | $(windows_dependencies)/ready
	$(WINDOWS_CC) $(WINDOWS_CPPFLAGS) $(filter-out $(WARNINGS),$(WINDOWS_CFLAGS)) -c $< -o $@
$(windows)/builtin_%.o: $(GENERATED)/builtin_%.c | $(windows_dependencies)/ready
	$(WINDOWS_CC) $(WINDOWS_CPPFLAGS) $(WINDOWS_CFLAGS) -c $< -o $@
$(windows)/%.o: %.c | $(generated_headers) $(windows_dependencies)/ready
	@mkdir -p $(@D)
	$(WINDOWS_CC) $(WINDOWS_CPPFLAGS) $(WINDOWS_CFLAGS) -c $< -o $@

$(windows_library): $(windows_objects)
	rm -f $@ && $(WINDOWS_AR) rcs $@ $^
$(windows_tool): $(tool_sources:%.c=$(windows)/%.o) $(windows_library)
	$(WINDOWS_CC) -municode -static -s $^ $(WINDOWS_LIBS) -o $@
$(windows)/npu_partition.def: $(headers)
	@mkdir -p $(@D)
	sh tools/windows/exports.sh $^ > $@.new && mv $@.new $@
$(windows_dll): $(windows)/npu_partition.def $(windows_objects)
	$(WINDOWS_CC) -shared -static -s $^ $(WINDOWS_LIBS) -Wl,--out-implib,$(windows)/libnpu_partition.dll.a -o $@

# ---- tests, under wine -----------------------------------------------------------------------------------------

# Not built: what is about pipes, processes and folders, other files than regular ones, links, or the C library's files
# in memory.
windows_left_out := test_wire_sources test_wire_output test_wire_save test_split test_api_messages test_profile test_runs \
	test_checklist test_database test_glob test_allocation_failure_files
windows_unit_tests := $(patsubst test/unit/%.c,$(windows)/test/unit/%.exe,\
	$(filter-out $(windows_left_out:%=test/unit/%.c),$(wildcard test/unit/test_*.c)))
windows_case_runner := $(windows)/test/cases/run_cases.exe
windows_support := $(patsubst %.c,$(windows)/%.o,$(wildcard test/support/*.c))

$(windows)/test/%.o: WINDOWS_CPPFLAGS += -Itest
$(windows)/test/%.o: WARNINGS := # they are for this machine's build
# The tool's own readers, which some test.
$(windows)/libtool.a: $(patsubst %.c,$(windows)/%.o,$(filter-out tools/npu-partition.c,$(tool_sources)))
	rm -f $@ && $(WINDOWS_AR) rcs $@ $^
$(windows)/test/unit/%.exe: $(windows)/test/unit/%.o $(windows_support) $(windows)/libtool.a $(windows_library)
	$(WINDOWS_CC) -static -s $^ $(WINDOWS_LIBS) -o $@
$(windows_case_runner): $(windows)/test/cases/run_cases.o $(windows_support) $(windows_library)
	$(WINDOWS_CC) -static -s $^ $(WINDOWS_LIBS) -o $@
$(windows)/test/checks/load_dll.exe: $(windows)/test/checks/load_dll.o
	$(WINDOWS_CC) -static -s $^ -o $@
check-windows: windows $(windows_case_runner) $(windows_unit_tests) $(windows)/test/checks/load_dll.exe $(tool) $(OUT)/test/cli/make_model ## the build for Windows under wine, against this machine's (wine; minutes)
	sh test/checks/windows.sh $(windows) $(tool)
	sh test/checks/windows_wheel.sh $(PYTHON) $(windows)
windows-wheel: windows ## the Python wheel for 64-bit Windows, in build/windows/wheels
	sh test/checks/windows_wheel.sh $(PYTHON) $(windows)

.PHONY: windows windows-wheel check-windows
