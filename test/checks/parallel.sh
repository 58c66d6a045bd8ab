#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# The recipes of docs/inside/spark.md for GNU parallel and xargs: as they stand there they write what one scan writes, also
# when they are broken off and run again.
#
# usage: parallel.sh TOOL
set -eu
PATH=$PWD/$(dirname "$1"):$PATH
page=$PWD/docs/inside/spark.md
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
mkdir "$folder/models"
for model in fixtures/*.onnx; do
	name=$(basename "$model")
	cp "$model" "$folder/models/it's $name"
	head -c 5000 "$model" >"$folder/models/short-$name"
done
cd "$folder"

# The lines of the page after the one with a word, up to the next empty one.
recipe() { sed -n "/^    # $1/,/^\$/p" "$page"; }
fail() {
	echo "$1" >&2
	exit 1
}
compare() { # parts, as a sorted whole
	# Which options a line was made with is the same for all of them.
	sort "$1"/*.jsonl | cmp - expected || fail "$1: not what one scan writes"
}

npu-partition scan models --target hexagon --quiet | sort >expected || [ $? = 3 ]
[ "$(grep -c '"error":' expected)" -gt 10 ] || fail "too few models fail"
find models -name '*.onnx' | sort >list

for way in parallel xargs; do
	recipe "$way" | sed 's/500/7/' >"$way.sh"
	[ -s "$way.sh" ] || fail "docs/inside/spark.md has no recipe for $way"
	sh "./$way.sh" || true # status: some models cannot be read
	compare "$way"
	[ "$(ls "$way"/*.jsonl | wc -l)" -gt 5 ] || fail "$way: not divided"
	# As if it had been killed at one part: half of its lines are written, the last one not to its end.
	part=$(ls "$way"/*.jsonl | sed -n 3p)
	head -c "$(($(wc -c <"$part") / 2))" "$part" >half && mv half "$part"
	if [ "$way" = parallel ]; then
		number=$(basename "$part" .jsonl)
		awk -v number="$number" '$1 != number' parallel.log >half && mv half parallel.log
	fi
	sh "./$way.sh" || true
	compare "$way"
done
echo "parallel, xargs: as one scan"
