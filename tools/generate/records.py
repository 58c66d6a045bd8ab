#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Write what include/records.table says into the files that are read: the structs and enums of the public headers, the
tables of docs/json.md, docs/api.md and docs/split.md, the classes of results.py, the columns of rows.py. With --check,
tell which of them do not say it.

usage: records.py [--check] include/records.table results.py docs/json.md docs/api.md docs/split.md rows.py HEADER...
"""
from __future__ import annotations

import dataclasses
import pathlib
import re
import sys
import textwrap

WIDTH = 120
BETWEEN_FILES = "\f"
C_TYPES = {"count": "uint32_t", "size": "uint64_t", "number": "int64_t", "int": "int", "real": "double", "flag": "bool",
           "text": "const char *", "id": "uint32_t", "bytes": "struct npart_bytes", "figure": "struct npart_figure",
           "range": "struct npart_cost_range", "pair": "uint32_t", "ids": "const uint32_t *", "share": "double",
           "texts": "const char *const *", "words": "const char *", "fit": "enum npart_fit"}
PYTHON_TYPES = {"count": "int", "size": "int", "number": "int", "int": "int", "real": "float", "flag": "bool",
                "text": "str", "id": "int | None", "bytes": "int | None", "figure": "Figure", "range": "Range | None",
                "pair": "tuple[int, int]", "ids": "tuple[int, ...]", "share": "float | None",
                "index": "int", "texts": "tuple[str, ...]", "words": "tuple[str, ...]", "fit": "bool | None",
                "fits": "bool | None"}


@dataclasses.dataclass
class Row:
    key: str
    kind: str
    arguments: list[str]
    sentence: str

    @property
    def base(self) -> str:
        """The kind without where it is null."""
        return re.sub(r"\?0?$", "", self.kind.split(":")[0])

    @property
    def of(self) -> str:
        return self.kind.partition(":")[2]


@dataclasses.dataclass
class Block:
    words: list[str]
    sentence: str
    rows: list[Row]


def parse(path: str) -> tuple[dict[str, Block], dict[str, Block], dict[str, Block]]:
    """The sets, the records and the tables, by name. CSV is read by the build alone."""
    found: dict[str, dict[str, Block]] = {"set": {}, "record": {}, "table": {}, "csv": {}}
    lines: list[str] = []
    with open(path, encoding="utf-8") as file:
        for line in file.read().splitlines():
            if line.startswith("    "):
                lines[-1] += " " + line.strip()
            elif line and not line.startswith("#"):
                lines.append(line)
    for line in lines:
        kind, *words = line.split(" ")
        if kind in found and "|" not in line:
            block, within = found[kind].setdefault(words[0], Block(words, "", [])), kind
        elif line.startswith("  "):
            block.sentence += (" " if block.sentence else "") + line.strip()
        else:
            block.rows.append(row_of(line + " |" if within in ("table", "csv") else line))
    return found["set"], found["record"], found["table"]


def row_of(line: str) -> Row:
    """Types of Python's may have bars in them."""
    key, rest = (part.strip() for part in line.split("|", 1))
    what, _, sentence = rest.rpartition(" |")
    if rest.endswith("|"):
        what, sentence = rest[:-1], ""
    what = what.strip()
    if key == "-":
        return Row(key, "", [what], sentence.strip())
    own = re.match(r"own:(.*?)((?<= )(?:const |struct |enum |uint32_t|double ).*)?$", what)
    if own:
        return Row(key, "own:" + own[1].strip(), [own[2]] if own[2] else [], sentence.strip())
    kind, *arguments = what.split()
    return Row(key, kind, arguments, sentence.strip())


