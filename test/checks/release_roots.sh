#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# usage: release_roots.sh FOLDER TOOL VERSION   What was released, in minimal systems that have nothing else: the tool for
# glibc on Debian 11, the wheel for x86-64 on Debian 12, where no compiler is and no network, with its tests; the tool
# and the wheel for arm64 on Debian 12 for arm64, under qemu-user. The systems stay in FOLDER/roots.
# Needs root, Debian's packages and PyPI; says so where these lack.
set -eu
release=$(cd "$1" && pwd) tool=$(cd "$(dirname "$2")" && pwd)/$(basename "$2") version=$3
root=$(cd "$(dirname "$0")/../.." && pwd)
cd "$root"
if [ "$(id -u)" != 0 ] || ! unshare --mount --net true 2>/dev/null; then
	echo "check-release: not run in systems of their own, which needs root"
	exit 0
fi
folder=$release/roots
mkdir -p "$folder"
. test/checks/roots.sh
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
native=$scratch/native failed=0
. test/checks/release_outputs.sh
mkdir "$scratch/place"
ln -s "$root/fixtures" "$scratch/place/fixtures"
outputs "$native" "$scratch/place" "$tool"
model=fixtures/detector.dynamo.onnx
"$tool" "$model" -t hexagon >"$scratch/report"
cat >"$scratch/analyze.py" <<'END_OF_PYTHON'
import sys, npu_partition
print(npu_partition.analyze(sys.argv[1], targets=["hexagon"]))
END_OF_PYTHON

fill() { # NAME FILE...: the fixtures and these into a system
	name=$1
	shift
	rm -rf "$folder/$name/fixtures"
	cp -R fixtures "$folder/$name/fixtures"
	for file; do cp -R "$file" "$folder/$name/"; done
}
wheel_of() { basename "$release/dist/npu_partition-$version"-py3-none-manylinux_*_"$1".whl; }

# ---- Debian 11: glibc 2.31, the oldest that is to be had --------------------------------------------------------

make_root bullseye libc-bin
fill bullseye "$release/linux-x86_64/built/npu-partition"
compare_outputs linux-x86_64 "on Debian 11" "$folder/bullseye" in_root bullseye /npu-partition

# ---- Debian 12: Python, and no compiler -------------------------------------------------------------------------

make_root bookworm python3,python3-venv
wheel=$(wheel_of x86_64)
fill bookworm "$release/dist/$wheel" "$scratch/analyze.py"
for program in cc gcc clang make c99 protoc-c; do
	! in_root bookworm sh -c "command -v $program" >/dev/null || complain "bookworm has $program"
done
in_root bookworm sh -c 'rm -rf /venv /work && python3 -m venv /venv'
started=$(date +%s.%N)
(in_root bookworm /venv/bin/pip install --quiet --no-index --disable-pip-version-check "/$wheel" && times) >"$scratch/times" ||
	complain "$wheel is not installed"
echo "$(date +%s.%N) $started $(tail -1 "$scratch/times" | tr 'ms' '  ')" |
	awk '{ printf "check-release: the wheel is installed on Debian 12 in %.1f s (%.1f s of CPU), without a compiler or a network\n", \
		$1 - $2, 60 * ($3 + $5) + $4 + $6 }'
[ "$(in_root bookworm /venv/bin/npu-partition --version)" = "npu-partition $version" ] || complain "the wheel's tool"
in_root bookworm /venv/bin/python /analyze.py $model | cmp - "$scratch/report" || complain "the wheel's report differs"
packages="pytest onnx onnx-ir pandas pycparser"
if [ "$(cat "$folder/wheels/ready" 2>/dev/null)" != "$packages" ]; then
	rm -rf "$folder/wheels"
	# shellcheck disable=SC2086
	"$release/tools/bin/pip" download --quiet --disable-pip-version-check --only-binary=:all: --implementation cp \
		--python-version 3.11 --platform manylinux_2_28_x86_64 --platform manylinux_2_27_x86_64 \
		--platform manylinux_2_17_x86_64 --platform manylinux2014_x86_64 --dest "$folder/wheels" $packages
	echo "$packages" >"$folder/wheels/ready"
fi
copy_tree bookworm
rm -rf "$folder/bookworm/tree/python/src" # what is tested is what is installed
in_root bookworm rm -rf /wheels
cp -R "$folder/wheels" "$folder/bookworm/wheels"
in_root bookworm sh -c "/venv/bin/pip install --quiet --no-index --find-links /wheels $packages && cd /tree/python &&
	NPU_PARTITION_TOOL=/venv/bin/npu-partition /venv/bin/python -B -m pytest -q -p no:cacheprovider tests" \
	>"$scratch/tests" 2>&1 || { tail -20 "$scratch/tests"; complain "the wheel's tests"; }
echo "check-release: the wheel's tests on Debian 12: $(tail -1 "$scratch/tests")"

# ---- Debian 12 for arm64: unpacked, as nothing of it runs by itself ----------------------------------------------

if command -v qemu-aarch64 >/dev/null; then
	packages=python3,python3-minimal,libpython3-stdlib,libffi8
	if [ "$(cat "$folder/arm64/ready" 2>/dev/null)" != $packages ]; then
		rm -rf "$folder/arm64"
		mmdebstrap --quiet --architectures=arm64 --variant=extract --include=$packages bookworm "$folder/arm64"
		echo $packages >"$folder/arm64/ready"
	fi
	compare_outputs linux-aarch64 "on Debian 12 for arm64, under qemu-user" "$scratch/place" \
		qemu-aarch64 -L "$folder/arm64" "$release/linux-aarch64/built/npu-partition"
	"$release/tools/bin/python" -m zipfile -e "$release/dist/$(wheel_of aarch64)" "$scratch/unpacked"
	PYTHONPATH=$scratch/unpacked qemu-aarch64 -L "$folder/arm64" "$folder/arm64/usr/bin/python3" -B "$scratch/analyze.py" $model |
		cmp - "$scratch/report" || complain "the report of the wheel for arm64 differs"
	echo "check-release: the wheel for arm64 gives the same report in Python, under qemu-user"
fi
exit $failed
