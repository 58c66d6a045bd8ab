#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Runs what was built for Windows under wine, and holds it against what was built for this machine: text cases, unit
# tests, golden cases, the same bytes of reports and models, and names of files that only Windows has.
#
# usage: windows.sh FOLDER TOOL   FOLDER of the build for Windows (make check-windows), TOOL of this machine
set -eu
folder=$(cd "$1" && pwd) native=$(cd "$(dirname "$2")" && pwd)/$(basename "$2")
root=$(cd "$(dirname "$0")/../.." && pwd)
cd "$root"
exe=$folder/npu-partition.exe
if ! command -v wine >/dev/null; then
	echo "installing wine"
	as_root=
	[ "$(id -u)" = 0 ] || as_root=sudo
	$as_root apt-get update -qq
	$as_root env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends wine wine64 >/dev/null
fi
# Names of files come to programs by the locale.
export WINEPREFIX="$folder/wineprefix" WINEDEBUG=-all LC_ALL=C.UTF-8
unset DISPLAY
failed=0
complain() {
	echo "windows: $*" >&2
	failed=1
}
scratch=$(mktemp -d)
trap 'wineserver -k; rm -rf "$scratch"' EXIT
started=$(date +%s)
elapsed() { echo "windows: $* ($(($(date +%s) - started)) s)"; }
timeout 300 wine "$exe" --version >/dev/null 2>&1 || true # makes the prefix
[ "$(timeout 60 wine "$exe" --version)" = "$("$native" --version)" ] || complain "the tool does not start"
for file in "$exe" "$folder/npu_partition.dll"; do
	needs=$(x86_64-w64-mingw32-objdump -p "$file" | sed -n 's/.*DLL Name: //p' | sort | tr '\n' ' ')
	[ "$needs" = "KERNEL32.dll msvcrt.dll " ] || complain "$file needs $needs"
done
# For Microsoft's compiler, as near as can be had.
if command -v clang >/dev/null; then
	echo '#include "npu_partition.h"' | clang --target=x86_64-pc-windows-msvc -ffreestanding -fms-compatibility -std=c99 \
		-fsyntax-only -Wall -Wextra -pedantic-errors -Werror -Iinclude -x c - || complain "the header for Microsoft's compiler"
fi
elapsed "started"

# ---- cases ---------------------------------------------------------------------------------------------------

timeout 480 wine "$folder/test/cases/run_cases.exe" test/cases/*.cases || complain "text cases"
elapsed "text cases"
count=0
for test in "$folder"/test/unit/*.exe; do
	timeout 240 wine "$test" || complain "$(basename "$test")"
	count=$((count + 1))
done
elapsed "$count unit tests"

# Without those of streams that are closed, which wine does not pass on, or late, after which it starts, of devices, named
# pipes and links that Linux has, of names with a line break or a colon, which no file has there, and of a program that
# is started, which the tool does not do there.
mkdir -p "$folder/wrapped"
printf '#!/bin/sh\nLC_ALL=C.UTF-8 exec timeout 60 wine "%s" "$@"\n' "$exe" >"$folder/wrapped/npu-partition"
chmod +x "$folder/wrapped/npu-partition"
cases=
for case in test/cli/*/; do
	case $case in
	*/budgets-stream/ | */check-bytes/ | */closed-streams/ | */formats-hostile/ | */full-disk/ | */own-file/ | */pipes/ | */png/ | */scan-files/) ;;
	*) cases="$cases $case" ;;
	esac
done
# One word each, so without quotes. Now and then wine itself has a page fault, in a library of its own: what fails is run
# once more, and must pass then.
export MAKE_MODEL="$(dirname "$native")/test/cli/make_model"
if ! sh test/cli/run.sh "$folder/wrapped/npu-partition" $cases >"$scratch/golden" 2>&1; then
	cat "$scratch/golden"
	again=$(sed -n 's|^cli: \([^:]*\): .*|test/cli/\1/|p' "$scratch/golden" | sort -u)
	# shellcheck disable=SC2086
	{ [ -n "$again" ] && sh test/cli/run.sh "$folder/wrapped/npu-partition" $again; } || complain "golden cases"
fi
elapsed "golden cases"

# ---- the same bytes ------------------------------------------------------------------------------------------

