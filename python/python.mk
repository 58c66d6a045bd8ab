# SPDX-License-Identifier: Apache-2.0
# The Python package.

check-python: $(tool) $(shared_library) $(VENV)/ready ## the Python package: types, style, tests on what is built
	sh test/checks/python.sh $(VENV) $(tool) $(shared_library)
check-wheel: ## the wheel from a clean copy and from an sdist, in empty environments (needs PyPI; 5 minutes)
	sh test/checks/wheel.sh $(PYTHON) $(BUILD)/wheel
python-bindings: $(VENV)/ready ## python/src/npu_partition/_native.py from the public header
	$(VENV)/bin/python -c 'import pycparser' 2>/dev/null || $(VENV)/bin/pip install --quiet pycparser
	$(VENV)/bin/python tools/generate/python_bindings.py $(header) > $(BUILD)/_native.py
	mv $(BUILD)/_native.py python/src/npu_partition/_native.py

.PHONY: check-python check-wheel python-bindings
