# SPDX-License-Identifier: Apache-2.0
"""A screenshot of a page, after a script where one is given; prints what the page logs and asks the network for.

usage: /usr/bin/python3 test/web/shoot.py PAGE OUT.png|OUT.pdf [--width N --height N --full] [--dark] [--print]
    [--file FILE --to CSS] [--script JS] [--wait CONDITION]

PAGE is a file or an address. --file gives files to the input that --to names (default: input[type=file]). JS is
statements, whose returned value is printed; CONDITION an expression that is waited for after it. Exit status 1: the
page logged a warning or an error, or an error occurred.
"""
import argparse
import json
import sys
from pathlib import Path

from browser import Browser


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description="a screenshot of a page in headless Chromium")
    parser.add_argument("page", help="file or address")
    parser.add_argument("out", help="PNG, or PDF as it is printed")
    parser.add_argument("--width", type=int, default=1280)
    parser.add_argument("--height", type=int, default=900)
    parser.add_argument("--full", action="store_true", help="the whole page, not only what is seen")
    parser.add_argument("--dark", action="store_true")
    parser.add_argument("--print", dest="paper", action="store_true", help="styles of paper")
    parser.add_argument("--file", action="append", default=[], help="file for an input; more than once for several")
    parser.add_argument("--to", default="input[type=file]", help="selector of that input")
    parser.add_argument("--script", action="append", default=[], help="statements; what they return is printed")
    parser.add_argument("--wait", help="condition that is waited for after the scripts")
    parser.add_argument("--seconds", type=float, default=60, help="how long it is waited for")
    return parser.parse_args()


def shoot(chosen: argparse.Namespace) -> int:
    with Browser(chosen.width, chosen.height, chosen.dark) as browser:
        browser.media(chosen.dark, chosen.paper)
        browser.open(chosen.page)
        if chosen.file:
            browser.give_files(chosen.to, chosen.file)
        for text in chosen.script:
            value = browser.script(text)
            if value is not None:
                print("returned:", json.dumps(value, indent=1, ensure_ascii=False))
        failed = False
        if chosen.wait:
            try:
                print(f"waited {browser.wait(chosen.wait, chosen.seconds):.2f} s")
            except TimeoutError as error:
                print(error, file=sys.stderr)
                failed = True
        browser.settle()
        if chosen.out.endswith(".pdf"):
            Path(chosen.out).write_bytes(browser.pdf())
        else:
            browser.screenshot(chosen.out, chosen.full)
        logged = browser.console()
        for line in logged:
            print("console:", line)
        for url in browser.requests():
            print("request:", url)
        return int(failed or any(line.startswith(("SEVERE", "WARNING")) for line in logged))


if __name__ == "__main__":
    sys.exit(shoot(arguments()))
