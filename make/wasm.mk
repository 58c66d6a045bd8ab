# SPDX-License-Identifier: Apache-2.0
#: In the browser: WebAssembly
# The tool in WebAssembly by emscripten: docs/web.md.

EMCC ?= emcc
EMAR ?= emar
wasm := $(BUILD)/wasm
wasm_dependencies := $(wasm)/dependencies
wasm_objects := $(patsubst %.c,$(wasm)/%.o,$(sources) $(tool_sources)) $(addprefix $(wasm)/,$(generated:=.o))
WASM_CPPFLAGS = $(INCLUDES) -I$(GENERATED)/include -isystem $(GENERATED) -isystem $(wasm_dependencies)/include
WASM_CFLAGS = -std=c11 $(WASM_OPTIMIZE) -ffile-prefix-map=$(CURDIR)=. -MMD -MP $(WARNINGS)
WASM_OPTIMIZE ?= -O2

$(wasm_dependencies)/ready: tools/dependencies.sh
	sh $< $(wasm_dependencies) $(EMCC) $(EMAR) emscripten -ffile-prefix-map=$(CURDIR)=.
	@touch $@
$(wasm)/onnx.pb-c.o: $(GENERATED)/onnx.pb-c.c | $(wasm_dependencies)/ready
	$(EMCC) $(WASM_CPPFLAGS) $(filter-out $(WARNINGS),$(WASM_CFLAGS)) -c $< -o $@
$(wasm)/builtin_%.o: $(GENERATED)/builtin_%.c | $(wasm_dependencies)/ready
	$(EMCC) $(WASM_CPPFLAGS) $(WASM_CFLAGS) -c $< -o $@
$(wasm)/%.o: %.c | $(generated_headers) $(wasm_dependencies)/ready
	@mkdir -p $(@D)
	$(EMCC) $(WASM_CPPFLAGS) $(WASM_CFLAGS) -c $< -o $@

# In a worker, without eval and threads, with memory as it needs; addresses below 2 GiB are no negative numbers in
# JavaScript. Debian's optimizer of JavaScript finds its parser by NODE_PATH alone.
WASM_LINK = -sMODULARIZE -sEXPORT_NAME=createTool -sENVIRONMENT=worker -sDYNAMIC_EXECUTION=0 -sINVOKE_RUN=0 -sEXIT_RUNTIME \
	-sALLOW_MEMORY_GROWTH -sMAXIMUM_MEMORY=2GB -sTOTAL_STACK=8MB -sEXPORTED_RUNTIME_METHODS=callMain \
	-sINCOMING_MODULE_JS_API=instantiateWasm,noFSInit,preRun,print,printErr,thisProgram
wasm_scripts := web/wasm/pieces.js web/wasm/filesystem.js
$(wasm)/npu-partition.js: $(wasm_objects) $(wasm_scripts)
	NODE_PATH=/usr/share/nodejs $(EMCC) $(WASM_OPTIMIZE) $(wasm_objects) -L$(wasm_dependencies)/lib -lprotobuf-c \
		$(WASM_LINK) --pre-js web/wasm/pieces.js --js-library web/wasm/filesystem.js -o $@

# ---- the application: a static folder ----------------------------------------------------------------------------

web := $(BUILD)/web
web_app := $(wildcard web/app/*)
web_example := distilbert-base.ts14.dyn.onnx # of the first screen (web/app/app.js)
web_page := web/bundle.sh $(wildcard web/page/*)
web_files := $(addprefix $(web)/,index.html page.js page.css app.js app.css worker.js npu-partition.js npu-partition.wasm $(web_example))
web: $(web_files) ## the tool in the browser, in build/web: a folder for any static host

$(web)/page.js: $(web_page)
	@mkdir -p $(@D)
	sh web/bundle.sh script > $@.new && mv $@.new $@
$(web)/page.css: $(web_page)
	@mkdir -p $(@D)
	sh web/bundle.sh style > $@.new && mv $@.new $@
# One scope for all.
$(web)/app.js: $(web_app)
	@mkdir -p $(@D)
	{ printf '"use strict";\n(() => {\n'; sed '/^#/d; s|^|web/app/|' web/app/files | xargs cat; printf '})();\n'; } > $@.new
	mv $@.new $@
$(web)/$(web_example): fixtures/$(web_example)
	@mkdir -p $(@D)
	cp $< $@
$(web)/%: web/app/%
	@mkdir -p $(@D)
	cp $< $@
$(web)/npu-partition.js $(web)/npu-partition.wasm: $(wasm)/npu-partition.js
	@mkdir -p $(@D)
	install -m 644 $(wasm)/$(@F) $@

NODE ?= node
tsc := tsc --allowJs --checkJs --noEmit --target es2020 --lib
check-web-engine: web $(tool) ## the tool in WebAssembly, in Node: the bytes that the tool of this machine prints and writes
	sh tools/setup.sh page
	$(tsc) es2021,dom,dom.iterable web/app/tool.js
	$(tsc) es2021,webworker web/app/worker.js web/wasm/pieces.js web/wasm/module.d.ts
	$(NODE) test/checks/web_pieces.js web/wasm/pieces.js
	$(NODE) test/checks/web_engine.js $(web) $(tool) fixtures

.PHONY: web check-web-engine
