# SPDX-License-Identifier: Apache-2.0
"""Merge checks against a hostile pull request (docs/security.md, "Merge checks").

The runner of GitHub, the job of GitLab and both interfaces for comments are played here. A pull request controls names
of all kinds, the project file, op lists, the baseline and its cache, and which files and links there are. None of it
may be obeyed, run, written through or posted as anything but text, and no token and no secret may leave.

usage: hostile_gate.py TOOL MAKE_MODEL
"""

from __future__ import annotations

import concurrent.futures
import html.parser
import http.server
import itertools
import json
import os
import pathlib
import re
import shutil
import sys
import tempfile
import threading
import tomllib

import cmarkgfm
import hooks
from hooks import ROOT, git, must, read_job, run, run_action, write_job
from hostile import NAMES, hostile_model
from runner import ANNOTATIONS, Log

TOOL, MAKE_MODEL = (str(pathlib.Path(path).resolve()) for path in sys.argv[1:3])
TOKEN = "a-token"  # as hooks.put_in has it
SECRET = "s3cr3t-of-the-job"


# ---- the interfaces for comments -------------------------------------------------------------------------------------


class Server(http.server.ThreadingHTTPServer):
    """Comments of one request, of which the first are a stranger's. Keeps what was asked, with the token that came."""

    def __init__(self, moved_to: str = "") -> None:
        mark = "<!-- npu-partition check -->\nall is fine"
        strangers = (("mallory", "User"), ("github-actions", "User"), ("other[bot]", "Bot"))
        self.comments = [
            {"id": number, "body": mark, "user": {"login": login, "type": kind}, "author": {"id": number}}
            for number, (login, kind) in enumerate(strangers, 1)
        ]
        self.asked: list[tuple[str, str, str]] = []
        self.moved_to = moved_to
        super().__init__(("127.0.0.1", 0), Handler)
        threading.Thread(target=self.serve_forever, daemon=True).start()

    def address(self) -> str:
        return f"http://127.0.0.1:{self.server_port}"

    def ours(self) -> list[str]:
        return [comment["body"] for comment in self.comments if comment["id"] > 3]


class Handler(http.server.BaseHTTPRequestHandler):
    server: Server

    def do_any(self) -> None:
        token = self.headers.get("Authorization", self.headers.get("PRIVATE-TOKEN", ""))
        self.server.asked.append((self.command, self.path, token))
        body = json.loads(self.rfile.read(int(self.headers.get("Content-Length") or 0)) or b"{}")
        if self.server.moved_to:
            self.send_response(307)
            self.send_header("Location", self.server.moved_to + self.path)
            self.end_headers()
            return
        answer: object = self.server.comments
        if self.path.endswith("/graphql"):
            answer = {"data": {"viewer": {"login": "github-actions[bot]"}}}
        elif self.path.endswith("/user"):
            answer = {"id": 77}
        elif self.command != "GET":
            owner = {"user": {"login": "github-actions[bot]", "type": "Bot"}, "author": {"id": 77}}
            answer = {"id": len(self.server.comments) + 1, "body": body["body"], **owner}
            number = re.search(r"/(\d+)$", self.path) if self.command != "POST" else None
            if number:
                answer["id"] = int(number.group(1))
                self.server.comments[answer["id"] - 1] = answer
            else:
                self.server.comments.append(answer)
        text = json.dumps(answer).encode()
        self.send_response(200)
        self.send_header("Content-Length", str(len(text)))
        self.end_headers()
        self.wfile.write(text)

    do_GET = do_POST = do_PATCH = do_PUT = do_any

    def log_message(self, *_: object) -> None:
        pass


# ---- what a reader sees of a comment ---------------------------------------------------------------------------------


