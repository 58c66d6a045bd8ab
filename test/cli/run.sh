#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Runs the golden cases of the tool.
#
# usage: test/cli/run.sh TOOL [--accept] [CASE...]
#
# A case is a folder here with `cmd`, a shell script run in an empty folder of its own with $TOOL, $FIXTURES, $LISTS
# (this folder) and $MAKE_MODEL (text on standard input to a model on standard output) set, and what it must print:
# `stdout` and `stderr` (absent: nothing) and `exit` (absent: 0). --accept writes what is printed now into the case, to be
# read in the diff. Fixtures and lists have paths that
# are as long on every machine, since reports break their lines.
set -u
here=$(cd "$(dirname "$0")" && pwd)
root=$(cd "$here/../.." && pwd)
TOOL=$(cd "$(dirname "$1")" && pwd)/$(basename "$1")
MAKE_MODEL=${MAKE_MODEL:-$(dirname "$TOOL")/test/cli/make_model}
export TOOL MAKE_MODEL
shift
for program in "$TOOL" "$MAKE_MODEL"; do
	[ -x "$program" ] || { echo "cli: there is no $program: make check-cli builds it and runs the cases" >&2; exit 2; }
done
accept=no
if [ "${1-}" = --accept ]; then
	accept=yes
	shift
fi
[ $# -gt 0 ] || set -- "$here"/*/
scratch=$(mktemp -d /tmp/cli.XXXXXX)
FIXTURES=$scratch/FIXTURES
LISTS=$scratch/LISTS
export FIXTURES LISTS
ln -s "$root/fixtures" "$FIXTURES"
ln -s "$here" "$LISTS"
trap 'rm -rf "$scratch"' EXIT
failed=0
run=0
for case; do
	name=$(basename "$case")
	case=$here/$name
	[ -f "$case/cmd" ] || continue
	run=$((run + 1))
	mkdir -p "$scratch/$name"
	(cd "$scratch/$name" && LC_ALL=C NO_COLOR= sh "$case/cmd" >"$scratch/stdout" 2>"$scratch/stderr" </dev/null)
	echo $? >"$scratch/exit"
	# Places differ from machine to machine.
	for stream in stdout stderr; do
		sed "s|$FIXTURES|FIXTURES|g; s|$LISTS|LISTS|g; s|$scratch|SCRATCH|g" "$scratch/$stream" >"$scratch/$stream.plain"
		mv "$scratch/$stream.plain" "$scratch/$stream"
	done
	for part in stdout stderr exit; do
		wanted=$case/$part
		if [ $accept = yes ]; then
			if [ $part = exit ] && [ "$(cat "$scratch/exit")" = 0 ] || [ ! -s "$scratch/$part" ]; then
				rm -f "$wanted"
			else
				cp "$scratch/$part" "$wanted"
			fi
			continue
		fi
		[ -f "$wanted" ] || { wanted=$scratch/wanted; if [ $part = exit ]; then echo 0; else :; fi >"$wanted"; }
		if ! cmp -s "$wanted" "$scratch/$part"; then
			echo "cli: $name: $part differs" >&2
			diff "$wanted" "$scratch/$part" | head -20 >&2
			failed=$((failed + 1))
		fi
	done
done
echo "$run cli cases, $failed failed"
[ $failed = 0 ] && [ $run -gt 0 ]
