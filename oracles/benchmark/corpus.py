# SPDX-License-Identifier: Apache-2.0
"""Entries of corpus.toml: one for each model and export."""
import dataclasses
import pathlib
import re
import tomllib

HERE = pathlib.Path(__file__).resolve().parent
EXPORTERS = {"ts": "torchscript", "dynamo": "dynamo", "optimum": "optimum", "skl": "skl2onnx", "genai": "genai",
             "onnxmltools": "onnxmltools", "tf2onnx": "tf2onnx", "paddle2onnx": "paddle2onnx"}


@dataclasses.dataclass(frozen=True)
class Entry:
    """A model, and how it is exported."""

    use: str
    build: str
    model: str
    architecture: str
    export: str  # as in the list: dynamo18d
    exporter: str  # a word of EXPORTERS
    opset: int | None
    is_dynamic: bool
    quantized: str
    environment: str
    place: int  # in the list of exports

    @property
    def name(self):
        earlier = "" if self.environment in ("torch", "sklearn", "tensorflow", "paddle") else "@" + self.environment
        how = self.export.replace("+", ".")
        return f"{self.build}-{self.model}.{how}{earlier}"


def entry_of(group, text, export, place):
    model, _, architecture = text.partition("=")
    found = re.fullmatch(r"(ts|dynamo|tf2onnx|paddle2onnx|[a-z]+)(\d*)(d?)(?:\+(\w+))?", export)
    if not found or found[1] not in EXPORTERS:
        raise ValueError(f"{text}: {export} names no exporter of {', '.join(sorted(EXPORTERS))}")
    return Entry(group["use"], group["build"], model, architecture or model, export, EXPORTERS[found[1]],
                 int(found[2]) if found[2] else None, bool(found[3]), found[4] or "", group["in"], place)


def read(path=HERE / "corpus.toml", only=""):
    """Entries whose name `only` is found in: of each model the first export first, so that a part is of all uses."""
    text = tomllib.loads(pathlib.Path(path).read_text(encoding="utf-8"))
    entries = [entry_of(group, model, export, place) for group in text["models"] for model in group["names"]
               for place, export in enumerate(group["exports"])]
    names = [entry.name for entry in entries]
    twice = sorted({name for name in names if names.count(name) > 1})
    if twice:
        raise ValueError(f"{path}: twice the same entry: {', '.join(twice)}")
    strange = {entry.environment for entry in entries} - set(text["environments"])
    if strange:
        raise ValueError(f"{path}: no such environment: {', '.join(sorted(strange))}")
    return sorted((e for e in entries if re.search(only, e.name)), key=lambda entry: entry.place)
