#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Write lib/target/release/kernels.def: which operators ONNX Runtime's CPU provider has a kernel for, release by release.

usage: kernels.py PYTHON... > lib/target/release/kernels.def

Each PYTHON is an interpreter with one release of onnxruntime, oldest first: a column each, which must be those of
`enum npart__release`. This one needs onnx, whose schemas say which operators and type variables there are.
"""
import collections
import json
import subprocess
import sys
import types

DUMP = """
import json, onnxruntime
from onnxruntime.capi import onnxruntime_pybind11_state as runtime
kernels = [[k.domain, k.op_name, *k.version_range, {v: [str(t) for t in ts] for v, ts in k.type_constraints.items()}]
           for k in runtime.get_all_opkernel_def()
           if k.provider == "CPUExecutionProvider" and k.domain in ("", "com.microsoft")]
contrib = [[s.name, s.since_version, [c.type_param_str for c in s.type_constraints]]
           for s in runtime.get_all_operator_schema() if s.domain == "com.microsoft" and not s.deprecated]
print(json.dumps([onnxruntime.__version__, kernels, contrib]))
"""

HEADER = """/* SPDX-License-Identifier: Apache-2.0
 *
 * Operators that ONNX Runtime's CPU provider has a kernel for. Generated, do not edit:
 *     tools/generate/kernels.py PYTHON... > lib/target/release/kernels.def
 * from the schemas of onnx {onnx} and the kernels of onnxruntime {releases}.
 *
 * KERNEL(name, since version, types in each of these releases) of ai.onnx, CONTRIB of com.microsoft, of which every
 * operator has a row; each sorted by the first two. A row holds up to the next one of its operator.
 *   types   as in operators.def; a variable that is missing may be any type; "" as the release before, "-" none;
 *           "?" from this version on none in any of them
 */
#ifndef CONTRIB
#define CONTRIB(...)
#endif"""


class Contrib:
    """A schema of com.microsoft, as ONNX's own are."""
    domain = "com.microsoft"

    def __init__(self, name, since_version, variables):
        self.name, self.since_version = name, since_version
        self.type_constraints = [types.SimpleNamespace(type_param_str=v) for v in variables]


def registered(kernels, schema):
    """The element types of each variable over all kernels of a version; None where there is no kernel."""
    found = collections.defaultdict(set)
    count = 0
    for domain, name, first, last, constraints in kernels:
        is_open = last >= 2**31 - 1
        # A kernel without an end serves the version that it begins with alone.
        if domain != schema.domain or name != schema.name or (first != schema.since_version and
                                   (first > schema.since_version or is_open or last < schema.since_version)):
            continue
        count += 1
        for variable, allowed in constraints.items():
            found[variable] |= set(allowed)
    return dict(found) if count else None


def types_text(schema, found):
    from operators import type_set
    if found is None:
        return "-"
    words = [f"{c.type_param_str}={type_set(sorted(found[c.type_param_str]))}"
             for c in schema.type_constraints if found.get(c.type_param_str)]
    return " ".join(words) or "any=m"


def main():
    import onnx.defs
    releases = [json.loads(subprocess.run([python, "-c", DUMP], check=True, capture_output=True, text=True).stdout)
                for python in sys.argv[1:]]
    if not releases:
        sys.exit(__doc__)
    print(HEADER.format(onnx=onnx.__version__, releases=", ".join(version for version, *_ in releases)))
    schemas = [s for s in onnx.defs.get_all_schemas_with_history() if not s.domain]
    schemas += [Contrib(*fields) for fields in releases[-1][2]]
    before = collections.defaultdict(lambda: ["?" for _ in releases])  # by name: the columns of the version before
    for schema in sorted(schemas, key=lambda s: (s.domain, s.name, s.since_version)):
        columns = [types_text(schema, registered(kernels, schema)) for _, kernels, _ in releases]
        if all(column == "-" for column in columns) and not schema.domain:
            columns = ["?" for _ in releases]
        if columns != before[schema.domain, schema.name]:
            before[schema.domain, schema.name] = columns
            texts = [column if i == 0 or column != columns[i - 1] else "" for i, column in enumerate(columns)]
            macro = "CONTRIB" if schema.domain else "KERNEL"
            print(f'{macro}("{schema.name}", {schema.since_version}, ' + ", ".join(f'"{t}"' for t in texts) + ")")
    print("#undef KERNEL\n#undef CONTRIB")
    return 0


if __name__ == "__main__":
    sys.exit(main())
