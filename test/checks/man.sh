#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# usage: man.sh TOOL SYMBOLS PAGE...   Man pages are rendered without a warning by mandoc and groff; the tool's has every
# command and option of its help, the library's every function of SYMBOLS.
set -eu
tool=$1 symbols=$2
shift 2
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
failed=0
complain() {
	echo "man: $*" >&2
	failed=1
}
for page; do
	mandoc -T lint -W warning "$page" >&2 || complain "$page: mandoc warns"
	groff -ww -man -Tutf8 -z "$page" >"$work/groff" 2>&1 || true
	[ ! -s "$work/groff" ] || complain "$page: groff warns: $(cat "$work/groff")"
	! grep -n '@[A-Z_]*@' "$page" >&2 || complain "$page: a place is left empty"
	mandoc -T ascii -O width=200 "$page" | sed 's/.\x08//g' >"$work/$(basename "$page").txt"
done

text=$work/npu-partition.1.txt
for command in $("$tool" --complete '' | sed -n 's/\t.*//p') ''; do
	[ -z "$command" ] || grep -q "^   $command\$" "$text" || complain "no command $command in npu-partition(1)"
	# An option with its value and the first words said of it.
	"$tool" $command --help | sed -n 's/^  \(-., \|    \)\(--[^ ]*\( [^ ]*[A-Z0-9|.][^ ]*\( \[OP\]\)\?\)\?\) *\(.*\)/\2\t\5/p' >"$work/options"
	[ -s "$work/options" ] || complain "the help of $command is not understood"
	while IFS='	' read -r option help; do
		grep -A 1 -F -- "$option" "$text" | tr -d '\n' | grep -qF -- "$(printf '%s' "$help" | cut -c 1-30)" ||
			complain "npu-partition(1) does not say of $option: $help"
	done <"$work/options"
	"$tool" $command --help | sed -n 's/^ \{30,\}\([^ ]*\) *\(.*\)/\1 \2/p' | while read -r word help; do
		grep -A 1 " $word\b" "$text" | tr -d '\n' | grep -qF -- "$(printf '%s' "$help" | cut -c 1-30)" || echo "$word: $help"
	done >"$work/words"
	[ ! -s "$work/words" ] || complain "npu-partition(1) lacks values of options: $(cat "$work/words")"
done
count=0
while read -r kind name version; do
	case $kind in
	function) grep -q "\b$name(" "$work/npu_partition.3.txt" || complain "no $name in npu_partition(3)" ;;
	struct) grep -q "^ *struct $name {" "$work/npu_partition.3.txt" || complain "no struct $name in npu_partition(3)" ;;
	esac
	count=$((count + 1))
done <"$symbols"
for word in $(sed -n 's/^op \([A-Za-z]*\).*/\1/p' docs/oplist-format.md | sort -u) precision partitioner define fallback; do
	grep -q "\b$word\b" "$work/npu-partition-oplist.5.txt" || complain "no $word in npu-partition-oplist(5)"
done
[ $failed = 0 ] && echo "man: $# pages, $count lines of $symbols"
exit $failed
