#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# What builds for another system need and Debian has no package of for it: protobuf-c's runtime, compiled from Debian's
# source package, and uthash's header. Installs the compiler where it is missing. The sources of packages
# come from where the packages come from, by a list of apt's own in FOLDER; the system's lists stay as they are.
#
# usage: tools/dependencies.sh FOLDER CC AR PACKAGE [FLAG...]   FOLDER/include and FOLDER/lib are made
#   PACKAGE: Debian's, of the compiler; FLAG: for the compiler
# SOURCES: a folder that keeps the sources, from which a later call takes them without asking for anything.
set -eu
mkdir -p "$1"
folder=$(cd "$1" && pwd) cc=$2 ar=$3 package=$4
shift 4
as_root=
[ "$(id -u)" = 0 ] || as_root=sudo

if ! command -v "$cc" >/dev/null; then
	echo "installing $package"
	$as_root apt-get update -qq
	$as_root env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends "$package" >/dev/null
fi

: "${SOURCES:=$folder}"
mkdir -p "$SOURCES" "$folder/include" "$folder/lib"
SOURCES=$(cd "$SOURCES" && pwd)
fetch() {
	mkdir -p "$folder/apt/lists/partial" "$folder/apt/cache/archives/partial"
	# Of third parties' repositories not all have sources.
	distribution=$(. /etc/os-release && echo "$ID" | sed 's/./\U&/')
	apt-get indextargets --format 'deb-src $(REPO_URI) $(RELEASE) $(COMPONENT)' 'Created-By: Packages' \
		"Origin: $distribution" | sort -u >"$folder/apt/sources.list"
	private update
	rm -rf "${SOURCES:?}/protobuf-c"
	mkdir -p "$SOURCES/protobuf-c"
	(cd "$SOURCES/protobuf-c" && private source --download-only protobuf-c &&
		tar -xf protobuf-c_*.orig.tar.* --strip-components=1)
	touch "$SOURCES/ready"
}
private() {
	apt-get -qq -o Dir::Etc::SourceList="$folder/apt/sources.list" -o Dir::Etc::SourceParts=/dev/null \
		-o Dir::State::lists="$folder/apt/lists" -o Dir::Cache="$folder/apt/cache" -o APT::Sandbox::User= "$@"
}
[ -e "$SOURCES/ready" ] || fetch
if [ "$SOURCES" != "$folder" ]; then
	rm -rf "${folder:?}/protobuf-c" && cp -r "$SOURCES/protobuf-c" "$folder/protobuf-c"
fi

mkdir -p "$folder/include/protobuf-c"
cp "$folder/protobuf-c/protobuf-c/protobuf-c.h" "$folder/include/protobuf-c/"
cp /usr/include/uthash.h "$folder/include/"

rm -f "$folder"/lib/*.a
# Its configure script's word for it.
order=
"$cc" "$@" -E -dM -x c /dev/null | grep -q '__BYTE_ORDER__ __ORDER_BIG_ENDIAN__' && order=-DWORDS_BIGENDIAN
# shellcheck disable=SC2086
"$cc" "$@" $order -O2 -DNDEBUG -I"$folder/protobuf-c" -c "$folder/protobuf-c/protobuf-c/protobuf-c.c" -o "$folder/protobuf-c.o"
"$ar" rcs "$folder/lib/libprotobuf-c.a" "$folder/protobuf-c.o"
