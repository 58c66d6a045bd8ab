# SPDX-License-Identifier: Apache-2.0
"""How a release reaches its users, from build/release/dist as if it were published, by a server of this machine:
pre-commit by the mirror repository and its wheel; the action's packaging/get.sh and the template of GitLab by checksum, by
wheel, and never what has another checksum.

usage: release_users.py DIST VERSION
"""

import functools
import http.server
import os
import pathlib
import re
import shutil
import sys
import tempfile
import threading
import time

from hooks import ROOT, check_pre_commit, git, must, read_job, run

DIST, VERSION = pathlib.Path(sys.argv[1]).resolve(), sys.argv[2]
NO_COMPILER = ("cc", "gcc", "clang", "make", "protoc-c")


class Quiet(http.server.SimpleHTTPRequestHandler):
    def log_message(self, *_: object) -> None:
        pass


def serve(scratch: pathlib.Path) -> str:
    """The files of the release in a folder of its tag, and an index for pip; the address."""
    site, name = scratch / "site", "npu-partition"
    (site / "index" / name).mkdir(parents=True)
    (site / "releases").mkdir()
    (site / "releases" / f"v{VERSION}").symlink_to(DIST)
    wheels = sorted(path.name for path in DIST.glob("*.whl"))
    links = "".join(f'<a href="/releases/v{VERSION}/{wheel}">{wheel}</a>' for wheel in wheels)
    (site / "index" / name / "index.html").write_text(links)
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), functools.partial(Quiet, directory=str(site)))
    threading.Thread(target=server.serve_forever, daemon=True).start()
    return f"http://127.0.0.1:{server.server_port}"


def path_without_compiler(scratch: pathlib.Path) -> str:
    """The programs of this machine, without those of a build."""
    folder = scratch / "bin"
    folder.mkdir()
    for place in reversed(os.environ["PATH"].split(":")):
        for program in pathlib.Path(place).iterdir() if pathlib.Path(place).is_dir() else []:
            if program.name not in NO_COMPILER:
                (folder / program.name).unlink(missing_ok=True)
                (folder / program.name).symlink_to(program)
    return str(folder)


def check_mirror(scratch: pathlib.Path, path: str, site: str) -> None:
    mirror = scratch / "mirror"
    mirror.mkdir()
    git(mirror, "init", "-q")
    git(mirror, "config", "user.name", "test")
    git(mirror, "config", "user.email", "test@test.invalid")
    for _ in range(2):  # the second time nothing is left to do
        status, output = run(["sh", str(ROOT / "packaging/pre-commit/mirror.sh"), VERSION, str(mirror)], ROOT)
        must(status == 0, "the mirror", output)
    must(git(mirror, "tag") == f"v{VERSION}" and git(mirror, "rev-list", "--count", "HEAD") == "1", "the mirror's tag")
    os.environ["PIP_EXTRA_INDEX_URL"] = " ".join([os.environ.get("PIP_EXTRA_INDEX_URL", ""), f"{site}/index"]).strip()
    started = time.monotonic()
    check_pre_commit(mirror, scratch, "npu-partition-check", path)
    print(f"check-release: pre-commit by the mirror, without a compiler: {time.monotonic() - started:.0f} s for 5 runs")


def get(checkout: pathlib.Path, folder: pathlib.Path, settings: dict[str, str]) -> tuple[int, str]:
    return run(["sh", str(checkout / "packaging/get.sh"), str(folder)], checkout, settings)


