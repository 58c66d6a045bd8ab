#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# usage: sums.sh DIST VERSION   Writes down the checksums of a release, to be committed with its tag: of all files in
# packaging/SHA256SUMS, by which packaging/get.sh knows its binary, and of one in GitLab's template. None of both is in
# what is released.
set -eu
cd "$(dirname "$0")/../.."
sum=$(sed -n "s/^\([0-9a-f]\{64\}\)  npu-partition-$2-linux-x86_64\.tar\.gz\$/\1/p" "$1/SHA256SUMS")
[ -n "$sum" ] || { echo "sums.sh: $1/SHA256SUMS has no npu-partition-$2-linux-x86_64.tar.gz" >&2; exit 1; }
cp "$1/SHA256SUMS" packaging/SHA256SUMS
sed "/^    checksum:/,/default:/s/default:.*/default: \"$sum\"/; /^    version:/,/default:/s/default:.*/default: \"$2\"/" \
	templates/npu-partition.yml >templates/npu-partition.yml.new
mv templates/npu-partition.yml.new templates/npu-partition.yml
