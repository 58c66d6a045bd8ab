#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# usage: install.sh MAKE CC STAGE   Install into STAGE, build the examples against that copy alone, run them, and
# see that uninstall leaves nothing.
set -eu
make=$1 cc=$2 stage=$3
root=$(cd "$(dirname "$0")/../.." && pwd)
rm -rf "$stage"
$make -s -C "$root" install PREFIX="$stage" DESTDIR=
export PKG_CONFIG_PATH="$stage/lib/pkgconfig"
work=$stage/example
mkdir -p "$work"
cp "$root"/examples/*.c "$work/"
cd "$work"
# shellcheck disable=SC2046
$cc -std=c99 -Wall -Wextra -Werror count_partitions.c $(pkg-config --cflags --libs npu-partition) -o shared
# shellcheck disable=SC2046
$cc -std=c99 -Wall -Wextra -Werror count_partitions.c $(pkg-config --cflags npu-partition) \
	"$stage/lib/libnpu_partition.a" $(pkg-config --libs libprotobuf-c) -lm -o static
LD_LIBRARY_PATH="$stage/lib" ./shared "$root/fixtures/detector.dynamo.onnx" hexagon >shared.out
./static "$root/fixtures/detector.dynamo.onnx" hexagon >static.out
cmp shared.out static.out
grep -q partitions shared.out
model=$root/fixtures/detector.dynamo.onnx
run() {
	program=$1
	shift
	# shellcheck disable=SC2046
	$cc -std=c99 -Wall -Wextra -Werror "$program.c" $(pkg-config --cflags --libs npu-partition) -pthread -o "$program"
	LD_LIBRARY_PATH="$stage/lib" "./$program" "$@" >"$program.out"
}
run memory_buffer "$model" hexagon
grep -q '^node 2 (Pad node_pad): ' memory_buffer.out
run many_targets "$model"
[ "$(wc -l <many_targets.out)" = "$("$stage/bin/npu-partition" --list-targets | grep -c '^[a-z]')" ]
run own_oplist "$model"
grep -q '^Pad: ' own_oplist.out
run own_allocator "$model" hexagon 64
grep -q '^ok: ' own_allocator.out
LD_LIBRARY_PATH="$stage/lib" ./own_allocator "$model" hexagon 1 | grep -q '^out of memory: '
run threads hexagon "$model" "$root/fixtures/mobilenetv2.dynamo.onnx"
[ "$(grep -c partitions threads.out)" = 2 ]
objdump -p shared | grep -q 'NEEDED.*libnpu_partition\.so\.[0-9]'
"$stage/bin/npu-partition" --version >/dev/null
version=$(pkg-config --modversion npu-partition)
[ "$("$stage/bin/npu-partition" --version)" = "npu-partition $version" ]
cd "$root"
rm -rf "$work"
$make -s -C "$root" uninstall PREFIX="$stage" DESTDIR=
left=$(find "$stage" -type f -o -type l)
[ -z "$left" ] || { echo "not uninstalled: $left" >&2; exit 1; }
echo "installed, built against, run, uninstalled: $version"
