# SPDX-License-Identifier: Apache-2.0
# Minimal systems of Debian's suites, for scripts that set $folder, where they stay. Needs root.

command -v mmdebstrap >/dev/null || { apt-get update -qq && apt-get install -y -qq --no-install-recommends mmdebstrap >/dev/null; }
build_packages=$(sed -n 's/^packages="\(.*\)"$/\1/p' tools/setup.sh | tr ' ' ,)

# SUITE PACKAGES, with commas between them. Made again when other packages are asked for.
make_root() {
	[ "$(cat "$folder/$1/ready" 2>/dev/null)" = "$2" ] && return
	rm -rf "${folder:?}/$1"
	mmdebstrap --quiet --variant=minbase --include="$2" "$1" "$folder/$1"
	echo "$2" >"$folder/$1/ready"
}

# SUITE COMMAND...: as root in there, with /proc, without a network of its own.
in_root() {
	name=$1
	shift
	unshare --mount --net sh -c 'mount -t proc proc "$1/proc" && exec chroot "$@"' in_root "$folder/$name" \
		env -i PATH=/usr/bin:/bin HOME=/tmp LC_ALL=C.UTF-8 "$@"
}

# SUITE: the checkout into its /tree, without what was built.
copy_tree() {
	rm -rf "$folder/$1/tree"
	mkdir -p "$folder/$1/tree"
	git ls-files -z --cached --others --exclude-standard | tar -c --null --files-from=- | tar -x -C "$folder/$1/tree"
}
