#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What site_links.py says of sites that are wrong, each in one way.

usage: site.py
"""
import pathlib
import subprocess
import sys
import tempfile
import unittest

CHECK = pathlib.Path(__file__).with_name("site_links.py")


def checked(body: str) -> tuple[int, str]:
    """Exit status and messages for a site whose first page has that body."""
    with tempfile.TemporaryDirectory() as name:
        site = pathlib.Path(name)
        (site / "app").mkdir()
        (site / "docs").mkdir()
        (site / "app/index.html").write_text("<p>app</p>")
        (site / "docs/fix.html").write_text('<h2 id="all">Fix</h2><a href="../index.html#top">up</a>')
        (site / "index.html").write_text(f'<html><body id="top">{body}</body></html>')
        done = subprocess.run([sys.executable, CHECK, site], capture_output=True, text=True)
        return done.returncode, done.stderr


class Site(unittest.TestCase):
    def test_links_that_hold(self) -> None:
        links = '<a href="docs/fix.html#all">a</a><a href="#top">b</a><a href="app/index.html">c</a>'
        outside = '<a href="https://onnx.ai">d</a><img src="data:image/png;base64,AA==">'
        self.assertEqual(checked(links + outside), (0, ""))

    def test_links_that_do_not(self) -> None:
        for body, what in (('<a href="docs/split.html">', "no such file"), ('<a href="docs/fix.html#none">', "anchor"),
                           ('<a href="#none">', "anchor"), ('<a href="/docs/fix.html">', "root of a host"),
                           ('<a href="docs/">', "folder"), ('<a href="../outside.html">', "no such file"),
                           ('<script src="https://cdn.example/x.js"></script>', "from elsewhere"),
                           ('<link rel="stylesheet" href="//fonts.example/x.css">', "from elsewhere")):
            with self.subTest(body):
                status, told = checked(body)
                self.assertEqual(status, 1)
                self.assertIn(what, told)


unittest.main()
