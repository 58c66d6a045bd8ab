# SPDX-License-Identifier: Apache-2.0
"""Look into the manifest of the vcpkg port, by what vcpkg's documents say of its fields.

usage: port.py VCPKG.JSON
"""
from __future__ import annotations

import json
import re
import sys

FIELDS = {"name": str, "version": str, "description": str, "homepage": str, "license": str, "supports": str,
          "dependencies": list}
OF_DEPENDENCIES = {"name": str, "host": bool, "features": list, "default-features": bool, "platform": str}
NAME = re.compile(r"[a-z0-9]+(-[a-z0-9]+)*")


def fail(text: str) -> None:
    sys.exit(f"vcpkg.json: {text}")


def check(where: str, found: dict[str, object], fields: dict[str, type]) -> None:
    for name, value in found.items():
        if not isinstance(value, fields.get(name, type(None))):
            fail(f"{where} cannot have {name}: {value!r}")
    if not NAME.fullmatch(str(found.get("name"))):
        fail(f"{where} has no name that vcpkg takes")


def main() -> int:
    text = open(sys.argv[1], encoding="utf-8").read()
    found = json.loads(text)
    check("the port", found, FIELDS)
    names = []
    for item in found["dependencies"]:
        item = {"name": item} if isinstance(item, str) else item
        check("a dependency", item, OF_DEPENDENCIES)
        names.append((item["name"], item.get("host", False)))
    if names != sorted(set(names)):
        fail("dependencies are not in their order, or twice")
    if text != json.dumps(found, indent=2) + "\n":
        fail("it is not as `vcpkg format-manifest` writes it")
    print(f"vcpkg.json: {found['name']} {found['version']}, {len(names)} dependencies")
    return 0


if __name__ == "__main__":
    sys.exit(main())
