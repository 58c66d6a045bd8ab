# SPDX-License-Identifier: Apache-2.0
#: The HTML report and the page, in a browser
# Tests of the HTML report and of the page of `make web`, in headless Chromium.

# The one that Debian's python3-selenium is for.
WEB_PYTHON ?= /usr/bin/python3
web_models := $(BUILD)/web-models
web_tests = PYTHONPATH=test/web NPU_PARTITION_TOOL=$(tool) WEB_MODELS=$(web_models) WEB_OUT=$(BUILD)/web-pages \
	$(WEB_PYTHON) -B -m unittest

$(web_models)/ready: test/web/make_models.py test/web/names.py $(VENV)/ready
	$(VENV)/bin/python test/web/make_models.py $(@D)
	touch $@
check-page: $(tool) ## a page of the HTML report in headless Chromium, light and dark, wide and narrow
	$(web_tests) -q test_page.QuickPage
check-web: ## all of the HTML report and of the page of `make web` in headless Chromium (installs what it needs; 5 minutes)
	sh tools/setup.sh web
	$(MAKE) $(tool) $(web_models)/ready web
	$(web_tests) discover -s test/web -v

page-pictures: $(tool) $(web_models)/ready ## docs/page-*.png: the page as it looks now; needs pngquant and optipng
	sh test/web/pictures.sh $(tool) $(web_models) docs

.PHONY: check-page check-web page-pictures

# Checks of the page's scripts without a browser.
.PHONY: check-page-types check-page-units
check-page-types: check-page-units ## the page's scripts as TypeScript reads them, and their functions (installs node and tsc)
	sh test/web/types.sh
check-page-units:
	sh tools/setup.sh page
	node --test test/web/
