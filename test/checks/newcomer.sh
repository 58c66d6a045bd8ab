#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# What somebody does who has never seen the project: installs the package, gets a report by three lines of Python, and a
# check before the merge by a project file, which fails, and passes once the first action is done. What each step must
# say is checked, and how long all of it takes is printed.
#
# usage: newcomer.sh PYTHON MODEL PACKAGE FOLDER [PIP-OPTION...]
#   MODEL    fixtures/distilbert-base.ts14.dyn.onnx, which hexagon splits and fix mends
#   PACKAGE  what pip installs: a wheel, or the package's folder
set -eu
python=$1 model=$2 package=$3 folder=$4
shift 4
most_seconds=300
fail() {
	echo "newcomer: $1" >&2
	exit 1
}
began=$(date +%s)

rm -rf "$folder"
mkdir -p "$folder/project/models"
"$python" -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet "$@" "$package"
cp "$model" "$folder/project/models/text.onnx"
cd "$folder/project"
PATH=$folder/venv/bin:$PATH

# ---- a report, by three lines ------------------------------------------------------------------------------------
cat >report.py <<'END'
import npu_partition
report = npu_partition.analyze("models/text.onnx", targets=["hexagon"], dims={"batch": 1, "sequence": 128})
print(report)
END
python report.py >report.txt
grep -q '7 partitions' report.txt || fail "the report does not say 7 partitions"
grep -q 'opset 16' report.txt || fail "the report does not say what to do"

# ---- a check, by a file ------------------------------------------------------------------------------------------
cat >npu-partition.toml <<'END'
targets = ["hexagon:v73", "intel-npu"]

[dims]
batch = 1
sequence = 128

[thresholds]
max-partitions = 1

[[models]]
path = "models/*.onnx"
END
cat >.pre-commit-config.yaml <<'END'
repos:
  - repo: npu-partition
    rev: v0.3.0
    hooks:
      - id: npu-partition-check
END
[ "$(cat npu-partition.toml .pre-commit-config.yaml | wc -l)" -le 20 ] || fail "more than 20 lines of configuration"
status=0
npu-partition check >failed.txt || status=$?
[ "$status" = 1 ] || fail "the check ends with $status, not with 1"
grep -q '^fails .*hexagon:v73 *7 partitions, threshold: at most 1' failed.txt || fail "the check does not say what fails"
grep -q 'do first: ' failed.txt || fail "the check does not say what to do"

npu-partition fix models/text.onnx --target hexagon:v73,intel-npu --dim batch=1 --dim sequence=128 \
	--output models/fixed.onnx >fixed.txt
mv models/fixed.onnx models/text.onnx
npu-partition check >passed.txt 2>notes.txt || fail "the mended model does not pass"
grep -q '2 checks: 2 fine' passed.txt || fail "not both targets pass"

seconds=$(($(date +%s) - began))
echo "newcomer: a report, a check that fails and a check that passes in $seconds s"
[ "$seconds" -lt "$most_seconds" ] || fail "more than $most_seconds s"
