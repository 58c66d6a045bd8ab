#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# One platform of make check-cross: builds the library, the tool and their tests for it, runs them, and compares what the
# tool writes with FOLDER/native/outputs, which this machine's own build wrote.
#
# usage: cross.sh MAKE FOLDER PLATFORM   FOLDER has mutants, make_model and native/outputs; the rest stays there
set -eu
make=$1 all=$2 platform=$3
folder=$all/$platform
mkdir -p "$folder"
started=$(date +%s)
elapsed() { echo "$platform: $* ($(($(date +%s) - started)) s)"; }
compare() {
	diff -r "$all/native/outputs" "$1" >"$folder/differences" || {
		head -c 2000 "$folder/differences"
		echo "$platform: the tool writes other bytes" >&2
		exit 1
	}
	elapsed "$(find "$1" -type f | wc -l) outputs are the same"
	rm -rf "$1"
}

# ---- a Debian of its own ---------------------------------------------------------------------------------------

# SUITE
check_root() {
	folder=$all/roots
	mkdir -p "$folder"
	. test/checks/roots.sh
	make_root "$1" "$build_packages,clang,python3"
	copy_tree "$1"
	rm -rf "$folder/$1/built" "$folder/$1/mutants"
	cp -r "$all/mutants" "$folder/$1/mutants"
	in_root "$1" sh -c "dpkg-query --show gcc clang libprotobuf-c-dev && cd /tree &&
		for compiler in gcc clang; do
			make -s -j2 BUILD=/built/\$compiler CC=\$compiler WERROR=1 check-unit check-cases check-cli >/tmp/log ||
				{ tail -n 50 /tmp/log; exit 1; }
			sh test/checks/outputs.sh /built/\$compiler/npu-partition /outputs-\$compiler /mutants
		done"
	elapsed "unit tests, text cases and golden cases, by gcc and clang"
	for compiler in gcc clang; do compare "$folder/$1/outputs-$compiler"; done
}

# ---- a compiler of this machine --------------------------------------------------------------------------------

# CC AR FLAG...: a program that needs no other file, with what it needs from source
use_dependencies() {
	cc=$1 ar=$2
	shift 2
	if [ ! -e "$folder/dependencies/ready" ]; then
		sh tools/dependencies.sh "$folder/dependencies" "$cc" "$ar" "$cc" "$@"
		touch "$folder/dependencies/ready"
	fi
	cppflags="-isystem $folder/dependencies/include" ldflags="-static -L$folder/dependencies/lib" no_sqlite=1
}
cc=gcc ar=ar cflags="-O2 -g" cppflags= ldflags= no_sqlite= emulator=
case $platform in
bookworm | trixie)
	check_root "$platform"
	exit
	;;
clang) cc=clang ;;
musl) use_dependencies musl-gcc ar ;;
i386)
	use_dependencies i686-linux-gnu-gcc i686-linux-gnu-ar
	# Most x86-64 machines run it.
	echo 'int main(void) { return 0; }' | $cc -x c -static - -o "$folder/runs"
	"$folder/runs" 2>/dev/null || emulator=qemu-i386
	;;
s390x)
	use_dependencies s390x-linux-gnu-gcc s390x-linux-gnu-ar
	emulator=qemu-s390x
	;;
*)
	echo "cross: no platform $platform" >&2
	exit 2
	;;
esac
# A failure of every allocation takes minutes under an emulator, and is the same everywhere.
tests=$(ls test/unit/test_*.c | sed "s|^|$folder/|; s|\.c\$||")
[ -z "$emulator" ] || tests=$(echo "$tests" | grep -v test_allocation_failure)
# shellcheck disable=SC2086
"$make" -s -j2 BUILD="$folder" unit_tests="$(echo $tests)" CC="$cc" AR="$ar" CFLAGS="$cflags" CPPFLAGS="$cppflags" LDFLAGS="$ldflags" \
	NO_SQLITE=$no_sqlite EMULATOR=$emulator WERROR=1 "$folder/npu-partition" check-unit check-cases >"$folder/log" ||
	{ tail -n 50 "$folder/log"; exit 1; }
elapsed "$(grep -c /test_ "$folder/log") unit tests, $(tail -n 1 "$folder/log")"

tool=$(cd "$folder" && pwd)/npu-partition
if [ -n "$emulator" ]; then
	mkdir -p "$folder/emulated"
	printf '#!/bin/sh\nexec %s "%s" "$@"\n' "$(command -v "$emulator")" "$tool" >"$folder/emulated/npu-partition"
	chmod +x "$folder/emulated/npu-partition"
	tool=$folder/emulated/npu-partition
fi
# qemu's posix_spawn does not tell that a program cannot be started, which the case `png` is about.
cases=
[ -z "$emulator" ] || cases=$(ls test/cli | grep -vx png)
# shellcheck disable=SC2086
MAKE_MODEL=$(pwd)/$all/make_model sh test/cli/run.sh "$tool" $cases
elapsed "golden cases"
sh test/checks/outputs.sh "$tool" "$folder/outputs" "$all/mutants"
compare "$folder/outputs"
