"""The build of the Python package: setuptools, with the translations and the page built first and inside the wheel."""

from __future__ import annotations

from typing import Any

import catalogues
import make_page
from setuptools import build_meta
from setuptools.build_meta import *  # noqa: F403


def get_requires_for_build_wheel(config_settings: Any = None) -> list[str]:
    """What the build needs: Node.js, unless it is there or the page is built already."""
    needed = build_meta.get_requires_for_build_wheel(config_settings)
    return needed if make_page.is_new() or make_page.npm_command() else [*needed, make_page.NODE_PACKAGE]


def build_editable(wheel_directory: str, config_settings: Any = None, metadata_directory: str | None = None) -> str:
    """Build the translations, and what lets Python import the source tree."""
    catalogues.build()
    return build_meta.build_editable(wheel_directory, config_settings, metadata_directory)


def build_wheel(wheel_directory: str, config_settings: Any = None, metadata_directory: str | None = None) -> str:
    """Build the page, then the wheel with it."""
    make_page.main([])
    return build_meta.build_wheel(wheel_directory, config_settings, metadata_directory)
