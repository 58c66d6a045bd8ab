#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# usage: get.sh FOLDER   Gets the tool of this checkout's version for this machine, and prints its path:
#   - the release's binary, by the checksum in packaging/SHA256SUMS, which is committed with the tag of a release;
#   - else the wheel of that version, by pip, into an environment in FOLDER, by the checksums in the same file;
#   - else a build of the checkout (Debian, Ubuntu).
# RELEASES: where the binaries are; WHEELS: arguments for pip, such as --index-url URL; both are for tests and mirrors.
set -eu
mkdir -p "$1"
folder=$(cd "$1" && pwd)
root=$(cd "$(dirname "$0")/.." && pwd)
part() { sed -n "s/^#define NPART_VERSION_$1 //p" "$root/include/npu_partition.h"; }
version=$(part MAJOR).$(part MINOR).$(part PATCH)
releases=${RELEASES:-https://github.com/${GITHUB_ACTION_REPOSITORY:-npu-partition/npu-partition}/releases/download/v$version}
say() { echo "npu-partition: $*" >&2; }

binary() {
	case $(uname -sm) in
	"Linux x86_64") name=linux-x86_64 ;;
	"Linux aarch64") name=linux-aarch64 ;;
	"Darwin arm64") name=macos-arm64 ;;
	"Darwin x86_64") name=macos-x86_64 ;;
	*) return 1 ;;
	esac
	archive=npu-partition-$version-$name.tar.gz
	sum=$(sed -n "s/^\([0-9a-f]\{64\}\)  $archive\$/\1/p" "$root/packaging/SHA256SUMS" 2>/dev/null) || return 1
	[ -n "$sum" ] || return 1
	curl --fail --silent --show-error --location --retry 3 --output "$folder/$archive" "$releases/$archive" || return 1
	if command -v sha256sum >/dev/null; then
		found=$(sha256sum "$folder/$archive")
	else
		found=$(shasum -a 256 "$folder/$archive")
	fi
	if [ "${found%% *}" != "$sum" ]; then
		say "$archive has another checksum than packaging/SHA256SUMS says: it is not used"
		rm -f "$folder/$archive"
		exit 1
	fi
	tar -xzf "$folder/$archive" -C "$folder" && echo "$folder/npu-partition-$version-$name/npu-partition"
}

wheel() {
	hashes=$(sed -n "s/^\([0-9a-f]\{64\}\)  npu_partition-$version-.*\.whl\$/ --hash=sha256:\1/p" \
		"$root/packaging/SHA256SUMS" 2>/dev/null | tr -d '\n') || return 1
	[ -n "$hashes" ] || return 1
	echo "npu-partition==$version$hashes" >"$folder/requirement"
	# -I: nothing of the folder that this is called from is run.
	python3 -I -m venv "$folder/environment" >&2 || return 1
	# shellcheck disable=SC2086
	"$folder/environment/bin/pip" install --quiet --disable-pip-version-check --only-binary :all: --no-deps \
		--require-hashes ${WHEELS:-} -r "$folder/requirement" >&2 || return 1
	echo "$folder/environment/bin/npu-partition"
}

build() {
	cd "$root"
	sh tools/setup.sh >&2
	make -s build/npu-partition >&2
	echo "$root/build/npu-partition"
}

# A wrong checksum ends it here: what stands in that place is not to be trusted, nor is what stands beside it.
binary || { say "no binary of version $version for this machine; trying its wheel" && wheel; } ||
	{ say "no wheel of version $version; building it" && build; }
