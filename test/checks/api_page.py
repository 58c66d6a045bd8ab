# SPDX-License-Identifier: Apache-2.0
"""docs/api.md names every function of the headers, no other, and the programs of examples/, and shows parts of these as
they are.

usage: api_page.py PAGE HEADER... PROGRAM...
"""
import re
import sys


def main():
    page_path, files = sys.argv[1], sys.argv[2:]
    headers, programs = ([path for path in files if path.endswith(end)] for end in (".h", ".c"))
    header = re.sub(r"^#.*", "", "".join(open(path).read() for path in headers), flags=re.MULTILINE)
    page = open(page_path).read()
    declared = re.findall(r"^NPART_API[^;]*?\b(npart_\w+)\(", header, flags=re.MULTILINE)
    blocks = re.findall(r"^```c\n(.*?)^```$", page, flags=re.MULTILINE | re.DOTALL)
    named = set(re.findall(r"`(npart_\w+)`", page))
    problems = [f"does not name {name}" for name in declared if name not in named]
    problems += [f"names {name}, which is not there" for name in sorted(named - set(declared) - {"npart_status"})]
    problems += [f"does not name {path}" for path in programs if f"`{path}`" not in page]
    sources = [open(path).read() for path in programs]
    problems += [f"shows what no program has: {block}" for block in blocks if not any(block in text for text in sources)]
    for problem in problems:
        print(f"{page_path} {problem}", file=sys.stderr)
    print(f"{page_path}: {len(declared)} functions, {len(programs)} programs, {len(problems)} problems")
    return 1 if problems else 0


sys.exit(main())
