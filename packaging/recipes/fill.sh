#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# usage: fill.sh TARBALL FOLDER [URL]   Writes into FOLDER the formula, recipe and port of the release that the tarball
# of `make dist` is: its version and checksums, and where it is found (default: among the release's files, by its tag).
set -eu
tarball=$1 folder=$2
here=$(cd "$(dirname "$0")" && pwd)
name=$(basename "$tarball")
version=${name#npu-partition-}
version=${version%.tar.xz}
home=https://github.com/npu-partition/npu-partition
url=${3:-$home/releases/download/v$version/$name}
sha256=$(sha256sum <"$tarball") sha512=$(sha512sum <"$tarball")
cd "$here"
find . -type f ! -name fill.sh | while read -r file; do
	mkdir -p "$folder/$(dirname "$file")"
	sed "s|@VERSION@|$version|g; s|@URL@|$url|g; s|@HOME@|$home|g
		s|@SHA256@|${sha256%% *}|g; s|@SHA512@|${sha512%% *}|g" "$file" >"$folder/${file%.in}"
done
