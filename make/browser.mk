# SPDX-License-Identifier: Apache-2.0
#: The HTML report and the page, in a browser
# Tests of the HTML report and of the page of `make web`, in headless Chromium; of ten views in Firefox, too.

# The one that Debian's python3-selenium is for.
WEB_PYTHON ?= /usr/bin/python3
web_models := $(BUILD)/web-models
axe := $(BUILD)/axe
web_tests = PYTHONPATH=test/web NPU_PARTITION_TOOL=$(tool) WEB_MODELS=$(web_models) WEB_OUT=$(BUILD)/web-pages \
	$(WEB_PYTHON) -B -m unittest

$(web_models)/ready: test/web/make_models.py test/web/names.py $(VENV)/ready
	$(VENV)/bin/python test/web/make_models.py $(@D)
	touch $@
check-page: $(tool) ## a page of the HTML report in headless Chromium, light and dark, wide and narrow
	$(web_tests) -q test_page.QuickPage
$(axe)/ready: test/web/requirements.txt | $(VENV)/ready
	$(VENV)/bin/pip install --quiet --no-deps --target $(@D) -r $<
	touch $@
check-web: ## all of the HTML report and of the page of `make web` in headless Chromium and Firefox (installs what it needs; 8 minutes)
	sh tools/setup.sh web
	$(MAKE) $(tool) $(web_models)/ready $(axe)/ready web
	$(web_tests) discover -s test/web -v
check-web-views: ## ten views of it in Chromium and Firefox at three widths: console, axe-core; pictures in build/web-pages/views
	sh tools/setup.sh web
	$(MAKE) $(tool) $(axe)/ready web
	$(web_tests) -v test_views

page-pictures: $(tool) $(web_models)/ready ## docs/page-*.png: the page as it looks now; needs pngquant and optipng
	sh test/web/pictures.sh $(tool) $(web_models) docs

.PHONY: check-page check-web check-web-views page-pictures

# Checks of the page's scripts without a browser.
.PHONY: check-page-types check-page-units
check-page-types: check-page-units ## the page's scripts as TypeScript reads them, and their functions (installs node and tsc)
	sh test/web/types.sh
check-page-units:
	sh tools/setup.sh page
	node --test test/web/
