#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# usage: make.sh TEMPLATE VERSION DATE OPLISTS DOCS TOOL HEADER...   Prints a man page: the template, with what is said
# elsewhere put in, so that it is said once: options by the tool's --help, declarations by the headers, formats by pages of docs/.
set -eu
template=$1 version=$2 date=$3 oplists=$4 docs=$5 tool=$6
shift 6
here=$(dirname "$0")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
render() {
	script=$1
	shift
	awk -f "$here/common.awk" -f "$here/$script.awk" "$@"
}
# Headings of options get a mark: what stands above an option and is none.
help_of() {
	"$tool" "$@" --help | awk '/^  (-.,|   ) --/ && last ~ /^[^ ]/ { last = "\001" last }
		NR > 1 { print last }
		{ last = $0 }
		END { print last }'
}
see_toml=
[ ! -f docs/project-file.md ] || see_toml=',\n.BR npu\\-partition.toml (5)'

case $(basename "$template") in
npu-partition.1.in)
	help_of >"$work/help"
	render help "$work/help" >"$work/OPTIONS"
	for command in $("$tool" --complete '' | sed -n 's/\t.*//p'); do
		help_of "$command" | awk -v command="$command" -v general="$work/help" \
			-f "$here/common.awk" -f "$here/help.awk"
	done >"$work/COMMANDS"
	;;
npu_partition.3.in) render header "$@" >"$work/HEADER" ;;
npu-partition-oplist.5.in) render markdown docs/oplist-format.md docs/inside/oplist-runtimes.md >"$work/PAGE" ;;
npu-partition.toml.5.in) render markdown docs/project-file.md >"$work/PAGE" ;;
esac
while IFS= read -r line; do
	case $line in
	@*@) cat "$work/$(printf '%s' "$line" | tr -d @)" ;;
	*) printf '%s\n' "$line" ;;
	esac
done <"$template" | sed "s|@DATE@|$date|; s|@VERSION@|$version|; s|@OPLISTS@|$oplists|; s|@DOCS@|$docs|; s|@SEE_TOML@|$see_toml|" | awk '
	# A paragraph that begins with a heading, another paragraph, or nothing, is none.
	$0 == ".PP" { is_waiting = 1; next }
	is_waiting && !/^\.(SH|SS|PP|IP|TP|RE)/ && last !~ /^\.(SH|SS)/ { print ".PP" }
	{ is_waiting = 0; last = $0; print }'
