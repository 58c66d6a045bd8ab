# SPDX-License-Identifier: Apache-2.0
"""Changed models through the debug build, for all targets: whatever a file holds, what the library promises itself
holds (NPART__ASSERT). Mutants are those of test/fuzz/make_mutants.c; those of a batch that ends otherwise go through
once more, one by one.

usage: promises.py --tool build/debug/npu-partition --maker MAKER [--first N] [--count N] FOLDER...
"""
import argparse
import pathlib
import shutil
import subprocess
import sys
import tempfile

from mutants import BATCH, make_mutants, models_in

ENDS = (0, 1, 3)


def scan(tool, files):
    """None, or what the tool said as it ended otherwise."""
    done = subprocess.run([tool, "scan", "--target", "all", "--quiet", "--jobs", "1", "--list", "-"],
                          input="\0".join(map(str, files)) + "\0", stdout=subprocess.DEVNULL, stderr=subprocess.PIPE,
                          text=True)
    return None if done.returncode in ENDS else f"exit {done.returncode}: {done.stderr[-300:].strip()}"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--tool", required=True, help="of the debug build")
    parser.add_argument("--maker", required=True, help="test/fuzz/make_mutants, built")
    parser.add_argument("--first", type=int, default=0)
    parser.add_argument("--count", type=int, default=1000)
    parser.add_argument("--keep", type=pathlib.Path, default="build/mutants-found", help="where mutants go that fail")
    parser.add_argument("folders", nargs="+", help="with the models to change")
    options = parser.parse_args()
    if b"assertion failed" not in pathlib.Path(options.tool).read_bytes():
        sys.exit(f"promises: {options.tool} asserts nothing")
    models, failed = list(models_in(options.folders)), 0
    if not models:
        sys.exit("promises: no models to change")
    for first in range(options.first, options.first + options.count, BATCH):
        with tempfile.TemporaryDirectory() as folder:
            count = min(BATCH, options.first + options.count - first)
            files = make_mutants(options.maker, folder, first, count, models)
            for file in files if scan(options.tool, files) else []:
                if broken := scan(options.tool, [file]):
                    options.keep.mkdir(parents=True, exist_ok=True)
                    shutil.copy(file, options.keep)
                    print(f"promises: {options.keep / file.name}: {broken}", flush=True)
                    failed += 1
    print(f"promises: {options.count} mutants of {len(models)} models, all targets: {failed} failed")
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
