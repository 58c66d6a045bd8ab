#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# usage: release.sh FOLDER TOOL VERSION PLATFORM...   Holds FOLDER/dist (make release) against the tool of this machine.
# Linux for x86-64 runs here, for arm64 under qemu-user; of macOS and Windows the files are looked into. Each line says
# which. Windows runs under wine where that is installed.
set -eu
folder=$(cd "$1" && pwd) tool=$(cd "$(dirname "$2")" && pwd)/$(basename "$2") version=$3
shift 3
root=$(cd "$(dirname "$0")/../.." && pwd)
cd "$root"
dist=$folder/dist tools=$folder/tools/bin
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
failed=0
. test/checks/release_outputs.sh

(cd "$dist" && sha256sum --quiet -c SHA256SUMS) || complain "SHA256SUMS"
"$tools/twine" check --strict "$dist"/*.whl "$dist"/npu_partition-*.tar.gz >"$scratch/twine" ||
	{ cat "$scratch/twine"; complain "twine check"; }
# W005, W009: a wheel has the folders npu_partition and its data alone.
for wheel in "$dist"/*.whl; do
	"$tools/check-wheel-contents" "$wheel" >"$scratch/contents" || { cat "$scratch/contents"; complain "$wheel"; }
	case $wheel in *linux*) ;; *) continue ;; esac
	case $wheel in
	*manylinux*)
		tag=$(basename "$wheel" .whl | sed 's/.*-none-//')
		"$tools/auditwheel" show "$wheel" 2>&1 | tr '\n' ' ' | grep -q "\"$tag\"" || complain "auditwheel says otherwise of $wheel"
		;;
	esac
done
echo "check-release: checksums, twine, check-wheel-contents, auditwheel"

# The native tool's answers, once; in a folder that has the fixtures by the name that they have here.
native=$scratch/native place=$scratch/place
mkdir "$place"
ln -s "$root/fixtures" "$place/fixtures"
outputs "$native" "$place" "$tool"

golden() { # PLATFORM COMMAND: the golden cases, but those of SQLite, which these tools lack
	mkdir -p "$scratch/wrapped"
	printf '#!/bin/sh\nexec %s "$@"\n' "$2" >"$scratch/wrapped/npu-partition"
	chmod +x "$scratch/wrapped/npu-partition"
	cases=
	for case in test/cli/*/; do
		case $case in */scan*/ | */pipes/ | */closed-streams/ | */own-file/ | */full-disk/ | */version/ | */selftest/ | */png/) ;; *) cases="$cases $case" ;; esac
	done
	# shellcheck disable=SC2086
	MAKE_MODEL=$(dirname "$tool")/test/cli/make_model sh test/cli/run.sh "$scratch/wrapped/npu-partition" $cases >"$scratch/golden" 2>&1 ||
		{ grep '^cli:' "$scratch/golden"; complain "$1: golden cases"; }
	echo "check-release: $1: $(tail -1 "$scratch/golden")"
}
musl_library() { # FOLDER CC: a program with the shared library, by the loader of Debian's package musl
	if [ ! -e /lib/ld-musl-x86_64.so.1 ]; then
		echo "check-release: the library for musl: not run; Debian's package musl is not installed"
		return
	fi
	model=fixtures/detector.dynamo.onnx
	# Without -O2 zig links its own checks into the program, which ask for a newer musl.
	"$2" -dynamic -O2 -std=c99 -Iinclude examples/count_partitions.c "$1/libnpu_partition.so" -o "$scratch/count"
	ln -s "$1/libnpu_partition.so" "$scratch/libnpu_partition.so.${version%%.*}"
	LD_LIBRARY_PATH=$scratch "$scratch/count" "$model" hexagon >"$scratch/counted" || complain "the library for musl"
	grep -q '4 partitions' "$scratch/counted" || complain "the library for musl answers otherwise"
	echo "check-release: musl-x86_64: the shared library by musl's loader"
}
empty_environment() { # PLATFORM: the wheel where no compiler is found, and how long it takes
	wheel=$(ls "$dist"/npu_partition-"$version"-py3-none-manylinux_*_x86_64.whl)
	python3 -m venv "$scratch/environment"
	started=$(date +%s.%N)
	env -i PATH=/nowhere "$scratch/environment/bin/python" -m pip install --quiet --no-index --disable-pip-version-check "$wheel" ||
		complain "$wheel is not installed"
	echo "$started $(date +%s.%N)" | awk '{ printf "check-release: the wheel is installed in %.1f s, without a compiler\n", $2 - $1 }'
	(cd "$scratch" && env -i PATH=/nowhere "$scratch/environment/bin/python" - "$root/fixtures/detector.dynamo.onnx" >report <<-'END'
		import sys, npu_partition
		print(npu_partition.analyze(sys.argv[1], targets=["hexagon"]))
	END
	)
	"$tool" "$root/fixtures/detector.dynamo.onnx" -t hexagon | cmp - "$scratch/report" || complain "the wheel's report differs"
}

for platform; do
	built=$folder/$platform/built
	case $platform in
	linux-x86_64)
		compare_outputs "$platform" native "$place" "$built/npu-partition"
		newest=$(objdump -T "$built"/* | grep -o 'GLIBC_[0-9.]*' | sort -uV | tail -1)
		[ "$newest" = GLIBC_2.17 ] || complain "$platform needs $newest"
		[ -z "$(nm -D --defined-only "$built/libnpu_partition.so" | awk '$3 !~ /^(npart_|NPU_PARTITION_)/')" ] || complain "$platform exports more"
		golden "$platform" "$built/npu-partition"
		empty_environment
		;;
	musl-x86_64)
		compare_outputs "$platform" native "$place" "$built/npu-partition"
		file "$built/npu-partition" | grep -q 'statically linked' || complain "$platform is not static"
		golden "$platform" "$built/npu-partition"
		musl_library "$built" "$folder/$platform/bin/cc"
		;;
	linux-aarch64 | musl-aarch64)
		if ! command -v qemu-aarch64 >/dev/null; then
			echo "check-release: $platform: not run; Debian's package qemu-user is not installed"
		elif [ "$platform" = musl-aarch64 ]; then
			compare_outputs "$platform" "under qemu-user" "$place" qemu-aarch64 "$built/npu-partition"
		else
			# It is run where there is a system for arm64 (release_roots.sh).
			readelf -h "$built/libnpu_partition.so" | grep -q AArch64 || complain "$platform is for another machine"
			newest=$(readelf -V "$built/npu-partition" "$built/libnpu_partition.so" | grep -o 'GLIBC_[0-9.]*' | sort -uV | tail -1)
			[ "$newest" = GLIBC_2.17 ] || complain "$platform needs $newest"
			echo "check-release: $platform: looked into: machine, versions of glibc"
		fi
		;;
	macos-* | windows-*)
		"$tools/python" test/checks/release_foreign.py "$platform" "$built" || complain "$platform"
		;;
	esac
done
if command -v wine >/dev/null && [ -e "$folder/windows-x86_64/built/npu-partition.exe" ]; then
	export WINEPREFIX="$folder/wineprefix" WINEDEBUG=-all
	timeout 300 wine "$folder/windows-x86_64/built/npu-partition.exe" --version >/dev/null 2>&1 || true
	compare_outputs windows-x86_64 "under wine" "$place" wine "$folder/windows-x86_64/built/npu-partition.exe"
fi
exit $failed
