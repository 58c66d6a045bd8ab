#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Write python/src/npu_partition/_page_css.py: the page's styles for what a notebook shows of it, within an element of
class `npu-partition`, so that the notebook's own are left alone.

usage: notebook_css.py web/page > FILE

A rule is taken where each class in its selector is one that _html.py and _markup.py write, and nothing else of the page
is in it. Colours follow the theme of JupyterLab, VS Code or Colab.
"""
from __future__ import annotations

import pathlib
import re
import sys
import textwrap

WIDTH = 120
FILES = ("base.css", "layout.css", "verdict.css")
SCOPE = ".npu-partition"
DARK = ('body[data-jp-theme-light="false"]', "body.vscode-dark", "html[theme=dark]")
TAGS = set("h1 h2 h3 p ul dl dt dd code table th td thead summary".split())
OWN = """
{scope} {{
    color: var(--text);
    background: var(--background);
    padding: 0.6rem 0.9rem;
    max-width: 60rem;
    font: 15px/1.5 var(--font);
    overflow-wrap: break-word;
}}
{scope} .strip {{
    max-width: 100%;
    margin-top: 0.7rem;
}}
{scope} h2 {{
    margin-top: 0.9rem;
}}
{scope} > details {{
    margin-top: 0.6rem;
}}
{lanes}"""
HEAD = '''# SPDX-License-Identifier: Apache-2.0
"""Styles of what a notebook shows. Written by tools/generate/notebook_css.py from web/page; do not edit."""
CSS = """\\
'''


def rules(text: str) -> list[tuple[str, str]]:
    """Selectors and bodies of the rules that are in no @media but `screen`."""
    text = re.sub(r"/\*.*?\*/", "", text, flags=re.S)
    text = re.sub(r"@media screen \{\n(.*?)\n\}\n", r"\1\n", text, flags=re.S)
    text = re.sub(r"@media [^{]*\{\n.*?\n\}\n", "", text, flags=re.S)
    found = re.findall(r"([^{}]+)\{([^{}]*)\}", text)
    return [(" ".join(head.split()), " ".join(body.split())) for head, body in found]


def scoped(selector: str, classes: set[str]) -> str | None:
    """Of one selector; None: it is of what a notebook has not."""
    if selector in (":root", ":root[data-theme]"):
        return SCOPE
    if selector == ':root[data-theme="dark"]':
        return ", ".join(f"{dark} {SCOPE}" for dark in DARK)
    names = re.findall(r"\.([\w-]+)", selector)
    tags = re.findall(r"(?:^|[\s>])([a-z]\w*)", selector)
    is_plain = not re.search(r"[#:\[]", selector) and (names or selector in TAGS or set(tags) <= TAGS)
    if selector == "*" or (is_plain and set(names) <= classes and set(tags) <= TAGS | {"span"}):
        return f"{SCOPE} {selector}"
    return None


def main() -> int:
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    package = pathlib.Path(__file__).resolve().parents[2] / "python" / "src" / "npu_partition"
    source = "".join((package / name).read_text(encoding="utf-8") for name in ("_html.py", "_markup.py"))
    classes = {name for found in re.findall(r'"class": f?"([^"]*)"', source) for name in found.split()}
    classes |= {f"answer-{kind}" for kind in ("good", "warning", "bad", "plain", "unknown")}
    out = []
    for name in FILES:
        for heads, body in rules((pathlib.Path(sys.argv[1]) / name).read_text(encoding="utf-8")):
            kept = [found for head in heads.split(",") if (found := scoped(head.strip(), classes))]
            if kept:
                out.append(f"{', '.join(kept)} {{ {body} }}\n")
    lanes = "".join(f"{SCOPE} .lane-{word} {{ fill: var(--{word}); }}\n" for word in ("npu", "cpu", "fail", "unknown"))
    own = rules(OWN.format(scope=SCOPE, lanes=lanes))
    css = "".join(out) + "".join(f"{head} {{ {body} }}\n" for head, body in own)
    lines = [line for rule in css.splitlines() for line in textwrap.wrap(rule, WIDTH, break_on_hyphens=False)]
    sys.stdout.write(HEAD + "\n".join(lines).replace("\\", "\\\\") + '\n"""\n')
    return 0


if __name__ == "__main__":
    sys.exit(main())
