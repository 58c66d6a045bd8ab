# SPDX-License-Identifier: Apache-2.0
#: Releases
# Binaries for all systems from one Debian machine, by the cross compiler of PyPI's ziglang (packaging/release/). Nothing is
# published from here: .github/workflows/release.yml does that, on a tag.

release := $(BUILD)/release
RELEASE_PLATFORMS ?= $(shell sed -n '/^[a-z]/s/ .*//p' packaging/release/platforms)
# Of the last commit that is not of the checksums themselves, which are committed after them.
release_time = $(or $(SOURCE_DATE_EPOCH),$(shell git log -1 --format=%ct -- . ':!packaging/SHA256SUMS' ':!templates' 2>/dev/null))

$(release)/tools/ready: packaging/release/tools.txt
	$(PYTHON) -m venv $(@D)
	$(@D)/bin/pip install --quiet --disable-pip-version-check -r $<
	touch $@
release: $(release)/tools/ready ## wheels, tarballs, an image, checksums and an SBOM of a release, in build/release/dist (20 minutes of CPU)
	SOURCE_DATE_EPOCH=$(release_time) MAKE="$(MAKE)" sh packaging/release/release.sh $(release) $(VERSION) $(RELEASE_PLATFORMS)
check-release: $(tool) $(OUT)/test/cli/make_model $(release)/tools/ready $(VENV)/hooks ## what was released: run where it can be (qemu, musl), else looked into
	sh test/checks/release.sh $(release) $(tool) $(VERSION) $(RELEASE_PLATFORMS)
	sh test/checks/release_roots.sh $(release) $(tool) $(VERSION)
	$(VENV)/bin/python test/checks/release_users.py $(release)/dist $(VERSION)
.PHONY: release check-release

# Shared libraries of other systems; their names in the table of sections are hidden, as on Linux.
$(OUT)/libnpu_partition.dylib: $(objects)
	$(CC) -shared -Wl,-install_name,@rpath/$(@F) $(ALL_LDFLAGS) $(objects) $(LIBS) -o $@
$(OUT)/npu_partition.dll: $(objects) $(OUT)/npu_partition.def
	$(CC) -shared $(ALL_LDFLAGS) $^ $(LIBS) -o $@
$(OUT)/npu_partition.def: $(headers)
	@mkdir -p $(@D)
	sh tools/windows/exports.sh $^ > $@.new && mv $@.new $@
$(OUT)/npu-partition.exe: $(tool_objects) $(static_library)
	$(CC) -municode $(ALL_LDFLAGS) $^ $(LIBS) $(TOOL_LIBS) -pthread -o $@

check-packaging: $(tool) ## the files for Homebrew, conda-forge and vcpkg: linted, and run on the tarball of `make dist`
	sh tools/setup.sh packaging
	test -x $(BUILD)/venv-packaging/bin/python || $(PYTHON) -m venv $(BUILD)/venv-packaging
	$(BUILD)/venv-packaging/bin/pip install --quiet --disable-pip-version-check py-rattler-build==0.73.0
	sh test/checks/packaging.sh "$(MAKE)" $(BUILD)/venv-packaging/bin/python $(BUILD)/packaging
.PHONY: check-packaging
