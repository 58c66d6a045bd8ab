# SPDX-License-Identifier: Apache-2.0
"""The hooks of code hosts, each run as its host would: a merge check that fails, and passes after the change.

pre-commit is the real one. Of GitHub's runner and GitLab's, what they do with the lines of action.yml and of the
template is done here: inputs put in, each step or script run by a shell as they run it.

usage: hooks.py quick TOOL     with a tool that is built: pre-commit's system hook, the action with `tool`, the
                               job's script
       hooks.py full           from a clean clone: pre-commit builds, the action builds, the job installs by pip
"""

import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import xml.etree.ElementTree

import yaml
from runner import Command, Log

ROOT = pathlib.Path(__file__).resolve().parents[2]
MODEL = ROOT / "fixtures" / "detector.dynamo.onnx"  # 4 partitions on hexagon
STRICT = 'targets = ["hexagon"]\nthresholds.max-partitions = 1\n[[models]]\npath = "models/*.onnx"\n'
# What the runner obeyed of all logs, and what it would have, had it not been told to stop.
OBEYED: list[Command] = []
IGNORED: list[Command] = []
LOOSE = STRICT.replace("= 1", "= 4")
FAILS = "\nmodels/a detector.onnx  hexagon  4 partitions, threshold: at most 1\n"  # a block's first line


def run(command: list[str], folder: pathlib.Path, environment: dict[str, str] | None = None) -> tuple[int, str]:
    settings = {**os.environ, "SOURCE_DATE_EPOCH": "1798675200", **(environment or {})}
    streams = {"stdout": subprocess.PIPE, "stderr": subprocess.STDOUT}
    done = subprocess.run(command, cwd=folder, env=settings, text=True, **streams)
    return done.returncode, done.stdout


def must(is_so: bool, what: str, output: str = "") -> None:
    if not is_so:
        sys.exit(f"{what}\n{output[-4000:]}")


def git(folder: pathlib.Path, *arguments: str) -> str:
    identity = ["-c", "user.name=test", "-c", "user.email=test@test.invalid", "-c", "commit.gpgsign=false"]
    status, output = run(["git", *identity, *arguments], folder)
    must(status == 0, f"git {' '.join(arguments)}", output)
    return output.strip()


def make_project(folder: pathlib.Path) -> pathlib.Path:
    """A repository with a model whose name has a blank, and a project file that it does not meet."""
    (folder / "models").mkdir(parents=True)
    shutil.copy(MODEL, folder / "models" / "a detector.onnx")
    (folder / "npu-partition.toml").write_text(STRICT)
    git(folder, "init", "-q")
    git(folder, "add", "-A")
    git(folder, "commit", "-q", "-m", "begin")
    return folder


# ---- pre-commit ------------------------------------------------------------------------------------------------


def check_pre_commit(clone: pathlib.Path, scratch: pathlib.Path, hook: str, path: str) -> None:
    project = make_project(scratch / hook)
    environment = {"PRE_COMMIT_HOME": str(scratch / "pre-commit"), "PATH": path}
    pre_commit = [sys.executable, "-m", "pre_commit"]
    (project / ".pre-commit-config.yaml").write_text(
        f"repos:\n  - repo: {clone}\n    rev: {git(clone, 'rev-parse', 'HEAD')}\n    hooks:\n      - id: {hook}\n"
    )
    git(project, "add", "-A")
    status, output = run([*pre_commit, "run", "--all-files"], project, environment)
    must(status == 1 and FAILS in output, f"{hook} must fail", output)
    must("2 models" not in output, f"{hook} checks a model twice", output)
    (project / "npu-partition.toml").write_text(LOOSE)
    git(project, "add", "-A")
    status, output = run([*pre_commit, "run", "--verbose"], project, environment)  # only what is staged
    must(status == 0 and "1 model, 1 check: 1 fine" in output, f"{hook} must pass", output)
    git(project, "commit", "-q", "-m", "accept")
    (project / "README").write_text("nothing")
    git(project, "add", "-A")
    status, output = run([*pre_commit, "run"], project, environment)
    must(status == 0 and "Skipped" in output, f"{hook} must be skipped where no model changes", output)
    status, output = run([*pre_commit, "try-repo", str(clone), hook, "--all-files"], project, environment)
    must(status == 0 and "Passed" in output, f"pre-commit try-repo {hook}", output)


