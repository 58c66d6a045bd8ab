#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Peak memory of activations, and bytes of weights, against ONNX Runtime's own arena.

Each static model of a folder is run once by the CPU provider: one thread, no prepacking, no memory pattern, weights
outside the arena, graph optimizations at level basic, as the tool's sessions. The arena is asked for the largest sum that
was in use (MaxInUse of its statistics). Two arenas: one that hands out pieces of the size asked for, which is what is
compared, and the default one, which rounds them up to twice as much; that is reported beside it. Weights left out of a
model (external data that is absent) are filled with random numbers. Weights are compared with the file's own tensors.

usage: memory.py --tool TOOL [--page FILE] [--most-mb N] MODELS [NAME...]
"""
import argparse
import ctypes
import glob
import json
import math
import os
import subprocess
import sys
import tempfile

# Places in OrtApi (onnxruntime_c_api.h), to which only ever more are added.
VERSION, ERROR_TEXT, CREATE_ENV, CREATE_SESSION, RUN, CREATE_OPTIONS = 23, 2, 3, 7, 9, 10
DISABLE_PATTERN, LOG_SEVERITY, LEVEL, INTRA, INTER = 17, 22, 23, 24, 25
TENSOR_WITH_DATA, CPU_INFO, CONFIG, CREATE_ALLOCATOR, REGISTER_ALLOCATOR, CREATE_ARENA = 49, 69, 130, 131, 144, 156
GET_PAIRS, STATISTICS = 298, 319
BASIC, ERRORS_ALONE, ARENA, DEVICE, SAME_AS_REQUESTED = 1, 3, 1, 0, 1


class Runtime:
    """As much of ONNX Runtime's C interface as tells what an arena held; the Python package has no call for it."""

    def __init__(self):
        import onnxruntime
        folder = os.path.join(os.path.dirname(onnxruntime.__file__), "capi")
        library = ctypes.CDLL(glob.glob(os.path.join(folder, "libonnxruntime.so.*"))[0])
        library.OrtGetApiBase.restype = ctypes.POINTER(ctypes.c_void_p)
        get_api = ctypes.CFUNCTYPE(ctypes.c_void_p, ctypes.c_uint32)(library.OrtGetApiBase()[0])
        self.table = ctypes.cast(get_api(VERSION), ctypes.POINTER(ctypes.c_void_p))
        self.environment = self.make(CREATE_ENV, 3, b"memory")

    def call(self, place, *arguments):
        """A function that returns a status."""
        types = [ctypes.c_size_t if isinstance(a, int) else ctypes.c_void_p for a in arguments]
        values = [a if isinstance(a, int) else ctypes.cast(a, ctypes.c_void_p) for a in arguments]
        status = ctypes.CFUNCTYPE(ctypes.c_void_p, *types)(self.table[place])(*values)
        if status:
            text = ctypes.CFUNCTYPE(ctypes.c_char_p, ctypes.c_void_p)(self.table[ERROR_TEXT])(status)
            raise RuntimeError(text.decode())

    def make(self, place, *arguments):
        """A function whose last argument is what it makes."""
        made = ctypes.c_void_p()
        self.call(place, *arguments, ctypes.byref(made))
        return made

    def statistics(self, allocator):
        pairs, names = self.make(STATISTICS, allocator), ctypes.POINTER(ctypes.c_char_p)()
        values, count = ctypes.POINTER(ctypes.c_char_p)(), ctypes.c_size_t()
        get = ctypes.CFUNCTYPE(None, *[ctypes.c_void_p] * 4)(self.table[GET_PAIRS])
        get(pairs, *[ctypes.cast(ctypes.byref(x), ctypes.c_void_p) for x in (names, values, count)])
        return {names[i].decode(): int(values[i]) for i in range(count.value)}

    def peak(self, path, feeds, results, is_exact):
        """Bytes in use at most while a session runs once."""
        import numpy
        import onnx
        options, arena, device = self.make(CREATE_OPTIONS), self.make(CPU_INFO, ARENA, 0), self.make(CPU_INFO, DEVICE, 0)
        for place, number in ((LOG_SEVERITY, ERRORS_ALONE), (LEVEL, BASIC), (INTRA, 1), (INTER, 1)):
            self.call(place, options, number)
        self.call(DISABLE_PATTERN, options)
        self.call(CONFIG, options, b"session.use_device_allocator_for_initializers", b"1")
        self.call(CONFIG, options, b"session.disable_prepacking", b"1")
        if is_exact:
            # The arena's smallest piece that it leaves over is one byte.
            config = self.make(CREATE_ARENA, 0, SAME_AS_REQUESTED, 0xffffffff, 1)
            self.call(REGISTER_ALLOCATOR, self.environment, arena, config)
            self.call(CONFIG, options, b"session.use_env_allocators", b"1")
        session = self.make(CREATE_SESSION, self.environment, os.fsencode(path), options)
        allocator = self.make(CREATE_ALLOCATOR, session, arena)
        tensors = []
        for array in feeds.values():
            dims = (ctypes.c_int64 * max(1, array.ndim))(*array.shape)
            tensors.append(self.make(TENSOR_WITH_DATA, device, array.ctypes.data_as(ctypes.c_void_p), array.nbytes, dims,
                                     array.ndim, int(onnx.helper.np_dtype_to_tensor_dtype(array.dtype))))
        names = (ctypes.c_char_p * len(feeds))(*[name.encode() for name in feeds])
        wanted = (ctypes.c_char_p * len(results))(*[name.encode() for name in results])
        given, made = (ctypes.c_void_p * len(feeds))(*[t.value for t in tensors]), (ctypes.c_void_p * len(results))()
        self.call(RUN, session, ctypes.c_void_p(), names, given, len(feeds), wanted, len(results), made)
        return self.statistics(allocator)["MaxInUse"]


