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
complain() { echo "check-release: $*" >&2; failed=1; }

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

# The native tool's answers, once.
outputs() { # COMMAND... into a folder of its own
	to=$1
	shift
	mkdir -p "$to"
	for model in fixtures/*.onnx; do
		"$@" "$model" --target all --format json >"$to/$(basename "$model").json" 2>/dev/null || true
	done
	"$@" fixtures/*.onnx --target hexagon >"$to/text" 2>/dev/null || true
	"$@" fix fixtures/detector.dynamo.onnx --target hexagon -o "$to/fixed.onnx" -q >/dev/null 2>&1 || true
	[ -s "$to/text" ] || complain "$* reports nothing"
}
outputs "$scratch/native" "$tool"

run_linux() { # PLATFORM NAME COMMAND...
	platform=$1 name=$2
	shift 2
	outputs "$scratch/$platform" "$@"
	"$@" --version | grep -q "$version" || complain "$platform has another version"
	if ! diff -qr "$scratch/native" "$scratch/$platform" >"$scratch/diff"; then
		head -5 "$scratch/diff"
		complain "$platform answers otherwise"
		return
	fi
	echo "check-release: $platform: the same bytes on $(ls fixtures/*.onnx | wc -l) fixtures and all targets ($name)"
}
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
		run_linux "$platform" native "$built/npu-partition"
		newest=$(objdump -T "$built"/* | grep -o 'GLIBC_[0-9.]*' | sort -uV | tail -1)
		[ "$newest" = GLIBC_2.17 ] || complain "$platform needs $newest"
		[ -z "$(nm -D --defined-only "$built/libnpu_partition.so" | awk '$3 !~ /^(npart_|NPU_PARTITION_)/')" ] || complain "$platform exports more"
		golden "$platform" "$built/npu-partition"
		empty_environment
		;;
	musl-x86_64)
		run_linux "$platform" native "$built/npu-partition"
		file "$built/npu-partition" | grep -q 'statically linked' || complain "$platform is not static"
		golden "$platform" "$built/npu-partition"
		;;
	linux-aarch64 | musl-aarch64)
		if ! command -v qemu-aarch64 >/dev/null; then
			echo "check-release: $platform: not run; Debian's package qemu-user is not installed"
		elif [ "$platform" = musl-aarch64 ]; then
			run_linux "$platform" "under qemu-user" qemu-aarch64 "$built/npu-partition"
		else
			# glibc for arm64 is another package; the static build runs the same code.
			readelf -h "$built/libnpu_partition.so" | grep -q AArch64 || complain "$platform is for another machine"
			newest=$(readelf -V "$built/npu-partition" "$built/libnpu_partition.so" | grep -o 'GLIBC_[0-9.]*' | sort -uV | tail -1)
			[ "$newest" = GLIBC_2.17 ] || complain "$platform needs $newest"
			echo "check-release: $platform: looked into, not run"
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
	run_linux windows-x86_64 "under wine" wine "$folder/windows-x86_64/built/npu-partition.exe"
fi
exit $failed
