# SPDX-License-Identifier: Apache-2.0
"""Memory and threads: what many analyses, and models with large weights, take."""
from __future__ import annotations

import concurrent.futures
import gc
import os
import pathlib
import subprocess
import sys
import time

import pytest
from conftest import ROOT

import npu_partition

MEGABYTE = 1 << 20
pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")

# In a process of its own, whose memory is told before and at its peak after the highest so far is forgotten.
LARGE_MODEL = """
import sys
import onnx
import npu_partition
from npu_partition._native import VERSION

def status(name):
    with open("/proc/self/status") as file:
        return next(int(line.split()[1]) for line in file if line.startswith(name)) << 10

count, size, path = int(sys.argv[1]), int(sys.argv[2]), sys.argv[3]
model = onnx.load(path)
for i in range(count):
    tensor = model.graph.initializer.add(name=f"large{i}", data_type=1, dims=[size // 4096, 1024])
    tensor.raw_data = b"w" * (size // 4096 * 4096)
npu_partition.analyze(path, "hexagon")
with open("/proc/self/clear_refs", "w") as file:
    file.write("5")
before = status("VmRSS")
found = npu_partition.analyze(model, "hexagon")
assert found.model.weight_bytes >= count * (size // 4096 * 4096), found.model
assert found.model.bytes >= count * (size // 4096 * 4096), found.model
print(before, status("VmHWM") - before)
"""


def resident_bytes() -> int:
    gc.collect()
    with open("/proc/self/statm") as file:
        return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")


def use(model: pathlib.Path) -> int:
    """An analysis and what is usually asked of it."""
    target = npu_partition.analyze(model, "hexagon").targets[0]
    assert target.nodes and target.causes and target.advice
    return target.summary.partitions


def growth_bytes(model: pathlib.Path, times: int) -> int:
    for _ in range(100):
        use(model)
    before = resident_bytes()
    for _ in range(times):
        use(model)
    return resident_bytes() - before


def test_memory_does_not_grow(detector: pathlib.Path) -> None:
    assert growth_bytes(detector, 400) < MEGABYTE


@pytest.mark.scale
def test_memory_of_10000_analyses(detector: pathlib.Path) -> None:
    growth = growth_bytes(detector, 10_000)
    print(f"10,000 analyses: {growth / MEGABYTE:.2f} MB more")
    assert growth < 5 * MEGABYTE


def test_memory_after_errors(tmp_path: pathlib.Path) -> None:
    def fail() -> None:
        with pytest.raises(npu_partition.NpuPartitionError):
            npu_partition.analyze(b"\x08\x07", "hexagon")
        with pytest.raises(npu_partition.NpuPartitionError):
            npu_partition.analyze(ROOT / "fixtures" / "detector.dynamo.onnx", "hexagon", dims={"nope": 1})

    for _ in range(100):
        fail()
    before = resident_bytes()
    for _ in range(500):
        fail()
    assert resident_bytes() - before < MEGABYTE


def large_model(count: int, size: int, path: pathlib.Path) -> tuple[int, int]:
    done = subprocess.run([sys.executable, "-c", LARGE_MODEL, str(count), str(size), path], capture_output=True,
                          text=True)
    assert done.returncode == 0, done.stderr
    before, growth = map(int, done.stdout.split())
    return before, growth


def test_weights_in_memory_are_not_copied(detector: pathlib.Path) -> None:
    """64 MB in two tensors: less than 8 % more, most of which is the op list."""
    pytest.importorskip("onnx")
    before, growth = large_model(2, 32 * MEGABYTE, detector)
    assert before > 64 * MEGABYTE
    assert growth < 64 * MEGABYTE * 0.08


@pytest.mark.scale
@pytest.mark.parametrize("gigabytes", [1, 3])
def test_large_models_in_memory(gigabytes: int, detector: pathlib.Path) -> None:
    """Less than 5 % more, also above the 2 GB that protobuf serializes."""
    pytest.importorskip("onnx")
    before, growth = large_model(8, gigabytes << 27, detector)
    print(f"ModelProto of {gigabytes} GB: {before / MEGABYTE:.0f} MB, {growth / MEGABYTE:.2f} MB more at the peak")
    assert before > gigabytes << 30
    assert growth < (gigabytes << 30) * 0.05


@pytest.mark.scale
def test_models_with_many_nodes(tmp_path: pathlib.Path) -> None:
    """100,000 nodes in memory: reaching the library takes less than twice what protobuf takes to serialize and load."""
    onnx = pytest.importorskip("onnx")
    from npu_partition import _proto

    nodes = [onnx.helper.make_node("Add", [f"t{i}", "w"], [f"t{i + 1}"]) for i in range(100_000)]
    graph = onnx.helper.make_graph(
        nodes, "chain", [onnx.helper.make_tensor_value_info("t0", 1, [8])],
        [onnx.helper.make_tensor_value_info("t100000", 1, [8])], [onnx.helper.make_tensor("w", 1, [8], [1.0] * 8)])
    model = onnx.helper.make_model(graph)
    start = time.process_time()
    with _proto.wire_form(model) as data:
        seconds = time.process_time() - start
        assert bytes(data) == model.SerializeToString()
    start = time.process_time()
    npu_partition.analyze(model, "hexagon", advice=False)
    whole = time.process_time() - start
    print(f"100,000 nodes: {seconds:.2f} s to the library's form, {whole:.2f} s in all")
    assert seconds < 3


def throughput(model: pathlib.Path, threads: int, times: int) -> float:
    """Analyses a second."""
    start = time.perf_counter()
    with concurrent.futures.ThreadPoolExecutor(threads) as pool:
        answers = set(pool.map(lambda _: npu_partition.analyze(model, "hexagon").targets[0].summary.partitions,
                               range(times)))
    assert len(answers) == 1
    return times / (time.perf_counter() - start)


def test_threads_agree(encoder: pathlib.Path) -> None:
    """Eight threads share op lists, and one analysis."""
    expected = npu_partition.analyze(encoder, "hexagon,tidl")
    with concurrent.futures.ThreadPoolExecutor(8) as pool:
        own = list(pool.map(lambda _: npu_partition.analyze(encoder, "hexagon,tidl").to_json(), range(16)))
        shared = list(pool.map(lambda _: expected.to_json(), range(16)))
    assert {*own, *shared} == {expected.to_json()}


@pytest.mark.scale
def test_threads_scale(encoder: pathlib.Path) -> None:
    processors = len(os.sched_getaffinity(0))
    throughput(encoder, 1, 5)
    one, eight = throughput(encoder, 1, 100), throughput(encoder, 8, 200)
    print(f"analyses a second on {processors} processors: {one:.1f} with 1 thread, {eight:.1f} with 8")
    if processors >= 2:
        assert eight > one * 1.3
