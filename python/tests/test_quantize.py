# SPDX-License-Identifier: Apache-2.0
"""A model looked at in other precisions, and quantized as it was looked at."""
from __future__ import annotations

import json
import pathlib

import numpy as np
import onnx
import pytest
from onnx import TensorProto, helper, numpy_helper

import npu_partition
from npu_partition import quantize, sensitivity


def write_model(path: pathlib.Path) -> str:
    """Two convolutions with a Relu, a MatMul and a Softmax, with weights."""
    chance = np.random.default_rng(5)

    def weight(name: str, *dims: int) -> onnx.TensorProto:
        return numpy_helper.from_array(chance.standard_normal(dims).astype(np.float32), name)

    nodes = [helper.make_node("Conv", ["x", "w", "b"], ["c"], "first", pads=[1, 1, 1, 1]),
             helper.make_node("Relu", ["c"], ["r"], "relu"),
             helper.make_node("Conv", ["r", "v", "b"], ["d"], "second"),
             helper.make_node("Transpose", ["d"], ["t"], "turn", perm=[0, 2, 3, 1]),
             helper.make_node("MatMul", ["t", "m"], ["p"], "product"),
             helper.make_node("Softmax", ["p"], ["y"], "softmax")]
    graph = helper.make_graph(nodes, "g", [helper.make_tensor_value_info("x", TensorProto.FLOAT, [1, 3, 8, 8])],
                              [helper.make_tensor_value_info("y", TensorProto.FLOAT, [1, 8, 8, 32])],
                              [weight("w", 4, 3, 3, 3), weight("b", 4), weight("v", 4, 4, 1, 1), weight("m", 4, 32)])
    onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=9), path)
    return str(path)


def test_precisions_are_targets_of_their_own(tmp_path: pathlib.Path) -> None:
    model = write_model(tmp_path / "m.onnx")
    found = npu_partition.analyze(model, ["hexagon", "intel-npu"], as_=["w8a8", "w4:block=32"])
    assert [(target.target, target.as_) for target in found.targets] == [
        ("hexagon", "w8a8"), ("hexagon", "w4:block=32"), ("intel-npu", "w8a8"), ("intel-npu", "w4:block=32")]
    assert sum(node.op == "QuantizeLinear" for node in found.targets[0].nodes) == 6
    assert [node.op for node in found.targets[1].nodes].count("MatMulNBits") == 1
    everything = npu_partition.analyze(model, "hexagon", as_="all", advice=False)
    assert [target.as_ for target in everything.targets][:3] == [None, "float16", "bfloat16"]
    assert everything.to_dict()["model"]["nodes"] == 6


def test_what_is_no_precision_is_refused(tmp_path: pathlib.Path) -> None:
    with pytest.raises(npu_partition.ArgumentError, match="did you mean w8a8"):
        npu_partition.analyze(write_model(tmp_path / "m.onnx"), "hexagon", as_="w8a9")


@pytest.mark.parametrize("precision", ["w8a8", "w8a8:per-tensor:activations=int8", "w8a16", "w8a8:qnn", "w8a16:qnn",
                                       "w4a16", "dynamic8"])
def test_the_quantizer_keeps_the_promise(tmp_path: pathlib.Path, precision: str,
                                         capsys: pytest.CaptureFixture[str]) -> None:
    """Node by node: the same nodes, under the same names, with the same verdicts."""
    pytest.importorskip("onnxruntime.quantization")
    model, out = write_model(tmp_path / "m.onnx"), str(tmp_path / "out.onnx")
    assert quantize.main([model, "-t", "hexagon", "--as", precision, "--random", "-o", out]) == 0
    assert "as promised" in capsys.readouterr().out
    promised = npu_partition.analyze(model, "hexagon", as_=precision, advice=False).targets[0]
    real = npu_partition.analyze(out, "hexagon", advice=False).targets[0]

    def told(target: npu_partition.Target) -> list[tuple[str, str, str]]:
        return sorted((node.name, node.op, node.verdict) for node in target.nodes if node.name)

    assert told(promised) == told(real)
    assert len(promised.nodes) == len(real.nodes)