# ---- GitHub ----------------------------------------------------------------------------------------------------


def put_in(text: str, inputs: dict[str, str], steps: dict[str, dict[str, str]]) -> str:
    """The two kinds of expressions that the action has."""

    def value(match: re.Match[str]) -> str:
        parts = match.group(1).split(".")
        if parts[0] == "inputs" and len(parts) == 2:
            return inputs[parts[1]]
        if parts == ["github", "token"]:
            return "a-token"
        must(parts[0] == "steps" and parts[2] == "outputs", f"an expression that is not known here: {match.group(0)}")
        return steps[parts[1]].get(parts[3], "")

    return re.sub(r"\$\{\{ *([\w.-]+) *\}\}", value, text)


def read_outputs(path: pathlib.Path) -> dict[str, str]:
    return dict(line.split("=", 1) for line in path.read_text().splitlines())


def is_wanted(condition: str, status: int, inputs: dict[str, str], steps: dict[str, dict[str, str]]) -> bool:
    """What the action asks of a step: `&&` between always(), a comparison with a text, and an output."""
    for part in (part.strip() for part in condition.split("&&")):
        name, _, text = part.partition(" == ")
        if part == "success()":
            is_so = status == 0
        elif part == "always()":
            is_so = True
        else:
            parts = name.split(".")
            value = inputs[parts[1]] if parts[0] == "inputs" else steps.get(parts[1], {}).get(parts[3], "")
            is_so = value == text.strip("'") if text else bool(value)
        if not is_so:
            return False
    return True


def run_action(
    clone: pathlib.Path, project: pathlib.Path, scratch: pathlib.Path, given: dict[str, str],
    host: dict[str, str] | None = None,
) -> dict[str, str]:  # fmt: skip
    """As the runner does with a composite action; `log` and `exit` are added to its outputs. What it obeyed of the logs,
    and what it was told not to, goes into the two lists above."""
    action = yaml.safe_load((clone / "action.yml").read_text())
    must(action["runs"]["using"] == "composite" and set(given) <= set(action["inputs"]), "action.yml's inputs")
    inputs = {name: put_in(given.get(name, row.get("default", "")), {}, {}) for name, row in action["inputs"].items()}
    steps: dict[str, dict[str, str]] = {}
    log, status = "", 0
    scratch.mkdir(parents=True, exist_ok=True)
    summary = scratch / "summary"
    summary.write_text("")
    for number, step in enumerate(action["runs"]["steps"]):
        is_known = set(step) <= {"id", "if", "name", "shell", "env", "run"} and step["shell"] == "bash"
        must(is_known, f"a step that is not known here: {step}")
        if not is_wanted(step.get("if", "success()"), status, inputs, steps):
            continue
        files = {"GITHUB_OUTPUT": scratch / f"output{number}", "GITHUB_ENV": scratch / f"env{number}"}
        for path in files.values():
            path.write_text("")
        script = scratch / f"step{number}.sh"
        script.write_text(put_in(step["run"], inputs, steps))
        environment = {name: put_in(text, inputs, steps) for name, text in step.get("env", {}).items()}
        environment |= {name: str(path) for name, path in files.items()}
        environment |= {
            "GITHUB_ACTIONS": "true", "CI": "true", "GITHUB_ACTION_PATH": str(clone), "GITHUB_WORKSPACE": str(project),
            "GITHUB_STEP_SUMMARY": str(summary), "RUNNER_TEMP": str(scratch), **(host or {}),
        }  # fmt: skip
        shell = ["bash", "--noprofile", "--norc", "-e", "-o", "pipefail", str(script)]
        ended, output = run(shell, project, environment)
        log += output
        told = Log()
        told.read(output)
        OBEYED.extend(told.obeyed)
        IGNORED.extend(told.ignored)
        must(not files["GITHUB_ENV"].read_text(), "a step must set nothing for later ones", log)
        # A command sets an output at once, the file at the end of the step.
        steps[step.get("id", str(number))] = told.outputs() | read_outputs(files["GITHUB_OUTPUT"])
        status = status or ended
    outputs = {name: put_in(row["value"], inputs, {"check": {}, **steps}) for name, row in action["outputs"].items()}
    return {**outputs, "log": log, "exit": str(status), "summary": summary.read_text()}


