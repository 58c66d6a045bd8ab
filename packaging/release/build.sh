#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# usage: build.sh FOLDER PLATFORM   Builds the library and the tool for a platform of `platforms`, by zig of PyPI's ziglang
# in FOLDER/tools, into FOLDER/PLATFORM/built. What is linked comes from Debian's sources in FOLDER/sources. SQLite is left
# out: these tools say so where a database is asked for.
set -eu
root=$(cd "$(dirname "$0")/../.." && pwd)
mkdir -p "$1/$2/bin" "$1/$2/built"
folder=$(cd "$1" && pwd) platform=$2
set -- $(grep "^$platform " "$root/packaging/release/platforms")
target=$2 system=$4
work=$folder/$platform
cat >"$work/bin/cc" <<END
#!/bin/sh
export ZIG_GLOBAL_CACHE_DIR="$folder/zig-cache" ZIG_LOCAL_CACHE_DIR="$folder/zig-cache"
exec "$folder/tools/bin/python" -m ziglang cc -target $target "\$@"
END
printf '#!/bin/sh\nexec "%s/tools/bin/python" -m ziglang ar "$@"\n' "$folder" >"$work/bin/ar"
chmod +x "$work/bin/cc" "$work/bin/ar"

# Without the stack protector, of which zig has none for all systems; the same flags everywhere.
flags="-ffile-prefix-map=$folder=. -ffile-prefix-map=$root=. -fno-stack-protector"
position=-fPIC windows=
[ $system != windows ] || position='' windows="-D__USE_MINGW_ANSI_STDIO=1 -DNPART_STATIC"
[ -e "$work/dependencies/lib/libprotobuf-c.a" ] ||
	SOURCES=$folder/sources sh "$root/tools/dependencies.sh" "$work/dependencies" "$work/bin/cc" "$work/bin/ar" ziglang \
		$position -fvisibility=hidden $flags $windows

# One archive name on all systems; what is shared has another linker's words on each.
make=${MAKE:-make}
build() {
	"$make" -C "$root" BUILD="$work/make" CC="$work/bin/cc" AR="$work/bin/ar" NO_SQLITE=1 STRIP=true WARNINGS= \
		CFLAGS="-O2 $flags" CPPFLAGS="-isystem $work/dependencies/include $windows" \
		LIBS="-L$work/dependencies/lib -lprotobuf-c -lm -pthread" TOOL_LIBS= "$@"
}
case $system in
linux)
	static=
	case $target in *musl) static=-static ;; esac
	build LDFLAGS=-s "$work/make/libnpu_partition.so"
	build LDFLAGS="-s $static" "$work/make/npu-partition"
	cp -L "$work/make/libnpu_partition.so" "$work/built/libnpu_partition.so"
	cp "$work/make/npu-partition" "$work/built/"
	;;
macos)
	build LDFLAGS=-Wl,-s "$work/make/libnpu_partition.dylib" "$work/make/npu-partition"
	cp "$work/make/libnpu_partition.dylib" "$work/make/npu-partition" "$work/built/"
	;;
windows)
	build LDFLAGS=-s POSITION= "$work/make/npu_partition.dll" "$work/make/npu-partition.exe"
	cp "$work/make/npu_partition.dll" "$work/make/npu-partition.exe" "$work/built/"
	# When it was linked stands in the header: 8 bytes after its beginning, whose place is at byte 60.
	"$folder/tools/bin/python" - "$work/built/npu_partition.dll" "$work/built/npu-partition.exe" <<-'END'
		import struct, sys
		for path in sys.argv[1:]:
		    with open(path, "r+b") as file:
		        file.seek(60)
		        at = struct.unpack("<I", file.read(4))[0]
		        file.seek(at)
		        assert file.read(4) == b"PE\0\0", path
		        file.seek(at + 8)
		        file.write(b"\0\0\0\0")
	END
	;;
esac

# The licenses of all that is linked.
mkdir -p "$work/licenses"
cp "$folder/sources/protobuf-c/LICENSE" "$work/licenses/protobuf-c.txt"
sed -n '1,/\*\//p' "$work/dependencies/include/uthash.h" >"$work/licenses/uthash.txt"
zig=$("$folder/tools/bin/python" -c 'import ziglang, os; print(os.path.dirname(ziglang.__file__))')
cp "$zig/LICENSE" "$work/licenses/zig-compiler-rt.txt"
case $target in
*musl) cp "$zig/lib/libc/musl/COPYRIGHT" "$work/licenses/musl.txt" ;;
*windows*) cp "$zig/lib/libc/mingw/COPYING" "$work/licenses/mingw-w64.txt" ;;
esac