targets=all
for model in fixtures/*.onnx; do
	"$native" "$model" --target $targets --format json >"$scratch/native" || true
	timeout 120 wine "$exe" "$model" --target $targets --format json >"$scratch/windows" || true
	cmp "$scratch/native" "$scratch/windows" || complain "$model: the report differs"
done
"$native" fixtures/*.onnx --target hexagon >"$scratch/native" || true
timeout 120 wine "$exe" fixtures/*.onnx --target hexagon >"$scratch/windows" || true
cmp "$scratch/native" "$scratch/windows" || complain "reports in text differ"
[ -s "$scratch/native" ] || complain "nothing was reported"
elapsed "reports of all fixtures on all targets"

# Beside the model, where external data is found as before, or missed as before.
written=0
for model in fixtures/*.onnx; do
	for side in native windows; do
		to=$scratch/$side.files
		mkdir -p "$to"
		cp "$model" "$to/model.onnx"
		[ $side = native ] && run=$native || run="timeout 120 wine $exe"
		cd "$to"
		for word in fix annotate; do
			$run $word model.onnx --target hexagon -o $word.onnx -q >>said 2>&1 || echo "exit $?" >>said
		done
		$run split model.onnx --target hexagon -o parts -q >>said 2>&1 || echo "exit $?" >>said
		$run fix model.onnx --target hexagon -o apart.onnx --weights external -q >>said 2>&1 || echo "exit $?" >>said
		cd "$root"
	done
	diff -r "$scratch/native.files" "$scratch/windows.files" || complain "$model: what is written differs"
	written=$((written + $(find "$scratch/windows.files" -name '*.*' -type f | wc -l) - 1))
	rm -rf "$scratch/native.files" "$scratch/windows.files"
done
[ $written -gt 60 ] || complain "only $written files were written"
elapsed "$written files by fix, annotate and split"

# ---- names of files ------------------------------------------------------------------------------------------

small=fixtures/espcn-x3.dynamo.onnx
work="$scratch/モデル Ωμέγα"
mkdir -p "$work"
cp "$small" "$work/画像.onnx"
cp test/cli/small.ops "$work/規則.ops"
cd "$work"
said() { timeout 60 wine "$exe" "$@" 2>&1 || true; }
said 画像.onnx --oplist 規則.ops --summary -q | grep -q '画像.onnx' || complain "a name in Japanese, as an argument"
said 画像.onnx --oplist 規則.ops -o 報告.txt && [ -s 報告.txt ] || complain "a report of a name in Japanese"
said fix 画像.onnx --target hexagon -o 修正.onnx -q >/dev/null
[ -s 修正.onnx ] || complain "a model of a name in Japanese is not written"
[ "$(said '*.onnx' -t hexagon -q --summary | grep -c onnx)" = 2 ] || complain "*.onnx is not expanded"
mkdir sub
cp "画像.onnx" sub/model.onnx
said 'sub\model.onnx' --target hexagon | head -1 | grep -qF 'sub\model.onnx' || complain "a path with backslashes"
said fix 'sub\model.onnx' --target hexagon -o 'sub\fixed.onnx' -q >/dev/null
[ -s sub/fixed.onnx ] || complain "an output with backslashes"
said "Z:$(pwd | tr / '\\')\\sub\\model.onnx" --target hexagon -q --summary | grep -q whole || complain "a path with a drive"
said sub --target hexagon | grep -q 'is a directory' || complain "a folder is no model"
said 'sub\model.onnx' --target hexagon -o 'SUB\model.onnx' | grep -q 'would be written over' || complain "the model's own name in capitals"
said 画像.onnx --target hexagon --format png -o 画像.png | grep -q 'not supported on this system' || complain "--format png"
[ ! -e 画像.png ] || complain "--format png wrote a file"
said 画像.onnx --target hexagon -o NUL | grep . && complain "NUL"
[ ! -e NUL ] || complain "NUL became a file"
long=.
for i in 1 2 3 4 5 6; do long=$long/$(printf 'folder%050d' $i); done
mkdir -p "$long"
cp "$OLDPWD/$small" "$long/model.onnx"
[ "$(printf %s "$(pwd)/$long/model.onnx" | wc -c)" -gt 300 ] || complain "the long path is short"
said "$long/model.onnx" --target hexagon -o "$long/report.txt"
[ -s "$long/report.txt" ] || complain "a path of more than 260 characters"
said fix "$long/model.onnx" --target hexagon -o "$long/fixed.onnx" -q >/dev/null
[ -s "$long/fixed.onnx" ] || complain "an output of more than 260 characters"
# No text is written with CRLF, and models read from standard input are not cut at a byte 26.
said 'sub\model.onnx' --target hexagon | grep -q "$(printf '\r')" && complain "a report has carriage returns"
printf 'name\032rest' >mark
{ cat 画像.onnx | said - --target hexagon --format json | sed 's/"path":"[^"]*"//' >"$scratch/piped"; } || true
said 画像.onnx --target hexagon --format json | sed 's/"path":"[^"]*"//' | cmp - "$scratch/piped" || complain "a model from a pipe"
cd "$root"
elapsed "names of files"

# ---- the library ---------------------------------------------------------------------------------------------

timeout 60 wine "$folder/test/checks/load_dll.exe" "Z:$(echo "$folder" | tr / '\\')\\npu_partition.dll" "$small" >"$scratch/dll" ||
	complain "the DLL"
"$native" "$small" --target hexagon --format json | cmp - "$scratch/dll" || complain "the DLL's report differs"
elapsed "the DLL"
exit $failed
