#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# usage: dist.sh VERSION FOLDER   Writes FOLDER/npu-partition-VERSION.tar.xz, and its .sha256. The same sources give the
# same bytes, wherever they stand and whoever packs them: names are sorted, owners and modes are plain, and all times
# are SOURCE_DATE_EPOCH; without it the last commit's, or in an unpacked tarball that of its files.
# Debian's folder is left out, as Debian asks for.
set -eu
version=$1
mkdir -p "$2"
folder=$(cd "$2" && pwd)
name=npu-partition-$version
cd "$(dirname "$0")/.."
export LC_ALL=C
list=$(mktemp)
trap 'rm -f "$list" "$folder/$name.tar.new"' EXIT

if [ -e .git ]; then
	git ls-files -z -- . ':!debian' >"$list"
	[ -z "$(git status --porcelain)" ] || echo "dist: what is packed differs from the last commit" >&2
	time=$(git log -1 --format=%ct)
else
	find . \( -path ./build -o -path ./debian \) -prune -o -name __pycache__ -prune -o -type f -printf '%P\0' >"$list"
	time=$(find . -path ./build -prune -o -type f -printf '%Ts\n' | sort -n | tail -1)
fi
time=${SOURCE_DATE_EPOCH:-$time}
sort -z "$list" | tar --create --file="$folder/$name.tar.new" --format=gnu --no-recursion --null \
	--mtime="@$time" --owner=0 --group=0 --numeric-owner --mode=u=rwX,go=rX --transform="s,^,$name/,S" --files-from=-
# One thread: how xz cuts its input depends on their number.
xz -9 --threads=1 --stdout "$folder/$name.tar.new" >"$folder/$name.tar.xz.new"
mv "$folder/$name.tar.xz.new" "$folder/$name.tar.xz"
cd "$folder"
sha256sum "$name.tar.xz" >"$name.tar.xz.sha256"
cat "$name.tar.xz.sha256"
