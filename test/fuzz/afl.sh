#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# One fuzzer under AFL++, from the corpus and from what libFuzzer has found. New inputs go where libFuzzer's are, for
# the next run of either; those that stop the fuzzer lie beside libFuzzer's, and the run has failed.
#
# usage: test/fuzz/afl.sh PROGRAM TARGET FOUND SECONDS [MUTATOR]
#   FOUND: the folder of what is found, TARGET a folder in it; MUTATOR: a library of AFL's custom mutators
set -eu
program=$1 target=$2 found=$3 seconds=$4
mkdir -p "$found/$target"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir "$work/in"
for file in "test/fuzz/corpus/$target"/* "$found/$target"/*; do
	[ ! -f "$file" ] || cp "$file" "$work/in/" # links are not followed
done
# For a machine as it is: its core files, its clock, its other work.
export AFL_NO_UI=1 AFL_SKIP_CPUFREQ=1 AFL_NO_AFFINITY=1 AFL_I_DONT_CARE_ABOUT_MISSING_CRASHES=1 AFL_SKIP_CRASHES=1
[ -z "${5-}" ] || export AFL_CUSTOM_MUTATOR_LIBRARY="$(realpath "$5")"
# What the corpora hold is larger than what is tried anew; 10 seconds and 2 GiB, as under libFuzzer.
afl-fuzz -i "$work/in" -o "$work/out" -V "$seconds" -t 10000+ -m none -G 16384 -- "$program" >"$work/log" 2>&1 ||
	{ tail -20 "$work/log" >&2; exit 1; }
sed -n 's/^\(execs_done\|corpus_count\|corpus_found\|edges_found\|saved_crashes\|saved_hangs\) *: /  \1 /p' \
	"$work/out/default/fuzzer_stats" | tr '\n' ' '
echo " $target"
for file in "$work"/out/default/queue/id:*; do
	case $file in
	*,orig:*) ;;
	*) cp "$file" "$found/$target/afl-$(sha1sum <"$file" | cut -c 1-40)" ;;
	esac
done
stopped=0
for kind in crash hang; do
	for file in "$work/out/default/${kind}"*s/id:*; do
		[ -f "$file" ] || continue
		cp "$file" "$found/$kind-afl-$target-$(sha1sum <"$file" | cut -c 1-40)"
		stopped=1
	done
done
[ "$stopped" = 0 ] || { echo "$target: inputs that stop it: $found/*-afl-$target-*" >&2; exit 1; }