# ---- models --------------------------------------------------------------------------------------------------------

def tensors_of(model):
    """Initializers and the tensors of Constant nodes, of all graphs."""
    graphs = [model.graph]
    nodes = [node for function in model.functions for node in function.node]
    while graphs:
        graph = graphs.pop()
        yield from graph.initializer
        nodes.extend(graph.node)
        while nodes:
            for attribute in nodes.pop().attribute:
                graphs.extend([attribute.g] if attribute.HasField("g") else [])
                graphs.extend(attribute.graphs)
                if attribute.HasField("t"):
                    yield attribute.t


def fill(model):
    """Puts random numbers in the place of external data."""
    import numpy
    import onnx
    random = numpy.random.default_rng(0)
    for tensor in tensors_of(model):
        if tensor.data_location != onnx.TensorProto.EXTERNAL:
            continue
        dtype = onnx.helper.tensor_dtype_to_np_dtype(tensor.data_type)
        count = math.prod(tensor.dims)
        if dtype.kind == "f":
            data = (random.standard_normal(count, numpy.float32) * 0.02).astype(dtype).tobytes()
        else:
            data = bytes(next(int(e.value) for e in tensor.external_data if e.key == "length"))
        del tensor.external_data[:]
        tensor.data_location = onnx.TensorProto.DEFAULT
        tensor.raw_data = data


def weight_bytes(model):
    import onnx
    bits = {"UINT4": 4, "INT4": 4, "FLOAT4E2M1": 4, "UINT2": 2, "INT2": 2}
    total = 0
    for tensor in tensors_of(model):
        name = onnx.TensorProto.DataType.Name(tensor.data_type)
        width = bits.get(name) or onnx.helper.tensor_dtype_to_np_dtype(tensor.data_type).itemsize * 8
        total += (math.prod(tensor.dims) * width + 7) // 8 if name != "STRING" else 0
    return total


def ask_runtime(path, is_exact):
    """In a process of its own: an environment's arena keeps its statistics for all sessions."""
    import numpy
    import onnx
    model = onnx.load(path, load_external_data=False)
    constants = {tensor.name for tensor in model.graph.initializer}
    feeds = {}
    for value in model.graph.input:
        if value.name not in constants:
            tensor = value.type.tensor_type
            dims = [dim.dim_value for dim in tensor.shape.dim]
            feeds[value.name] = numpy.zeros(dims, onnx.helper.tensor_dtype_to_np_dtype(tensor.elem_type))
    fill(model)
    with tempfile.TemporaryDirectory() as folder:
        filled = os.path.join(folder, "model.onnx")
        os.chdir(folder)
        onnx.save_model(model, filled, save_as_external_data=True, location="weights", size_threshold=1024)
        results = [value.name for value in model.graph.output]
        print(json.dumps(Runtime().peak(filled, feeds, results, is_exact)))


def ask(path, mode):
    run = subprocess.run([sys.executable, os.path.abspath(__file__), mode, path], capture_output=True, text=True,
                         timeout=300)
    lines = run.stdout.strip().splitlines()
    if run.returncode or not lines:
        return None, (run.stderr.strip().splitlines() or ["no answer"])[-1]
    return json.loads(lines[-1]), ""


