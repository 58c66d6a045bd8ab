# SPDX-License-Identifier: Apache-2.0
# usage: awk -f help.awk Makefile make/*.mk   Prints the targets that say what they do (`target: ... ## sentence`), in
# groups by the files' titles (`#: title`).
/^#: / { title = substr($0, 4) }
/^[a-z-]+:.*## / {
	if (title != "") print (is_later ? "\n" : "") title
	title = ""
	is_later = 1
	target = substr($0, 1, index($0, ":") - 1)
	sub(/^.*## /, "")
	if (length(target) < 22) printf "  %-22s%s\n", target, $0
	else printf "  %s\n  %22s%s\n", target, "", $0
}
