#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# usage: dist.sh MAKE FOLDER   Packs the sources in three places (here, and in two copies without git, which differ in
# name, times and modes), compares the tarballs, unpacks, builds in two of the places and compares what was built.
set -eu
make=$1
rm -rf "$2"
mkdir -p "$2"
folder=$(cd "$2" && pwd)
root=$(cd "$(dirname "$0")/../.." && pwd)
fail() {
	echo "dist: $*" >&2
	exit 1
}
export SOURCE_DATE_EPOCH=1700000000 CCACHE_DISABLE=1
unset CFLAGS LDFLAGS CPPFLAGS

pack() {
	$make -s -C "$1" dist >/dev/null
	mv "$1"/build/npu-partition-*.tar.xz "$folder/$2.tar.xz"
	(cd "$1/build" && sed "s/ npu-partition-.*/ $2.tar.xz/" npu-partition-*.tar.xz.sha256) >"$folder/$2.sha256"
	(cd "$folder" && sha256sum --check --quiet "$2.sha256") || fail "the sum of $2 is another"
	[ "$2" = first ] || cmp "$folder/first.tar.xz" "$folder/$2.tar.xz" || fail "the tarball of $2 has other bytes"
}
pack "$root" first
tar -xf "$folder/first.tar.xz" -C "$folder"
unpacked=$(echo "$folder"/npu-partition-*)
[ "$(find "$unpacked" -type f ! -newermt @1699999999 -o -type f -newermt @1700000000 | wc -l)" = 0 ] || fail "files have times of their own"
mkdir -p "$folder/a longer name"
other="$folder/a longer name/x"
(umask 077 && cp -R "$unpacked" "$other")
(umask 002 && pack "$other" second)
pack "$unpacked" third
(unset SOURCE_DATE_EPOCH && pack "$unpacked" fourth)

# What is built has the same bytes in both, under whatever language, time zone and umask.
(cd "$unpacked" && $make -s optimized) >/dev/null
mv "$folder/a longer name" "$folder/longer"
(cd "$folder/longer/x" && umask 077 && TZ=Pacific/Auckland LC_ALL=C.UTF-8 $make -s optimized) >/dev/null
for place in "$unpacked" "$folder/longer/x"; do
	$make -s -C "$place" install PREFIX=/usr DESTDIR="$place/stage"
	(cd "$place/stage" && find . -type f -print0 | sort -z | xargs -0 sha256sum && find . -printf '%m %p\n' | sort) >"$place/sums"
done
diff "$unpacked/sums" "$folder/longer/x/sums" || fail "another folder makes other bytes"
! grep -rl "$folder" "$unpacked/stage" || fail "what is installed names the folder that it was built in"
(cd "$unpacked" && $make -s VARIANT=optimized demo && $make -s VARIANT=optimized check-symbols check-headers check-man check-completion) >/dev/null
echo "dist: $(basename "$unpacked").tar.xz, $(wc -c <"$folder/first.tar.xz") bytes; $(grep -c '^[0-9a-f]\{64\}' "$unpacked/sums") installed files, the same from two folders"
rm -rf "$folder"
