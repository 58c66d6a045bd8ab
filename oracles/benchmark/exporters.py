# SPDX-License-Identifier: Apache-2.0
"""How each entry of the corpus is built and exported: a file, and sizes for its symbols.

PyTorch's two exporters are those of oracles/fidelity/campaign_export.py and decoder_exports.py. Packages are imported
where they are used, since each environment has its own.
"""
import pathlib
import subprocess
import sys

SEED = 7
PAST = 127  # of decoders: a step of one token, after so many
SIZES = {"batch": 1, "batch_size": 1, "sequence": 32, "sequence_length": 32, "num_channels": 3, "height": 224,
         "width": 224, "past": PAST, "past_sequence_length": PAST, "past_decoder_sequence_length": PAST,
         "total": PAST + 1, "total_sequence_length": PAST + 1, "past_sequence_length + sequence_length": PAST + 1,
         "encoded": 64, "encoder_sequence_length": 64, "encoder_sequence_length_out": 64,
         "decoder_sequence_length": 1, "feature_size": 80, "nb_max_frames": 3000, "frames": 64, "samples": 16000,
         "N": 1, "unk__0": 1}
PACKAGE = {"torchscript": "torch", "dynamo": "torch", "optimum": "optimum-onnx", "genai": "onnxruntime-genai"}


def version_of(exporter, versions):
    package = PACKAGE.get(exporter, exporter)
    return f"{package} {versions[package]}" if package in versions else ""


def export(entry, scratch):
    """The path of the model, and {symbol: size}."""
    kind = entry.build if entry.build in OTHERS else "torch"
    return {**OTHERS, "torch": by_torch}[kind](entry, scratch)


# ---- PyTorch's exporters -----------------------------------------------------------------------------------------


def by_torch(entry, scratch):
    import campaign_export
    import torch

    torch.manual_seed(SEED)
    torch.set_num_threads(1)
    with torch.no_grad():
        if entry.build == "plain":
            model, args, names, axes = build_plain(entry.model)
        else:
            model, args, names, axes = campaign_export.BUILD[entry.build](entry.model)
        model.eval()
        path = scratch / f"{entry.model}.onnx"
        how = ("ts" if entry.exporter == "torchscript" else "dynamo") + str(entry.opset) + "d" * entry.is_dynamic
        campaign_export.export(model, args, names, axes, how, str(path))
        if entry.quantized:
            path = campaign_export.quantize(path, entry.quantized, names, args)
    return path, campaign_export.sizes_of(path, args, names)


def build_plain(name):
    import models

    model, args, axes = models.MODELS[name]()
    names = [f"in{i}" for i in range(len(args))]
    return model, args, names, dict(zip(names, axes))


def by_decoder(entry, scratch):
    import campaign_export
    import decoder_exports
    import torch

    torch.set_num_threads(1)
    path = decoder_exports.export(entry.model, "ts" if entry.exporter == "torchscript" else "dynamo", scratch)
    roles = {("input_ids", 1): 1, ("attention_mask", 1): PAST + 1, ("position_ids", 1): 1,
             ("encoder_attention_mask", 1): SIZES["encoded"]}
    return path, campaign_export.sizes_by_place(path, lambda name, axis: roles.get(
        (name, axis), SIZES["encoded"] if name.startswith("encoder.") else PAST if axis == 2 else None))


# ---- optimum and ONNX Runtime's builder of decoders: from a folder with a configuration and random weights ---------

