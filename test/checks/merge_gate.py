# SPDX-License-Identifier: Apache-2.0
"""What a pull request sees of the action: a repository made here, with 12 models and a baseline.

A clean tree has no annotation and no open result of SARIF; one Clip that became an Erf gives one error, which names both
operators and the line of the source; models that were renamed, files or nodes, give none. The comment is one, and is
updated in place. Without a baseline, or its cache, the model of the merge base tells what changed. The code hosts'
interfaces stand here as servers.

usage: merge_gate.py TOOL MAKE_MODEL
"""

import http.server
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import threading

from hooks import ROOT, git, must, read_job, run, run_action, write_job

COUNT = 12
TOOL, MAKE_MODEL = (str(pathlib.Path(path).resolve()) for path in sys.argv[1:3])
CONFIG = """targets = ["hexagon", "intel-npu"]
baseline = "npu-partition.baseline"
thresholds.max-partitions = 1
[[models]]
path = "models/*.onnx"
"""


LIMIT = 'targets = ["hexagon"]\nthresholds.max-partitions = 1\n[[models]]\npath = "models/m*.onnx"\n'


def made(text: str) -> bytes:
    return subprocess.run([MAKE_MODEL], input=text.encode(), stdout=subprocess.PIPE, check=True).stdout


def model(number: int, activation: str, name: str = "n") -> bytes:
    """A chain of `number` blocks, each with an activation whose line in net.py is known; the last one is given."""
    lines = ["opset 17", "input x float32[4,16]", "init w float32[16,16]", "init lo float32 = 0", "init hi float32 = 6"]
    at = "x"
    for block in range(number):
        wanted = activation if block == number - 1 else "Clip"
        source = f'meta "pkg.torch.onnx.stack_trace" "File |net.py|, line {40 + block}, in forward"'
        operands = f"m{block}, lo, hi" if wanted == "Clip" else f"m{block}"
        lines += [f"node m{block} = MatMul({at}, w) @{name}_m{block}",
                  f"node a{block} = {wanted}({operands}) @{name}_a{block} {source}"]
        at = f"a{block}"
    # What falls back from the beginning is in the baseline.
    lines += [f"node e = Det({at})" if number % 4 == 0 else f"node e = MatMul({at}, w)", "output e"]
    return made("\n".join(lines)).replace(b"|", b'"')  # the text has no quotes within quotes


def write_models(project: pathlib.Path, prefix: str, name: str = "n") -> None:
    for number in range(1, COUNT + 1):
        (project / "models" / f"{prefix}{number:02}.onnx").write_bytes(model(number, "Clip", name))


OURS = {"user": {"login": "github-actions[bot]", "type": "Bot"}, "author": {"id": 7}}
THEIRS = {"user": {"login": "mallory", "type": "User"}, "author": {"id": 8}}


class Server(http.server.ThreadingHTTPServer):
    """Comments of one pull request, by the interface of GitHub or of GitLab. One of them is a stranger's."""

    def __init__(self) -> None:
        self.comments = [{"id": 1, "body": "<!-- npu-partition check -->\nLooks good", **THEIRS}]
        self.asked: list[str] = []
        super().__init__(("127.0.0.1", 0), Handler)
        threading.Thread(target=self.serve_forever, daemon=True).start()

    def ours(self) -> list[dict]:
        return [comment for comment in self.comments if comment["id"] != 1]


class Handler(http.server.BaseHTTPRequestHandler):
    server: Server

    def answer(self, value: object) -> None:
        text = json.dumps(value).encode()
        self.send_response(200)
        self.send_header("Content-Length", str(len(text)))
        self.end_headers()
        self.wfile.write(text)

    def body(self) -> str:
        return json.loads(self.rfile.read(int(self.headers["Content-Length"])))["body"]

    def note(self) -> None:
        must("a-token" in self.headers.get("Authorization", self.headers.get("PRIVATE-TOKEN", "")), "the token")
        self.server.asked.append(f"{self.command} {self.path.split('?')[0]}")

    def do_GET(self) -> None:
        self.note()
        self.answer({"id": 7} if self.path == "/user" else self.server.comments)

    def do_POST(self) -> None:
        self.note()
        if self.path == "/graphql":
            self.answer({"data": {"viewer": {"login": "github-actions[bot]"}}})
            return
        self.server.comments.append({"id": len(self.server.comments) + 1, "body": self.body(), **OURS})
        self.answer(self.server.comments[-1])

    def do_PATCH(self) -> None:
        self.note()
        number = int(self.path.rsplit("/", 1)[1])
        (comment,) = (comment for comment in self.server.comments if comment["id"] == number)
        comment["body"] = self.body()
        self.answer(comment)

    do_PUT = do_PATCH

    def log_message(self, *_: object) -> None:
        pass