class Page(html.parser.HTMLParser):
    """The elements of a comment as GitHub renders it, and its text outside of code."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.tags: set[str] = set()
        self.text: list[str] = []
        self.depth = 0
        self.rows: list[int] = []
        self.feed(
            cmarkgfm.github_flavored_markdown_to_html(text, options=1 << 17)
        )  # HTML stays, as the host has its own way

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.add(tag)
        self.depth += tag in ("code", "pre")
        if tag == "tr":
            self.rows.append(0)
        if tag in ("td", "th"):
            self.rows[-1] += 1

    def handle_endtag(self, tag: str) -> None:
        self.depth -= tag in ("code", "pre")

    def handle_data(self, data: str) -> None:
        if not self.depth:
            self.text.append(data)


INERT = {
    "h3",
    "p",
    "ul",
    "ol",
    "li",
    "code",
    "pre",
    "table",
    "thead",
    "tbody",
    "tr",
    "th",
    "td",
    "strong",
    "details",
    "summary",
}
CALLS = re.compile(r"@\w|#\w|\bG[HL]-\d|[!$%&]\w|~[a-z]|[a-z]://|www\.\S", re.IGNORECASE)


def must_be_inert(comment: str, what: str) -> None:
    page = Page(comment)
    must(page.tags <= INERT, f"{what}: elements {page.tags - INERT}", comment)
    for text in page.text:
        found = CALLS.search(text)
        must(not found, f"{what}: {found.group(0) if found else ''} in {text!r}", comment)
    must(set(page.rows) <= {5, 7}, f"{what}: rows of {set(page.rows)} cells", comment)
    must(not re.search(r"(?m)^/", comment), f"{what}: a line begins with a slash", comment)
    must(TOKEN not in comment and SECRET not in comment, f"{what}: a secret", comment)


# ---- a request with such names everywhere ----------------------------------------------------------------------------


def toml(text: str) -> str:
    """A string of TOML."""
    shown = "".join(
        letter if letter.isprintable() and letter not in '"\\' else f"\\U{ord(letter):08x}" for letter in text
    )
    return f'"{shown}"'


def texts() -> list[str]:
    """The names that are text, as those in a project file are."""
    found = []
    for name in NAMES:
        try:
            found.append(name.decode().replace("\0", ""))
        except UnicodeDecodeError:
            continue
    return [text for text in found if text.strip() and len(text) < 1000]


def file_name(name: bytes, number: int) -> bytes:
    return b"%b.%d.onnx" % (name.replace(b"/", b"_").replace(b"\0", b"_")[:100], number)


def write_models(folder: pathlib.Path, activation: bytes) -> None:
    for number, name in enumerate(NAMES):
        place = os.path.join(os.fsencode(folder), b"models", file_name(name, number))
        model = hostile_model(name, str(folder)).replace(b"Erf", activation)
        with open(place, "wb") as file:
            file.write(model)


def make_everything(folder: pathlib.Path, with_baseline: bool) -> str:
    """A repository whose request changes all models; the merge base."""
    (folder / "models").mkdir(parents=True)
    waivers = "".join(
        f'[[waivers]]\nmodels = "models/*[05].onnx"\nreason = {toml(text)}\nrules = ["hexagon/*", {toml("r" + text)}]\n'
        "worse = true\nexpires = 2026-12-31\n"
        for text in texts()
    )
    dims = "".join(f"{toml('n' + text)} = 1\n" for text in texts())
    baseline = 'baseline = "kept"\n' if with_baseline else ""
    (folder / "npu-partition.toml").write_text(
        f'targets = ["hexagon"]\n{baseline}[thresholds]\nmax-partitions = 1\nfail-on = ["split", "fail"]\n'
        f'[dims]\n{dims}[[models]]\npath = "models/*"\n{waivers}'
    )
    git(folder, "init", "-q", "-b", "main")
    write_models(folder, b"Abs")
    if with_baseline:
        status, output = run([TOOL, "check", "--update-baseline", "-q"], folder)
        must(status in (0, 1, 3), "a baseline", output)
    git(folder, "add", "-A")
    git(folder, "commit", "-q", "-m", "begin")
    write_models(folder, b"Erf")
    (folder / "models" / "none.onnx").write_text("##[set-output name=report;]nothing of the kind")
    git(folder, "add", "-A")
    git(folder, "commit", "-q", "-m", "##[error]more")
    return git(folder, "rev-parse", "HEAD^")


def host_of(server: Server, scratch: pathlib.Path, base: str = "") -> dict[str, str]:
    event = scratch / "event.json"
    event.write_text(json.dumps({"pull_request": {"number": 7, "base": {"sha": base}}}))
    return {"GITHUB_API_URL": server.address(), "GITHUB_REPOSITORY": "owner/models", "GITHUB_EVENT_PATH": str(event),
            "GITHUB_BASE_REF": "main" if base else "", "SECRET": SECRET, "NPU_PARTITION_BASE": ""}  # fmt: skip


def must_be_told(ran: dict[str, str], project: pathlib.Path) -> None:
    """Nothing but annotations of the tool is obeyed, outputs are the action's, and no line would be a command."""
    names = {command.name for command in hooks.OBEYED}
    must(names <= ANNOTATIONS | {"stop-commands"}, f"the runner obeys {names}", str(hooks.OBEYED))
    must(not hooks.IGNORED, "a command in what is printed", str(hooks.IGNORED[:3]))
    annotations = [command for command in hooks.OBEYED if command.name in ANNOTATIONS]
    must(len(annotations) <= 21, f"{len(annotations)} annotations", ran["log"])
    for command in annotations:
        must(set(command.properties) <= {"file", "line", "title"}, f"properties {command.properties}")
    state = project.parent / "runner" / "npu-partition" / "check"
    must(
        ran["status"] in ("0", "1", "3", "") and ran["report"] in ("", str(state / "report.md")),
        "the outputs",
        str(ran),
    )
    must(ran["sarif"] in ("", "npu-partition.sarif"), "the output sarif", ran["sarif"])
    for place in (ran["log"], ran["summary"]):
        must(TOKEN not in place and SECRET not in place, "a secret in the log or the summary")


