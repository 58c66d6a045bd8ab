# SPDX-License-Identifier: Apache-2.0
"""Builds the C library and the tool for a wheel with the project's Makefile.

A wheel serves every interpreter of its platform. Environment variables:
    NPU_PARTITION_BUILT      a folder with the library and the tool, built already (for another system, say)
    NPU_PARTITION_PLATFORM   the wheel's platform tag; default: this machine's
    NPU_PARTITION_LICENSES   a folder with the licenses of what is linked; default: Debian's copyright files
    CC, CFLAGS, LDFLAGS, MAKEFLAGS   as make takes them
What `make` has built in the project's folder is linked, which takes seconds. Where it has built nothing, the objects
are those of an install (`make optimized`). With CC or CFLAGS they are apart, in build/python-*.
"""
from __future__ import annotations

import hashlib
import os
import pathlib
import shutil
import subprocess
import sys
import sysconfig
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

# What the build reads of the repository; an sdist has it in the folder native.
SOURCES = ("Makefile", "include", "lib", "make", "oplists", "packaging", "tools", "web")
TOOLS = ("make", "cc", "protoc-c")
LIBRARY_NAMES = ("libnpu_partition.so", "npu_partition.dll", "libnpu_partition.dylib")
TOOL_NAMES = ("npu-partition", "npu-partition.exe")
# Packages whose code becomes a part of the binaries: their licenses go with these.
PARTS = {"protobuf-c": "libprotobuf-c-dev", "sqlite3": "libsqlite3-dev", "uthash": "uthash-dev"}
HELP = "On Debian, `sh tools/setup.sh` in the project's folder installs what the build needs."


class CustomBuildHook(BuildHookInterface[Any]):
    """hatchling calls `initialize` before it packs."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        here = pathlib.Path(self.root)
        root = here / "native" if (here / "native").is_dir() else here.parent
        if self.target_name == "sdist":
            if root == here.parent:
                build_data["force_include"].update({str(root / name): f"native/{name}" for name in SOURCES})
            return
        built = os.environ.get("NPU_PARTITION_BUILT") or build(root)
        library, tool = find(built, LIBRARY_NAMES), find(built, TOOL_NAMES)
        if version == "editable":
            shutil.copy(library, here / "src" / "npu_partition" / library.name)
        else:
            build_data["force_include"][str(library.resolve())] = f"npu_partition/{library.name}"
        build_data["shared_scripts"][str(tool)] = tool.name
        build_data["force_include"].update(licenses(library.suffix == ".dll"))
        platform = os.environ.get("NPU_PARTITION_PLATFORM", sysconfig.get_platform())
        build_data["tag"] = "py3-none-" + platform.replace("-", "_").replace(".", "_")
        build_data["pure_python"] = False


def build(root: pathlib.Path) -> str:
    """Library and tool, in a folder for these settings: pip asks twice, and the second time nothing is left to do."""
    own = {name: os.environ[name] for name in ("CC", "CFLAGS") if name in os.environ}
    compiler = os.environ.get("CC", "cc")
    missing = [tool for tool in TOOLS if not shutil.which(compiler.split()[0] if tool == "cc" else tool)]
    if missing:
        sys.exit(f"npu-partition is built from C, and this is missing: {', '.join(missing)}. {HELP}")
    settings = {"LDFLAGS": os.environ.get("LDFLAGS", "-Wl,-s"),
                "LIBS": f"{static('protobuf-c')} -lm -pthread", "TOOL_LIBS": f"{static('sqlite3')} -lm"}
    key = hashlib.sha256(repr((own, settings, sys.platform, sysconfig.get_platform())).encode()).hexdigest()[:8]
    folder = root / "build" / f"python-{key}"
    settings["PARTS"] = str(folder)
    if own:
        own.setdefault("CFLAGS", "-O2")
        own["CFLAGS"] += f" -ffile-prefix-map={folder}=build"
        settings |= own | {"BUILD": str(folder)}
    elif not (root / "build" / "npu-partition").exists():
        settings["VARIANT"] = "optimized"
    command = ["make", "-C", str(root), *(f"{name}={value}" for name, value in settings.items()), "python-parts"]
    if "MAKEFLAGS" not in os.environ:
        command.insert(1, f"-j{os.cpu_count() or 1}")
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    if done.returncode:
        sys.exit(f"{done.stdout[-4000:]}\nnpu-partition cannot be built; the compiler's messages are above. {HELP}")
    return str(folder)


def static(name: str) -> str:
    """A library's archive, or the library itself where there is none."""
    compiler = os.environ.get("CC", "cc").split()
    done = subprocess.run([*compiler, f"-print-file-name=lib{name}.a"], capture_output=True, text=True)
    path = done.stdout.strip()
    return path if os.path.isabs(path) else f"-l{name}"


def find(folder: str, names: tuple[str, ...]) -> pathlib.Path:
    for name in names:
        if (pathlib.Path(folder) / name).exists():
            return pathlib.Path(folder) / name
    sys.exit(f"{folder} has none of {', '.join(names)}")


def licenses(is_windows: bool) -> dict[str, str]:
    """Of what is linked into the binaries, by where they stand in the wheel."""
    folder = os.environ.get("NPU_PARTITION_LICENSES")
    if folder:
        return {str(path): f"npu_partition/licenses/{path.name}" for path in sorted(pathlib.Path(folder).glob("*.txt"))}
    parts = PARTS | ({"mingw-w64": "mingw-w64-common"} if is_windows else {})
    files = {name: f"/usr/share/doc/{package}/copyright" for name, package in parts.items()}
    return {path: f"npu_partition/licenses/{name}.txt" for name, path in files.items() if os.path.exists(path)}