def act(project: pathlib.Path, scratch: pathlib.Path, server: Server) -> tuple[dict, list[str], list[dict]]:
    """The action on the project: its outputs, the annotations, and the open results of SARIF."""
    event = scratch / "event.json"
    event.write_text('{"pull_request": {"number": 7}}')
    host = {"GITHUB_API_URL": f"http://127.0.0.1:{server.server_port}", "GITHUB_REPOSITORY": "owner/models",
            "GITHUB_EVENT_PATH": str(event)}  # fmt: skip
    ran = run_action(ROOT, project, scratch / "runner", {"tool": TOOL}, host)
    annotations = [line for line in ran["log"].splitlines() if re.match("::(error|warning|notice)", line)]
    sarif = json.loads((project / ran["sarif"]).read_text())
    results = [result for result in sarif["runs"][0]["results"] if not result.get("suppressions")]
    mends = {rule["id"]: rule["help"]["text"] for rule in sarif["runs"][0]["tool"]["driver"]["rules"]}
    vague = [name for name, text in mends.items() if "What to do: " not in text or "the action that" in text]
    must(not vague, f"rules without a mend of their own: {vague}")
    return ran, annotations, results


def check_clean(project: pathlib.Path, scratch: pathlib.Path, server: Server) -> None:
    ran, annotations, results = act(project, scratch, server)
    must(ran["exit"] == "0", "a clean tree must pass", ran["log"])
    must(not annotations, "a clean tree has annotations", "\n".join(annotations))
    must(not results, "a clean tree has open results", str(results))
    must("accepted causes are not annotated" in ran["log"], "the number of accepted causes", ran["log"])


def check_worse(project: pathlib.Path, scratch: pathlib.Path, server: Server) -> None:
    (project / "models" / "m05.onnx").write_bytes(model(5, "Erf", "other"))
    (project / "npu-partition.toml").write_text(CONFIG.replace(', "intel-npu"', ""))
    ran, annotations, results = act(project, scratch, server)
    must(ran["exit"] == "1", "an Erf must fail", ran["log"])
    must(len(annotations) == 1, "one regression, one annotation", "\n".join(annotations))
    must(annotations[0].startswith("::error file=net.py,line=44,"), "the error's place", annotations[0])
    must("Clip -> Erf `other_a4`, net.py:44" in annotations[0], "both operators and the line", annotations[0])
    must("partitions: 1 -> 2" in annotations[0], "the partitions before and after", annotations[0])
    must([result["level"] for result in results] == ["error"], "one regression, one open result", str(results))
    place = results[0]["locations"][0]["physicalLocation"]
    must(place["artifactLocation"]["uri"] == "net.py" and place["region"]["startLine"] == 44, "the result's place")
    must(results[0]["baselineState"] == "new", "the result is new")
    (comment,) = server.ours()
    told = [line for line in comment["body"].split("<details>")[0].splitlines() if line.startswith("- ")]
    must("1 of 12 models fail" in comment["body"] and "**1 -> 2**" in comment["body"], "the comment", comment["body"])
    must(len(told) == 1 and "worse than" in told[0], "one bullet", comment["body"])
    must("11 of 12 checks are as they were" in comment["body"], "what did not change", comment["body"])
    status, output = run([TOOL, "check", "--format", "gitlab"], project)
    found = json.loads(re.sub(r"(?m)^npu-partition: .*\n", "", output))
    must(len(found) == 1 and found[0]["location"] == {"path": "net.py", "lines": {"begin": 44}}, "Code Quality", output)
    shutil.move(project / "npu-partition.baseline.cache", scratch / "cache")
    status, output = run([TOOL, "check"], project)
    must(status == 1 and "partitions 1 -> 2" in output and "worse than the baseline" in output, "without the cache", output)
    shutil.move(scratch / "cache", project / "npu-partition.baseline.cache")


def check_updated(project: pathlib.Path, scratch: pathlib.Path, server: Server) -> None:
    before = len(server.asked)
    act(project, scratch, server)
    must(server.asked[before:] == ["GET /repos/owner/models/issues/7/comments", "POST /graphql"],
         "nothing new, nothing written", str(server.asked))  # fmt: skip
    (project / "models" / "m05.onnx").write_bytes(model(5, "Clip"))
    check_clean(project, scratch, server)
    (comment,) = server.ours()
    must("nothing fails" in comment["body"], "the comment is updated in place", comment["body"])
    must(server.asked[-1].startswith("PATCH /repos/owner/models/issues/comments/"), "by PATCH", str(server.asked))


def check_renamed(project: pathlib.Path, scratch: pathlib.Path, server: Server) -> None:
    shutil.rmtree(project / "models")
    (project / "models").mkdir()
    write_models(project, "renamed", "nodes_too")
    (project / "npu-partition.toml").write_text(CONFIG)
    check_clean(project, scratch, server)