def check_configs(scratch: pathlib.Path) -> None:
    """What the JSON has as lines of a project file is TOML, with the names in it."""
    folder = scratch / "configs"
    (folder / "models").mkdir(parents=True)
    write_models(folder, b"Erf")
    models = sorted(path.name for path in (folder / "models").iterdir())
    words = [
        TOOL,
        "check",
        "-t",
        "hexagon",
        "--max-partitions",
        "1",
        "--format",
        "json",
        "--output",
        str(folder / "found.json"),
    ]
    run([*words, "--", *models], folder / "models")
    seen: set[str] = set()
    for line in (folder / "found.json").read_text().split("\n")[:-1]:
        for target in json.loads(line)["check"]["targets"]:
            seen |= set(tomllib.loads(target["config"] or "").get("dims", {}))
    wanted = {"n" + name.decode(errors="replace") for name in NAMES}
    must(len(seen & wanted) >= 60, f"{len(seen & wanted)} names of dims in configs", str(seen))


def check_everything(scratch: pathlib.Path) -> None:
    for with_baseline in (False, True):
        folder = scratch / f"everything-{with_baseline}"
        project, server = folder / "project", Server()
        base = make_everything(project, with_baseline)
        hooks.OBEYED.clear()
        hooks.IGNORED.clear()
        ran = run_action(ROOT, project, folder / "runner", {"tool": TOOL}, host_of(server, folder, base))
        must(ran["exit"] == "3" and ran["status"] == "3", "one model cannot be read", ran["log"])
        must_be_told(ran, project)
        must(len(server.ours()) == 1, "one comment of the action's own", str(server.asked))
        must({token for _, _, token in server.asked} == {f"Bearer {TOKEN}"}, "the token", str(server.asked))
        must_be_inert(server.ours()[0], "the comment")
        must_be_inert(ran["summary"], "the summary")
        must(all(comment["body"].endswith("all is fine") for comment in server.comments[:3]), "a stranger's comment")
        must_be_inert(git_lab(project, folder, server)[0], "the comment of GitLab")


