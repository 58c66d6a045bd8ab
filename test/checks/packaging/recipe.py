# SPDX-License-Identifier: Apache-2.0
"""Render the recipe with rattler-build, as conda-forge's builds do, and print what it runs on Linux.

usage: recipe.py RECIPE > SCRIPT
"""
from __future__ import annotations

import pathlib
import sys
from typing import Any

from rattler_build import PlatformConfig, RenderConfig, Stage0Recipe, VariantConfig

PLATFORMS = ("linux-64", "linux-aarch64")
VARIANTS = {"c_compiler": ["gcc"], "c_compiler_version": ["14"], "c_stdlib": ["sysroot"], "c_stdlib_version": ["2.17"]}


def rendered(text: str, platform: str) -> dict[str, Any]:
    """What is built there. A word that recipes do not have is an error."""
    config = RenderConfig(platform=PlatformConfig(target_platform=platform, host_platform=platform))
    found, = Stage0Recipe.from_yaml(text).render(VariantConfig(VARIANTS), config)
    recipe: dict[str, Any] = found.recipe.to_dict()
    return recipe


def main() -> int:
    text = pathlib.Path(sys.argv[1]).read_text(encoding="utf-8")
    recipe, other = (rendered(text, platform) for platform in PLATFORMS)
    for name in ("package", "source", "tests"):
        if recipe[name] != other[name]:
            sys.exit(f"recipe: {name} is another on {PLATFORMS[1]}")
    needed = [*recipe["requirements"]["build"], *recipe["requirements"]["host"]]
    package = recipe["package"]
    print(f"recipe: {package['name']} {package['version']}, with {', '.join(needed)}", file=sys.stderr)
    script = recipe["build"]["script"]
    print("\n".join(script if isinstance(script, list) else [str(script)]))
    return 0


if __name__ == "__main__":
    sys.exit(main())
