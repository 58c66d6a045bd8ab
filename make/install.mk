# SPDX-License-Identifier: Apache-2.0
#: Install, packages, pages of man
# What is installed, and where: one table, by which `make uninstall` removes it again. The folders have GNU's names.

override PREFIX := $(if $(filter /%,$(firstword $(PREFIX))),$(PREFIX),$(CURDIR)/$(PREFIX))
BINDIR ?= $(PREFIX)/bin
LIBDIR ?= $(PREFIX)/lib
INCLUDEDIR ?= $(PREFIX)/include
DATADIR ?= $(PREFIX)/share
DOCDIR ?= $(DATADIR)/doc/npu-partition
PKGCONFIGDIR ?= $(LIBDIR)/pkgconfig
CMAKEDIR ?= $(LIBDIR)/cmake/NpuPartition
BASHCOMPLETIONDIR ?= $(DATADIR)/bash-completion/completions
ZSHCOMPLETIONDIR ?= $(DATADIR)/zsh/site-functions
FISHCOMPLETIONDIR ?= $(DATADIR)/fish/vendor_completions.d
MANDIR ?= $(DATADIR)/man
STRIP ?= strip
oplist_folder = $(DATADIR)/npu-partition

# What the tool itself says is made by a tool that runs here: where another machine's is built, give one.
TOOL_HERE ?= $(tool)
completions := $(addprefix $(OUT)/completions/npu-partition.,bash zsh fish)
all: $(completions)
$(OUT)/completions/npu-partition.%: $(tool)
	@mkdir -p $(@D)
	$(TOOL_HERE) --completion $* > $@.new && mv $@.new $@

# The date of the man pages: when what they say last changed much.
man_date := 2026-11-22
man_templates := $(wildcard packaging/man/*.in)
man_pages := $(man_templates:packaging/man/%.in=$(OUT)/man/%)
all: $(man_pages)
$(OUT)/man/%: packaging/man/%.in packaging/man/make.sh $(wildcard packaging/man/*.awk docs/*.md docs/inside/*.md) $(headers) $(tool)
	@mkdir -p $(@D)
	sh packaging/man/make.sh $< $(VERSION) $(man_date) $(oplist_folder) $(DOCDIR) $(TOOL_HERE) $(headers) > $@.new && mv $@.new $@

define newline


endef
# KIND|PLACE|SOURCE, see install.sh.
rows = $(foreach source,$(3),$(1)|$(2)/$(notdir $(source))|$(source)$(newline))
define INSTALLED
program|$(BINDIR)/npu-partition|$(tool)
file|$(INCLUDEDIR)/npu_partition.h|$(header)
folder|$(INCLUDEDIR)/npu_partition|
$(call rows,file,$(INCLUDEDIR)/npu_partition,$(filter-out $(header),$(headers)))
archive|$(LIBDIR)/libnpu_partition.a|$(static_library)
library|$(LIBDIR)/$(shared_name).$(VERSION)|$(shared_library)
link|$(LIBDIR)/$(shared_name).$(MAJOR)|$(shared_name).$(VERSION)
link|$(LIBDIR)/$(shared_name)|$(shared_name).$(MAJOR)
pkgconfig|$(PKGCONFIGDIR)/npu-partition.pc|packaging/npu-partition.pc.in
file|$(BASHCOMPLETIONDIR)/npu-partition|$(OUT)/completions/npu-partition.bash
file|$(ZSHCOMPLETIONDIR)/_npu-partition|$(OUT)/completions/npu-partition.zsh
file|$(FISHCOMPLETIONDIR)/npu-partition.fish|$(OUT)/completions/npu-partition.fish
$(foreach page,$(man_pages),file|$(MANDIR)/man$(subst .,,$(suffix $(page)))/$(notdir $(page))|$(page)$(newline))
folder|$(CMAKEDIR)|
cmake|$(CMAKEDIR)/NpuPartitionConfig.cmake|packaging/NpuPartitionConfig.cmake.in
cmake|$(CMAKEDIR)/NpuPartitionConfigVersion.cmake|packaging/NpuPartitionConfigVersion.cmake.in
folder|$(oplist_folder)|
$(call rows,file,$(oplist_folder),$(oplists) $(costs) $(rewrites))
file|$(DOCDIR)/index.md|docs/README.md
$(call rows,file,$(DOCDIR),README.md LICENSE $(filter-out docs/README.md,$(sort $(wildcard docs/*.md))))
$(call rows,file,$(DOCDIR)/evidence,$(sort $(wildcard docs/evidence/*.md)))
folder|$(DOCDIR)/evidence|
folder|$(DOCDIR)|
endef

pointer_bytes = $(shell echo __SIZEOF_POINTER__ | $(CC) -E -P -x c -)
install_table = @printf '%s\n' "$$INSTALLED" | sed '/^ *$$/d; s/^ *//' | \
	DESTDIR="$(DESTDIR)" PREFIX="$(PREFIX)" BINDIR="$(BINDIR)" LIBDIR="$(LIBDIR)" INCLUDEDIR="$(INCLUDEDIR)" \
	VERSION="$(VERSION)" MAJOR="$(MAJOR)" POINTER_BYTES="$(pointer_bytes)"
install install-strip uninstall: export INSTALLED := $(INSTALLED)

install: all ## into PREFIX (default /usr/local), under DESTDIR
	$(install_table) STRIP= sh packaging/install.sh install
install-strip: all ## the same without what only debuggers read
	$(install_table) STRIP="$(STRIP)" sh packaging/install.sh install
uninstall: ## remove what install put there
	$(install_table) sh packaging/install.sh uninstall
dist: ## the sources as build/npu-partition-VERSION.tar.xz, the same bytes each time
	sh packaging/dist.sh $(VERSION) $(BUILD)

# ---- tests ---------------------------------------------------------------------------------------------------

check: check-install check-completion check-man
check-install: all ## install into a folder, build the examples (and docs/api.md) against it, run them, uninstall
	$(PYTHON) test/checks/api_page.py docs/api.md $(headers) $(wildcard examples/*.c)
	sh test/checks/install.sh "$(MAKE) VARIANT=$(VARIANT)" "$(CC)" $(abspath $(OUT)/stage)
check-man: $(man_pages) ## the man pages have every option and function, and nothing that man stumbles over
	sh test/checks/man.sh $(tool) test/checks/symbols.txt $(man_pages)
check-dist: ## the tarball and what is built from it have the same bytes wherever they are made
	sh test/checks/dist.sh "$(MAKE)" $(BUILD)/check-dist
DEBIAN_SUITES ?=
check-debian: ## Debian packages are built, put to lintian, installed into a minimal system (DEBIAN_SUITES) and removed
	sh tools/setup.sh debian
	sh test/checks/debian.sh "$(MAKE)" $(BUILD)/check-debian $(DEBIAN_SUITES)
check-completion: $(tool) ## what bash offers after TAB
	sh test/checks/completions.sh $(tool) bash
check-completions: $(tool) ## the same in bash, zsh and fish, which it installs
	sh tools/setup.sh shells
	sh test/checks/completions.sh $(tool) bash zsh fish
.PHONY: install install-strip uninstall check-install check-completion check-completions check-debian check-dist check-man dist