def git_lab(project: pathlib.Path, scratch: pathlib.Path, server: Server, wanted: int = 3, **more: str) -> list[str]:
    """The comments after a job of GitLab, in whose log no token stands."""
    before = len(server.asked)
    server.comments = server.comments[:3]
    write_job(scratch / "job.sh", read_job({}), TOOL)
    environment = {"CI_MERGE_REQUEST_IID": "3", "CI_PROJECT_ID": "5", "NPU_PARTITION_TOKEN": TOKEN, "SECRET": SECRET,
                   "NPU_PARTITION_OPTIONS": "", "CI_API_V4_URL": server.address(), **more}  # fmt: skip
    status, output = run(["bash", str(scratch / "job.sh")], project, environment)
    must(status == wanted, f"the job must end with {wanted}, not {status}", output)
    must(TOKEN not in output and SECRET not in output, "a secret in the job's log", output)
    must(not re.search(r"[\x00-\x08\x0b-\x1f\x7f\u2028\u2029\u202a-\u202e]", output.replace("\r", "\x1b")),
         "a character that the job's log obeys", ascii(output))  # fmt: skip
    must({token for _, _, token in server.asked[before:]} <= {TOKEN}, "the token", str(server.asked))
    return server.ours()


# ---- names in errors -------------------------------------------------------------------------------------------------

# Each a project file with a name where it does not belong, or is not found. The op list and the baseline are files.
MISTAKES = (
    "{} = 1", "targets = [{}]", 'targets = ["hexagon:v73", {}]', "oplist = {}", "cost = {}", "baseline = {}",
    "exclude = {}", "level = {}",
    "runtime = {}", "dims.{} = 0", "dims.{} = {}", "inputs.{} = [1]", "thresholds.{} = 1", "thresholds.fail-on = [{}]",
    "thresholds.on.{}.max-ms = 1", "thresholds.min-coverage = {}", "[[models]]\npath = {}", "[[models]]\n{} = 1",
    "[[waivers]]\nmodels = {}", '[[waivers]]\nmodels = "*"\nreason = {}\nexpires = 2020-01-01\nworse = true',
    '[[waivers]]\nmodels = "*"\nrules = [{}]\nreason = "r"\nexpires = 2026-12-31', "{", "[{}", "a = {} {}",
)  # fmt: skip
LISTS = (
    "format 1\ntarget t {}\n",
    "format 1\ntarget t\nop {}\n",
    "format 1\ntarget t\nop Relu\n  need static(*) {}\n",
    "format 1\ntarget t\n{}\n",
    "{}\n",
    "format 1\ntarget t {}\nop Erf\n  need never {} else fail\n    source {}\n",
)
BASELINES = (
    "# npu-partition baseline 3: {}\n{}\n",
    "{}",
    "# npu-partition baseline 3\nm\tt\t{}\n",
    '{"model": {}, "targets": "{}"}',
    "# npu-partition baseline 9 {}\n",
)


def write_mistake(folder: pathlib.Path, number: int, kind: str, form: str, name: str) -> list[str]:
    """A project with one mistake; the words of its check."""
    place = folder / str(number)
    place.mkdir()
    shutil.copy(folder / "m.onnx", place / "m.onnx")
    (place / "::error::x").mkdir()
    text = 'targets = ["hexagon"]\n[[models]]\npath = "m.onnx"\n'
    if kind == "toml":
        text = (
            form.replace("{}", toml(name))
            + "\n"
            + ('targets = ["hexagon"]\n' if not form.startswith(("target", "[")) else "")
        )
    elif kind == "oplist":
        (place / "own.ops").write_bytes(form.replace("{}", json.dumps(name, ensure_ascii=False)).encode())
        text = 'oplist = "own.ops"\ntargets = ["t"]\nthresholds.max-partitions = 0\n[[models]]\npath = "m.onnx"\n'
    else:
        (place / "kept").write_bytes(form.replace("{}", name).encode())
        (place / "kept.cache").write_bytes(form.replace("{}", name).encode())
        text = 'baseline = "kept"\n' + text
    (place / "npu-partition.toml").write_text(text)
    return [TOOL, "check", "m.onnx", "models/" + name, "::error::x/" + name] if number % 2 else [TOOL, "check"]


