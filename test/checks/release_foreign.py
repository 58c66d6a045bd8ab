# SPDX-License-Identifier: Apache-2.0
"""Looks into binaries that cannot be run here: of macOS the machine, the oldest system, what is loaded and the ad-hoc
signature with the hash of each page; of Windows the machine, what is imported, and the exported functions.

usage: release_foreign.py PLATFORM FOLDER
"""

import hashlib
import pathlib
import re
import struct
import sys

MACHINES = {"macos-arm64": 0x0100000C, "macos-x86_64": 0x01000007, "windows-x86_64": 0x8664, "windows-aarch64": 0xAA64}
OLDEST = (11, 0)
# What every Windows has from 7 on: the C library is msvcrt.dll, or the universal one's interfaces.
WINDOWS = re.compile(r"kernel32\.dll|msvcrt\.dll|api-ms-win-crt-[a-z]+-l1-1-0\.dll|ntdll\.dll|advapi32\.dll|shell32\.dll"
                     r"|ucrtbase\.dll", re.I)


def must(is_so: bool, what: str) -> None:
    if not is_so:
        sys.exit(f"release: {what}")


def commands(data: bytes) -> list[tuple[int, bytes]]:
    """The load commands of a Mach-O file of 64 bits, each with its bytes."""
    count, at, found = struct.unpack_from("<I", data, 16)[0], 32, []
    for _ in range(count):
        kind, size = struct.unpack_from("<II", data, at)
        must(size >= 8 and at + size <= len(data), "a load command ends past the file")
        found.append((kind & 0x7FFFFFFF, data[at : at + size]))
        at += size
    return found


def check_signature(data: bytes, command: bytes, name: str) -> int:
    """The pages, against the hashes of the code directory; their number."""
    offset, size = struct.unpack_from("<II", command, 8)
    blob = data[offset : offset + size]
    magic, _, count = struct.unpack_from(">III", blob)
    must(magic == 0xFADE0CC0, f"{name}: no signature")
    slots = [struct.unpack_from(">II", blob, 12 + 8 * i) for i in range(count)]
    at = next(place for kind, place in slots if kind == 0)
    (magic, _, _, _, hashes, _, _, pages, limit, width, kind, _, shift) = struct.unpack_from(">IIIIIIIIIBBBB", blob, at)
    must(magic == 0xFADE0C02 and kind == 2 and width == 32, f"{name}: a code directory of another kind")
    for page in range(pages):
        begin = page << shift
        found = hashlib.sha256(data[begin : min(begin + (1 << shift), limit)]).digest()
        wanted = blob[at + hashes + 32 * page : at + hashes + 32 * (page + 1)]
        must(found == wanted, f"{name}: page {page} is not as it was signed")
    return pages


def exported(data: bytes, command: bytes) -> set[str]:
    """What a library gives to others: external symbols that are defined, and not private."""
    symbols, count, texts = struct.unpack_from("<III", command, 8)
    found = set()
    for i in range(count):
        name, kind = struct.unpack_from("<IB", data, symbols + 16 * i)
        if kind & 1 and not kind & 0x10 and kind & 0xE:
            found.add(text_at(data, texts + name).removeprefix("_"))
    return found - {"__dso_handle", "_mh_dylib_header"}  # the linker's own, of every library


def declared() -> set[str]:
    """The functions that the bindings call."""
    native = pathlib.Path("python/src/npu_partition/_native.py").read_text()
    return set(re.findall(r'^    "(npart_\w+)": \(', native, re.M))


def check_macos(path: pathlib.Path, machine: int) -> str:
    data = path.read_bytes()
    must(struct.unpack_from("<II", data) == (0xFEEDFACF, machine), f"{path.name} is for another machine")
    loaded, pages, oldest = [], 0, None
    for kind, command in commands(data):
        if kind in (0xC, 0x18, 0x1F):  # a library that is loaded
            begin = struct.unpack_from("<I", command, 8)[0]
            loaded.append(command[begin:].split(b"\0")[0].decode())
        elif kind == 0x32:  # for which system, from which version on
            version = struct.unpack_from("<I", command, 12)[0]
            oldest = (version >> 16, version >> 8 & 0xFF)
        elif kind == 2 and path.suffix == ".dylib":
            names = exported(data, command)
            must(declared() <= names, f"{path.name} lacks {sorted(declared() - names)}")
            must(all(name.startswith("npart_") for name in names), f"{path.name} exports more: {sorted(names)[:5]}")
        elif kind == 0x1D:
            pages = check_signature(data, command, path.name)
    must(loaded == ["/usr/lib/libSystem.B.dylib"], f"{path.name} loads {loaded}")
    must(oldest == OLDEST, f"{path.name} is for macOS {oldest}")
    must(pages > 0 or machine == MACHINES["macos-x86_64"], f"{path.name} is not signed")
    return f"{path.name} ({pages} pages signed)"


def sections(data: bytes, at: int) -> list[tuple[int, int, int]]:
    count, optional = struct.unpack_from("<H", data, at + 6)[0], struct.unpack_from("<H", data, at + 20)[0]
    table = at + 24 + optional
    return [struct.unpack_from("<III", data, table + 40 * i + 12)[0:3] for i in range(count)]


def text_at(data: bytes, place: int) -> str:
    return data[place : data.index(b"\0", place)].decode()


def check_windows(path: pathlib.Path, machine: int) -> str:
    data = path.read_bytes()
    at = struct.unpack_from("<I", data, 0x3C)[0]
    must(data[at : at + 4] == b"PE\0\0" and struct.unpack_from("<H", data, at + 4)[0] == machine,
         f"{path.name} is for another machine")  # fmt: skip
    parts = sections(data, at)

    def place_of(address: int) -> int:
        for begin, size, place in parts:
            if begin <= address < begin + size:
                return address - begin + place
        sys.exit(f"release: {path.name}: no section has address {address}")

    directories = at + 24 + 112
    place, names = place_of(struct.unpack_from("<I", data, directories + 8)[0]), []
    while struct.unpack_from("<I", data, place + 12)[0]:
        names.append(text_at(data, place_of(struct.unpack_from("<I", data, place + 12)[0])))
        place += 20
    others = [name for name in names if not WINDOWS.fullmatch(name)]
    must(not others, f"{path.name} imports {others}")
    count = 0
    if path.suffix == ".dll":
        table = place_of(struct.unpack_from("<I", data, directories)[0])
        count = struct.unpack_from("<I", data, table + 24)[0]
        place = place_of(struct.unpack_from("<I", data, table + 32)[0])
        functions = {text_at(data, place_of(struct.unpack_from("<I", data, place + 4 * i)[0])) for i in range(count)}
        must(declared() <= functions, f"{path.name} lacks {sorted(declared() - functions)}")
        must(all(name.startswith("npart_") for name in functions), f"{path.name} exports more")
    return f"{path.name} ({len(names)} imports, {count} exports)"


def main() -> None:
    platform, folder = sys.argv[1], pathlib.Path(sys.argv[2])
    check = check_macos if platform.startswith("macos") else check_windows
    told = [check(path, MACHINES[platform]) for path in sorted(folder.iterdir())]
    print(f"check-release: {platform}: looked into, not run: {', '.join(told)}")


main()
