# SPDX-License-Identifier: Apache-2.0
#: The documents as a site
# For any static host: relative links, nothing loaded from elsewhere. The packages are those of requirements.txt.

site_files := packaging/site
site := $(BUILD)/site
site_venv := $(BUILD)/site-venv
# The benchmark's page with charts, where it was made (oracles/benchmark/README.md).
BENCHMARK_HTML ?= $(wildcard $(BUILD)/benchmark.html)

$(site_venv)/ready: $(site_files)/requirements.txt
	$(PYTHON) -m venv $(site_venv)
	$(site_venv)/bin/pip install --quiet --no-deps -r $<
	touch $@
site: $(site_venv)/ready web ## the documents, the application and the benchmark as a site, in build/site
	$(PYTHON) $(site_files)/stage.py $(BUILD)/site-source
	rm -rf $(site)
	$(site_venv)/bin/sphinx-build -q -W --keep-going -b html -c $(site_files) -d $(BUILD)/site-doctrees \
		$(if $(BENCHMARK_HTML),-A has_charts=1) $(BUILD)/site-source $(site)
	cp -r $(web) $(site)/app
	$(if $(BENCHMARK_HTML),cp $(BENCHMARK_HTML) $(site)/benchmark.html)
check-site: site ## every link and anchor of the site holds, and no page loads anything from elsewhere
	$(PYTHON) test/checks/site_links.py $(site)
	$(PYTHON) test/checks/site.py

.PHONY: site check-site