def check_errors(scratch: pathlib.Path) -> int:
    folder = scratch / "errors"
    folder.mkdir()
    (folder / "m.onnx").write_bytes(hostile_model(b"##[x]", str(folder)))
    forms = (
        [("toml", form) for form in MISTAKES]
        + [("oplist", form) for form in LISTS]
        + [("base", form) for form in BASELINES]
    )
    cases = [
        (number, kind, form, name) for number, ((kind, form), name) in enumerate(itertools.product(forms, texts()))
    ]

    def ask(case: tuple[int, str, str, str]) -> None:
        words = write_mistake(folder, *case)
        status, output = run(words, folder / str(case[0]), {"GITHUB_ACTIONS": "true"})
        log = Log()
        log.read(output)
        must(0 <= status <= 4, f"{case}: exit status {status}", output)
        must(not log.obeyed, f"{case}: the runner obeys {log.obeyed}", output)
        shutil.rmtree(folder / str(case[0]))

    with concurrent.futures.ThreadPoolExecutor(4) as pool:
        list(pool.map(ask, cases))
    return len(cases)


# ---- files of the request --------------------------------------------------------------------------------------------


def plant(project: pathlib.Path, marker: pathlib.Path) -> None:
    """Code by all names under which somebody may run it from the folder that is checked."""
    code = f"open({str(marker)!r}, 'a').write(__file__)\n"
    modules = (
        "npu_partition",
        "json",
        "subprocess",
        "urllib",
        "venv",
        "pip",
        "sitecustomize",
        "usercustomize",
        "encodings",
    )
    for module in modules:
        (project / module).mkdir(parents=True)
        for name in ("__init__", "__main__", "merge_base", "merge_comment", "request"):
            (project / module / f"{name}.py").write_text(code)
        (project / f"{module}.py").write_text(code)
    script = f"#!/bin/sh\necho $0 >>{marker}\n"
    for name in ("python3", "git", "npu-partition", "pip3", "sh", "od", "grep", "cp", "cat", ".bashrc", "git-lfs"):
        (project / name).write_text(script)
        (project / name).chmod(0o755)
    hooks_folder = project / ".husky"
    hooks_folder.mkdir()
    for name in ("post-checkout", "reference-transaction", "post-index-change", "pre-auto-gc"):
        (hooks_folder / name).write_text(script)
        (hooks_folder / name).chmod(0o755)
    git(project, "config", "core.hooksPath", ".husky")
    (project / ".gitattributes").write_text("* filter=x diff=x merge=x\n*.onnx diff=x\n")


def make_small(folder: pathlib.Path, config: str = "") -> str:
    """A repository whose request makes a model worse; the merge base."""
    (folder / "models").mkdir(parents=True)
    (folder / "npu-partition.toml").write_text(
        config
        or 'targets = ["hexagon"]\nthresholds.max-partitions = 0\ndims.nx = 4\n[[models]]\npath = "models/*.onnx"\n'
    )
    git(folder, "init", "-q", "-b", "main")
    (folder / "models" / "m.onnx").write_bytes(
        hostile_model(b"x", "/nowhere").replace(b"Erf", b"Abs").replace(b"My", b"Re")
    )
    git(folder, "add", "-A")
    git(folder, "commit", "-q", "-m", "begin")
    (folder / "models" / "m.onnx").write_bytes(hostile_model(b"x", "/nowhere"))
    git(folder, "add", "-A")
    git(folder, "commit", "-q", "-m", "worse")
    return git(folder, "rev-parse", "HEAD^")


