#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# usage: symbols.sh HEADER SHARED_LIBRARY   The functions marked NPART_API are the dynamic symbols, all of them.
set -eu
declared=$(mktemp)
exported=$(mktemp)
trap 'rm -f "$declared" "$exported"' EXIT
grep -v '^#' "$1" | tr '\n' ' ' | grep -o 'NPART_API[^;]*;' | sed 's/(.*//; s/.*[ *]//' | sort -u >"$declared"
nm -D --defined-only "$2" | awk '$2 == "T" { print $3 }' | sort -u >"$exported"
diff "$declared" "$exported" >&2
echo "$(wc -l <"$declared") functions declared and exported"
