#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# The wheel for 64-bit Windows from what mingw-w64 has built, and what is in it: the tags, every file as RECORD has it,
# the DLL with every function that the bindings declare, the tool, types and licenses.
#
# usage: windows_wheel.sh PYTHON FOLDER   the wheel is put into FOLDER/wheels
set -eu
folder=$(cd "$2" && pwd)
tools=$folder/wheel-tools
[ -x "$tools/bin/pip" ] || "$1" -m venv "$tools"
rm -rf "$folder/wheels" "$folder/to-pack"
mkdir -p "$folder/to-pack"
cp "$folder/npu_partition.dll" "$folder/npu-partition.exe" "$folder/to-pack/"
NPU_PARTITION_BUILT=$folder/to-pack NPU_PARTITION_PLATFORM=win_amd64 \
	"$tools/bin/pip" wheel --quiet --no-deps --disable-pip-version-check -w "$folder/wheels" ./python
"$tools/bin/python" - "$folder" include/npu_partition.h <<'END'
import base64, csv, hashlib, io, pathlib, re, subprocess, sys, zipfile

folder, header = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2]).read_text()
(path,) = (folder / "wheels").glob("*.whl")
version = ".".join(re.findall(r"#define NPART_VERSION_(?:MAJOR|MINOR|PATCH) (\d+)", header))
assert path.name == f"npu_partition-{version}-py3-none-win_amd64.whl", path.name
wheel = zipfile.ZipFile(path)
names = wheel.namelist()
info = f"npu_partition-{version}.dist-info"
data = f"npu_partition-{version}.data/scripts/npu-partition.exe"
for name in ("npu_partition/npu_partition.dll", data, "npu_partition/py.typed", "npu_partition/__init__.py"):
    assert name in names, f"{name} is not in the wheel"
assert not [name for name in names if name.endswith((".so", ".pyc")) or "\\" in name or name.startswith(("/", ".."))]
assert wheel.read("npu_partition/npu_partition.dll") == (folder / "npu_partition.dll").read_bytes()
assert wheel.read(data) == (folder / "npu-partition.exe").read_bytes()
tags = wheel.read(f"{info}/WHEEL").decode()
assert "Root-Is-Purelib: false" in tags and "Tag: py3-none-win_amd64" in tags, tags
recorded = {}
for name, digest, size in csv.reader(io.StringIO(wheel.read(f"{info}/RECORD").decode())):
    recorded[name] = True
    if name == f"{info}/RECORD":
        continue
    kind, _, value = digest.partition("=")
    found = base64.urlsafe_b64encode(hashlib.new(kind, wheel.read(name)).digest()).rstrip(b"=").decode()
    assert found == value and int(size) == len(wheel.read(name)), f"{name} is not as RECORD has it"
assert sorted(recorded) == sorted(names), set(recorded) ^ set(names)
table = subprocess.run(["x86_64-w64-mingw32-objdump", "-p", folder / "npu_partition.dll"], capture_output=True, text=True)
exported = set(re.findall(r"^\s+\[\s*\d+\]\s+(?:\+base\[\s*\d+\]\s+\w+\s+)?(npart_\w+)$", table.stdout, re.M))
declared = set(re.findall(r'^    "(npart_\w+)": \(', wheel.read("npu_partition/_native.py").decode(), re.M))
assert declared and declared <= exported, f"the DLL lacks {sorted(declared - exported)}"
licenses = [name for name in names if "licenses/" in name.lower()]
assert len(licenses) >= 4, licenses
print(f"{path.name}: {path.stat().st_size} bytes, {len(names)} files as recorded, {len(declared)} functions, {len(licenses)} licenses")
END
