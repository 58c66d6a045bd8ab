# SPDX-License-Identifier: Apache-2.0
"""The results as tables: a row for an export and a target, and for each root of it. CSV and Parquet."""
import csv
import json
import os

VERDICTS = ("whole", "edge", "split", "none", "fails")  # the better first
DONE = ("whole", "edge")
STATES = ("exported", "sized", "bits", "all")
OF_STATE = {"verdict": "TEXT", "partitions": "INTEGER", "cpu_nodes": "INTEGER", "cpu_macs": "INTEGER", "ms": "REAL",
            "fits": "BOOLEAN"}
COLUMNS = {
    "name": "TEXT", "use": "TEXT", "architecture": "TEXT", "exporter": "TEXT", "exporter_version": "TEXT",
    "opset": "INTEGER", "is_dynamic": "BOOLEAN", "quantized": "TEXT", "export_error": "TEXT", "target": "TEXT",
    "toolchain": "TEXT", "error": "TEXT", "nodes": "INTEGER", "macs": "INTEGER",
    **{f"{state}_{name}": kind for state in STATES for name, kind in OF_STATE.items()},
    "cause": "TEXT", "sized_cause": "TEXT", "bits_steps": "TEXT", "all_steps": "TEXT",
    "confirmed": "TEXT", "answer": "TEXT", "plan": "TEXT", "said": "TEXT", "differing": "TEXT",
}
ROOTS = {"name": "TEXT", "target": "TEXT", "state": "TEXT", "place": "INTEGER", "rule": "TEXT", "op": "TEXT",
         "text": "TEXT", "nodes": "INTEGER", "mend": "TEXT", "mended": "TEXT"}


def target_of(name):
    """"hexagon" of "hexagon:v73"; "" of no target."""
    return (name or "").split(":")[0]


def write_text(path, text):
    """As a whole or not at all."""
    new = f"{path}.new"
    with open(new, "w", encoding="utf-8") as file:
        file.write(text)
    os.replace(new, path)


def write_json(path, value):
    write_text(path, json.dumps(value, sort_keys=True) + "\n")


def facts_of(export):
    return {"name": export["name"], "use": export["use"], "architecture": export["architecture"],
            "exporter": export["exporter"], "exporter_version": export["exporter_version"],
            "is_dynamic": export["is_dynamic"], "quantized": export["quantized"], "export_error": export.get("error")}


def row_of(export, document, target, states, comparison):
    """document: the scan's line; target: its part of that line."""
    row = {**dict.fromkeys(COLUMNS), **facts_of(export)}
    row["opset"] = (document["model"].get("opsets") or {}).get("ai.onnx")
    row["target"], row["toolchain"] = target["name"], target["toolchain"]
    for state in STATES:
        for name in OF_STATE:
            row[f"{state}_{name}"] = (states.get(state) or {}).get(name)
    # Where `fix` would do harm it writes nothing: what there is after it is what there was.
    for state in ("bits", "all"):
        if state in states and states[state] is None:
            row.update({f"{state}_{name}": row[f"sized_{name}"] for name in OF_STATE})
        row[f"{state}_steps"] = " ".join((states.get(state) or {}).get("steps") or ())
    sized = states.get("sized") or {}
    row["nodes"], row["macs"] = sized.get("nodes"), sized.get("macs")
    row["cause"] = next((root["text"] for root in states["exported"]["roots"]), None)
    row["sized_cause"] = next((root["text"] for root in sized.get("roots") or ()), None)
    row.update({key: value for key, value in comparison.items() if key != "differing"})
    row["differing"] = "; ".join(f"{d['examples']} {d['op']} {d['node'].rsplit('#', 1)[-1]}: compiler {d['theirs']}, "
                                 f"plan {d['ours']} ({d['rules']})" for d in comparison.get("differing", ())) or None
    return row


def root_rows(export, target, states):
    return [{"name": export["name"], "target": target["name"], "state": state, "place": place,
             **{key: root[key] for key in ("rule", "op", "text", "nodes", "mend", "mended")}}
            for state in ("exported", "sized")
            for place, root in enumerate((states.get(state) or {}).get("roots") or ())]


def text_of(value):
    if isinstance(value, float):
        return repr(round(value, 6))
    return "" if value is None else str(value).lower() if isinstance(value, bool) else value


def write_csv(path, columns, rows):
    new = f"{path}.new"
    with open(new, "w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(columns)
        writer.writerows([text_of(row.get(name)) for name in columns] for row in rows)
    os.replace(new, path)


def read_csv(path, columns):
    """Rows with the types of the columns."""
    convert = {"INTEGER": int, "REAL": float, "BOOLEAN": lambda text: text == "true", "TEXT": str}
    with open(path, newline="", encoding="utf-8") as file:
        return [{name: convert[columns[name]](text) if text != "" else None for name, text in row.items()
                 if name in columns} for row in csv.DictReader(file)]


def write_parquet(path, columns, rows):
    import pyarrow
    import pyarrow.parquet

    kinds = {"TEXT": pyarrow.string(), "INTEGER": pyarrow.int64(), "REAL": pyarrow.float64(),
             "BOOLEAN": pyarrow.bool_()}
    schema = pyarrow.schema([(name, kinds[kind]) for name, kind in columns.items()])
    new = f"{path}.new"
    pyarrow.parquet.write_table(pyarrow.Table.from_pylist(list(rows), schema=schema), new, compression="zstd")
    os.replace(new, path)
