# SPDX-License-Identifier: Apache-2.0
#: Other compilers, machines and C libraries
# The same answers by other compilers, on other machines and with other libraries. PLATFORMS:
# clang (here), i386, s390x (big-endian, under qemu), musl (static); bookworm and trixie are Debian 12 (protobuf-c 1.4.1)
# and 13 (protobuf-c 1.5.1), by gcc and clang of each; this machine's own is left out.

cross := $(BUILD)/cross
CROSS_MUTANTS ?= 1000
PLATFORMS ?= clang i386 s390x musl $(filter-out $(shell . /etc/os-release && echo $$VERSION_CODENAME),bookworm trixie)

check-cross: $(tool) $(OUT)/test/cli/make_model $(OUT)/test/fuzz/make_mutants $(BUILD)/case-models/ready ## the same answers by other compilers, machines and C libraries (PLATFORMS; root; 20 minutes of CPU)
	sh tools/setup.sh cross
	@rm -rf $(cross)/mutants && mkdir -p $(cross)/mutants
	@cp $(OUT)/test/cli/make_model $(cross)/make_model
	$(OUT)/test/fuzz/make_mutants $(cross)/mutants 0 $(CROSS_MUTANTS) fixtures/*.onnx $(BUILD)/case-models/*.onnx
	sh test/checks/outputs.sh $(tool) $(cross)/native/outputs $(cross)/mutants
	@failed=; for platform in $(PLATFORMS); do \
		sh test/checks/cross.sh "$(MAKE)" $(cross) $$platform || failed="$$failed $$platform"; done; \
		[ -z "$$failed" ] || { echo "check-cross: failed:$$failed" >&2; exit 1; }
.PHONY: check-cross
