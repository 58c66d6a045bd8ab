#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Do the tests notice a change of the library? Changes one token of lib/ at a time, in a copy of the tree, builds,
and runs the checks, the text cases and then the fastest first, until one fails.

A change is an operator, a constant by one, a condition negated, true for false, or a statement that is left out. Lines
are drawn uniformly among those of code; what does not compile, and what the compiler finds to be the same program, is
drawn again. A check that takes far longer than it did without a change counts as failed. Survivors are listed: each
means the same, or lacks a test.

usage: mutations.py COPY [--count N] [--seed N] [--only DRAW,...] [--folder lib/analysis/infer] [--lock FILE]

COPY is a folder for the copy, and is kept between runs. --only repeats draws of a seed by their numbers; --folder draws
from one stage alone. --lock is held while changes are checked, and given up every few minutes, so that other heavy work
of a machine has its turn.
"""
import argparse
import bisect
import collections
import fcntl
import os
import pathlib
import random
import re
import resource
import shutil
import signal
import subprocess
import sys
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
CHECKS = ("cases", "snapshot", "cli", "rules", "json", "equivalent", "memory", "fuzz-corpus")  # and the unit tests, each for itself
FIRST = "check-cases"  # it notices most, and needs one program linked, not fifty
LEAST_SECONDS = 60  # of a processor, before a check counts as hanging
TIMES_SLOWER = 10
TIMES_WAITING = 20  # as long, on a machine that has other work
LONGEST_TURN_SECONDS = 480  # of a lock, after which others have theirs
MOST_BYTES = 4 << 30  # of memory
MOST_FILE_BYTES = 16 << 30

TOKEN = re.compile(
    r"""(?P<skip>\s+|//[^\n]*|/\*.*?\*/|"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])*')
    |(?P<name>[A-Za-z_]\w*)
    |(?P<number>\.?\d(?:[eEpP][+-]|[\w.])*)
    |(?P<operator><<=|>>=|\.\.\.|->|\+\+|--|<<|>>|<=|>=|==|!=|&&|\|\||[-+*/%&|^]=|.)""",
    re.X | re.S,
)
SWAPS = {
    "<": ("<=", ">="), "<=": ("<",), ">": (">=", "<="), ">=": (">",), "==": ("!=",), "!=": ("==",),
    "&&": ("||",), "||": ("&&",), "+": ("-",), "-": ("+",), "*": ("+",), "/": ("*",), "%": ("/",),
    "<<": (">>",), ">>": ("<<",), "&": ("|",), "|": ("&",), "+=": ("-=",), "-=": ("+=",), "*=": ("+=",),
    "|=": ("&=",), "&=": ("|=",), "++": ("--",), "--": ("++",), "!": ("",), "true": ("false",), "false": ("true",),
}  # fmt: skip
BINARY = {"+", "-", "*", "&"}  # also unary
ASSIGNS = {"=", "+=", "-=", "*=", "|=", "&=", "<<=", ">>=", "%=", "/=", "^="}

Token = collections.namedtuple("Token", "kind text start end")
Change = collections.namedtuple("Change", "file line start end old new")


# ---- changes of a file -----------------------------------------------------------------------------------------


def tokens_of(text):
    """Without comments, texts, the preprocessor's lines, and what only the debug build has."""
    for left_out in (r"(?ms)^#ifdef NPART_DEBUG$.*?^#(?:else|endif)", r"(?m)^[ \t]*#(?:[^\n]*\\\n)*[^\n]*"):
        text = re.sub(left_out, lambda match: re.sub(r"[^\n]", " ", match[0]), text)
    return [
        Token(match.lastgroup, match[0], match.start(), match.end())
        for match in TOKEN.finditer(text)
        if match.lastgroup != "skip"
    ]


def closing(tokens, at):
    """Of the parenthesis at `at`."""
    depth = 0
    for i in range(at, len(tokens)):
        depth += (tokens[i].text == "(") - (tokens[i].text == ")")
        if depth == 0:
            return i
    return None


def number_changes(text):
    match = re.fullmatch(r"(0[xX][0-9a-fA-F]+|\d+)([uUlL]*)", text)
    if not match:
        return []
    value, is_hex = int(match[1], 0 if match[1].lower().startswith("0x") else 10), match[1].lower().startswith("0x")
    return [(hex(n) if is_hex else str(n)) + match[2] for n in (value + 1, value - 1) if n >= 0]


def statement_end(tokens, at):
    """Where the assignment, `continue` or `break` that begins here ends; None where there is none."""
    first = tokens[at]
    if first.text in ("continue", "break"):
        return at + 1
    if not (first.kind == "name" or first.text == "*") or first.text in ("return", "goto", "else", "case", "default"):
        return None
    if at + 1 < len(tokens) and first.kind == "name" and (tokens[at + 1].kind == "name" or tokens[at + 1].text == "*"):
        return None  # a declaration
    depth = assigns = 0
    for i in range(at, len(tokens)):
        text = tokens[i].text
        depth += (text in "([{") - (text in ")]}")
        assigns += depth == 0 and (text in ASSIGNS or text in ("++", "--"))
        if depth < 0:
            return None
        if depth == 0 and text == ";":
            return i if assigns else None
    return None


def changes_of(file, text):
    tokens, found = tokens_of(text), []
    starts = [0] + [match.end() for match in re.finditer("\n", text)]
    depth = 0

    def add(start, end, new):
        found.append(Change(file, bisect.bisect_right(starts, start), start, end, text[start:end], new))

    for i, token in enumerate(tokens):
        depth += (token.text == "{") - (token.text == "}")
        if depth == 0:
            continue  # tables and declarations between functions
        before = tokens[i - 1]
        has_left = (before.kind in ("name", "number") and before.text != "return") or before.text in ")]"
        if token.text in SWAPS and (has_left or token.text not in BINARY):
            for new in SWAPS[token.text]:
                add(token.start, token.end, new)
        if token.kind == "number":
            for new in number_changes(token.text):
                add(token.start, token.end, new)
        if token.text == "if" and (end := closing(tokens, i + 1)):
            start = tokens[i + 1].end
            add(start, tokens[end].start, f"!({text[start:tokens[end].start]})")
        if before.text in (";", "{", "}", ")", ":", "else") and (end := statement_end(tokens, i)):
            add(token.start, tokens[end].end, ";")
    return found


def draw_changes(tree, seed, folder):
    """Without end: the lines in random order, each time one of a line's changes."""
    by_line = collections.defaultdict(list)
    for file in sorted(tree.glob(f"{folder}/**/*.c")):
        for change in changes_of(str(file.relative_to(tree)), file.read_text()):
            by_line[change.file, change.line].append(change)
    lines, chance = sorted(by_line), random.Random(seed)
    print(f"{sum(map(len, by_line.values()))} changes on {len(lines)} lines", flush=True)
    while True:
        for line in chance.sample(lines, len(lines)):
            yield chance.choice(by_line[line])


# ---- building and checking -------------------------------------------------------------------------------------


def copy_tree(tree):
    """What git knows, as it stands here; what is the same stays, so that it is not built again."""
    names = subprocess.run(["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"], cwd=ROOT,
                           capture_output=True, check=True).stdout  # fmt: skip
    names = {name for name in os.fsdecode(names).split("\0") if name and (ROOT / name).is_file()}
    for path in [path for path in tree.rglob("*") if path.is_file()]:
        name = str(path.relative_to(tree))
        if not name.startswith("build/") and name not in names:
            path.unlink()
    for name in names:
        here, there = ROOT / name, tree / name
        there.parent.mkdir(parents=True, exist_ok=True)
        if not there.exists() or there.read_bytes() != here.read_bytes():
            shutil.copy(here, there)


def limit_resources(seconds):
    """A changed program may ask for all there is."""
    if seconds:
        resource.setrlimit(resource.RLIMIT_CPU, (int(seconds), int(seconds) + 1))
    resource.setrlimit(resource.RLIMIT_AS, (MOST_BYTES, MOST_BYTES))
    resource.setrlimit(resource.RLIMIT_FSIZE, (MOST_FILE_BYTES, MOST_FILE_BYTES))


def run(tree, command, limit):
    """Whether it succeeds; None where it does not end in time."""
    process = subprocess.Popen(command, cwd=tree, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                               stdin=subprocess.DEVNULL, start_new_session=True,
                               preexec_fn=lambda: limit_resources(limit))  # fmt: skip
    try:
        return process.wait(limit and TIMES_WAITING * limit) == 0
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, signal.SIGKILL)
        process.wait()
        return None


