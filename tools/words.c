/* SPDX-License-Identifier: Apache-2.0 */
#include "tool.h"

#include "printed_files.h"

/* In the order of --help. */
static const struct word words[] = {
    {"check", run_check, "[MODEL...] [options]", "hold models to the thresholds of a project file",
     "a threshold is not met, and no waiver accepts it", TEXT_help_check_txt},
    {"scan", run_scan, "FOLDER|MODEL|PATTERN... --target TARGET[,TARGET...] [options]",
     "many models at once, a line of JSON each", "not used", TEXT_help_scan_txt},
    {"fix", run_fix, "MODEL --target TARGET[,TARGET...] --output OUT.onnx [options]",
     "rewrite an export so that more of it runs on the NPU, and write it", "a threshold is not met", TEXT_help_fix_txt},
    {"split", run_split, "MODEL --target TARGET --output FOLDER [options]",
     "write each partition as a model of its own", "not used", TEXT_help_split_txt},
    {"annotate", run_split, "MODEL --target TARGET[,TARGET...] --output OUT.onnx [options]",
     "write at each node of a model where it runs, and why", "not used", TEXT_help_annotate_txt},
    {"diff", run_diff, "OLD NEW [--target TARGET[,TARGET...]] [options]",
     "what changed between two exports, or two targets: worse or better", "NEW is worse", TEXT_help_diff_txt},
    {"place", run_place, "MODEL MODEL... --target TARGET[,TARGET...] [options]",
     "on which device each model of a set runs best", "a threshold is not met", TEXT_help_place_txt},
    {"weights", run_weights, "MODEL [--format text|json] [--target TARGET [--min-db N [--as PRECISION,...]]]",
     "what each weight loses in 8 and 4 bits, as dB", "not used", TEXT_help_weights_txt},
    {"verify", run_verify, "MODEL --target TARGET --profile FILE [options]",
     "compare where a real run placed the nodes with the plan", "they differ", TEXT_help_verify_txt},
    {"selftest", run_selftest, "TARGET --output FILE.onnx [options]",
     "write a small model that the target takes, to test an installation", "no such model is whole on the target",
     TEXT_help_selftest_txt},
    {"calibrate", run_calibrate, "(RUNS.csv | RUNS.json | MODEL PROFILE...)... [--target TARGET] --output FILE.cost",
     "fit cost parameters to measured runs", "not accepted", TEXT_help_calibrate_txt},
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