def check_action(clone: pathlib.Path, scratch: pathlib.Path, tool: str) -> None:
    project = make_project(scratch / "action")
    given = {"tool": tool, "models": "models/a detector.onnx\n", "options": "--today\n2026-12-31\n"}
    ran = run_action(clone, project, scratch / "runner", given)
    must(ran["exit"] == "1" and ran["status"] == "1", "the action must fail", ran["log"])
    must(FAILS in ran["log"], "the action's log", ran["log"])
    annotations = [line for line in ran["log"].splitlines() if line.startswith("::error")]
    must(any("models/a detector.onnx" in line for line in annotations), "the action's annotations", ran["log"])
    must("a detector.onnx" in ran["summary"], "the action's summary", ran["summary"])
    must(pathlib.Path(ran["report"]).read_text() == ran["summary"], "the action's report")
    sarif = json.loads((project / ran["sarif"]).read_text())
    must(sarif["version"] == "2.1.0" and len(sarif["runs"][0]["results"]) > 0, "the action's SARIF")
    (project / "npu-partition.toml").write_text(LOOSE)
    ran = run_action(clone, project, scratch / "runner", {"tool": tool or f"{clone}/build/npu-partition"})
    must(ran["exit"] == "0" and ran["status"] == "0" and "1 fine" in ran["log"], "the action must pass", ran["log"])
    ran = run_action(clone, project, scratch / "runner", {"tool": tool or f"{clone}/build/npu-partition", "sarif": "",
                     "annotations": "false", "target": "hexagon,intel-npu", "config": "none.toml"})  # fmt: skip
    is_told = ran["exit"] == "2" and "none.toml" in ran["log"] and not ran["sarif"]
    must(is_told, "a mistake in the action's input", ran["log"])


# ---- GitLab ----------------------------------------------------------------------------------------------------


def read_job(given: dict[str, str]) -> dict:
    head, body = (ROOT / "templates" / "npu-partition.yml").read_text().split("\n---\n")
    inputs = {name: row["default"] for name, row in yaml.safe_load(head)["spec"]["inputs"].items()} | given
    text = re.sub(r"\$\[\[ inputs\.(\w+) \]\]", lambda match: inputs[match.group(1)], body)
    return yaml.safe_load(text)["npu-partition"]


def write_job(script: pathlib.Path, job: dict, tool: str = "") -> None:
    """The lines of the job as a script; a tool that is there, with this checkout's scripts, stands for its preparation."""
    package = ROOT / "python/src/npu_partition"
    prepared = [f"tool='{tool}' scripts='{package}' token=${{NPU_PARTITION_TOKEN:-}}; unset NPU_PARTITION_TOKEN"]
    lines = [*(prepared if tool else job["before_script"]), *job["script"]]
    script.write_text("set -eo pipefail\n" + "\n".join(lines) + "\n")


def check_gitlab(scratch: pathlib.Path, given: dict[str, str], path: str, tool: str = "") -> None:
    project = make_project(scratch / "gitlab")
    job = read_job(given)
    script = scratch / "job.sh"
    write_job(script, job, tool)
    environment = {"PATH": path, **{name: text or "" for name, text in job["variables"].items()}}
    artifacts = [*job["artifacts"]["reports"].values(), *job["artifacts"]["paths"]]
    for content, wanted in ((STRICT, 1), (LOOSE, 0)):
        (project / "npu-partition.toml").write_text(content)
        status, output = run(["bash", str(script)], project, environment)
        must(status == wanted, f"the job must end with {wanted}, not {status}", output)
        for name in artifacts:
            must((project / name).stat().st_size > 0, f"the job's {name}")
        quality = json.loads((project / job["artifacts"]["reports"]["codequality"]).read_text())
        must(bool(quality) == bool(wanted), "the job's Code Quality report", str(quality))
        suites = xml.etree.ElementTree.parse(project / artifacts[0]).getroot()
        must(bool(list(suites.iter("failure"))) == bool(wanted), "the job's JUnit report")


# ---- schemas ---------------------------------------------------------------------------------------------------


def indented_after(page: str, text: str) -> str:
    """The first block of a page that is indented, after a text."""
    block = re.search(r"\n\n((?:    .*\n|\n)+)", page[page.index(text) :])
    must(block is not None, f"no example after {text}")
    return re.sub(r"(?m)^    ", "", block.group(1)) if block else ""