class Writer:
    def __init__(self, sets: dict[str, Block], records: dict[str, Block], tables: dict[str, Block]) -> None:
        self.sets, self.records, self.tables = sets, records, tables
        self.parts = {row.of for record in records.values() for row in record.rows if row.base == "part"}

    # ---- C ------------------------------------------------------------------------------------------------------

    def members(self, record: Block) -> list[tuple[str, str]]:
        """Declarations with their comments; of one type and sentence together."""
        found: list[tuple[str, str]] = []
        for row in record.rows:
            if row.base == "part":
                found += self.members(self.records[row.of])
                continue
            declarations = self.declarations(row)
            for declaration in declarations:
                name = re.search(r"\*?\w+(\[\w+\])?$", declaration)
                before = re.match(r"(.*?)\*?\w+$", found[-1][0].split(",")[0]) if found else None
                if declaration == declarations[-1] != declarations[0]:
                    found.append((declaration, ""))
                elif row.sentence == '"' and before and before[1] == declaration[:name.start()]:
                    found[-1] = (f"{found[-1][0]}, {name[0]}", found[-1][1])
                else:
                    found.append((declaration, "" if row.sentence == '"' else c_sentence(row)))
        return found

    def declarations(self, row: Row) -> list[str]:
        name = re.sub(r"\W.*", "", row.key)
        if row.key == "-" or row.base == "own":
            return row.arguments
        names = row.arguments or [name]
        if names[0].startswith(".") or row.base in ("index", "fits"):
            return []
        if row.base in ("list", "map"):
            return [f"const struct {self.records[row.of].words[2]} *{names[0]}", f"uint32_t {names[1]}"]
        if row.base in ("ids", "texts"):
            return [f"{C_TYPES[row.base]}{names[0]}", *[f"uint32_t {count}" for count in names[1:]]]
        if row.base == "pair":
            return [f"uint32_t {names[0]}, {names[1]}"]
        if row.base == "word":
            return [f"enum npart_{row.of} {names[0]}"]
        if row.base == "record":
            struct = self.records[row.of].words[2]
            return [f"struct {struct} {names[0]}"] if struct != "-" else []
        kind = C_TYPES[row.base]
        return [f"{kind}{'' if kind.endswith('*') else ' '}{names[0]}"]

    def header(self, text: str) -> str:
        """Of all headers, with what stands between them."""
        for name, block in self.sets.items():
            rows = [(row.kind if row.kind.startswith("NPART_") else f"NPART_{block.words[1]}_{row.kind}", row.sentence)
                    for row in block.rows]
            function = f"NPART_API const char *npart_{name}_text(enum npart_{name} value); /* in JSON, or NULL */\n"
            text = self.replaced(text, f"enum npart_{name}", block.sentence, rows, ",", function)
        done = set()
        for name, record in self.records.items():
            struct = record.words[2]
            is_elsewhere = struct == "-" or struct.startswith("npart__") or "elsewhere" in record.words
            if not is_elsewhere and name not in self.parts and struct not in done:
                done.add(struct)
                rows = [] if "unsized" in record.words else [("size_t size", "")]
                text = self.replaced(text, f"struct {struct}", record.sentence, rows + self.members(record), ";")
        return text

    @staticmethod
    def replaced(text: str, what: str, sentence: str, rows: list[tuple[str, str]], end: str, after: str = "") -> str:
        lines = comment(sentence, "") if sentence else []
        lines.append(what + " {")
        for number, (declaration, about) in enumerate(rows):
            mark = end if end == ";" or number + 1 < len(rows) else ""
            line = f"    {declaration}{mark}"
            if about and len(line) + len(about) + 7 > WIDTH:
                lines += comment(about, "    ")
            elif about:
                line += f" /* {about} */"
            lines.append(line)
        told = f"(?:{re.escape(after)})?"
        pattern = re.compile(rf"(?:/\*(?:(?!\*/).)*\*/\n)?^{what} \{{\n(?:(?!^\}}).)*^\}};\n{told}", re.S | re.M)
        if len(pattern.findall(text)) != 1:
            sys.exit(f"records.py: the headers have {what} not once")
        block = "\n".join([*lines, "};", after])
        return pattern.sub(lambda _: block, text)

    # ---- Markdown -----------------------------------------------------------------------------------------------

    def page(self, text: str) -> str:
        """Each table stands below a comment that names its records. Words of a set are explained once a page."""
        self.explained: dict[str, str] = {}

        def table(found: re.Match[str]) -> str:
            rows: list[tuple[list[str], str]] = []
            for name in found[1].split():
                self.describe(self.records[name], self.records[name].words[1].replace("-", ""), rows)
            lines = [f"| {', '.join(f'`{path}`' for path in paths)} | {about} |\n" for paths, about in rows]
            return f"<!-- records: {found[1]} -->\n| field | meaning |\n|---|---|\n" + "".join(lines)

        names = textwrap.fill(", ".join(f"`npart_{name}_text`" for name in self.sets) + ".", WIDTH)
        text = re.sub(r"<!-- sets -->\n(?:.+\n)*", f"<!-- sets -->\n{names}\n", text)
        return re.sub(r"<!-- records: (.*) -->\n(?:\|.*\n)*", table, text)

    @staticmethod
    def words(block: Block) -> list[str]:
        return [f"`{word.key}`: {word.sentence}" for word in block.rows if word.key != '""']

    def describe(self, record: Block, path: str, rows: list[tuple[list[str], str]]) -> None:
        for row in record.rows:
            if row.key[0] in "-@":
                continue
            here = (path + "." if path else "") + row.key.split("=")[0]
            if row.base in ("part", "record") and row.sentence != '"' and not row.sentence.startswith("as "):
                self.describe(self.records[row.of], here, rows)
            elif row.sentence == '"' and rows:
                rows[-1][0].append(here)
            elif row.sentence or row.base == "word":
                told = row.sentence if row.of in self.explained else self.told(row)
                if row.base == "word" and row.of in self.explained:
                    told += f"{', ' if told else ''}words as of `{self.explained[row.of]}`"
                elif row.base == "word":
                    self.explained[row.of] = here
                rows.append(([here], told.replace("{none}", "`null`")))

    def told(self, row: Row) -> str:
        """The sentence, with the words that there are."""
        if row.base != "word":
            return row.sentence
        return f"{row.sentence}{': ' if row.sentence else ''}{'; '.join(self.words(self.sets[row.of]))}"

    # ---- Python -------------------------------------------------------------------------------------------------

    def classes(self, text: str) -> str:
        """All between the two lines that say so."""
        lines, names = [], {}
        for block in self.sets.values():
            words = [f'"{row.key}"' for row in block.rows if row.key != '""']
            lines += [*textwrap.wrap(f"{block.words[2]} = Literal[{', '.join(words)}]", WIDTH,
                                     subsequent_indent=" " * (len(block.words[2]) + 11)),
                      *docstring(block.sentence, "")]
        for record in self.records.values():
            if record.words[3] == "-":
                continue
            lines += ["", "", "@dataclass(frozen=True, slots=True)", f"class {record.words[3]}:",
                      *docstring(record.sentence, "    "), ""]
            for row in record.rows:
                if row.key == "-":
                    continue
                name = row.key.lstrip("@").partition("=")[2] or re.sub(r"\W.*", "", row.key.lstrip("@"))
                if name != row.key.split("=")[0].lstrip("@") and "=" in row.key:
                    names[name] = row.key.split("=")[0]
                lines.append(f"    {name}: {self.python(row)}")
                if row.sentence not in ("", '"') or row.base == "word":
                    lines += docstring(self.told(row), "    ")
        lines += ["", "", "# Fields that the JSON calls by a word of Python's.", "JSON_NAMES = {",
                  *[f'    "{name}": "{key}",' for name, key in names.items()], "}", ""]
        begin, end = "# ---- from records.table ", "# ---- from JSON "
        start, stop = text.index("\n", text.index(begin)) + 1, text.index(end)
        return text[:start] + "\n" + "\n".join(lines) + "\n\n" + text[stop:]

    def columns(self, text: str) -> str:
        """All between the two lines that say so."""
        lines = []
        for name, block in self.tables.items():
            rows = [f"        {row.key:<23} {row.kind:<8} {row.arguments[0]}" for row in block.rows]
            lines += [f'    "{name}": _columns("""', *rows, '    """),']
        begin, end = "TABLES: dict[str, tuple[Column, ...]] = {\n", "}\n\n_PYTHON_TYPES"
        start, stop = text.index(begin) + len(begin), text.index(end)
        return text[:start] + "\n".join([*lines, ""]) + text[stop:]

    def python(self, row: Row) -> str:
        if row.base == "own":
            return row.of
        if row.base in ("part", "record", "ref"):
            kind = self.records[row.of].words[3]
            return f"tuple[{kind}, ...]" if row.key.endswith("[]") else kind
        if row.base in ("list", "refs"):
            return f"tuple[{self.records[row.of].words[3]}, ...]"
        if row.base == "map":
            return "Mapping[str, int]"
        kind = self.sets[row.of].words[2] if row.base == "word" else PYTHON_TYPES[row.base]
        return f"{kind} | None" if "?" in row.kind and "None" not in kind else kind


