#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Empty stand-ins for the CUDA libraries that PyPI's torch wheel is linked with, so that it runs on a CPU without them.

PyPI has no CPU form of torch for Linux on x86-64: its one wheel (539 MB) asks for gigabytes of CUDA packages. Nothing
in them does anything where there is no GPU, but the loader wants each library to be there. So this compiles, for each
that is missing, a library of the same name with the symbols that are asked of it, each a function that returns an
error; and takes these packages out of torch's metadata.

usage: cpu_torch.py PYTHON [CC]     (the interpreter of a virtual environment in which torch is installed)
"""

import re
import subprocess
import sys
import tempfile
from pathlib import Path

# No device: what cudaGetDeviceCount says without a GPU. Other libraries take any number but 0 for an error.
ERROR = 100

# What belongs to CUDA, by name; but the driver, which nothing loads ahead of need.
PREFIX = re.compile(r"lib(?!cuda\.)(cu|nccl|nv)")


def output(*command: str) -> str:
    """What a command prints."""
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout


def packages(python: str) -> Path:
    """The folder of installed packages of an interpreter."""
    return Path(output(python, "-c", "import sysconfig; print(sysconfig.get_path('purelib'))").strip())


def needed(library: Path) -> list[str]:
    """The names of the libraries that one is linked with."""
    return re.findall(r"\(NEEDED\).*\[(.*)\]", output("readelf", "-dW", str(library)))


def versioned(library: Path) -> dict[str, set[str]]:
    """The versions that a library asks of others, by the name of the other."""
    versions: dict[str, set[str]] = {}
    name = ""
    for line in output("readelf", "-VW", str(library)).splitlines():
        if found := re.search(r"File: (\S+)", line):
            name = found[1]
        elif (found := re.search(r"Name: (\S+) +Flags", line)) and name:
            versions.setdefault(name, set()).add(found[1])
    return versions


def undefined(library: Path) -> set[tuple[str, str]]:
    """The symbols that a library lacks, each with its version or an empty text."""
    symbols = set()
    for line in output("nm", "-D", "--undefined-only", str(library)).splitlines():
        name, _, version = line.split()[-1].partition("@")
        symbols.add((name, version.lstrip("@")))
    return symbols


def source(symbols: set[tuple[str, str]], versions: set[str]) -> tuple[str, str]:
    """A C file with the symbols of a library, and the linker's script with their versions."""
    names = sorted({name for name, _ in symbols})
    text = "".join(f"int {name}(void) {{ return {ERROR}; }}\n" for name in names)
    script = ""
    for version in sorted(versions):
        of_version = "".join(f"{name}; " for name, asked in sorted(symbols) if asked == version)
        script += f"{version} {{ {'global: ' + of_version if of_version else ''}}};\n"
    return text, script


def compile_library(path: Path, compiler: str, symbols: set[tuple[str, str]], versions: set[str]) -> None:
    """Compile a library that has what is asked of it, and no more."""
    text, script = source(symbols, versions)
    with tempfile.TemporaryDirectory() as folder:
        (Path(folder) / "library.c").write_text(text)
        (Path(folder) / "versions").write_text(script)
        command = [compiler, "-w", "-shared", "-fPIC", "-fno-builtin", f"{folder}/library.c", "-o", str(path)]
        command += [f"-Wl,-soname,{path.name}"] + ([f"-Wl,--version-script,{folder}/versions"] if script else [])
        subprocess.run(command, check=True)


def drop_requirements(root: Path) -> None:
    """Take the CUDA packages out of what torch's metadata asks for, so that pip installs others without them."""
    for metadata in root.glob("torch-*.dist-info/METADATA"):
        lines = metadata.read_text().splitlines(keepends=True)
        kept = [line for line in lines if not re.match(r"Requires-Dist: (cuda|nvidia|triton)", line)]
        metadata.write_text("".join(kept))


def main() -> None:
    """Compile what is missing into nvidia/cu13/lib, one of the folders where torch looks."""
    root = packages(sys.argv[1])
    compiler = sys.argv[2] if len(sys.argv) > 2 else "cc"
    libraries = sorted((root / "torch" / "lib").glob("lib*.so*"))
    present = {path.name for path in root.glob("nvidia/*/lib/*.so*")} | {library.name for library in libraries}
    symbols: dict[str, set[tuple[str, str]]] = {}
    versions: dict[str, set[str]] = {}
    for library in libraries:
        missing = [name for name in needed(library) if PREFIX.match(name) and name not in present]
        asked = versioned(library)
        for name in missing:
            prefix = re.split(r"[._]", name.removeprefix("lib"))[0].lower()
            versions.setdefault(name, set()).update(asked.get(name, set()))
            symbols.setdefault(name, set()).update(
                (symbol, version) for symbol, version in undefined(library) if version in asked.get(name, set())
                or (not version and symbol.lower().startswith(prefix)))
    drop_requirements(root)
    folder = root / "nvidia" / "cu13" / "lib"
    folder.mkdir(parents=True, exist_ok=True)
    for name in sorted(symbols):
        compile_library(folder / name, compiler, symbols[name], versions[name])
        print(f"{name}: stands in for {len(symbols[name])} functions")


if __name__ == "__main__":
    main()
