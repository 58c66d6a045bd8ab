#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# The Python package with PyTorch, Olive and optimum, in an environment of their own (2 GB with all that they need, of
# which 0.9 GB are fetched once).
#
# usage: exporters.sh VENV TOOL [PYTEST ARGUMENT...]
set -eu
venv=$1 tool=$2
shift 2
torch="torch==2.15.0"
others="onnxscript==0.7.2 olive-ai==0.13.0 optimum-onnx==0.1.0 onnxruntime pytest"
if [ ! -e "$venv/ready" ]; then
	python3 -m venv "$venv"
	"$venv/bin/pip" install --quiet --no-deps "$torch"
	# Without what torch would bring for a GPU; pip must not bring it afterwards either.
	"$venv/bin/python" test/checks/cpu_torch.py "$venv/bin/python"
	# One word each, so without quotes.
	"$venv/bin/pip" install --quiet "$torch" $others
	touch "$venv/ready"
fi
# As a user has it: the package is installed, so that pytest finds its plugin.
"$venv/bin/pip" install --quiet --force-reinstall --no-deps ./python
"$venv/bin/pip" list 2>/dev/null | grep -E "^(torch|onnxscript|olive-ai|optimum|optimum-onnx|transformers|npu-partition) "
export NPU_PARTITION_EXPORTERS=1 NPU_PARTITION_TOOL="$PWD/$tool" OLIVE_DISABLE_TELEMETRY=1
"$venv/bin/python" -B -m pytest -q -c python/pyproject.toml -p no:cacheprovider python/tests/test_exporters.py "$@"
"$venv/bin/python" -B test/checks/tutorial.py docs/tutorial.md "$tool" --export
