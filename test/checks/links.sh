#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# No object of lib/ takes a symbol from a stage that stands later than its own. And the core alone, which has none of
# change, compare and report, reads a model and plans it as the tool does.
#
# usage: links.sh OBJECTS PROGRAM TOOL MODEL          OBJECTS: the folder that has lib/; PROGRAM: linked with the core
set -eu
objects=$1 program=$2 tool=$3 model=$4
stages=$(sed -n 's/^stages="\(.*\)"/\1/p' "$(dirname "$0")/structure.sh")

# Those of sources that are there: an older build may have left others.
find "$objects/lib" -name '*.o' | sort | while read -r object; do
	source=${object#"$objects"/}
	[ ! -f "${source%.o}.c" ] || nm -o "$object"
done | awk -v stages="$stages" '
	BEGIN { count = split(stages, names, " "); for (i = 1; i <= count; i++) { sub(/.*\//, "", names[i]); rank[names[i]] = i } }
	{
		file = $1
		sub(/:.*/, "", file)
		parts = split(file, part, "/")
		by[NR] = part[parts - 1]; symbol[NR] = $NF; kind[NR] = $(NF - 1); from[NR] = file
		if (kind[NR] ~ /[TDRB]/) defined_in[$NF] = part[parts - 1]
	}
	END {
		for (i = 1; i <= NR; i++)
			if (kind[i] == "U" && symbol[i] in defined_in && rank[defined_in[symbol[i]]] > rank[by[i]]) {
				printf "%s takes %s from %s, a later stage\n", from[i], symbol[i], defined_in[symbol[i]]
				bad = 1
			}
		exit bad
	}' >&2

"$tool" "$model" --target hexagon --format json --detail summary | grep -o '"summary":{[^}]*}' | head -1 |
	sed 's/.*"live":\([0-9]*\),"accepted":\([0-9]*\).*"partitions":\([0-9]*\),.*"verdict":"\([a-z]*\)".*/\4: \3 partitions, \2 of \1 nodes/' >"$program.expected"
"$program" "$model" hexagon | head -1 | diff "$program.expected" -
echo "links: no object takes from a later stage, and the core alone answers as the tool does"
