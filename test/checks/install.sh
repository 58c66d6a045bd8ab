#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# usage: install.sh MAKE CC STAGE   Installs into STAGE, builds against that copy alone as people do (pkg-config, shared
# and static; CMake, also after the folder has moved), runs what was built, and sees that uninstall leaves nothing.
set -eu
make=$1 cc=$2 stage=$3
root=$(cd "$(dirname "$0")/../.." && pwd)
model=$root/fixtures/detector.dynamo.onnx
unset DESTDIR PREFIX BINDIR LIBDIR INCLUDEDIR DATADIR STRIP
rm -rf "$stage" "$stage-moved" "$stage-work"
fail() {
	echo "$*" >&2
	exit 1
}

# ---- install, and only that: nothing is built anew -------------------------------------------------------------

built="$root/build/npu-partition $root/build/libnpu_partition.a $root/build/libnpu_partition.so.0.*"
# shellcheck disable=SC2086
cat $built | sha256sum >"$stage.sum"
$make -s -C "$root" install PREFIX="$stage"
# shellcheck disable=SC2086
cat $built | sha256sum | cmp - "$stage.sum" || fail "make install has built something else"
rm "$stage.sum"
(cd "$stage" && find . -type f -o -type l | sort) >"$stage.list"

# What the tool and the man pages name is there.
docs=$stage/share/doc/npu-partition
{
	for command in '' $("$stage/bin/npu-partition" --complete '' | cut -f1); do
		# shellcheck disable=SC2086
		"$stage/bin/npu-partition" $command --help
	done
	cat "$stage"/share/man/man*/* | sed 's/\\(ga/ /g; s/\\-/-/g'
} | grep -oE '\<docs/[a-z-]+\.md' | sort -u >"$stage.named"
[ -s "$stage.named" ] || fail "no page is named"
while read -r page; do [ -f "$docs/${page#docs/}" ] || fail "$page is named, and not installed"; done <"$stage.named"
cmp "$root/LICENSE" "$docs/LICENSE" && [ -f "$docs/README.md" ] || fail "the license or README.md is not installed"
rm "$stage.named"

# ---- pkg-config --------------------------------------------------------------------------------------------

export PKG_CONFIG_PATH="$stage/lib/pkgconfig"
version=$(pkg-config --modversion npu-partition)
[ "$("$stage/bin/npu-partition" --version)" = "npu-partition $version" ]
work=$stage-work
mkdir -p "$work"
cp "$root"/examples/*.c "$work/"
cd "$work"
# shellcheck disable=SC2046
$cc -std=c99 -Wall -Wextra -Werror count_partitions.c $(pkg-config --cflags --libs npu-partition) -o shared
# shellcheck disable=SC2046
$cc -std=c99 -Wall -Wextra -Werror count_partitions.c -static $(pkg-config --static --cflags --libs npu-partition) -o static
# shellcheck disable=SC2046
$cc -std=c99 -Wall -Wextra -Werror count_partitions.c $(pkg-config --cflags npu-partition) \
	"$stage/lib/libnpu_partition.a" $(pkg-config --libs libprotobuf-c) -lm -o archive
LD_LIBRARY_PATH="$stage/lib" ./shared "$model" hexagon >shared.out
./static "$model" hexagon >static.out
./archive "$model" hexagon >archive.out
grep -q partitions shared.out
cmp shared.out static.out
cmp shared.out archive.out
major=${version%%.*}
objdump -p shared | grep -q "NEEDED.*libnpu_partition\.so\.$major\$"
objdump -p shared | grep -q " NPU_PARTITION_$major\$" || fail "a program does not say which symbols it needs"
! objdump -p static | grep -q NEEDED || fail "pkg-config --static and -static leave a shared library"
[ "$(pkg-config --define-prefix --variable=includedir npu-partition)" -ef "$stage/include" ]

# ---- the examples --------------------------------------------------------------------------------------------

run() {
	program=$1
	shift
	# shellcheck disable=SC2046
	$cc -std=c99 -Wall -Wextra -Werror "$program.c" $(pkg-config --cflags --libs npu-partition) -pthread -o "$program"
	LD_LIBRARY_PATH="$stage/lib" "./$program" "$@" >"$program.out"
}
run analyze_file "$model" hexagon
grep -qE '^split: [0-9]+ partitions, [0-9]+ of [0-9]+ nodes on the NPU$' analyze_file.out
# A size that was forgotten is not overlooked.
printf '#include <npu_partition.h>\nvoid f(npart_plan *plan) { struct npart_summary all; npart_plan_summary(plan, &all); }\n' >forgotten.c
# shellcheck disable=SC2046
! $cc -std=c99 -Werror -c forgotten.c $(pkg-config --cflags npu-partition) 2>forgotten.err || fail "nothing tells of a result that is not looked at"
grep -q 'unused' forgotten.err || fail "$(cat forgotten.err)"
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

# ---- CMake ----------------------------------------------------------------------------------------------------

cat >CMakeLists.txt <<'END'
cmake_minimum_required(VERSION 3.13...3.31)
project(example C)
find_package(NpuPartition ${WANTED} REQUIRED COMPONENTS ${COMPONENTS})
foreach(kind shared static)
    if(kind IN_LIST COMPONENTS OR NOT COMPONENTS)
        add_executable(of_${kind} count_partitions.c)
    endif()
endforeach()
if(TARGET of_shared)
    target_link_libraries(of_shared PRIVATE NpuPartition::npu_partition)
endif()
if(TARGET of_static)
    target_link_libraries(of_static PRIVATE NpuPartition::npu_partition_static)
endif()
if(tool IN_LIST COMPONENTS)
    add_custom_target(report ALL COMMAND NpuPartition::npu-partition --version > ${CMAKE_BINARY_DIR}/report.txt VERBATIM)
endif()
END
# $1: where it is installed, $2: the folder that CMake builds in; then what CMake is told
configure() {
	place=$1 folder=$2
	shift 2
	rm -rf "$folder"
	PKG_CONFIG_PATH= cmake -S . -B "$folder" -DCMAKE_PREFIX_PATH="$place" -DCMAKE_C_COMPILER="$cc" \
		-DCMAKE_FIND_USE_PACKAGE_REGISTRY=OFF "$@" >"$folder.log" 2>&1
}
cmake_builds() {
	configure "$@" || fail "$(cat "$2.log")"
	cmake --build "$2" >>"$2.log" 2>&1 || fail "$(cat "$2.log")"
	for kind in shared static; do
		[ ! -f "$2/of_$kind" ] || "$2/of_$kind" "$model" hexagon | cmp - shared.out
	done
}
if command -v cmake >/dev/null; then
	cmake_builds "$stage" by-prefix
	[ -x by-prefix/of_shared ] && [ -x by-prefix/of_static ]
	cmake_builds "$stage" all '-DCOMPONENTS=shared;static;tool' "-DWANTED=$version;EXACT"
	[ "$(cat all/report.txt)" = "npu-partition $version" ]
	cmake_builds "$stage" one -DCOMPONENTS=static "-DWANTED=${version%.*}"
	[ ! -e one/of_shared ]
	! configure "$stage" later "-DWANTED=$major.999" || fail "CMake takes a version that is not there"
	! configure "$stage" other "-DWANTED=$((major + 1))" || fail "CMake takes another major version"
	! configure "$stage" nothing '-DCOMPONENTS=shared;fortran' || fail "CMake takes a component that is not there"
	grep -q 'component fortran is not there' nothing.log
	mv "$stage" "$stage-moved"
	cmake_builds "$stage-moved" moved '-DCOMPONENTS=shared;static;tool'
	cmake_builds /nowhere named "-DNpuPartition_DIR=$stage-moved/lib/cmake/NpuPartition"
	mv "$stage-moved" "$stage"
else
	echo "not tested: CMake, which sh tools/setup.sh tests installs" >&2
fi

# ---- uninstall, staged and stripped installs -----------------------------------------------------------------

cd "$root"
touch "$stage/share/npu-partition/of-a-user.ops"
$make -s -C "$root" uninstall PREFIX="$stage" 2>"$stage.err"
grep -q 'share/npu-partition holds files that are not ours' "$stage.err" || fail "what is not ours was not told of"
left=$(cd "$stage" && find . -type f -o -type l)
[ "$left" = ./share/npu-partition/of-a-user.ops ] || fail "not uninstalled, or too much: $left"
rm -rf "$stage" "$stage.err"

# The same files below DESTDIR, whose name may have blanks; places of one's own.
staged="$work/a stage"
$make -s -C "$root" install PREFIX=/usr LIBDIR=/usr/lib/arch BINDIR=/tools DESTDIR="$staged"
sed 's|^\./lib|./usr/lib/arch|; s|^\./bin|./tools|; s|^\./\([is]\)|./usr/\1|' "$stage.list" | sort >"$work/expected"
(cd "$staged" && find . -type f -o -type l | sort) | diff "$work/expected" - || fail "DESTDIR, LIBDIR or BINDIR is not respected"
! grep -rl "$work\|$stage" "$staged/usr/lib/arch/pkgconfig" "$staged/usr/lib/arch/cmake" || fail "a staged file names the stage"
grep -q '^libdir=${prefix}/lib/arch$' "$staged/usr/lib/arch/pkgconfig/npu-partition.pc"
$make -s -C "$root" uninstall PREFIX=/usr LIBDIR=/usr/lib/arch BINDIR=/tools DESTDIR="$staged"
left=$(find "$staged" -type f -o -type l -o -type d -name '*artition*')
[ -z "$left" ] || fail "not uninstalled: $left"
$make -s -C "$root" install-strip PREFIX="$stage"
(cd "$stage" && find . -type f -o -type l | sort) | diff "$stage.list" - || fail "install-strip installs other files"
for file in bin/npu-partition lib/libnpu_partition.so lib/libnpu_partition.a; do
	! objdump -h "$stage/$file" 2>/dev/null | grep -q '\.debug_info' || fail "install-strip leaves what only debuggers read in $file"
done
(
	cd "$work"
	# shellcheck disable=SC2046
	$cc -std=c99 count_partitions.c $(pkg-config --cflags npu-partition) "$stage/lib/libnpu_partition.a" -lprotobuf-c -lm -o archive
	LD_LIBRARY_PATH="$stage/lib" ./shared "$model" hexagon | cmp - shared.out
	./archive "$model" hexagon | cmp - shared.out
)
$make -s -C "$root" uninstall PREFIX="$stage"
left=$(find "$stage" -type f -o -type l)
[ -z "$left" ] || fail "not uninstalled: $left"
rm -rf "$stage" "$stage.list" "$work"
echo "installed, built against, run, uninstalled: $version"
