#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# usage: version-script.sh HEADER...   Prints the linker's version script: the functions that the headers mark NPART_API,
# under a node of the major version. So a program that was linked says which one it needs, and nothing else, such as a
# copy of protobuf-c, ever leaves the library.
set -eu
major=$(sed -n 's/^#define NPART_VERSION_MAJOR //p' "$1")
echo "NPU_PARTITION_$major {"
echo "global:"
cat "$@" | grep -v '^#' | tr '\n' ' ' | grep -o 'NPART_API[^;]*;' | sed 's/(.*//; s/.*[ *]//; s/.*/    &;/' | sort -u
printf 'local:\n    *;\n};\n'
