#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# usage: release.sh FOLDER VERSION PLATFORM...   Builds all that a release has into FOLDER/dist: wheels, the sdist and
# source tarball, archives of the tool, images for containers, an SBOM, and SHA256SUMS. The same sources and the same
# SOURCE_DATE_EPOCH give the same bytes. NO_IMAGE=1 leaves the images out.
set -eu
root=$(cd "$(dirname "$0")/../.." && pwd)
folder=$(cd "$1" && pwd) version=$2
shift 2
dist=$folder/dist
tools=$folder/tools/bin
time=$SOURCE_DATE_EPOCH
export TZ=UTC LC_ALL=C
umask 022
rm -rf "$dist"
mkdir -p "$dist"

# A clean copy, so that wheels have what the repository has and no more.
rm -rf "$folder/copy"
mkdir -p "$folder/copy"
(cd "$root" && git ls-files -z -- . ':!packaging/SHA256SUMS') | (cd "$root" && tar -c --null --files-from=-) | tar -x -C "$folder/copy"
cd "$folder/copy/python"
"$tools/python" -m build --no-isolation --sdist --outdir "$dist" . >"$folder/sdist.log" 2>&1 ||
	{ tail -5 "$folder/sdist.log" >&2; exit 1; }

pack() { # a folder here into an archive
	find "$1" -exec touch -h -d "@$time" {} +
	case $1 in
	*windows*) "$tools/python" - "$1" "$dist/$1.zip" <<-'END' ;;
		import os, sys, zipfile
		with zipfile.ZipFile(sys.argv[2], "w", zipfile.ZIP_DEFLATED) as archive:
		    for folder, folders, files in os.walk(sys.argv[1]):
		        folders.sort()
		        for name in sorted(files):
		            archive.write(os.path.join(folder, name))
	END
	*) tar -c --sort=name --format=gnu --owner=0 --group=0 --numeric-owner --mode=u=rwX,go=rX "$1" |
		gzip -9n >"$dist/$1.tar.gz" ;;
	esac
}

archive() { # the tool of a platform, with licenses, what --help names, and the scripts of merge checks
	platform=$1 name=npu-partition-$version-$(echo "$1" | sed 's/^musl-/linux-/')
	rm -rf "${folder:?}/archives/$name"
	mkdir -p "$folder/archives/$name/docs" "$folder/archives/$name/licenses" "$folder/archives/$name/python/npu_partition"
	cp "$folder/$platform"/built/npu-partition* "$root/LICENSE" "$root/README.md" "$folder/archives/$name/"
	cp "$folder"/copy/docs/*.md "$folder/archives/$name/docs/"
	cp -R "$folder/copy/docs/evidence" "$folder/archives/$name/docs/"
	cp "$folder"/copy/python/src/npu_partition/merge_*.py "$folder/archives/$name/python/npu_partition/"
	cp "$folder/$platform"/licenses/*.txt "$folder/archives/$name/licenses/"
	(cd "$folder/archives" && pack "$name")
}

# From nothing: the static tool alone. No daemon; storage of its own.
image() {
	platform=$1 machine=$2
	store="--root $folder/images --runroot $folder/images-run --storage-driver vfs"
	# shellcheck disable=SC2086
	{
		container=$(buildah $store from --arch "$machine" scratch)
		buildah $store copy -q "$container" "$folder/$platform/built/npu-partition" /npu-partition
		buildah $store copy -q "$container" "$root/LICENSE" "$folder/$platform/licenses" /licenses/
		buildah $store config --arch "$machine" --entrypoint '["/npu-partition"]' --cmd --help --workingdir /work \
			--label org.opencontainers.image.version="$version" --label org.opencontainers.image.licenses=Apache-2.0 \
			"$container"
		buildah $store commit -q --timestamp "$time" --format oci --rm "$container" \
			"oci:$folder/images-out/$machine:v$version" >/dev/null
	}
	name=npu-partition-$version-oci-$machine
	(cd "$folder/images-out/$machine" && find . -exec touch -h -d "@$time" {} + &&
		tar -c --sort=name --format=gnu --owner=0 --group=0 --numeric-owner --mode=u=rwX,go=rX . >"$dist/$name.tar")
}

for platform; do
	echo "release: $platform"
	sh "$root/packaging/release/build.sh" "$folder" "$platform" >"$folder/$platform.log" 2>&1 ||
		{ tail -20 "$folder/$platform.log" >&2; exit 1; }
	set -- $(grep "^$platform " "$root/packaging/release/platforms")
	case $5 in *wheel*)
		find "$folder/$platform/built" "$folder/$platform/licenses" -exec touch -d "@$time" {} +
		NPU_PARTITION_BUILT=$folder/$platform/built NPU_PARTITION_PLATFORM=$3 \
			NPU_PARTITION_LICENSES=$folder/$platform/licenses \
			"$tools/python" -m build --no-isolation --wheel --outdir "$dist" . >"$folder/wheel.log" 2>&1 ||
			{ tail -5 "$folder/wheel.log" >&2; exit 1; }
		;;
	esac
	case $5 in *tool*) archive "$platform" ;; esac
	case $platform in musl-*)
		rm -rf "$folder/images-out" && mkdir -p "$folder/images-out"
		if [ -n "${NO_IMAGE-}" ]; then
			:
		elif ! command -v buildah >/dev/null; then
			echo "release: no image: Debian's package buildah is not installed"
		elif [ "$platform" = musl-x86_64 ]; then
			image "$platform" amd64
		else
			image "$platform" arm64
		fi
		;;
	esac
done
"$tools/python" "$root/packaging/release/sbom.py" "$version" "$folder/sources" \
	"$root/packaging/release/tools.txt" >"$dist/npu-partition-$version.cdx.json"
cd "$dist"
sha256sum -- * >SHA256SUMS.new
mv SHA256SUMS.new SHA256SUMS
cat SHA256SUMS
