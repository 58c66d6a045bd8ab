# SPDX-License-Identifier: Apache-2.0
# The Python package beside what exports models.

check-exporters: $(tool) ## the Python package with PyTorch, Olive and optimum (downloads 0.9 GB once)
	sh test/checks/exporters.sh $(VENV)-exporters $(tool)
.PHONY: check-exporters