@pytest.mark.parametrize("precision", ["w8a8", "w8a16:qnn", "w4", "nf4", "dynamic8"])
def test_what_is_kept_is_kept_by_the_quantizer(tmp_path: pathlib.Path, precision: str,
                                               capsys: pytest.CaptureFixture[str]) -> None:
    pytest.importorskip("onnxruntime.quantization")
    model, out = write_model(tmp_path / "m.onnx"), str(tmp_path / "out.onnx")
    loaded = onnx.load(model)
    loaded.graph.node[4].name = ""  # quantizers know nodes by their names
    onnx.save(loaded, model)
    assert quantize.main([model, "-t", "hexagon", "--as", precision, "--keep-float", "last,sec*", "--random",
                          "-o", out]) == 0
    assert "as promised" in capsys.readouterr().out
    promised = npu_partition.analyze(model, "hexagon", as_=f"{precision}:keep=last:keep=sec*", advice=False).targets[0]
    real = npu_partition.analyze(out, "hexagon", advice=False).targets[0]
    assert promised.kept == ("second", "p")
    assert sorted(node.op for node in promised.nodes) == sorted(node.op for node in real.nodes)


def test_a_residual_network_becomes_whole_on_a_chip_of_integers(tmp_path: pathlib.Path,
                                                                capsys: pytest.CaptureFixture[str]) -> None:
    """From the float file, of which RV1106 runs nothing, to one that it runs whole, in one line."""
    pytest.importorskip("onnxruntime.quantization")
    chance = np.random.default_rng(6)
    sizes = {"w": (8, 3, 7, 7), "b": (8,), "v": (8, 8, 3, 3), "d": (8,), "u": (8, 8, 3, 3), "e": (8,), "o": (10, 8),
             "z": (10,)}
    nodes = [helper.make_node("Conv", ["x", "w", "b"], ["c"], "stem", strides=[2, 2], pads=[3, 3, 3, 3]),
             helper.make_node("Relu", ["c"], ["r"], "relu"),
             helper.make_node("MaxPool", ["r"], ["m"], "pool", kernel_shape=[3, 3], strides=[2, 2], pads=[1, 1, 1, 1]),
             helper.make_node("Conv", ["m", "v", "d"], ["f"], "first", pads=[1, 1, 1, 1]),
             helper.make_node("Relu", ["f"], ["g"], "relu1"),
             helper.make_node("Conv", ["g", "u", "e"], ["h"], "second", pads=[1, 1, 1, 1]),
             helper.make_node("Add", ["h", "m"], ["s"], "sum"), helper.make_node("Relu", ["s"], ["t"], "relu2"),
             helper.make_node("GlobalAveragePool", ["t"], ["p"], "mean"),
             helper.make_node("Flatten", ["p"], ["q"], "flat"),
             helper.make_node("Gemm", ["q", "o", "z"], ["y"], "head", transB=1)]
    graph = helper.make_graph(nodes, "g", [helper.make_tensor_value_info("x", TensorProto.FLOAT, [1, 3, 32, 32])],
                              [helper.make_tensor_value_info("y", TensorProto.FLOAT, [1, 10])],
                              [numpy_helper.from_array(chance.standard_normal(dims).astype(np.float32), name)
                               for name, dims in sizes.items()])
    model, out = tmp_path / "m.onnx", str(tmp_path / "out.onnx")
    onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=9), model)
    assert npu_partition.analyze(str(model), "rknn:rv1106", advice=False).targets[0].summary.verdict == "none"
    assert quantize.main([str(model), "-t", "rknn:rv1106", "--as", "w8a8:activations=int8", "--random", "-o", out]) == 0
    assert "as promised by w8a8:activations=int8: whole, 1 partition" in capsys.readouterr().out


def test_sparse_weights_are_left_and_counted(tmp_path: pathlib.Path) -> None:
    """No quantizer reads them; their zeros are what is known of them."""
    values = numpy_helper.from_array(np.arange(1, 9, dtype=np.float32), "w")
    places = numpy_helper.from_array(np.arange(0, 16, 2), "places")
    graph = helper.make_graph([helper.make_node("MatMul", ["x", "w"], ["y"], "product")], "g",
                              [helper.make_tensor_value_info("x", TensorProto.FLOAT, [1, 4])],
                              [helper.make_tensor_value_info("y", TensorProto.FLOAT, [1, 4])],
                              sparse_initializer=[helper.make_sparse_tensor(values, places, [4, 4])])
    model = tmp_path / "m.onnx"
    onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=9), model)
    for precision in ("w8a8", "w4", "dynamic8"):
        found = npu_partition.analyze(str(model), "hexagon", as_=precision, advice=False).targets[0]
        assert [node.op for node in found.nodes] == ["MatMul"]
    assert sensitivity.weight_decibels(str(model), "int8-channel") == {}


