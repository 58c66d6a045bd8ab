# SPDX-License-Identifier: Apache-2.0
#: Python package, exporters, many machines
# The Python package.

# What a wheel takes in (python/hatch_build.py), linked anew by its LIBS and LDFLAGS from objects that are there already.
PARTS ?= $(OUT)/python
python-parts: $(PARTS)/npu-partition $(PARTS)/libnpu_partition.so
$(PARTS)/npu-partition: $(tool_objects) $(static_library)
	@mkdir -p $(@D)
	$(link_tool)
$(PARTS)/libnpu_partition.so: $(objects) $(GENERATED)/npu_partition.map
	@mkdir -p $(@D)
	$(link_shared)
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
python-bindings: $(VENV)/ready ## _native.py of the package from the public header, _page_css.py from web/page
	$(VENV)/bin/python -c 'import pycparser' 2>/dev/null || $(VENV)/bin/pip install --quiet pycparser
	$(VENV)/bin/python tools/generate/python_bindings.py $(headers) > $(BUILD)/_native.py
	mv $(BUILD)/_native.py python/src/npu_partition/_native.py
	$(PYTHON) tools/generate/notebook_css.py web/page > $(BUILD)/_page_css.py
	mv $(BUILD)/_page_css.py python/src/npu_partition/_page_css.py

.PHONY: python-parts check-python check-python-roots check-python-scale check-wheel python-bindings

# The Python package beside what exports models.

check-exporters: $(tool) ## the Python package with PyTorch, Olive and optimum (downloads 0.9 GB once)
	sh test/checks/exporters.sh $(VENV)-exporters $(tool)
check-tutorial: $(tool) $(shared_library) $(VENV)/ready ## docs/tutorial.md shows what its commands print
	PYTHONPATH=$(CURDIR)/python/src NPU_PARTITION_LIBRARY=$(abspath $(shared_library)) $(VENV)/bin/python -B \
		test/checks/tutorial.py docs/tutorial.md $(tool)

.PHONY: check-exporters check-tutorial

# Many models on more than one machine: Spark, GNU parallel.

spark_venv := $(BUILD)/venv-spark
check-spark: $(tool) $(shared_library) ## the Spark job on two executors, one of them killed; GNU parallel (downloads 0.6 GB once)
	sh test/checks/spark.sh $(spark_venv) $(tool) $(shared_library)
bench-spark: $(tool) $(shared_library) ## the Spark job on 100 copies of MODELS=folder, one executor and two, against scan
	sh test/checks/spark.sh $(spark_venv) $(tool) $(shared_library) --bench "$(MODELS)"

.PHONY: bench-spark check-spark
