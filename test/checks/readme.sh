#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# The output that README.md shows is what `make demo` prints, and its commands and those of docs/commands.md run as they
# are written. With --accept, puts the output there.
#
# usage: readme.sh README "DEMO COMMAND" [--accept]
set -eu
readme=$1
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
# Four blanks before each line make it a block of code.
sh -c "$2" | sed -e 's/^/    /' -e 's/^ *$//' > "$folder/demo"
awk -v shown="$folder/demo" '
	/^<!-- end -->$/ { inside = 0 }
	!inside { print }
	/^<!-- demo -->$/ { inside = 1; print ""; while ((getline line < shown) > 0) print line; print "" }
' "$readme" > "$folder/readme"
if [ "${3-}" = --accept ]; then
	cp "$folder/readme" "$readme"
elif ! diff "$readme" "$folder/readme"; then
	echo "readme: $readme does not show what the demo prints (make accept)" >&2
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
