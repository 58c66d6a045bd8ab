#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# usage: exports.sh HEADER...   A module definition file of all functions that the headers mark NPART_API.
set -eu
echo "LIBRARY npu_partition"
echo "EXPORTS"
cat "$@" | grep -v '^#' | tr '\n' ' ' | grep -o 'NPART_API[^;]*;' | sed 's/(.*//; s/.*[ *]//; s/^/    /' | sort -u