def compare(tool, path):
    """A row, or why there is none."""
    import onnx
    run = subprocess.run([tool, path, "--target", "hexagon", "--format", "json", "--detail", "summary"],
                         capture_output=True, text=True)
    if not run.stdout:
        return None, run.stderr.strip()
    memory = json.loads(run.stdout)["targets"][0]["memory"]
    if memory["activation_peak_bytes"] is None:
        return None, "sizes are dynamic"
    weights = weight_bytes(onnx.load(path, load_external_data=False))
    exact, why = ask(path, "--exact")
    default, _ = ask(path, "--default")
    if exact is None:
        return None, why
    return {"name": os.path.basename(path), "ours": memory["activation_peak_bytes"], "exact": exact, "default": default,
            "weights": memory["weight_bytes"], "file": weights}, ""


def write_page(rows, lines, out):
    from importlib.metadata import version
    print("# Fidelity of memory\n", file=out)
    print("`oracles/fidelity/memory.py` writes this page (`make fidelity-memory MODELS=folder`). Peaks of activations are\n"
          f"compared with the arena of onnxruntime {version('onnxruntime')}, CPU provider: one thread, level basic, no\n"
          "prepacking, no memory pattern, weights outside it. \"Arena\" hands out pieces of the size asked for as far as it\n"
          "can; \"default arena\" is what a session has by itself, which hands out pieces of up to twice the size. Weights\n"
          "are compared with the tensors of the file.\n", file=out)
    for line in lines:
        print(line, file=out)
    print("\n| model | peak | arena | off | default arena | weights | equal |\n|---|---|---|---|---|---|---|", file=out)
    for row in rows:
        default = f"{row['default']:,}" if row["default"] else "-"
        print(f"| {row['name']} | {row['ours']:,} | {row['exact']:,} | {row['off']:+.1%} | {default} | "
              f"{row['weights']:,} | {'yes' if row['weights'] == row['file'] else 'no'} |", file=out)


def main():
    if len(sys.argv) == 3 and sys.argv[1] in ("--exact", "--default"):
        ask_runtime(os.path.abspath(sys.argv[2]), sys.argv[1] == "--exact")
        return 0
    parser = argparse.ArgumentParser()
    parser.add_argument("--tool", required=True)
    parser.add_argument("--page")
    parser.add_argument("--most-mb", type=float, default=250, help="of weights that are filled in")
    parser.add_argument("models")
    parser.add_argument("names", nargs="*")
    arguments = parser.parse_args()
    paths = sorted(glob.glob(os.path.join(arguments.models, "*.onnx")))
    if arguments.names:
        paths = [path for path in paths if os.path.basename(path) in arguments.names]
    import onnx
    rows, left_out = [], 0
    for path in paths:
        name = os.path.basename(path)
        if weight_bytes(onnx.load(path, load_external_data=False)) > arguments.most_mb * 1e6:
            print(f"  {name}: larger than --most-mb", flush=True)
            left_out += 1
            continue
        try:
            row, why = compare(os.path.abspath(arguments.tool), path)
        except subprocess.TimeoutExpired:
            row, why = None, "takes too long"
        if not row:
            print(f"  {name}: {why[:120]}", flush=True)
            left_out += 1
            continue
        row["off"] = row["ours"] / row["exact"] - 1
        rows.append(row)
        print(f"  {name}: {row['ours']:,} against {row['exact']:,} ({row['off']:+.1%})", flush=True)
    if not rows:
        sys.exit("memory: no model could be compared")
    near = sum(abs(row["off"]) <= 0.15 for row in rows)
    near_default = sum(bool(row["default"]) and abs(row["ours"] / row["default"] - 1) <= 0.15 for row in rows)
    equal = sum(row["weights"] == row["file"] for row in rows)
    off = sorted(abs(row["off"]) for row in rows)
    lines = [f"{near} of {len(rows)} models are within 15 % of the arena (median {off[len(off) // 2]:.1%}, largest "
             f"{off[-1]:.0%}), {near_default} of the",
             f"default one; weights are equal in {equal}. {left_out} models of the folder are left out: sizes that are not",
             f"static, more than {arguments.most_mb:.0f} MB of weights, or ONNX Runtime does not run them."]
    print("\n".join(lines))
    if arguments.page:
        with open(arguments.page, "w", encoding="utf-8") as page:
            write_page(rows, lines, page)
    return 0


if __name__ == "__main__":
    sys.exit(main())
