#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# usage: completions.sh TOOL SHELL...   What the shells (bash, zsh, fish) offer after TAB, each asked itself; and that
# the tool takes what it offers.
set -eu
tool=$(realpath "$1")
here=$(cd "$(dirname "$0")" && pwd)
root=$(cd "$here/../.." && pwd)
shift
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
PATH=$(dirname "$tool"):$PATH
export PATH
mkdir "$work/functions" "$work/files" "$work/files/parts"
cd "$work/files"
touch net.onnx 'two words.onnx' list.ops

# A line, and what may stand for its last word; a model's name is offered before other files.
cat >"$work/cases" <<'END'
npu-partition n|net.onnx
npu-partition l|list.ops
npu-partition spl|split
npu-partition net.onnx spl|
npu-partition two\ w|two words.onnx
npu-partition split p|parts
npu-partition calibrate list|list.ops
npu-partition --describe rkn|rknn
npu-partition -t hexagon:v7|hexagon:v73 hexagon:v75 hexagon:v79
npu-partition --target=hexagon,ethos|--target=hexagon,ethos-u
npu-partition net.onnx -t intel-npu,coreml|intel-npu,coreml-mlprogram intel-npu,coreml-neuralnetwork
npu-partition --fail-on spl|split
npu-partition --fail-on=none,un|--fail-on=none,unknown
npu-partition --level |basic off
npu-partition fix net.onnx --allow st|step
npu-partition net.onnx --assume Erf=|Erf=cpu Erf=npu
npu-partition --oplist li|list.ops
npu-partition --min-c|--min-coverage
npu-partition fix --dry|--dry-run
npu-partition --dry|
npu-partition split --min|
npu-partition -- spl|
END

# $1: what a shell offered for all lines, "." after each line's
compare() {
	awk -F'|' 'FNR == NR { offered[FNR] = $0; next } { printf "%s|%s\n", $1, offered[FNR] }' "$1" "$work/cases" >"$work/found"
	diff "$work/cases" "$work/found" >&2 || { echo "$shell offers something else (>) than it should (<)" >&2; exit 1; }
}
# One sorted line for what stood before each "."; names as they are, without a description.
gather() {
	awk -F'\t' '$0 == "." { n = asort_lines(); print_line(n); count = 0; next } { gsub(/\\/, "", $1); sub(/\/$/, "", $1); lines[++count] = $1 }
		function asort_lines(  i, j, other) {
			for (i = 2; i <= count; i++)
				for (j = i; j > 1 && lines[j] < lines[j - 1]; j--) { other = lines[j]; lines[j] = lines[j - 1]; lines[j - 1] = other }
			return count
		}
		function print_line(n,  i, text) {
			for (i = 1; i <= n; i++) text = text (i > 1 ? " " : "") lines[i]
			print text
		}'
}

for shell; do
	case $shell in
	bash)
		# Bash replaces what follows the last "=" or ":" only: that is put before it here, as the line shows it then.
		bash --norc -c 'eval "$(npu-partition --completion bash)"
			compopt() { :; }
			while IFS= read -r line; do
				line=${line%%|*} COMP_LINE=$line COMP_POINT=${#line} COMPREPLY=()
				_npu_partition
				kept=${line##* } kept=${kept%"${kept##*[=:]}"}
				[ ${#COMPREPLY[@]} = 0 ] || printf -- "$kept%s\n" "${COMPREPLY[@]}"
				echo .
			done' <"$work/cases" | gather >"$work/offered"
		;;
	zsh)
		npu-partition --completion zsh >"$work/functions/_npu-partition"
		zsh -f "$here/completions.zsh" "$work/functions" "$work/cases" | gather >"$work/offered"
		;;
	fish)
		fish --no-config -c 'npu-partition --completion fish | source
			while read -l line
				complete -C (string replace -r "\|.*" "" -- $line)
				echo .
			end' <"$work/cases" | gather >"$work/offered"
		;;
	esac
	compare "$work/offered"
	echo "completions: $shell offers what it should in $(wc -l <"$work/cases") places"
done

# Every option of a command's help is offered with it, and no other.
for command in '' $(npu-partition --complete '' | sed -n 's/\t.*//p'); do
	npu-partition $command --help | sed -n 's/^  \(-., \|    \)--\([a-z0-9-]*\).*/--\2/p' | sort >"$work/printed"
	npu-partition --complete $command -- | sed 's/\t.*//' | sort | diff "$work/printed" - >&2 ||
		{ echo "npu-partition $command: --help has other options (<) than completion (>)" >&2; exit 1; }
done
# Every value that is offered is one, if not of every target.
for option in --target --runtime --partitioner --detail --level --format --fail-on --color; do
	values=$(npu-partition --complete $option '' | sed 's/\t.*//')
	[ -n "$values" ]
	for value in $values; do
		npu-partition "$root/fixtures/detector.dynamo.onnx" --target hexagon "$option" "$value" >/dev/null 2>"$work/err" || true
		! grep -E ': (there is no|expected) ' "$work/err" >&2 || { echo "$option $value is offered, and not taken" >&2; exit 1; }
	done
done