def check_gitlab_comment(project: pathlib.Path, scratch: pathlib.Path) -> None:
    server = Server()
    write_job(scratch / "job.sh", read_job({}), TOOL)
    environment = {"CI_MERGE_REQUEST_IID": "3", "CI_PROJECT_ID": "5", "NPU_PARTITION_TOKEN": "a-token",
                   "NPU_PARTITION_OPTIONS": "", "CI_API_V4_URL": f"http://127.0.0.1:{server.server_port}"}  # fmt: skip
    for wanted in ("written", "as it was"):
        status, output = run(["bash", str(scratch / "job.sh")], project, environment)
        must(status == 1 and output.endswith(f"comment: {wanted}\n"), "the comment of a merge request", output)
    must(server.asked[2] == "POST /projects/5/merge_requests/3/notes" and len(server.ours()) == 1, str(server.asked))


# ---- what changed since the merge base, without a baseline -----------------------------------------------------------


def commit(project: pathlib.Path, subject: str) -> str:
    git(project, "add", "-A")
    git(project, "commit", "-q", "-m", subject)
    return git(project, "rev-parse", "HEAD")


def make_request(scratch: pathlib.Path, config: str) -> tuple[pathlib.Path, pathlib.Path, str]:
    """A repository in which a branch makes an Erf of the Clip of models/m05.onnx and renames another model, and
    its merge commit, which GitHub checks out; a clone without history, as its runner has; and the base."""
    origin, clone = scratch / "origin", scratch / "clone"
    for folder in (origin, clone):
        shutil.rmtree(folder, ignore_errors=True)
    (origin / "models").mkdir(parents=True)
    (origin / "net.py").write_text("\n" * 60)
    (origin / "npu-partition.toml").write_text(config)
    git(origin, "init", "-q", "-b", "main")
    git(origin, "config", "uploadpack.allowAnySHA1InWant", "true")
    write_models(origin, "m")
    if "baseline" in config:
        must(run([TOOL, "check", "--update-baseline", "-q"], origin)[0] == 0, "a baseline")
        (origin / "npu-partition.baseline.cache").unlink()
    commit(origin, "begin")
    git(origin, "checkout", "-q", "-b", "branch")
    (origin / "models" / "m05.onnx").write_bytes(model(5, "Erf", "other"))
    commit(origin, "another activation")
    (origin / "models" / "m06.onnx").rename(origin / "models" / "moved.onnx")
    commit(origin, "another name")
    git(origin, "checkout", "-q", "main")
    (origin / "README").write_text("goes on")
    base = commit(origin, "main goes on")
    git(origin, "checkout", "-q", "-b", "merged")
    git(origin, "merge", "-q", "--no-ff", "-m", "merge", "branch")
    git(scratch, "clone", "-q", "--depth=1", f"file://{origin}", str(clone))
    return origin, clone, base


def request(scratch: pathlib.Path, server: Server, base: str) -> dict[str, str]:
    event = scratch / "event.json"
    event.write_text(json.dumps({"pull_request": {"number": 7, "base": {"sha": base}}}))
    return {"GITHUB_API_URL": f"http://127.0.0.1:{server.server_port}", "GITHUB_REPOSITORY": "owner/models",
            "GITHUB_EVENT_PATH": str(event), "GITHUB_BASE_REF": "main"}  # fmt: skip


def act_on_request(config: str, scratch: pathlib.Path, told: str) -> None:
    server = Server()
    _, clone, base = make_request(scratch, config)
    ran = run_action(ROOT, clone, scratch / "runner", {"tool": TOOL}, request(scratch, server, base))
    annotations = [line for line in ran["log"].splitlines() if re.match("::(error|warning|notice)", line)]
    must(ran["exit"] == "1", "an Erf must fail", ran["log"])
    must(len(annotations) == 1, "one regression, one annotation", ran["log"])
    must(annotations[0].startswith("::error file=net.py,line=44,"), "the error's place", annotations[0])
    for text in (told, "changed: Clip -> Erf `other_a4`, net.py:44: NPU -> CPU", "partitions: 1 -> 2"):
        must(text in annotations[0], f"the annotation lacks {text}", annotations[0])
    (comment,) = server.ours()
    must("**1 -> 2**" in comment["body"] and "Clip -> Erf `other_a4`, `net.py:44`:" in comment["body"], "the comment",
         comment["body"])  # fmt: skip


