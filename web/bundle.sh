#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Joins the page's files (web/page/files).
#
# usage: bundle.sh script|style|page
#   script, style: one file of all scripts, or of all styles
#   page: the whole page with both inline, and @DATA@ on a line of its own where the reports belong. Its policy allows
#   these two and nothing else: no other script or style runs, and nothing is loaded from anywhere.
set -eu
folder=$(dirname "$0")/page

files() {
	sed -n "/^#/d; /\.$1\$/s|^|$folder/|p" "$folder/files"
}

# One scope for all; a file may be used on its own for checks.
script() {
	printf '"use strict";\n(() => {\n'
	cat $(files js)
	printf '})();\n'
}

style() {
	cat $(files css)
}

# Of what stands between the tags, as the browser sees it.
hash_of() {
	hexadecimal=$("$1" | sha256sum | cut -c1-64 | sed 's/../\\x&/g')
	printf "'sha256-%s'" "$(env printf "$hexadecimal" | base64 -w0)"
}

page() {
	policy="default-src 'none'; script-src $(hash_of script); style-src $(hash_of style); img-src data:; base-uri 'none'; form-action 'none'"
	while IFS= read -r line; do
		case $line in
		*@POLICY@*) printf '%s%s%s\n' "${line%%@*}" "$policy" "${line##*@}" ;;
		*@STYLE@*) printf '%s' "${line%%@*}" && style && printf '%s\n' "${line##*@}" ;;
		*@SCRIPT@*) printf '%s' "${line%%@*}" && script && printf '%s\n' "${line##*@}" ;;
		*) printf '%s\n' "$line" ;;
		esac
	done < "$folder/page.html"
}

case ${1-} in
script | style | page) "$1" ;;
*) sed -n '/^# usage/,/^[^#]/s/^# \{0,1\}//p' "$0" >&2; exit 2 ;;
esac