CLASSES = {"resnet": ("ResNetConfig", "ResNetForImageClassification", "image-classification"),
           "vit": ("ViTConfig", "ViTForImageClassification", "image-classification"),
           "convnext": ("ConvNextConfig", "ConvNextForImageClassification", "image-classification"),
           "mobilevit": ("MobileViTConfig", "MobileViTForImageClassification", "image-classification"),
           "swin": ("SwinConfig", "SwinForImageClassification", "image-classification"),
           "bert": ("BertConfig", "BertModel", "feature-extraction"),
           "distilbert": ("DistilBertConfig", "DistilBertModel", "feature-extraction"),
           "roberta": ("RobertaConfig", "RobertaModel", "feature-extraction"),
           "electra": ("ElectraConfig", "ElectraModel", "feature-extraction"),
           "albert": ("AlbertConfig", "AlbertModel", "feature-extraction"),
           "mpnet": ("MPNetConfig", "MPNetModel", "feature-extraction"),
           "llama": ("LlamaConfig", "LlamaForCausalLM", "text-generation-with-past"),
           "qwen3": ("Qwen3Config", "Qwen3ForCausalLM", "text-generation-with-past"),
           "phi3": ("Phi3Config", "Phi3ForCausalLM", "text-generation-with-past"),
           "gemma3": ("Gemma3TextConfig", "Gemma3ForCausalLM", "text-generation-with-past"),
           "mistral": ("MistralConfig", "MistralForCausalLM", "text-generation-with-past"),
           "gpt2": ("GPT2Config", "GPT2LMHeadModel", "text-generation-with-past"),
           "t5": ("T5Config", "T5ForConditionalGeneration", "text2text-generation-with-past"),
           "whisper": ("WhisperConfig", "WhisperForConditionalGeneration", "automatic-speech-recognition-with-past"),
           "wav2vec2": ("Wav2Vec2Config", "Wav2Vec2ForCTC", "automatic-speech-recognition")}


def saved_model(name, folder):
    """A folder as of a hub, with few layers and random weights, and the task that it is for."""
    import campaign_export
    import torch
    import transformers

    torch.manual_seed(SEED)
    torch.set_num_threads(1)
    config_class, model_class, task = CLASSES[name]
    config = getattr(transformers, config_class)()
    if not task.startswith("image"):
        for key, value in {**campaign_export.SMALL, **campaign_export.ADJUST.get(name, {})}.items():
            if getattr(config, key, None) is not None and not isinstance(getattr(type(config), key, None), property):
                setattr(config, key, value)
        if getattr(config, "layer_types", None):
            config.layer_types = config.layer_types[:2]
    if hasattr(config, "original_max_position_embeddings"):  # as of models with a short context
        config.original_max_position_embeddings = config.max_position_embeddings
    model = getattr(transformers, model_class)(config).eval()
    model.save_pretrained(folder)
    return model, task


def by_optimum(entry, scratch):
    import campaign_export
    from optimum.exporters.onnx import onnx_export_from_model

    model, task = saved_model(entry.model, scratch / "saved")
    onnx_export_from_model(model, scratch / "out", opset=entry.opset, task=task, do_validation=False,
                           library_name="transformers", preprocessors=[])
    found = sorted((scratch / "out").rglob("*.onnx"))
    wanted = [p for p in found if "with_past" in p.name or "merged" in p.name] or found
    path = sorted(wanted, key=lambda p: "merged" not in p.name)[0]
    size = getattr(model.config, "image_size", None) or SIZES["height"]
    own = {"sequence_length": 1 if task.endswith("with-past") else 16000 if "speech" in task else SIZES["sequence"],
           "height": size, "width": size}
    return path, {**SIZES, **own, **campaign_export.sizes_by_place(path, lambda name, axis: 1 if axis == 0 else None)}


def by_genai(entry, scratch):
    import tokenizers
    import transformers

    saved_model(entry.model, scratch / "saved")
    words = tokenizers.Tokenizer(tokenizers.models.WordLevel({"a": 0}, "a"))  # the builder copies one
    transformers.PreTrainedTokenizerFast(tokenizer_object=words).save_pretrained(scratch / "saved")
    called([sys.executable, "-m", "onnxruntime_genai.models.builder", "-i", scratch / "saved", "-o", scratch / "out",
            "-p", entry.quantized, "-e", "cpu", "-c", scratch / "cache"], scratch / "out" / "model.onnx")
    return scratch / "out" / "model.onnx", {**SIZES, "sequence_length": 1}


def called(command, path):
    """Of exporters that are programs: the last line that they print is the reason where they write nothing."""
    done = subprocess.run(list(map(str, command)), capture_output=True, text=True, check=False)
    if not path.exists():
        raise RuntimeError((done.stderr or done.stdout or "no message").strip().splitlines()[-1])


# ---- tables ------------------------------------------------------------------------------------------------------