def check_get(scratch: pathlib.Path, path: str, site: str) -> None:
    checkout = scratch / "checkout"
    shutil.copytree(ROOT / "packaging", checkout / "packaging")
    shutil.copytree(ROOT / "include", checkout / "include")
    sums = checkout / "packaging" / "SHA256SUMS"
    shutil.copy(DIST / "SHA256SUMS", sums)
    settings = {"PATH": path, "RELEASES": f"{site}/releases/v{VERSION}", "WHEELS": f"--index-url {site}/index"}
    status, output = get(checkout, scratch / "binary", settings)
    tool = output.splitlines()[-1]
    must(status == 0 and tool.endswith("linux-x86_64/npu-partition"), "the binary by its checksum", output)
    must(run([tool, "--version"], ROOT) == (0, f"npu-partition {VERSION}\n"), "the binary runs")
    status, output = get(checkout, scratch / "wheel", settings | {"RELEASES": f"{site}/nowhere"})
    tool = output.splitlines()[-1]
    must(status == 0 and tool.endswith("environment/bin/npu-partition"), "the wheel by its checksum", output)
    must(run([tool, "--version"], ROOT) == (0, f"npu-partition {VERSION}\n"), "the wheel's tool runs")
    text = sums.read_text()
    sums.write_text("".join(f"{'0' * 64}  {line.split('  ')[1]}\n" for line in text.splitlines()))
    status, output = get(checkout, scratch / "wrong", settings)
    must(status != 0 or "linux-x86_64/npu-partition" not in output.splitlines()[-1], "a wrong checksum", output)
    must("another checksum" in output, "a wrong checksum is told", output)
    print("check-release: the action's binary by checksum, its wheel by checksum, none with another one")


def check_template(scratch: pathlib.Path, path: str, site: str) -> None:
    """The job of GitLab in a checkout to which packaging/release/sums.sh brought the checksums, as a tag has them."""
    checkout = scratch / "tagged"
    for name in ("packaging", "templates"):
        shutil.copytree(ROOT / name, checkout / name)
    before = (checkout / "templates" / "npu-partition.yml").read_text()
    status, output = run(["sh", str(checkout / "packaging/release/sums.sh"), str(DIST), VERSION], checkout)
    must(status == 0, "the checksums for the tag", output)
    after = (checkout / "templates" / "npu-partition.yml").read_text()
    new = [line for line in after.splitlines() if line not in before.splitlines()]
    is_one = len(new) == 1 and re.fullmatch(r' +default: "[0-9a-f]{64}"', new[0]) is not None
    must(is_one, "the template's checksum", str(new))
    checksum = new[0].split()[1].strip('"')
    project = scratch / "job"
    project.mkdir()
    told = 'test -f "$scripts/merge_base.py"; echo "$tool"; "$tool" --version'

    def job(**given: str) -> tuple[int, list[str]]:
        read = read_job({"releases": f"{site}/releases", **given})
        (scratch / "job.sh").write_text("set -eo pipefail\n" + "\n".join([*read["before_script"], told]) + "\n")
        variables = {name: text or "" for name, text in read["variables"].items()}
        ended, printed = run(["bash", str(scratch / "job.sh")], project, {**variables, **settings})
        return ended, printed.splitlines()

    environment = scratch / "python"
    must(run([sys.executable, "-m", "venv", str(environment)], scratch)[0] == 0, "an environment")
    settings = {"PATH": f"{environment}/bin:{path}", "PIP_INDEX_URL": f"{site}/index", "PIP_EXTRA_INDEX_URL": "",
                "TMPDIR": str(scratch)}  # fmt: skip
    wanted = f"npu-partition {VERSION}"
    ended, lines = job(checksum=checksum)
    must(ended == 0 and lines[-1] == wanted and f"{VERSION}-linux-x86_64" in lines[-2], "the job's binary", str(lines))
    must(not list(environment.glob("bin/npu-partition")), "a wheel beside the binary")
    ended, lines = job(checksum="0" * 64)
    must(ended != 0 and wanted not in lines, "a wrong checksum in the template", str(lines))
    for given in ({}, {"checksum": checksum, "releases": f"{site}/nowhere"}):
        ended, lines = job(**given)
        must(ended == 0 and lines[-1] == wanted and "/package/bin/" in lines[-2], "the job's wheel", str(lines))
    print("check-release: the job of GitLab by checksum, by wheel, and not with another checksum")


def main() -> None:
    with tempfile.TemporaryDirectory(prefix="npu-partition-release-") as folder:
        scratch = pathlib.Path(folder)
        path = path_without_compiler(scratch)
        site = serve(scratch)
        check_get(scratch, path, site)
        check_template(scratch, path, site)
        check_mirror(scratch, path, site)


main()
