# SPDX-License-Identifier: Apache-2.0
# The Python package beside what exports models.

check-exporters: $(tool) ## the Python package with PyTorch, Olive and optimum (downloads 0.9 GB once)
	sh test/checks/exporters.sh $(VENV)-exporters $(tool)
check-tutorial: $(tool) $(shared_library) $(VENV)/ready ## docs/tutorial.md shows what its commands print
	PYTHONPATH=$(CURDIR)/python/src NPU_PARTITION_LIBRARY=$(abspath $(shared_library)) $(VENV)/bin/python -B \
		test/checks/tutorial.py docs/tutorial.md $(tool)

.PHONY: check-exporters check-tutorial
