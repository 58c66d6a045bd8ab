#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Every link of a built site leads to a file and an anchor of it, and no page loads anything from elsewhere.

usage: site_links.py SITE     exit status 1: what is wrong, a line each
"""
import pathlib
import sys
from html.parser import HTMLParser
from urllib.parse import unquote, urlsplit

# What a browser loads by itself; links that a reader follows may lead anywhere.
LOADED = {("script", "src"), ("link", "href"), ("img", "src"), ("iframe", "src"), ("source", "src")}
# Links that load nothing.
NAMING = {"canonical", "next", "prev", "edit"}


class Page(HTMLParser):
    """Its anchors, its links, and what it loads."""

    def __init__(self, path: pathlib.Path) -> None:
        super().__init__()
        self.anchors: set[str] = {""}
        self.links: list[tuple[str, bool]] = []
        self.base = ""
        self.feed(path.read_text(encoding="utf-8"))

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = {name: value or "" for name, value in attrs}
        self.anchors |= {given[name] for name in ("id", "name") if given.get(name)}
        for name in ("href", "src"):
            if name not in given or (tag == "link" and NAMING & set(given.get("rel", "").split())):
                continue
            self.links.append((given[name], (tag, name) in LOADED))


def wrong(site: pathlib.Path, pages: dict[pathlib.Path, Page], at: pathlib.Path, link: str, is_loaded: bool) -> str:
    """What is wrong with a link of a page; empty where nothing is."""
    parts = urlsplit(link)
    if parts.scheme or parts.netloc:
        is_outside = parts.scheme not in ("data", "mailto", "javascript")
        return "loaded from elsewhere" if is_loaded and is_outside else ""
    if parts.path.startswith("/"):
        return "holds at the root of a host alone"
    to = (at.parent / unquote(parts.path)).resolve() if parts.path else at
    if to.is_dir():
        return "a folder: static hosts may show none"
    if not to.is_relative_to(site) or not to.is_file():
        return "no such file"
    is_page = to in pages and parts.path != at.name
    anchor = unquote(parts.fragment)
    if anchor and (is_page or to == at) and anchor not in pages[to].anchors and not anchor.startswith("__"):
        return "no such anchor"
    return ""


def main() -> int:
    site = pathlib.Path(sys.argv[1]).resolve()
    pages = {path: Page(path) for path in sorted(site.rglob("*.html"))}
    count = bad = 0
    for path, page in pages.items():
        for link, is_loaded in page.links:
            # The page of missing files is served at any depth, so its links begin at the root of the host.
            if path.name == "404.html":
                continue
            count += 1
            what = wrong(site, pages, path, link, is_loaded)
            if what:
                bad += 1
                print(f"{path.relative_to(site)}: {link}: {what}", file=sys.stderr)
    if not pages or not (site / "app" / "index.html").is_file():
        print("the site has no pages, or no application", file=sys.stderr)
        bad += 1
    if not bad:
        print(f"site: {count} links of {len(pages)} pages hold")
    return int(bad > 0)


sys.exit(main())
