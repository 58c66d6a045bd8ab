#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# The Python package from this checkout, on the library and the tool as built: types, style, tests.
#
# usage: python.sh VENV TOOL LIBRARY [PYTEST ARGUMENT...]   VENV: a virtual environment, which gets what it lacks
set -eu
venv=$1 tool=$2 library=$3
shift 3
"$venv/bin/python" -c 'import joblib, mypy, onnx_ir, pandas, pyarrow, pycparser, pytest, ruff' 2>/dev/null ||
	"$venv/bin/pip" install --quiet joblib mypy onnx-ir pandas pyarrow pycparser pytest ruff
build=$(dirname "$venv")
export PYTHONPATH=python/src NPU_PARTITION_LIBRARY="$PWD/$library" NPU_PARTITION_TOOL="$PWD/$tool"
"$venv/bin/ruff" check --quiet --config python/pyproject.toml --cache-dir "$build/ruff" python tools/generate/python_bindings.py
"$venv/bin/mypy" --config-file python/pyproject.toml --cache-dir "$build/mypy" python/src python/tests
"$venv/bin/python" -B -m pytest -q -c python/pyproject.toml -o cache_dir="$PWD/$build/pytest" python/tests "$@"