def check_planted_code(scratch: pathlib.Path) -> None:
    project, marker, server = scratch / "planted" / "project", scratch / "planted" / "marker", Server()
    base = make_small(project)
    plant(project, marker)
    host = host_of(server, project.parent, base)
    ran = run_action(ROOT, project, project.parent / "runner", {"tool": TOOL}, host)
    must(ran["exit"] == "1" and len(server.ours()) == 1, "the check of a request with code", ran["log"])
    must("changed: " in ran["log"], "the merge base is compared with", ran["log"])
    must(not marker.exists(), "code of the request was run", marker.read_text() if marker.exists() else "")
    git_lab(project, project.parent, server, 1, CI_MERGE_REQUEST_DIFF_BASE_SHA=base)
    must(not marker.exists(), "code of the merge request was run", marker.read_text() if marker.exists() else "")
    for named in (
        f"--upload-pack=touch {marker};",
        f"--output={marker}",
        "main",
        "HEAD",
        base[:12],
        "-1",
        f"{base} -x",
    ):
        host["NPU_PARTITION_BASE"] = named
        ran = run_action(ROOT, project, project.parent / "runner", {"tool": TOOL}, host)
        must(ran["exit"] == "1" and "no commit id" in ran["log"], f"a base that is {named}", ran["log"])
        must(not marker.exists(), f"a base that is {named} was obeyed")
    # The wheel's environment, where the action gets one: no module of the checkout.
    get = (ROOT / "packaging" / "get.sh").read_text() + (ROOT / "packaging" / "github-action.sh").read_text()
    get += "".join(line for job in (read_job({}),) for line in job["before_script"] + job["script"])
    lines = [line.strip() for line in get.splitlines() if not line.strip().startswith("#")]
    without = [line for line in lines if re.search(r"(?<!command -v )python3? (?!-I)", line)]
    must(not without, f"Python without -I: {without}")


def check_planted_links(scratch: pathlib.Path) -> None:
    """Where files are written, links of the request lead to others."""
    outside = scratch / "links" / "outside"
    outside.mkdir(parents=True)
    names = [f"npu-partition.{end}" for end in ("sarif", "md", "json", "xml", "quality.json", "before", "before.cache")]
    for name in names:
        (outside / name).write_text("#!/bin/sh\nmine\n")
    project, server = scratch / "links" / "project", Server()
    base = make_small(project)
    for name in names:
        (project / name).symlink_to(outside / name)
    (project / "out").symlink_to(outside)
    host = host_of(server, project.parent, base)
    for sarif, wanted in (("npu-partition.sarif", "1"), (str(project / "npu-partition.sarif"), "1"),
                          ("out/npu-partition.sarif", "4"), (str(project / "out/npu-partition.sarif"), "4"),
                          (str(scratch / "links" / "by-workflow.sarif"), "1")):  # fmt: skip
        ran = run_action(ROOT, project, project.parent / "runner", {"tool": TOOL, "sarif": sarif}, host)
        must(ran["exit"] == wanted, f"SARIF to {sarif} ends with {ran['exit']}", ran["log"])
    must(
        json.loads((project / "npu-partition.sarif").read_text())["version"] == "2.1.0", "SARIF in the place of a link"
    )
    git_lab(project, project.parent, server, 1, CI_MERGE_REQUEST_DIFF_BASE_SHA=base)
    for name in names:
        must((outside / name).read_text() == "#!/bin/sh\nmine\n", f"{name} was written through a link")


def check_planted_results(scratch: pathlib.Path) -> None:
    """Files that look like results of the check are none: a comment is made of what the check wrote, or not at all."""
    project, server = scratch / "results" / "project", Server()
    make_small(project, "nonsense\n")
    false = {"check": {"model": "m", "status": "ok", "error": None, "outcomes": [], "targets": []}}
    runner = project.parent / "runner"
    for place in (project, runner, runner / "npu-partition" / "check"):
        place.mkdir(parents=True, exist_ok=True)
        for name in (
            "npu-partition.json",
            "found.json",
            "npu-partition.md",
            "report.md",
            "npu-partition.before",
            "status",
        ):
            (place / name).write_text(json.dumps(false) if name.endswith("json") else "all is fine")
    ran = run_action(ROOT, project, runner, {"tool": TOOL}, host_of(server, project.parent))
    must(
        ran["exit"] == "2" and not server.asked,
        "a check that did not run is not told of",
        ran["log"] + str(server.asked),
    )
    git_lab(project, project.parent, server, 2)
    must(not server.asked, "a job's check that did not run is not told of", str(server.asked))