class Turns:
    """Holds a lock as flock(1) does, some minutes at a time; nothing without a path."""

    def __init__(self, path):
        self.file, self.since = path and open(path, "a"), None

    def take(self):
        """Waits for a turn where there is none, or where the last one has lasted long enough."""
        if not self.file or (self.since and time.monotonic() - self.since < LONGEST_TURN_SECONDS):
            return
        if self.since:
            fcntl.flock(self.file, fcntl.LOCK_UN)
            time.sleep(1)
        fcntl.flock(self.file, fcntl.LOCK_EX)
        self.since = time.monotonic()


def make(*targets):
    return ["make", "-s", "-j2", *targets]


def optimized(tree, text):
    """What the compiler makes of a file's text; None where it does not compile."""
    command = [os.environ.get("CC", "cc"), "-std=c11", "-Iinclude", "-Ilib",
               *(f"-Ilib/{group}" for group in "read target analysis plan change compare".split()), "-Ibuild/generated/include",
               "-isystem", "build/generated", "-O2", "-w", "-x", "c", "-S", "-o", "-", "-"]  # fmt: skip
    result = subprocess.run(command, cwd=tree, input=text, text=True, capture_output=True)
    return result.stdout if result.returncode == 0 else None


def time_checks(tree):
    """The checks with their commands and limits, the fastest first."""
    programs = [f"build/test/unit/{path.stem}" for path in sorted(tree.glob("test/unit/test_*.c"))]
    commands = {program.rsplit("/", 1)[1]: [program] for program in programs}
    commands.update({f"check-{check}": make(f"check-{check}") for check in CHECKS})
    if not run(tree, make("all", "check-cases", *programs), None):
        sys.exit("mutations: does not build")
    timed = []
    for check, command in commands.items():
        begin = time.monotonic()
        if not run(tree, command, None):
            sys.exit(f"mutations: {check} fails without a change")
        timed.append((time.monotonic() - begin, check, command))
    timed.sort(key=lambda check: (check[1] != FIRST, check[0]))
    print(", ".join(f"{check} {seconds:.1f} s" for seconds, check, _ in timed), flush=True)
    return programs, [(check, command, max(LEAST_SECONDS, TIMES_SLOWER * seconds)) for seconds, check, command in timed]


