# SPDX-License-Identifier: Apache-2.0
# The Python package.

python-parts: $(tool) $(shared_library) # what a wheel takes in (python/hatch_build.py)
check-python: $(tool) $(shared_library) $(VENV)/ready ## the Python package: types, style, tests on what is built
	sh test/checks/python.sh $(VENV) $(tool) $(shared_library)
check-wheel: ## the wheel from a clean copy and from an sdist, in empty environments (needs PyPI; 5 minutes)
	sh test/checks/wheel.sh $(PYTHON) $(BUILD)/wheel
check-python-scale: $(tool) $(shared_library) $(VENV)/ready ## 10,000 analyses, 8 threads, models of 1 and 3 GB in memory (7 GB)
	sh test/checks/python.sh $(VENV) $(tool) $(shared_library) -s -m scale
check-python-roots: ## the wheel of Debian 12 on Debian 12 and 13 (needs root, mmdebstrap, Debian and PyPI; 5 minutes)
	sh test/checks/python_roots.sh $(PYTHON) $(BUILD)/roots
check-newcomer: ## three lines to a report, twenty to a check that fails and then passes, in an empty environment (PyPI)
	sh test/checks/newcomer.sh $(PYTHON) $(abspath fixtures/distilbert-base.ts14.dyn.onnx) $(abspath python) \
		$(abspath $(BUILD))/newcomer
python-bindings: $(VENV)/ready ## python/src/npu_partition/_native.py from the public header
	$(VENV)/bin/python -c 'import pycparser' 2>/dev/null || $(VENV)/bin/pip install --quiet pycparser
	$(VENV)/bin/python tools/generate/python_bindings.py $(header) > $(BUILD)/_native.py
	mv $(BUILD)/_native.py python/src/npu_partition/_native.py

.PHONY: python-parts check-python check-python-roots check-python-scale check-wheel python-bindings