def check_issue(scratch: pathlib.Path) -> None:
    """A path in the project file that sets an output, so that the comment is made of the environment."""
    for path in ("##[set-output name=report;]/proc/self/environ", "::set-output name=report::/proc/self/environ"):
        project, server = scratch / "issue" / "project", Server()
        shutil.rmtree(scratch / "issue", ignore_errors=True)
        make_small(project, f'targets = ["hexagon"]\n[[models]]\npath = {toml(path)}\n')
        ran = run_action(ROOT, project, project.parent / "runner", {"tool": TOOL}, host_of(server, project.parent))
        must(ran["exit"] == "2" and not ran["report"], "the output is not set", str(ran))
        must(not server.asked, "nothing is posted", str(server.asked))


def check_redirect(scratch: pathlib.Path) -> None:
    """The token does not follow an interface to another address."""
    thief = Server()
    project, server = scratch / "redirect" / "project", Server(thief.address())
    base = make_small(project)
    ran = run_action(ROOT, project, project.parent / "runner", {"tool": TOOL}, host_of(server, project.parent, base))
    must(ran["exit"] == "1" and "no comment was written" in ran["log"], "an interface that has moved", ran["log"])
    git_lab(project, project.parent, server, 1)
    must(not thief.asked, "a token left", str(thief.asked))


def check_secrets(scratch: pathlib.Path) -> None:
    """Files that a project file names, or links lead to, are not quoted: the environment, git's settings, a text."""
    project, server = scratch / "secrets" / "project", Server()
    make_small(project)
    git(project, "remote", "add", "origin", f"https://x:{SECRET}@host.invalid/a")
    (scratch / "secrets" / "plain").write_text(SECRET + "\n")
    places = ("/proc/self/environ", ".git/config", str(scratch / "secrets" / "plain"), "/proc/self/cmdline")
    for place, key in itertools.product(places, ("oplist", "cost", "baseline", "project", "model", "cache")):
        settings = 'targets = ["hexagon"]\nthresholds.max-partitions = 1\n'
        for name in ("npu-partition.toml", "kept", "kept.cache", "models/link.onnx"):
            (project / name).unlink(missing_ok=True)
        if key in ("oplist", "cost", "baseline"):
            settings = f'{key} = "{place}"\n' + settings
        if key == "cache":
            settings = 'baseline = "kept"\n' + settings
        (project / "npu-partition.toml").write_text(settings + '[[models]]\npath = "models/*.onnx"\n')
        real = place if place.startswith("/") else str(project / place)
        if key == "cache":
            run([TOOL, "check", "--update-baseline", "-q"], project)
            (project / "kept.cache").unlink()
            (project / "kept.cache").symlink_to(real)
        if key == "project":
            (project / "npu-partition.toml").unlink()
            (project / "npu-partition.toml").symlink_to(real)
        if key == "model":
            (project / "models" / "link.onnx").symlink_to(real)
        runner = project.parent / "runner"
        ran = run_action(ROOT, project, runner, {"tool": TOOL}, host_of(server, project.parent))
        told = ran["log"] + ran["summary"] + "".join(server.ours())
        told += "".join(path.read_text() for path in (runner / "npu-partition").glob("check/*"))
        must(SECRET not in told and TOKEN not in told, f"{key} = {place}: a secret", told)
        status = int(ran["exit"])
        git_lab(project, project.parent, server, status)
        told = "".join(
            path.read_text() for path in project.glob("npu-partition.*") if path.name != "npu-partition.toml"
        )
        must(SECRET not in told and TOKEN not in told, f"{key} = {place}: a secret in the job's artifacts", told)


def main() -> None:
    must(len(NAMES) >= 60, "60 names")
    with tempfile.TemporaryDirectory(prefix="npu-partition-hostile-") as folder:
        scratch = pathlib.Path(folder)
        check_issue(scratch)
        check_everything(scratch)
        check_configs(scratch)
        count = check_errors(scratch)
        check_planted_code(scratch)
        check_planted_links(scratch)
        check_planted_results(scratch)
        check_redirect(scratch)
        check_secrets(scratch)
    print(
        f"hostile gate: {len(NAMES)} names in models, files, the project file, op lists and baselines, "
        f"{count} mistakes; code, links and results of the request; redirects; secrets: nothing is obeyed, run, posted "
        "or quoted"
    )


os.environ.pop("GITHUB_EVENT_PATH", None)
main()