def first_failure(tree, programs, checks):
    if not run(tree, make("all"), None):
        return "building"
    for check, command, limit in checks:
        passes = run(tree, command, limit)
        if check == FIRST and passes and not run(tree, make(*programs), None):
            return "building"
        if not passes:
            return check if passes is False else f"{check} (takes too long)"
    return None


# ---- the whole --------------------------------------------------------------------------------------------------


def show(change):
    return f"`{' '.join(change.old.split())}` -> `{' '.join(change.new.split())}`"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("copy", type=pathlib.Path)
    parser.add_argument("--count", type=int, default=60)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--only", default="")
    parser.add_argument("--folder", default="lib")
    parser.add_argument("--lock")
    options = parser.parse_args()
    only = {int(number) for number in options.only.split(",") if number}
    tree = options.copy.resolve()
    tree.mkdir(parents=True, exist_ok=True)
    turns = Turns(options.lock)
    turns.take()
    copy_tree(tree)
    programs, checks = time_checks(tree)
    killed, survivors, done = collections.Counter(), [], 0
    for number, change in enumerate(draw_changes(tree, options.seed, options.folder)):
        if done == (len(only) or options.count):
            break
        if only and number not in only:
            continue
        file = tree / change.file
        text = file.read_text()
        changed = text[: change.start] + change.new + text[change.end :]
        program = optimized(tree, changed)
        if program is None or program == optimized(tree, text):
            continue
        turns.take()
        begin = time.monotonic()
        file.write_text(changed)
        try:
            failure = first_failure(tree, programs, checks)
        finally:
            file.write_text(text)
        done += 1
        if failure:
            killed[failure] += 1
        else:
            survivors.append((number, change))
        print(f"{done} (draw {number}) {change.file}:{change.line} {show(change)}: {failure or 'SURVIVES'}"
              f" after {time.monotonic() - begin:.0f} s", flush=True)  # fmt: skip
    by_check = ", ".join(f"{count} by {check}" for check, count in killed.most_common())
    print(f"\n{sum(killed.values())} of {done} noticed: {by_check}")
    if survivors:
        print("\n| draw | where | change |\n|---|---|---|")
    for number, change in survivors:
        print(f"| {number} | {change.file}:{change.line} | {show(change)} |")


main()