def test_the_model_is_preprocessed_before(tmp_path: pathlib.Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A BatchNormalization goes into the convolution before it, and so has no pair of its own."""
    pytest.importorskip("onnxruntime.quantization")
    model, out = write_model(tmp_path / "m.onnx"), tmp_path / "out.onnx"
    loaded = onnx.load(model)
    ones = [numpy_helper.from_array(np.ones(4, np.float32), name) for name in ("g", "h", "i", "j")]
    loaded.graph.initializer.extend(ones)
    loaded.graph.node[2].output[0] = "n"
    loaded.graph.node.insert(3, helper.make_node("BatchNormalization", ["n", "g", "h", "i", "j"], ["d"], "norm"))
    onnx.save(loaded, model)
    assert quantize.main([model, "-t", "hexagon", "--as", "w8a8", "--random", "--preprocess", "-o", str(out)]) == 0
    assert "as promised" in capsys.readouterr().out
    assert "BatchNormalization" not in [node.op_type for node in onnx.load(out).graph.node]
    assert sorted(path.name for path in tmp_path.iterdir()) == ["m.onnx", "out.onnx"]


@pytest.mark.parametrize("precision, nodes", [
    ("w8a8", "softmax"), ("w8a8:qnn", "softmax,first"), ("w8a8:activations=int8", "relu,turn"), ("w8a8:qnn", "*"),
    ("w8a8:per-tensor", "product")])
def test_activations_keep_sixteen_bits(tmp_path: pathlib.Path, precision: str, nodes: str,
                                       capsys: pytest.CaptureFixture[str]) -> None:
    """Node by node, QuantizeLinear and DequantizeLinear between the two kinds too."""
    pytest.importorskip("onnxruntime.quantization")
    model, out = write_model(tmp_path / "m.onnx"), str(tmp_path / "out.onnx")
    assert quantize.main([model, "-t", "hexagon", "--as", precision, "--keep-16", nodes, "--random", "-o", out]) == 0
    assert "as promised" in capsys.readouterr().out
    asked = precision + "".join(f":keep16={node}" for node in nodes.split(","))
    promised = npu_partition.analyze(model, "hexagon", as_=asked, advice=False).targets[0]
    real = npu_partition.analyze(out, "hexagon", advice=False).targets[0]
    assert promised.wide
    assert (sorted((node.name, node.op, node.verdict) for node in promised.nodes) ==
            sorted((node.name, node.op, node.verdict) for node in real.nodes))


@pytest.mark.parametrize("precision", ["w8a8:per-tensor", "w8a8:qnn"])
@pytest.mark.parametrize("nodes", ["softmax", "product"])
def test_sixteen_bits_of_an_old_softmax(tmp_path: pathlib.Path, precision: str, nodes: str,
                                        capsys: pytest.CaptureFixture[str]) -> None:
    """16 bits raise the opset, and so the Softmax reads what was flattened."""
    pytest.importorskip("onnxruntime.quantization")
    model, out = write_model(tmp_path / "m.onnx"), str(tmp_path / "out.onnx")
    loaded = onnx.load(model)
    loaded.opset_import[0].version = 11
    loaded.graph.node[5].attribute.append(helper.make_attribute("axis", 1))
    onnx.save(loaded, model)
    assert quantize.main([model, "-t", "hexagon", "--as", precision, "--keep-16", nodes, "--random", "-o", out]) == 0
    assert "as promised" in capsys.readouterr().out
    promised = npu_partition.analyze(model, "hexagon", as_=f"{precision}:keep16={nodes}", advice=False).targets[0]
    real = npu_partition.analyze(out, "hexagon", advice=False).targets[0]
    assert "Flatten" in [node.op for node in real.nodes]
    assert (sorted((node.op, node.verdict) for node in promised.nodes) ==
            sorted((node.op, node.verdict) for node in real.nodes))


@pytest.mark.parametrize("number, verdict", [(-np.inf, "fails"), (-1e4, "edge")])
def test_a_mask_is_calibrated(tmp_path: pathlib.Path, number: float, verdict: str,
                              capsys: pytest.CaptureFixture[str]) -> None:
    pytest.importorskip("onnxruntime.quantization")
    model, out = write_model(tmp_path / "m.onnx"), str(tmp_path / "out.onnx")
    loaded = onnx.load(model)
    mask = np.where(np.arange(32) > 16, number, 0).astype(np.float32)
    loaded.graph.initializer.append(numpy_helper.from_array(mask, "mask"))
    loaded.graph.node.insert(5, helper.make_node("Add", ["p", "mask"], ["masked"], "add"))
    loaded.graph.node[6].input[0] = "masked"
    onnx.save(loaded, model)
    assert quantize.main([model, "-t", "hexagon", "--as", "w8a8", "--random", "-o", out]) == 0
    assert f"as promised by w8a8: {verdict}" in capsys.readouterr().out


@pytest.mark.parametrize("precision", ["w8a8:qnn", "w8a16:qnn", "w8a8"])
def test_what_is_handed_on_has_the_same_range(tmp_path: pathlib.Path, precision: str,
                                              capsys: pytest.CaptureFixture[str]) -> None:
    """A constant that several nodes have by an Identity, as exporters write it, of zeros too (QNN's configuration has a
    least range), or that is scale and bias of each; an Expand of no axis."""
    pytest.importorskip("onnxruntime.quantization")
    model, out = str(tmp_path / "m.onnx"), str(tmp_path / "out.onnx")
    constants = {"one": np.ones(4), "zero": np.zeros(4), "still": np.zeros((4, 1, 1)),
                 "w": np.random.default_rng(5).normal(size=(4, 4, 3, 3))}
    nodes = [helper.make_node("Identity", ["one"], ["scale"], "scale"),
             helper.make_node("Identity", ["zero"], ["shift"], "shift"),
             helper.make_node("Conv", ["x", "w"], ["c"], "conv", pads=[1, 1, 1, 1]),
             helper.make_node("Add", ["c", "x"], ["s"], "sum"),
             helper.make_node("BatchNormalization", ["s", "scale", "shift", "zero", "one"], ["n"], "norm"),
             helper.make_node("Expand", ["n", "dims"], ["e"], "expand"),
             helper.make_node("BatchNormalization", ["e", "one", "one", "zero", "one"], ["f"], "second"),
             helper.make_node("BatchNormalization", ["f", "one", "one", "one", "one"], ["g"], "third"),
             helper.make_node("Identity", ["still"], ["none"], "none"),
             helper.make_node("Add", ["g", "none"], ["h"], "add"),
             helper.make_node("Relu", ["h"], ["y"], "relu")]
    graph = helper.make_graph(
        nodes, "g", [helper.make_tensor_value_info("x", 1, [1, 4, 8, 8])],
        [helper.make_tensor_value_info("y", 1, [1, 4, 8, 8])],
        [numpy_helper.from_array(np.asarray(value, np.float32), name) for name, value in constants.items()] +
        [numpy_helper.from_array(np.ones(0, np.int64), "dims")])
    onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8), model)
    assert quantize.main([model, "-t", "hexagon", "--as", precision, "--random", "-o", out]) == 0
    assert "as promised" in capsys.readouterr().out
    promised = npu_partition.analyze(model, "hexagon,intel-npu", as_=precision, advice=False).targets
    real = npu_partition.analyze(out, "hexagon,intel-npu", advice=False).targets
    for one, other in zip(promised, real):
        assert (sorted((node.name, node.op, node.verdict) for node in one.nodes) ==
                sorted((node.name, node.op, node.verdict) for node in other.nodes))


@pytest.mark.parametrize("precision, limit, kept, widened", [
    ("w4a16", "25", (), ("w", "m")), ("w4:block=32", "25", (), ("m",)),
    ("w8a8", "80", ("first", "second", "product"), ()), ("w4", "80", ("product",), ())])
def test_weights_are_held_above_a_limit(tmp_path: pathlib.Path, precision: str, limit: str, kept: tuple[str, ...],
                                        widened: tuple[str, ...], capsys: pytest.CaptureFixture[str]) -> None:
    """Random weights keep some 18 dB in 4 bits and 42 in 8."""
    pytest.importorskip("onnxruntime.quantization")
    model, out = write_model(tmp_path / "m.onnx"), str(tmp_path / "out.onnx")
    assert quantize.main([model, "-t", "hexagon", "--as", precision, "--min-db", limit, "--random", "-o", out]) == 0
    assert "as promised" in capsys.readouterr().out
    promised = npu_partition.analyze(model, "hexagon", as_=f"{precision}:min-db={limit}", advice=False).targets[0]
    real = npu_partition.analyze(out, "hexagon", advice=False).targets[0]
    assert (promised.kept, promised.widened) == (kept, widened)
    assert sorted(node.op for node in promised.nodes) == sorted(node.op for node in real.nodes)


@pytest.mark.parametrize("target, precision, tool, path, value", [
    ("intel-npu", "w8a8:keep=second", "NNCF", ("nncf.quantize", "ignored_scope", "names"), ["second"]),
    ("intel-npu", "w4", "optimum-cli", (11,), 128), ("rknn:rk3562", "w8a16:per-tensor", "rknn-toolkit2",
                                                     ("rknn.config", "quantized_method"), "layer"),
    ("rknn:rk3576", "w4a16:block=64", "rknn-toolkit2", ("rknn.config", "quantized_method"), "group64"),
    ("intel-npu", "w8", "NNCF", ("nncf.compress_weights", "group_size"), -1),
    ("intel-npu:4000", "nf4", "optimum-cli", (6,), "nf4"), ("hexagon", "w8a8:per-tensor", "QAIRT", (-1,), "32"),
    ("tidl", "w8a8:keep16=Softmax:keep=second", "TIDL", ("provider_options", "deny_list:layer_name"), "second"),
    ("ethos-u:u65", "w8a8", "onnx2tf and Vela", (1, -1), "ethos-u65-256"),
    ("xdna", "w4:keep=product", "ONNX Runtime GenAI", (-1,), "nodes_to_exclude=product"),
    ("rknn:rv1106", "w8a8", "rknn-toolkit2", ("rknn.config", "target_platform"), "rv1106"),
    ("hexagon", "w4a16", "AIMET", ("aimet_onnx.QuantizationSimModel", "param_type"), "int4"),
    ("hexagon", "w8a16", "QAIRT", (6,), 16), ("tidl", "w8a8", "TIDL", ("provider_options", "tensor_bits"), 8),
    ("ethos-u:u55", "w8a8", "onnx2tf and Vela", (0, 5), "per-channel"),
    ("stm32n6", "w8a8", "ST Edge AI", ("onnxruntime.quantization.quantize_static", "per_channel"), True),
    ("xdna", "w4:block=64", "ONNX Runtime GenAI", (12,), "block_size=64")])
def test_the_wish_in_the_words_of_other_tools(tmp_path: pathlib.Path, target: str, precision: str, tool: str,
                                              path: tuple[object, ...], value: object) -> None:
    model, out = write_model(tmp_path / "m.onnx"), tmp_path / "settings.json"
    assert quantize.main([model, "-t", target, "--as", precision, "--settings", str(out)]) == 0
    told = json.loads(out.read_text())["tools"][tool]["told"]
    for key in path:
        told = told[key]
    assert told == value


def test_a_tool_that_lacks_a_precision_says_so(tmp_path: pathlib.Path) -> None:
    model, out = write_model(tmp_path / "m.onnx"), tmp_path / "settings.json"
    assert quantize.main([model, "-t", "rknn", "--as", "fp8", "--settings", str(out)]) == 0
    assert json.loads(out.read_text())["tools"]["rknn-toolkit2"]["told"] is None
    assert quantize.main([model, "-t", "rknn:rk3588", "--as", "w4a16", "--settings", str(out)]) == 0
    assert json.loads(out.read_text())["tools"]["rknn-toolkit2"]["told"] is None
    assert quantize.main([model, "-t", "rknn:rk3576", "--as", "w4a16", "--settings", str(out)]) == 0
    assert json.loads(out.read_text())["tools"]["rknn-toolkit2"]["note"] == "its activations are FLOAT16"
    assert quantize.main([model, "-t", "hexagon", "--as", "w8a8:keep16=*", "--settings", str(out)]) == 0
    assert json.loads(out.read_text())["tools"]["AIMET"]["lacks"] == ["wide"]
    assert quantize.main([model, "-t", "rknn", "--as", "w8a8:keep=softmax", "--settings", str(out)]) == 0
    assert json.loads(out.read_text())["tools"]["rknn-toolkit2"]["lacks"] == ["kept"]


def test_losses_on_data_are_joined_to_the_plan(tmp_path: pathlib.Path, capsys: pytest.CaptureFixture[str]) -> None:
    pytest.importorskip("onnxruntime.quantization")
    model, out = write_model(tmp_path / "m.onnx"), str(tmp_path / "out.onnx")
    assert quantize.main([model, "-t", "hexagon", "--as", "w8a8", "--random", "-o", out]) == 0
    assert sensitivity.main([model, out, "-t", "hexagon", "--random", "--format", "json"]) == 0
    printed = capsys.readouterr()
    rows = json.loads(printed.out[printed.out.index("{"):])["layers"]
    assert {row["tensor"] for row in rows} == {"x", "r", "d", "t", "p", "y"}
    product = next(row for row in rows if row["tensor"] == "p")
    assert (product["node"], product["op"], product["verdict"], product["partition"]) == ("product", "MatMul", "npu", 0)
    assert 10 < product["error_db"] <= product["own_db"] + 1 and product["weight_db"] > 35
    assert rows == sorted(rows, key=lambda row: row["error_db"])
    assert "Kendall's tau" in printed.err
    page = tmp_path / "page.html"
    assert sensitivity.main([model, out, "-t", "hexagon", "--random", "--format", "html", "-o", str(page)]) == 0
    assert "<td>product</td>" in page.read_text()
    assert sensitivity.main([model, out, "-t", "hexagon"]) == 2
    assert sensitivity.kendall([(1, 1), (2, 3), (3, 2)]) == pytest.approx(1 / 3)


def test_calibration_data_is_never_made_up_silently(tmp_path: pathlib.Path,
                                                    capsys: pytest.CaptureFixture[str]) -> None:
    model, out = write_model(tmp_path / "m.onnx"), str(tmp_path / "out.onnx")
    assert quantize.main([model, "-t", "hexagon", "--as", "w8a8", "-o", out]) == 2
    assert "--calibrate" in capsys.readouterr().err
    assert not pathlib.Path(out).exists()
    assert quantize.main([model, "-t", "hexagon", "--as", "w8a8", "--random", "-o", model]) == 2


def test_samples_have_the_inputs_names(tmp_path: pathlib.Path, capsys: pytest.CaptureFixture[str]) -> None:
    pytest.importorskip("onnxruntime.quantization")
    model, out = write_model(tmp_path / "m.onnx"), str(tmp_path / "out.onnx")
    folder = tmp_path / "data"
    folder.mkdir()
    arguments = [model, "-t", "hexagon", "--as", "w8a8", "--calibrate", str(folder), "-o", out]
    assert quantize.main(arguments) == 2
    assert "no .npz or .npy" in capsys.readouterr().err
    np.savez(folder / "a.npz", z=np.zeros((1, 3, 8, 8), np.float32))
    assert quantize.main(arguments) == 2
    assert "the model's inputs are x" in capsys.readouterr().err
    (folder / "a.npz").unlink()
    np.savez(folder / "b.npz", x=np.ones((1, 3, 8, 8), np.float32))
    assert quantize.main(arguments) == 0


@pytest.mark.parametrize("inputs", [3, 4, 5])
def test_attention_is_quantized_at_run_time(tmp_path: pathlib.Path, inputs: int,
                                            capsys: pytest.CaptureFixture[str]) -> None:
    """Attention of com.microsoft becomes QAttention; a mask and a past follow their places in it."""
    pytest.importorskip("onnxruntime.quantization")
    chance = np.random.default_rng(3)
    names = ["x", "w", "b", "mask", "past"][:inputs]
    given = {"x": (TensorProto.FLOAT, [1, 4, 16]), "mask": (TensorProto.INT32, [1, 6 if inputs == 5 else 4]),
             "past": (TensorProto.FLOAT, [2, 1, 2, 2, 8])}
    made = ["y", "present"] if inputs == 5 else ["y"]
    graph = helper.make_graph(
        [helper.make_node("Attention", names, made, "attention", domain="com.microsoft", num_heads=2)], "g",
        [helper.make_tensor_value_info(name, *given[name]) for name in names if name in given],
        [helper.make_tensor_value_info(name, TensorProto.FLOAT, None) for name in made],
        [numpy_helper.from_array(chance.standard_normal((16, 48)).astype(np.float32), "w"),
         numpy_helper.from_array(np.zeros(48, np.float32), "b")])
    model, out = str(tmp_path / "m.onnx"), str(tmp_path / "out.onnx")
    onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17),
                                                      helper.make_opsetid("com.microsoft", 1)], ir_version=9), model)
    assert quantize.main([model, "-t", "hexagon", "--as", "dynamic8", "-o", out]) == 0
    assert "as promised" in capsys.readouterr().out
    promised = npu_partition.analyze(model, "hexagon", as_="dynamic8", advice=False).targets[0]
    real = npu_partition.analyze(out, "hexagon", advice=False).targets[0]
    assert "QAttention" in [node.op for node in real.nodes]
    assert (sorted((node.name, node.op, node.verdict) for node in promised.nodes) ==
            sorted((node.name, node.op, node.verdict) for node in real.nodes))
