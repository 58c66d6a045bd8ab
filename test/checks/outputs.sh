#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# What a build of the tool writes, as files below FOLDER, where another build's are compared with them byte by byte:
# reports of all fixtures on all targets, of a file above 2 GiB, and of the models in MUTANTS; what fix, annotate and
# split write. Messages and exit statuses are kept, too.
#
# usage: outputs.sh TOOL FOLDER [MUTANTS]
set -eu
tool=$(cd "$(dirname "$1")" && pwd)/$(basename "$1")
root=$(cd "$(dirname "$0")/../.." && pwd)
rm -rf "$2"
mkdir -p "$2/reports"
folder=$(cd "$2" && pwd)
mutants=${3+$(cd "$3" && pwd)}
cd "$root"
# OUTPUT WORD...
say() {
	output=$1
	shift
	timeout 300 "$tool" "$@" >"$output" 2>"$output.messages" || echo "exit $?" >>"$output.messages"
}

for model in fixtures/*.onnx; do
	say "$folder/reports/$(basename "$model").json" "$model" --target all --format json
	# Beside the model, where external data is found as before, or missed as before.
	to=$folder/files/$(basename "$model")
	mkdir -p "$to"
	cp "$model" "$to/model.onnx"
	cd "$to"
	say fix.txt fix model.onnx --target hexagon -o fix.onnx -q
	say annotate.txt annotate model.onnx --target hexagon -o annotate.onnx -q
	say split.txt split model.onnx --target hexagon -o parts -q
	say apart.txt fix model.onnx --target hexagon -o apart.onnx --weights external -q
	cd "$root"
done
say "$folder/reports/text" fixtures/*.onnx --target hexagon

# A field that nobody knows (1000, of 3 GiB, a hole in the file) in front of a model.
cd "$folder"
printf '\302\076\200\200\200\200\014' >large.onnx
truncate -s $((7 + (3 << 30))) large.onnx
cat "$root/fixtures/espcn-x3.dynamo.onnx" >>large.onnx
say reports/large.json large.onnx --target hexagon --format json
rm large.onnx

# By the batch, each for the next target.
[ -n "$mutants" ] || exit 0
cd "$mutants"
mkdir "$folder/mutants"
set -- hexagon intel-npu coreml-mlprogram ethos-u
ls | sort -n | xargs -n 50 | while read -r batch; do
	# shellcheck disable=SC2086
	say "$folder/mutants/${batch%%.*}.json" $batch --target "$1" --format json </dev/null
	set -- "$2" "$3" "$4" "$1"
done
