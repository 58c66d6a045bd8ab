# SPDX-License-Identifier: Apache-2.0
"""Pages of what users' reports say of each target, and what the tool answered: from test/cases/evidence-*.cases.

A case there is a report. Comments before it: `# first: right`, `part`, `wrong` or `not told`, what was answered before
any rule was changed for it; `# now: part`, where the answer is still that nobody knows; `# asks: QUESTION | ANSWER`, what users ask of the target; `# open: REPORT: WHAT | ANSWER`,
a report that is still answered otherwise. Cases without `first` belong to the one before. Those after a `# again: WHEN`
were asked when rules had been mended for those above, as was what is `# open again:`, in the first such round.

usage: evidence.py CASES... FOLDER"""
import pathlib
import sys

WORDS = ["right", "part", "wrong", "not told"]


def read(path):
    """Reports as (thread, what, first, now, round), questions as (question, answer)."""
    reports, questions, first, now, again = [], [], None, "right", 0
    for line in path.read_text(encoding="utf-8").splitlines():
        kind, _, rest = line.removeprefix("# ").partition(": ")
        if line.startswith("# ") and kind == "first":
            first = rest
            if first not in WORDS:
                sys.exit(f"{path}: first is one of {', '.join(WORDS)}, not {first}")
        elif line.startswith("# ") and kind == "now":
            now = rest
        elif line.startswith("# ") and kind == "asks":
            questions.append([part.strip() for part in rest.split("|", 1)])
        elif line.startswith("# ") and kind == "again":
            again += 1
        elif line.startswith("# ") and kind in ("open", "open again"):
            (report, _, answer), word = rest.rpartition(" | "), "wrong"
            thread, _, what = report.partition(": ")
            reports.append((thread, what, word, answer, int(kind == "open again")))
        elif line.startswith("== ") and first:
            thread, _, what = line[3:].partition(": ")
            reports.append((thread, what, first, now, again))
            first, now = None, "right"
    return reports, questions


def again_share(reports):
    """Of each round that was asked with mended rules, how many were right at first: "2 of 13, then 4 of 21"."""
    rounds = [[report for report in reports if report[4] == number] for number in range(1, 1 + max(r[4] for r in reports))]
    return ", then ".join(f"{sum(report[2] == 'right' for report in again)} of {len(again)}" for again in rounds if again)


def page(target, reports, questions):
    first = {word: sum(report[2] == word for report in reports) for word in WORDS}
    right, part = (sum(report[3] == word for report in reports) for word in ("right", "part"))
    share = ", ".join(f"{first[word]} {'in part' if word == 'part' else word}" for word in WORDS if first[word])
    lines = [f"# What users report of {target}", "",
             "Written by `make evidence-pages`; each report is a small graph of",
             f"[test/cases/evidence-{target}.cases](../../../test/cases/evidence-{target}.cases), which `make check-cases` "
             "asks again.", "",
             f"{len(reports)} reports and logs. Answered before any rule was changed for them: {share}. Now: {right} right"
             + (f", {part} in part: undecided, with the report named." if part else "."),
             *([f"Of those asked when rules had been mended for the ones before, right at first: {again_share(reports)}."]
               if again_share(reports) else []),
             "", "| report | what it says | at first | now |", "|---|---|---|---|"]
    lines += [f"| {thread} | {what} | {before} | {now} |" for thread, what, before, now, _ in reports]
    if questions:
        lines += ["", "| users ask | today's answer |", "|---|---|"]
        lines += [f"| {question} | {answer} |" for question, answer in questions]
    return "\n".join(lines) + "\n"


def main(paths, folder):
    total = []
    for path in sorted(map(pathlib.Path, paths)):
        target = path.stem.removeprefix("evidence-")
        reports, questions = read(path)
        pathlib.Path(folder, f"{target}.md").write_text(page(target, reports, questions), encoding="utf-8")
        total += [(target, reports)]
    rows = [f"| [{target}]({target}.md) | {len(all)} | " + " | ".join(str(sum(r[2] == w for r in all)) for w in WORDS)
            + f" | {sum(r[3] == 'right' for r in all)} | {sum(r[3] == 'part' for r in all)} | "
            + again_share(all) + " |" for target, all in total]
    lines = ["# Reports, asked", "",
             "For targets that no compiler could be asked about: what users' boards and vendors' tools said in public, "
             "each as a small", "graph, with the answer before any rule was changed for it.", "",
             "| target | reports | right at first | in part | wrong | not told | right now | in part now | of those asked "
             "with mended rules, right at first |",
             "|---|---|---|---|---|---|---|---|---|",
             *rows]
    pathlib.Path(folder, "README.md").write_text("\n".join(lines) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main(sys.argv[1:-1], sys.argv[-1])
