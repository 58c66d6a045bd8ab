# SPDX-License-Identifier: Apache-2.0
"""Writes what the binaries of a release are made of as CycloneDX 1.6, the same bytes each time.

usage: sbom.py VERSION SOURCES TOOLS > npu-partition-VERSION.cdx.json   SOURCES: protobuf-c as it was linked
"""

import datetime
import os
import pathlib
import re
import sys
import uuid

from cyclonedx.model.bom import Bom
from cyclonedx.model.component import Component, ComponentType
from cyclonedx.model.contact import OrganizationalEntity
from cyclonedx.model.license import DisjunctiveLicense
from cyclonedx.output.json import JsonV1Dot6
from cyclonedx.schema import SchemaVersion
from cyclonedx.validation.json import JsonStrictValidator
from packageurl import PackageURL


def debian(sources: pathlib.Path, name: str) -> str:
    """The version of Debian's source package, by the name of its description."""
    (path,) = (sources / name).glob("*.dsc")
    return path.stem.split("_")[1]


def part(name: str, version: str, license_id: str, package: PackageURL, is_tool: bool = False) -> Component:
    return Component(name=name, version=version, type=ComponentType.APPLICATION if is_tool else ComponentType.LIBRARY,
                     licenses=[DisjunctiveLicense(id=license_id)], purl=package, bom_ref=str(package))


def main() -> None:
    version, sources, tools = sys.argv[1], pathlib.Path(sys.argv[2]), pathlib.Path(sys.argv[3]).read_text()
    zig = re.search(r"ziglang==([\w.]+)", tools).group(1)
    product = part("npu-partition", version, "Apache-2.0", PackageURL("pypi", None, "npu-partition", version), True)
    parts = [
        part("protobuf-c", debian(sources, "protobuf-c"), "BSD-2-Clause",
             PackageURL("deb", "debian", "protobuf-c", debian(sources, "protobuf-c"), {"arch": "source"}))
    ]
    parts.append(part("uthash", "2.3.0", "BSD-1-Clause", PackageURL("generic", None, "uthash", "2.3.0")))
    # zig brings the C libraries and compiler-rt that are linked: musl for Linux, mingw-w64 for Windows.
    parts.append(part("ziglang", zig, "MIT", PackageURL("pypi", None, "ziglang", zig)))
    bom = Bom(components=parts, serial_number=uuid.uuid5(uuid.NAMESPACE_URL, f"npu-partition {version}"))
    bom.metadata.component = product
    bom.metadata.supplier = OrganizationalEntity(name="npu-partition contributors")
    bom.metadata.timestamp = datetime.datetime.fromtimestamp(int(os.environ["SOURCE_DATE_EPOCH"]), datetime.timezone.utc)
    bom.register_dependency(product, parts)
    text = JsonV1Dot6(bom).output_as_string(indent=2)
    wrong = JsonStrictValidator(SchemaVersion.V1_6).validate_str(text)
    if wrong is not None:
        sys.exit(f"sbom: {wrong}")
    print(text)


main()
