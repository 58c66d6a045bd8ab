#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# The output that README.md shows is what `make demo` prints. With --accept, puts it there.
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