def c_sentence(row: Row) -> str:
    """{none} is a value of the member, or what another member says."""
    declaration = row.arguments[0] if row.base == "own" and row.arguments else ""
    none = ('""' if row.kind == "text?0" else "NULL" if row.base in ("text", "texts") else
            "NPART_NONE" if row.base == "id" or "uint32_t" in declaration else
            "NPART_DEVICES" if "npart_device" in declaration else "NULL" if "const *" in declaration else
            "0" if row.kind.endswith("?0") or row.base == "share" else "negative" if row.base == "real" else "")
    text = re.sub(r"\[[\w.]+\]\(([\w.]+)\)", r"docs/\1", row.sentence)
    if not none:
        text = re.sub(r"[,;] (or )?\{none\}(: not known| as in `summary`| when that is not known)?$", "", text)
    return text.replace("{none}", none or "not known")


def comment(text: str, indent: str) -> list[str]:
    lines = textwrap.wrap(text + "\u00a0*/", WIDTH - len(indent), initial_indent="/* ", subsequent_indent=" * ",
                          break_on_hyphens=False)
    return [indent + line.replace("\u00a0", " ") for line in lines]


def docstring(text: str, indent: str) -> list[str]:
    text = re.sub(r"\[[\w.]+\]\(([\w.]+)\)", r"docs/\1", text).replace("{none}", "None")
    text = re.sub(r"`([^`]*)`", r"``\1``", text)
    text = text[0].upper() + text[1:] + ("" if text[-1] in ".?" else ".")
    lines = textwrap.wrap(text, WIDTH - len(indent) - 6, break_on_hyphens=False)
    quoted = [f'"""{lines[0]}', *lines[1:]]
    quoted[-1] += '"""'
    return [indent + line for line in quoted]


def main() -> int:
    paths = [argument for argument in sys.argv[1:] if argument != "--check"]
    if len(paths) < 7:
        sys.exit(__doc__)
    writer, stale = Writer(*parse(paths[0])), 0
    before = {path: pathlib.Path(path).read_text(encoding="utf-8") for path in paths[1:]}
    after = {path: write(before[path])
             for path, write in zip(before, (writer.classes, writer.page, writer.page, writer.page, writer.columns))}
    headers = paths[6:]
    after.update(zip(headers, writer.header(BETWEEN_FILES.join(before[path] for path in headers)).split(BETWEEN_FILES)))
    for path, text in after.items():
        if text != before[path] and "--check" in sys.argv:
            print(f"{path} does not say what {paths[0]} says: make records", file=sys.stderr)
            stale += 1
        elif text != before[path]:
            pathlib.Path(path).write_text(text, encoding="utf-8", newline="")
    return 1 if stale else 0


if __name__ == "__main__":
    sys.exit(main())
