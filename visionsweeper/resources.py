"""Where the files that ship with the program lie."""

from __future__ import annotations

from pathlib import Path
from typing import Final

DEFAULT_MODEL: Final = "standard"
"""The name of the model that reads boards; the other files of its folder are networks that help it."""

_PACKAGE = Path(__file__).resolve().parent


def models_folder() -> Path:
    """Return the folder of the shipped models."""
    return _shipped("models", "models")


def patterns_folder() -> Path:
    """Return the folder of the patterns that players know by name."""
    return _shipped("patterns", "samples/patterns")


def _shipped(in_package: str, in_checkout: str) -> Path:
    """Return the folder inside the package, as in a wheel, or beside the package, as in a checkout."""
    inside = _PACKAGE / in_package
    return inside if inside.is_dir() else _PACKAGE.parent / in_checkout
