#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# usage: operators.sh [--list]
# How many files of lib name an operator, and may not become more: what is asked of an operator is a column of
# lib/target/schema/operators.table. With --list which files, and which answers of the table nobody has given.
set -eu
cd "$(dirname "$0")/../.."
most=33

scratch=$(mktemp)
trap 'rm -f "$scratch"' EXIT
table=lib/target/schema/operators.table
awk -f test/checks/operators.awk lib/target/schema/operators.def $(find lib -name '*.[ch]' -o -name '*.def' | sort) >"$scratch"
count=$(wc -l <"$scratch")
if [ "${1-}" = --list ]; then
	cat "$scratch"
	echo
	awk -f tools/generate/operators.awk -v part=open "$table"
fi
if [ "$count" -gt "$most" ]; then
	cat "$scratch" >&2
	echo "operators: $count files name an operator, more than $most: is it a column of $table?" >&2
	exit 1
fi
echo "operators: $count files name an operator, of $most that may"
