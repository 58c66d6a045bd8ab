#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# usage: install.sh install|uninstall   Installs what the table on standard input lists, or removes it, below $DESTDIR.
#
# A line of the table is KIND|PLACE|SOURCE:
#   file, program, library, archive   copied; with $STRIP set, the last three lose what is for debuggers only
#   link                              a symbolic link to SOURCE
#   pkgconfig, cmake                  copied, with @NAME@ replaced by the variable: places below ${prefix} for
#                                     pkg-config, and relative to the file itself for CMake
#   folder                            one of our own, without a source, which goes when it is empty
set -eu
DESTDIR=${DESTDIR-} STRIP=${STRIP-}
table=$(mktemp)
trap 'rm -f "$table" "$table.filled"' EXIT
cat >"$table"

put() {
	mode=$1 place=$2 source=$3
	shift 3
	# Under another name first: a library or program that is in use stays whole for those that use it.
	install -m "$mode" "$source" "$place.new"
	[ $# = 0 ] || [ -z "$STRIP" ] || $STRIP "$@" "$place.new"
	mv -f "$place.new" "$place"
}

# $1 is the kind, $2 the folder that the file comes to.
place_of() {
	case $1 in
	cmake) realpath -m -s --relative-to="$2" "$3" ;;
	*) case $3 in "$PREFIX"/*) printf '%s\n' "\${prefix}${3#"$PREFIX"}" ;; *) printf '%s\n' "$3" ;; esac ;;
	esac
}
fill() {
	kind=$1 folder=$(dirname "$2") source=$3
	for name in PREFIX VERSION MAJOR POINTER_BYTES BINDIR LIBDIR INCLUDEDIR; do
		eval "value=\$$name"
		case $name in *DIR) value=$(place_of "$kind" "$folder" "$value") ;; esac
		printf 's|@%s@|%s|g\n' "$name" "$(printf '%s\n' "$value" | sed 's/[&|\\]/\\&/g')"
	done | sed -f - "$source" >"$table.filled"
}

install_all() {
	while IFS='|' read -r kind name source; do
		place=$DESTDIR$name
		case $kind in
		folder) install -d "$place" && continue ;;
		*) install -d "$(dirname "$place")" ;;
		esac
		case $kind in
		file) put 644 "$place" "$source" ;;
		archive) put 644 "$place" "$source" --strip-debug --enable-deterministic-archives ;;
		library) put 755 "$place" "$source" --strip-unneeded ;;
		program) put 755 "$place" "$source" --strip-all ;;
		link) ln -sf "$source" "$place" ;;
		pkgconfig | cmake) fill "$kind" "$name" "$source" && put 644 "$place" "$table.filled" ;;
		*) echo "install.sh: what is $kind?" >&2 && exit 1 ;;
		esac
	done <"$table"
}

uninstall_all() {
	while IFS='|' read -r kind name source; do
		[ "$kind" = folder ] || rm -f "$DESTDIR$name"
	done <"$table"
	while IFS='|' read -r kind name source; do
		[ "$kind" != folder ] || [ ! -d "$DESTDIR$name" ] || rmdir "$DESTDIR$name" 2>/dev/null ||
			echo "install.sh: $DESTDIR$name holds files that are not ours; it stays" >&2
	done <"$table"
}

"${1}_all"
