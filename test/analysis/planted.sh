#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# What an analyzer said of a file with planted defects, on standard input, against what the file says that it must say:
# `TOOL: CHECK` in a comment, for the line that it stands on.
#
# usage: test/analysis/planted.sh TOOL FILE < OUTPUT
set -eu
said=$(cat)
wanted=$(grep -n -o "/\* $1: [^ ]* \*/" "$2" | sed "s|/\* $1: ||; s| \*/||")
[ -n "$wanted" ] || { echo "$2 has nothing planted for $1" >&2; exit 1; }
missed=0
for one in $wanted; do
	printf '%s\n' "$said" | grep -q "^[^ ]*${2##*/}:${one%%:*}:.*${one#*:}" ||
		{ echo "$2:${one%%:*}: $1 does not say ${one#*:}" >&2; missed=1; }
done
exit $missed
