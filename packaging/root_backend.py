# SPDX-License-Identifier: Apache-2.0
"""The build backend of the repository's root: the one of python/, asked in that folder."""

from __future__ import annotations

import os
import pathlib
from typing import Any

import hatchling.build as backend

HERE = pathlib.Path(__file__).resolve().parent.parent / "python"


def _ask(name: str, directory: str | None, *arguments: Any) -> Any:
    before = os.getcwd()
    folder = [] if directory is None else [os.path.abspath(directory)]
    os.chdir(HERE)
    try:
        return getattr(backend, name)(*folder, *arguments)
    finally:
        os.chdir(before)


def get_requires_for_build_wheel(config_settings: Any = None) -> list[str]:
    return _ask("get_requires_for_build_wheel", None, config_settings)


def get_requires_for_build_sdist(config_settings: Any = None) -> list[str]:
    return _ask("get_requires_for_build_sdist", None, config_settings)


def get_requires_for_build_editable(config_settings: Any = None) -> list[str]:
    return _ask("get_requires_for_build_editable", None, config_settings)


def build_wheel(wheel_directory: str, config_settings: Any = None, metadata_directory: str | None = None) -> str:
    return _ask("build_wheel", wheel_directory, config_settings)


def build_sdist(sdist_directory: str, config_settings: Any = None) -> str:
    return _ask("build_sdist", sdist_directory, config_settings)


def build_editable(wheel_directory: str, config_settings: Any = None, metadata_directory: str | None = None) -> str:
    return _ask("build_editable", wheel_directory, config_settings)
