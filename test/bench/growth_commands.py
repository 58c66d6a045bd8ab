# SPDX-License-Identifier: Apache-2.0
"""The ways in which growth.py asks: each command and format of the tool, a row each.

A row is the command line, or that and what a shell does before it. {model} is the shape, {other} the same model with
other operators, {smaller} with nine tenths of it, {record} where a run placed its nodes, {middle} a node of it, {kept}
a folder that stays from what is done before to the command, {out} one for what is written; standard output goes there.
"""
FORMATS = ["json", "sarif", "junit", "markdown", "github", "gitlab", "csv", "dot", "svg", "html", "model-explorer"]

BASELINE = "{tool} check {kept}/m.onnx --target {target} --baseline {kept}/baseline --update-baseline"
REPORT = "{tool} {} --target {target} --format json --detail tensors --output {kept}/{}"

COMMANDS = {
    "text": "{model} --target {target}",
    "verbose": "{model} --target {target} --verbose",
    "no-advice": "{model} --target {target} --no-advice",
    "modules": "{model} --target {target} --modules --verbose --summary",
    "explain": "{model} --target {target} --explain {middle}",
    "explain-by-name": "{model} --target {target} --explain v1",
    "settings": "{model} --target {target} --settings {out}/settings.json",
    "shapes": "{model} --shapes",
    "shapes-verbose": "{model} --shapes --verbose --target {target}",
    **{form: f"{{model}} --target {{target}} --format {form}" for form in FORMATS},
    **{f"{form}-tensors": f"{{model}} --target {{target}} --format {form} --detail tensors"
       for form in ("json", "html", "csv", "dot", "svg")},
    "fix": "fix {model} --target {target} --output {out}/fixed.onnx",
    "fix-all": "fix {model} --target {target} --allow bits-if,ulp,step,approx --format json --output {out}/fixed.onnx",
    "fix-html": "fix {model} --target {target} --dry-run --format html",
    "fix-cache": "fix {model} --target {target} --cache 16 --output {out}/fixed.onnx",
    "fix-cache-shift": "fix {model} --target {target} --cache 16 --present shift --format json --output {out}/fixed.onnx",
    "fix-cache-sizes": "fix {model} --target {target} --cache 16,32",
    "fix-cache-tokens": "fix {model} --target {target} --cache 16 --tokens 1,4 --output {out}",
    "split": "split {model} --target {target} --output {out}",
    "annotate": "annotate {model} --target {target} --output {out}/annotated.onnx",
    "diff": "diff {model} {model} --target {target}",
    "diff-other": "diff {other} {model} --target {target} --verbose",
    "diff-smaller": "diff {smaller} {model} --target {target} --format json",
    "diff-markdown": "diff {other} {model} --target {target} --format markdown",
    "diff-html": "diff {other} {model} --target {target} --format html",
    "diff-against": "diff {model} --target {target} --against intel-npu",
    "diff-reports": ("diff {kept}/old {kept}/new", REPORT.replace("{}", "{other}", 1).replace("{}", "old") + "; " +
                     REPORT.replace("{}", "{model}", 1).replace("{}", "new")),
    "check": ("check {kept}/m.onnx --target {target} --baseline {kept}/baseline",
              f"cp {{model}} {{kept}}/m.onnx; {BASELINE}"),
    "check-other": ("check {kept}/m.onnx --target {target} --baseline {kept}/baseline --format json",
                    f"cp {{other}} {{kept}}/m.onnx; {BASELINE}; cp {{model}} {{kept}}/m.onnx"),
    "check-before": ("check {kept}/m.onnx --target {target} --before {kept}/baseline --max-partitions 0 --format sarif",
                     f"cp {{other}} {{kept}}/m.onnx; {BASELINE}; cp {{model}} {{kept}}/m.onnx"),
    "check-update": "check {model} --target {target} --baseline {out}/baseline --update-baseline",
    "check-updated": ("check {kept}/m.onnx --target {target} --baseline {kept}/baseline --update-baseline",
                      f"cp {{other}} {{kept}}/m.onnx; {BASELINE}; cp {{model}} {{kept}}/m.onnx"),
    "new-config": "check {model} --target {target} --new-config",
    "scan": "scan {model} --target {target} --output {out}/lines",
    "scan-database": "scan {model} --target {target} --detail tensors --output {out}/lines.sqlite",
    "place": "place {model} {other} --target {target}",
    "place-self": "place {model} --target {target} --format json",
    "verify": "verify {model} --target {target} --profile {record}",
    "verify-verbose": "verify {model} --target {target} --profile {record} --verbose --format json",
}
