#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# usage: debian.sh MAKE FOLDER [SUITE...]   Builds the Debian packages from the tarball of `make dist` in FOLDER, puts them
# to lintian, and installs them into a minimal system of each SUITE (default: the one that this is): the tool runs, a C
# program is built and runs, and removal leaves nothing.
set -eu
make=$1
root=$(cd "$(dirname "$0")/../.." && pwd)
rm -rf "$2"
mkdir -p "$2/debs"
folder=$(cd "$2" && pwd)
shift 2
[ $# -gt 0 ] || set -- "$(sed -n 's/^VERSION_CODENAME=//p' /etc/os-release)"
version=$(sed -n '1s/.*(\(.*\)-.*/\1/p' "$root/debian/changelog")

$make -s -C "$root" dist >"$folder/dist.log" 2>&1
[ -f "$root/build/npu-partition-$version.tar.xz" ] || { echo "debian/changelog has another version than the header: $version" >&2; exit 1; }
cp "$root/build/npu-partition-$version.tar.xz" "$folder/npu-partition_$version.orig.tar.xz"
tar -xf "$folder/npu-partition_$version.orig.tar.xz" -C "$folder"
(
	unset CFLAGS CPPFLAGS LDFLAGS MAKEFLAGS MAKEOVERRIDES PREFIX DESTDIR
	cd "$folder/npu-partition-$version"
	cp -R "$root/debian" .
	DEB_BUILD_OPTIONS="parallel=2 ${DEB_BUILD_OPTIONS-}" dpkg-buildpackage -us -uc >"$folder/build.log" 2>&1
) || { tail -40 "$folder/build.log" >&2; exit 1; }
! grep -E '^dh_(missing|install):|^dpkg-(gensymbols|shlibdeps): (warning|error)' "$folder/build.log" >&2
# There is no bug of Debian's that asks for the package.
lintian --fail-on error,warning --suppress-tags initial-upload-closes-no-bugs --info "$folder"/*.changes >&2
cp "$folder"/*.deb "$folder/debs/"
rm -f "$folder"/debs/*dbgsym*
for deb in "$folder"/debs/*.deb; do
	echo "$(basename "$deb"): $(dpkg-deb --contents "$deb" | grep -vc '/$') files, $(wc -c <"$deb") bytes"
done

cat >"$folder/try.sh" <<'END'
set -eu
export DEBIAN_FRONTEND=noninteractive LC_ALL=C.UTF-8
cd /try
files() { find / -xdev \( -path /proc -o -path /sys -o -path /dev -o -path /try -o -path /tmp -o -path /var/lib/apt -o -path /var/lib/dpkg \
	-o -path /var/cache -o -path /var/log -o -name 'ld.so.cache*' \) -prune -o -print | sort; }
add() { apt-get install -qq -y --no-install-recommends "$@" >/try/apt.log 2>&1 || { cat /try/apt.log; exit 1; }; }
files >before
add ./npu-partition_*.deb
npu-partition detector.dynamo.onnx --target hexagon --ascii >report
grep -q 'hexagon:v73 ' report
[ "$(npu-partition --version)" = "npu-partition $VERSION" ]
[ -f /usr/share/npu-partition/hexagon.ops ]
npu-partition --check-oplist /usr/share/npu-partition/hexagon.ops >/dev/null
bash --norc -c '. /usr/share/bash-completion/completions/npu-partition && complete -p npu-partition' >/dev/null
for page in man1/npu-partition.1 man5/npu-partition-oplist.5; do [ -f /usr/share/man/$page.gz ]; done
add gcc libc6-dev pkgconf ./libnpu-partition0_*.deb ./libnpu-partition-dev_*.deb
cc -std=c99 count_partitions.c $(pkg-config --cflags --libs npu-partition) -o shared
cc -std=c99 count_partitions.c -static $(pkg-config --static --cflags --libs npu-partition) -o static
./shared detector.dynamo.onnx hexagon >shared.out
./static detector.dynamo.onnx hexagon | cmp - shared.out
[ -f /usr/share/man/man3/npu_partition.3.gz ]
apt-get purge -qq -y --autoremove gcc libc6-dev pkgconf npu-partition libnpu-partition0 libnpu-partition-dev >/try/apt.log 2>&1
files >after
diff before after | grep -i 'npu\|protobuf' && exit 1
echo "tried: $(cat shared.out | head -1)"
END
for suite; do
	mmdebstrap --quiet --format=null --variant=minbase --include=bash \
		--customize-hook='mkdir "$1/try"' \
		--customize-hook="copy-in '$folder/try.sh' $(printf "'%s' " "$folder"/debs/*.deb) '$root/fixtures/detector.dynamo.onnx' '$root/examples/count_partitions.c' /try" \
		--customize-hook="env VERSION=$version chroot \"\$1\" sh /try/try.sh" "$suite" - >"$folder/$suite.log" 2>&1 ||
		{ tail -40 "$folder/$suite.log" >&2; exit 1; }
	grep -q '^tried: ' "$folder/$suite.log"
	echo "$suite: $(sed -n 's/^tried: //p' "$folder/$suite.log")"
done
rm -rf "$folder"
