#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# usage: symbols.sh SHARED_LIBRARY LIST CC HEADER...   The functions marked NPART_API are the dynamic symbols, all of them,
# and both are what LIST promises, as are the sizes of structs that carry a size or version.
set -eu
library=$1 list=$2 cc=$3 header=$4
shift 3
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cat "$@" | grep -v '^#' | tr '\n' ' ' | grep -o 'NPART_API[^;]*;' | sed 's/(.*//; s/.*[ *]//' | sort -u >"$work/declared"
# Each under the node of the major version, and nothing else but that node.
node=NPU_PARTITION_$(sed -n 's/^#define NPART_VERSION_MAJOR //p' "$header")
nm -D --defined-only "$library" | awk -v node="$node" '$3 != node { sub("@@" node "$", "", $3); print $3 }' | sort -u >"$work/exported"
diff "$work/declared" "$work/exported" >&2
objdump -p "$library" | grep -q "0x00 0x[0-9a-f]* $node\$" || { echo "$library has no version node $node" >&2; exit 1; }
{
	printf '#include <stdio.h>\n#define NPART_EXPERIMENTAL\n#include "%s"\nint main(void)\n{\n' "$(realpath "$header")"
	awk '/^struct npart_[a-z_]* {$/ { name = $2; next }
		/^    (size_t size|uint32_t version);/ && name { printf "    printf(\"struct %s %%zu\\n\", sizeof(struct %s));\n", name, name }
		{ name = "" }' "$@"
	printf '    return sizeof(void *) == 8 ? 0 : 1;\n}\n'
} >"$work/sizes.c"
$cc -std=c99 "$work/sizes.c" -o "$work/sizes"
sed 's/^/function /' "$work/declared" >"$work/found"
"$work/sizes" >>"$work/found" || exec echo "not compared: sizes are listed for pointers of 64 bits"
sort "$work/found" >"$work/sorted"
grep -v '^#' "$list" | sed 's/ [^ ]*$//' | sort >"$work/promised"
if ! diff "$work/promised" "$work/sorted" >&2; then
	echo "$list promises something else (<) than the header has (>)" >&2
	exit 1
fi
echo "$(wc -l <"$work/declared") functions declared, exported and promised"