def check_schemas(scratch: pathlib.Path) -> None:
    """What the hosts publish of their files' form, as the package check-jsonschema has it."""
    page = (ROOT / "docs" / "merge-checks.md").read_text()
    files = {
        "github-actions": (ROOT / "action.yml").read_text(),
        "gitlab-ci": (ROOT / "templates" / "npu-partition.yml").read_text().split("\n---\n")[1],
        "github-workflows": indented_after(page, "In `.github/workflows/npu-partition.yml`"),
    }
    for schema, text in files.items():
        path = scratch / f"{schema}.yml"
        path.write_text(text)
        validate = [sys.executable, "-m", "check_jsonschema", "--builtin-schema", f"vendor.{schema}", str(path)]
        status, output = run(validate, ROOT)
        must(status == 0, f"the schema {schema}", output)


def check_pins() -> None:
    """Workflows, the action, the template and the pages' examples name what they use by what it is, and each job has
    permissions of its own. This repository is named by a tag, as its own commit is not known in it."""
    files = [*ROOT.glob(".github/workflows/*.yml"), ROOT / "action.yml", *ROOT.glob("templates/*.yml"),
             *ROOT.glob("docs/**/*.md"), ROOT / "README.md"]  # fmt: skip
    for path in files:
        text = path.read_text()
        for used in re.findall(r"(?m)^ *-? *uses: *(\S+)", text):
            is_pinned = re.search(r"@[0-9a-f]{40}$", used) or used.startswith("OWNER/npu-partition@v")
            must(bool(is_pinned), f"{path.name}: {used} is not named by its commit")
        for used in re.findall(r"(?m)^ *(?:container|image|default): *((?:debian|python|ubuntu):\S+)", text):
            must(bool(re.search(r"@sha256:[0-9a-f]{64}$", used)), f"{path.name}: {used} is not named by its digest")
    for path in ROOT.glob(".github/workflows/*.yml"):
        workflow = yaml.safe_load(path.read_text())
        must(workflow.get("permissions") == {}, f"{path.name}: jobs have permissions that they do not ask for")
        for name, job in workflow["jobs"].items():
            must("permissions" in job, f"{path.name}: the job {name} has no permissions of its own")


# ---- all of them -----------------------------------------------------------------------------------------------


def check_quick(tool: str, scratch: pathlib.Path) -> None:
    """The files as they are here, also where they are not committed."""
    source = scratch / "source"
    source.mkdir()
    for name in (".pre-commit-hooks.yaml", "action.yml", "packaging", "python/src/npu_partition/merge_comment.py",
                 "python/src/npu_partition/merge_base.py"):  # fmt: skip
        copy = shutil.copytree if (ROOT / name).is_dir() else shutil.copy
        (source / name).parent.mkdir(parents=True, exist_ok=True)
        copy(ROOT / name, source / name)
    git(source, "init", "-q")
    git(source, "add", "-A")
    git(source, "commit", "-q", "-m", "begin")
    path = f"{pathlib.Path(tool).resolve().parent}:{os.environ['PATH']}"
    check_pre_commit(source, scratch, "npu-partition-check-system", path)
    check_action(source, scratch, str(pathlib.Path(tool).resolve()))
    check_gitlab(scratch, {}, path, str(pathlib.Path(tool).resolve()))
    check_schemas(scratch)
    check_pins()


def check_full(scratch: pathlib.Path) -> None:
    clone = scratch / "clone"
    git(ROOT, "clone", "-q", str(ROOT), str(clone))
    path = os.environ["PATH"]
    check_pre_commit(clone, scratch, "npu-partition-check", path)
    check_action(clone, scratch, "")
    environment = scratch / "environment"
    subprocess.run([sys.executable, "-m", "venv", str(environment)], check=True)
    check_gitlab(scratch, {"package": str(clone)}, f"{environment}/bin:{path}")


def main() -> None:
    with tempfile.TemporaryDirectory(prefix="npu-partition-hooks-") as folder:
        if sys.argv[1] == "quick":
            check_quick(sys.argv[2], pathlib.Path(folder))
        else:
            check_full(pathlib.Path(folder))
    print(f"hooks: pre-commit, GitHub and GitLab fail and pass as they should ({sys.argv[1]})")


if __name__ == "__main__":
    main()
