#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# usage: packaging.sh MAKE PYTHON FOLDER   The formula, the recipe and the port of packaging/recipes, filled in for the
# tarball of `make dist`: by linters, and run as their package managers would, which are not here. PYTHON has
# py-rattler-build.
set -eu
make=$1 python=$2
rm -rf "$3"
mkdir -p "$3"
folder=$(cd "$3" && pwd)
root=$(cd "$(dirname "$0")/../.." && pwd)
checks=$root/test/checks/packaging
model=$root/fixtures/detector.dynamo.onnx
unset CFLAGS CPPFLAGS LDFLAGS PREFIX DESTDIR
fail() {
	echo "packaging: $*" >&2
	exit 1
}
# $1: the tool that was installed; says what the one of this checkout does.
says_the_same() {
	"$1" "$model" -t hexagon >"$folder/said"
	"$root/build/npu-partition" "$model" -t hexagon | cmp - "$folder/said" || fail "$1 says something else"
}
sources() {
	mkdir -p "$folder/$1"
	tar -xf "$tarball" -C "$folder/$1" --strip-components=1
}

$make -s -C "$root" dist >/dev/null
tarball=$(echo "$root"/build/npu-partition-*.tar.xz)
sh "$root/packaging/recipes/fill.sh" "$tarball" "$folder/recipes"
! grep -rn '@[A-Z0-9]*@' "$folder/recipes" || fail "something is not filled in"

# ---- Homebrew ---------------------------------------------------------------------------------------------------

formula=$folder/recipes/homebrew/npu-partition.rb
ruby -c "$formula" >/dev/null
rubocop --config "$checks/rubocop.yml" --format quiet --cache false "$formula" "$checks/formula.rb"
sources homebrew
ruby "$checks/formula.rb" "$formula" "$folder/homebrew" "$folder/homebrew-prefix"
says_the_same "$folder/homebrew-prefix/bin/npu-partition"
for name in share/man/man1/npu-partition.1 share/man/man5/npu-partition.toml.5 share/npu-partition/hexagon.ops; do
	[ -s "$folder/homebrew-prefix/$name" ] || fail "the formula does not install $name"
done

# ---- conda ------------------------------------------------------------------------------------------------------

"$python" "$checks/recipe.py" "$folder/recipes/conda/recipe.yaml" >"$folder/recipe.sh"
sources conda
(cd "$folder/conda" && PREFIX=$folder/conda-prefix CPU_COUNT=2 CPPFLAGS='' LDFLAGS='' \
	sh -eu "$folder/recipe.sh") >/dev/null
says_the_same "$folder/conda-prefix/bin/npu-partition"
for name in include/npu_partition.h lib/pkgconfig/npu-partition.pc lib/libnpu_partition.so; do
	[ -s "$folder/conda-prefix/$name" ] || fail "the recipe does not install $name"
done
"$python" "$checks/recipe.py" /dev/stdin <<END >/dev/null 2>&1 && fail "a recipe may have any word"
$(sed 's/^  number:/  numbre:/' "$folder/recipes/conda/recipe.yaml")
END

# ---- vcpkg ------------------------------------------------------------------------------------------------------

"$python" "$checks/port.py" "$folder/recipes/vcpkg/vcpkg.json"
for linkage in static dynamic; do
	work=$folder/vcpkg-$linkage
	cmake -DPORT_FOLDER="$folder/recipes/vcpkg" -DTARBALL="$tarball" -DWORK="$work" -DLINKAGE=$linkage \
		-DSOURCES="$folder/vcpkg" -P "$checks/port.cmake" >"$work.log" 2>&1 || fail "$(tail -5 "$work.log")"
	says_the_same "$work/packages/tools/npu-partition/npu-partition"
	mv "$work/packages" "$work/moved" # as vcpkg does
	mkdir -p "$work/program"
	cp "$root/examples/count_partitions.c" "$work/program/main.c"
	{
		echo "cmake_minimum_required(VERSION 3.13)"
		echo "project(program C)"
		echo "add_executable(main main.c)"
		sed -n 's/^    //p' "$folder/recipes/vcpkg/usage"
	} >"$work/program/CMakeLists.txt"
	cmake -S "$work/program" -B "$work/program/build" -DCMAKE_PREFIX_PATH="$work/moved" >>"$work.log" 2>&1 &&
		cmake --build "$work/program/build" >>"$work.log" 2>&1 || fail "$(tail -5 "$work.log")"
	"$work/program/build/main" "$model" hexagon >"$work/counted"
	[ $linkage = static ] || ldd "$work/program/build/main" | grep -q libnpu_partition || fail "not shared"
	[ -f "$work/moved/share/npu-partition/copyright" ] && [ ! -e "$work/moved/bin" ] ||
		fail "the port, $linkage: its files are others"
done
cmp "$folder/vcpkg-static/counted" "$folder/vcpkg-dynamic/counted"
echo "packaging: formula, recipe and port install what this checkout builds"
rm -rf "$folder"