def estimator(name):
    from sklearn import cluster, compose, ensemble, linear_model, neighbors, neural_network
    from sklearn import pipeline, preprocessing, svm

    scale = preprocessing.StandardScaler
    made = {
        "logistic": lambda: pipeline.make_pipeline(scale(), linear_model.LogisticRegression()),
        "forest": lambda: ensemble.RandomForestClassifier(20, max_depth=6, random_state=SEED),
        "boosting": lambda: ensemble.GradientBoostingRegressor(n_estimators=20, random_state=SEED),
        "mlp": lambda: pipeline.make_pipeline(scale(), neural_network.MLPClassifier((32, 16), max_iter=20,
                                                                                    random_state=SEED)),
        "svc": lambda: pipeline.make_pipeline(scale(), svm.SVC(random_state=SEED)),
        "kmeans": lambda: pipeline.make_pipeline(scale(), cluster.KMeans(5, n_init=1, random_state=SEED)),
        "neighbors": lambda: neighbors.KNeighborsRegressor(3),
        "columns": lambda: pipeline.make_pipeline(
            compose.ColumnTransformer([("numbers", scale(), list(range(8))),
                                       ("words", preprocessing.OneHotEncoder(handle_unknown="ignore"), [8, 9])]),
            linear_model.LogisticRegression()),
    }
    if name == "lightgbm":
        import lightgbm

        return lightgbm.LGBMClassifier(n_estimators=10, random_state=SEED, verbose=-1, n_jobs=1)
    if name == "xgboost":
        import xgboost

        return xgboost.XGBClassifier(n_estimators=10, random_state=SEED, n_jobs=1)
    return made[name]()


def by_sklearn(entry, scratch):
    import numpy

    draw = numpy.random.default_rng(SEED)
    rows = draw.normal(size=(200, 10)).astype("float32")
    rows[:, 8:] = draw.integers(0, 4, size=(200, 2))
    classes = (rows[:, 0] + rows[:, 1] > 0).astype("int64")
    model = estimator(entry.model).fit(rows, classes)
    if entry.exporter == "skl2onnx":
        from skl2onnx import to_onnx

        options = {"zipmap": False} if hasattr(model, "predict_proba") else None
        made = to_onnx(model, rows[:1], target_opset={"": entry.opset, "ai.onnx.ml": 3}, options=options)
    else:
        import onnxmltools
        from onnxmltools.convert.common.data_types import FloatTensorType

        convert = getattr(onnxmltools, f"convert_{entry.model}")
        made = convert(model, initial_types=[("rows", FloatTensorType([None, 10]))], target_opset=entry.opset)
    return written(made, scratch)


def written(model, scratch):
    """Of exporters that return a model, whose only open axis is the batch."""
    import campaign_export
    import onnx

    path = scratch / "model.onnx"
    onnx.save(model, path)
    return path, {**SIZES, **campaign_export.sizes_by_place(path, lambda name, axis: 1 if axis == 0 else None)}


# ---- TensorFlow and Paddle ---------------------------------------------------------------------------------------


def by_keras(entry, scratch):
    import tensorflow
    import tf2onnx

    tensorflow.keras.utils.set_random_seed(SEED)
    model = getattr(tensorflow.keras.applications, entry.model)(weights=None)
    shape = [None if entry.is_dynamic else 1, *model.inputs[0].shape[1:]]

    @tensorflow.function(input_signature=[tensorflow.TensorSpec(shape, tensorflow.float32, name="image")])
    def call(image):
        return model(image, training=False)

    made, _ = tf2onnx.convert.from_function(call, input_signature=call.input_signature, opset=entry.opset)
    return written(made, scratch)


def by_paddle(entry, scratch):
    import campaign_export
    import paddle
    from paddle.vision import models

    paddle.seed(SEED)
    model = getattr(models, entry.model)(pretrained=False)
    model.eval()
    shape = [None if entry.is_dynamic else 1, 3, 224, 224]
    paddle.jit.save(model, str(scratch / "saved"), input_spec=[paddle.static.InputSpec(shape, "float32", "image")])
    source = next(p for p in (scratch / "saved.json", scratch / "saved.pdmodel") if p.exists())
    path = scratch / "model.onnx"
    called([pathlib.Path(sys.executable).with_name("paddle2onnx"), "--model_dir", scratch,
            "--model_filename", source.name, "--params_filename", "saved.pdiparams", "--save_file", path,
            "--opset_version", entry.opset], path)
    return path, {**SIZES, **campaign_export.sizes_by_place(path, lambda name, axis: 1 if axis == 0 else None)}


OTHERS = {"decoder": by_decoder, "optimum": by_optimum, "genai": by_genai, "sklearn": by_sklearn, "keras": by_keras,
          "paddle": by_paddle}
