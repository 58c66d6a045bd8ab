#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# README.md shows what its commands print (<!-- shows COMMAND -->), the first of them the demo; and its commands and
# those of docs/commands.md run as they are written. With --accept, puts the output there.
#
# usage: readme.sh README TOOL "DEMO COMMAND" [--accept]
set -eu
readme=$1 tool=$2 demo=$3
shift 3
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
# Four blanks before each line make it a block of code.
awk -v tool="$tool" '
	/^<!-- end -->$/ { inside = 0 }
	!inside { print }
	/^<!-- shows .* -->$/ {
		inside = 1
		command = $0
		sub(/^<!-- shows npu-partition/, tool, command)
		sub(/ -->$/, "", command)
		print ""
		while ((command | getline line) > 0)
			print line == "" ? "" : "    " line
		print ""
		close(command)
	}
' "$readme" > "$folder/readme"
sh -c "$demo" | sed -e 's/^/    /' -e 's/^ *$//' > "$folder/demo"
awk '/^<!-- shows / && !seen++ { inside = 1; getline; next } /^<!-- end -->$/ { inside = 0 } inside' "$folder/readme" |
	sed '$d' | diff - "$folder/demo" || { echo "readme: $readme does not begin with what make demo prints" >&2; exit 1; }
if [ "${1-}" = --accept ]; then
	cp "$folder/readme" "$readme"
elif ! diff "$readme" "$folder/readme"; then
	echo "readme: $readme does not show what its commands print (make accept)" >&2
	exit 1
fi
# Commands run one after the other, as in a clone: in a folder with the tool where `make` puts it.
mkdir "$folder/clone" "$folder/clone/build"
for part in fixtures oplists build/npu-partition; do
	ln -s "$PWD/$part" "$folder/clone/$part"
done
for page in "$readme" docs/commands.md; do
	sed -n '/^<!-- commands -->$/,/^<!-- end -->$/s/^    \([^#]\)/\1/p' "$page" > "$folder/more"
	[ -s "$folder/more" ] || { echo "readme: $page has no commands" >&2; exit 1; }
	cat "$folder/more" >> "$folder/commands"
done
cd "$folder/clone"
PATH=$PWD/build:$PATH
while read -r command; do
	if ! sh -c "$command" </dev/null >"$folder/out" 2>&1; then
		echo "readme: this command fails: $command" >&2
		tail -3 "$folder/out" >&2
		exit 1
	fi
done < "$folder/commands"