def check_merge_base(scratch: pathlib.Path) -> None:
    act_on_request(LIMIT, scratch, "2 partitions, threshold: at most 1")
    act_on_request('baseline = "npu-partition.baseline"\n' + LIMIT, scratch, "worse than the baseline: ")
    # GitLab checks out the branch, and names the merge base.
    origin, clone, _ = make_request(scratch, LIMIT)
    base = git(origin, "merge-base", "main", "branch")
    git(clone, "fetch", "-q", "--depth=1", "origin", "branch")
    git(clone, "checkout", "-q", "FETCH_HEAD")
    write_job(scratch / "job.sh", read_job({}), TOOL)
    variables = {"CI_MERGE_REQUEST_DIFF_BASE_SHA": base, "NPU_PARTITION_OPTIONS": ""}
    status, output = run(["bash", str(scratch / "job.sh")], clone, variables)
    must(status == 1 and output.count("  Clip -> Erf `other_a4`, net.py:44") == 1, "the job of GitLab", output)
    found = json.loads((clone / "npu-partition.quality.json").read_text())
    must(len(found) == 1 and found[0]["location"] == {"path": "net.py", "lines": {"begin": 44}}, "Code Quality", output)


def check_no_base(scratch: pathlib.Path) -> None:
    """A base that cannot be fetched, and a model in Git LFS: told, and the check is as it is without."""
    origin, clone, base = make_request(scratch, LIMIT)
    host = request(scratch, Server(), base)
    git(clone, "remote", "set-url", "origin", "file:///nowhere")
    ran = run_action(ROOT, clone, scratch / "runner", {"tool": TOOL}, host)
    must("cannot be fetched" in ran["log"] and "changed: " not in ran["log"], "no base", ran["log"])
    must("models/m05.onnx  hexagon  2 partitions" in ran["log"], "the check without a base", ran["log"])
    pointer = "version https://git-lfs.github.com/spec/v1\noid sha256:" + "0" * 64 + "\nsize 4096\n"
    (origin / "models" / "m05.onnx").write_text(pointer)
    base = commit(origin, "a pointer")
    (origin / "models" / "m05.onnx").write_bytes(model(5, "Erf", "other"))
    ran = run_action(ROOT, origin, scratch / "runner", {"tool": TOOL}, host | {"NPU_PARTITION_BASE": base})
    must("models/m05.onnx: what changed is not told: at the merge base it is a pointer of Git LFS" in ran["log"],
         "a pointer is told", ran["log"])  # fmt: skip
    must("models/m05.onnx  hexagon  2 partitions" in ran["log"], "the check beside a pointer", ran["log"])


def check_size(project: pathlib.Path) -> None:
    lines = (project / "npu-partition.baseline").read_text().splitlines()
    must(len(lines) == 1 + 2 * COUNT, "a line a model and target", "\n".join(lines))
    must(max(map(len, lines)) < 400, "a line is short enough to be read")


def check_library(project: pathlib.Path) -> None:
    """XNNPACK is a library for the CPU: neither the baseline nor what is said of a change calls it an NPU."""
    project.mkdir()
    (project / "npu-partition.toml").write_text(CONFIG.replace('"hexagon", "intel-npu"', '"xnnpack"').replace("/*", "/m"))
    (project / "models").mkdir()
    model_file = project / "models" / "m.onnx"
    text = "opset 17\ninput x float32[4,16]\ninit w float32[16,16]\nnode m = MatMul(x, w)\nnode e = {}\noutput e"
    model_file.write_bytes(made(text.format("MatMul(m, w)")))
    status, output = run([TOOL, "check", "--update-baseline", "-q"], project)
    must(status == 0, "a baseline", output)
    model_file.write_bytes(made(text.format("Erf(m)")))
    status, output = run([TOOL, "check"], project)
    must(status == 1 and "XNNPACK -> CPU" in output, "where it went", output)
    must("NPU" not in (project / "npu-partition.baseline").read_text().replace("npu-partition", ""), "no NPU")


def main() -> None:
    with tempfile.TemporaryDirectory(prefix="npu-partition-gate-") as folder:
        scratch = pathlib.Path(folder)
        project, server = scratch / "project", Server()
        (project / "models").mkdir(parents=True)
        (project / "net.py").write_text("\n" * 60)
        (project / "npu-partition.toml").write_text(CONFIG)
        write_models(project, "m")
        status, output = run([TOOL, "check", "--update-baseline", "-q"], project)
        must(status == 0, "a baseline", output)
        check_size(project)
        check_clean(project, scratch, server)
        must(not server.ours(), "a comment where nothing changed", str(server.ours()))
        check_worse(project, scratch, server)
        check_gitlab_comment(project, scratch)
        check_updated(project, scratch, server)
        check_renamed(project, scratch, server)
        check_library(scratch / "library")
        check_merge_base(scratch)
        check_no_base(scratch)
    print(f"merge gate: {COUNT} models, 2 targets: clean, one regression, updated, renamed; "
          "what changed since the merge base")


os.environ.pop("GITHUB_EVENT_PATH", None)
main()
