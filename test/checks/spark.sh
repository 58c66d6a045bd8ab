#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# The Spark job on two executors, one of them killed, and the recipes for GNU parallel and xargs (docs/inside/spark.md).
#
# usage: spark.sh VENV TOOL LIBRARY [--bench MODELS | PYTEST ARGUMENT...]
#        VENV: an environment of its own, which is made where there is none (0.6 GB are fetched once)
set -eu
venv=$1 tool=$2 library=$3
shift 3
sh tools/setup.sh spark
if [ ! -e "$venv/ready" ]; then
	python3 -m venv "$venv"
	"$venv/bin/pip" install --quiet "pyspark==4.3.*" "pandas<3" pyarrow pytest
	touch "$venv/ready"
fi
build=$(dirname "$venv")
# Executors are processes of their own, in folders of their own.
PYTHONPATH=$PWD/python/src NPU_PARTITION_LIBRARY=$PWD/$library NPU_PARTITION_TOOL=$PWD/$tool
PYSPARK_PYTHON=$PWD/$venv/bin/python PYSPARK_DRIVER_PYTHON=$PYSPARK_PYTHON
export PYTHONPATH NPU_PARTITION_LIBRARY NPU_PARTITION_TOOL PYSPARK_PYTHON PYSPARK_DRIVER_PYTHON NPU_PARTITION_SPARK=1
if [ "${1-}" = --bench ]; then
	exec "$venv/bin/python" -B test/bench/spark.py "$tool" "$2" "$build/bench-spark"
fi
"$venv/bin/python" -B -m pytest -q -c python/pyproject.toml -p no:cacheprovider python/tests/test_spark.py "$@"
sh test/checks/parallel.sh "$tool"
