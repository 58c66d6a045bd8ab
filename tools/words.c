/* SPDX-License-Identifier: Apache-2.0 */
#include "tool.h"

/* In the order of --help. */
static const struct word words[] = {
    {"check", run_check, "[MODEL...] [options]", "hold models to the thresholds of a project file",
     "a threshold is not met, and no waiver accepts it",
     "npu-partition.toml, in the folder of a model or above it, names targets, sizes, thresholds and waivers for\n"
     "models by their paths (docs/project-file.md). Without MODEL all models that it names are checked. Options\n"
     "override what the file says. What fails is printed with its first cause and the line that mends it; of what is\n"
     "fine, or accepted by a waiver or the baseline, only the number. -v prints all."},
    {"scan", run_scan, "FOLDER|MODEL|PATTERN... --target TARGET[,TARGET...] [options]",
     "many models at once, a line of JSON each", "not used",
     "Folders are searched for *.onnx, with all folders in them, but not through links or in hidden ones. A model\n"
     "that cannot be analyzed has a line, too, with the member `error` (docs/scan.md). Lines are in the order of the\n"
     "arguments, then of the paths; a table over all models follows. --output FILE may be an SQLite database:\n"
     "*.sqlite or *.db. --resume continues an interrupted scan: no model is lost, and none is there twice."},
    {"fix", run_fix, "MODEL --target TARGET[,TARGET...] --output OUT.onnx [options]",
     "rewrite an export so that more of it runs on the NPU, and write it", "a threshold is not met",
     "Rewrites nodes that a target does not take, and keeps the rewrites that lower partitions or bring nodes onto\n"
     "the NPU. Each step says how equal the model is afterwards; by default only steps that are equal bit for bit,\n"
     "with graph optimizations off, are taken (--allow). Weights are not read: they are copied from file to file, or\n"
     "stay where they are. The written file is read again, and kept only when its plan is the predicted one."},
    {"split", run_split, "MODEL --target TARGET --output FOLDER [options]",
     "write each partition as a model of its own", "not used",
     "FOLDER gets a model for each partition, and for what runs on the CPU between two of them, numbered in the order\n"
     "in which they run; manifest.json has their boundary tensors (docs/split.md). Their results, one after\n"
     "the other, are those of the whole model. --cut is respected."},
    {"annotate", run_annotate, "MODEL --target TARGET[,TARGET...] --output OUT.onnx [options]",
     "write at each node of a model where it runs, and why", "not used",
     "OUT.onnx is the model with metadata at its nodes, which Netron shows: npu_partition.TARGET.assignment (npu,\n"
     "cpu, fail, unknown, folded or fused), .partition and .reason (docs/split.md). Nothing else changes."},
    {"diff", run_diff, "OLD NEW [--target TARGET[,TARGET...]] [options]",
     "what changed between two exports, or two targets: worse or better", "NEW is worse",
     "OLD and NEW are models, or what --format json printed of one (docs/diff.md); a report needs no --target. Or one\n"
     "model on two targets or releases: diff MODEL --target A --against B. Nodes are recognized by where they stand\n"
     "in the graph, then by name, so that names, the order of nodes and the opset may be others. Worse is: more nodes\n"
     "or arithmetic not on the NPU, more partitions, nodes that fail, a longer run of the same arithmetic. A model\n"
     "that only grew is not worse."},
    {"place", run_place, "MODEL MODEL... --target TARGET[,TARGET...] [options]",
     "on which device each model of a set runs best", "a threshold is not met",
     "The models are the parts of one program, such as encoder.onnx decoder.onnx decoder_with_past.onnx. Which output\n"
     "of one is which input of another is found by names and shapes. PART is a model's path or file name; of a model\n"
     "that serves both uses of a decoder, MODEL:prefill and MODEL:decode are parts. Dynamic dimensions without a size\n"
     "get one, which is printed. Times on NPU and CPU are estimates, those on a GPU are yours (docs/placement.md)."},
    {"weights", run_weights, "MODEL [--format text|json] [--target TARGET [--min-db N [--as PRECISION,...]]]",
     "what each weight loses in 8 and 4 bits, as dB", "not used",
     "The one command that reads weights. For each: zeros, the largest magnitude, numbers beyond FLOAT16, and the\n"
     "ratio of signal to what is lost in INT8 by tensor and by channel, in INT4 by channel and in blocks of 32, 64\n"
     "and 128, in NF4, FLOAT8 and FLOAT16 (docs/precision.md). Those that lose most stand first. With --min-db, plans\n"
     "in each precision, as it is and with the weights held that it leaves fewer dB: in 8 bits, or in float."},
    {"verify", run_verify, "MODEL --target TARGET --profile FILE [options]",
     "compare where a real run placed the nodes with the plan", "they differ",
     "FILE tells where the nodes of a real run were placed:\n"
     "  a profile   what a session of ONNX Runtime writes with enable_profiling\n"
     "  a log       its standard error with log_severity_level 0 (verbose)\n"
     "  a record    {\"nodes\": [{\"name\" or \"index\", \"ep\"}], \"partitions\": [[...], ...]}, as JSON\n"
     "  a trace     qnn_op_trace.json, by the QNN provider's option enable_framework_op_trace\n"
     "  a profile   of the QNN provider as CSV, by its options profiling_level and profiling_file_path\n"
     "  a report    vitisai_ep_report.json of the Vitis AI provider\n"
     "Plan with the same sizes (--dim) and the same level as that session. A node that the file does not name\n"
     "(fused, folded, or inside a compiled partition) counts neither as equal nor as different."},
    {"selftest", run_selftest, "TARGET --output FILE.onnx [options]",
     "write a small model that the target takes, to test an installation", "no such model is whole on the target",
     "Where a model does not run on the NPU, is it the model or the installation? FILE.onnx gets a convolution,\n"
     "quantized where the target needs that, all of which the target takes. Two lines to paste are printed: one that\n"
     "runs it, and one that says where it ran (docs/real-runs.md). Where it does not run on the NPU, the installation\n"
     "is the cause."},
    {"calibrate", run_calibrate, "(RUNS.csv | RUNS.json | MODEL PROFILE...)... [--target TARGET] --output FILE.cost",
     "fit cost parameters to measured runs", "not accepted",
     "RUNS is a table of measured runs, MODEL PROFILE a model and what ONNX Runtime's profiler wrote of it:\n"
     "  CSV    the first line names the columns: model, ms (of a warm run); and perhaps target, runtime,\n"
     "         dims (batch=1 sequence=128), profile (instead of ms, or for the times of partitions)\n"
     "  JSON   {\"runs\": [{\"model\": ..., \"ms\": ..., \"dims\": {\"batch\": 1}, ...}]}\n"
     "Paths in a table are relative to its folder. Runs of other targets than the one asked for are left out.\n"
     "Two times give two scales, more give parameters (docs/real-runs.md). A fit is accepted where it halves the\n"
     "error of models that were held out; only then FILE.cost is written, for --cost FILE.cost."},
};

#define WORDS (sizeof words / sizeof words[0])

const struct word *word_at(size_t index)
{
    return index < WORDS ? &words[index] : NULL;
}

const struct word *find_word(const char *name)
{
    for (size_t i = 0; i < WORDS; i++)
        if (strcmp(words[i].name, name) == 0)
            return &words[i];
    return NULL;
}
