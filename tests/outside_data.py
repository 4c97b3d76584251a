"""Where the test data lies that the project may not contain: docs/test-data.md describes it.

Tests that need a missing part are skipped, and name it.
"""

from __future__ import annotations

import os
from pathlib import Path

import pytest

FOLDER = Path(
    os.environ.get("VISIONSWEEPER_TEST_DATA") or Path(__file__).resolve().parents[1].parent / "shared"
)
SCREENS = FOLDER / "screens"
POSITIONS = FOLDER / "positions" / "positions.jsonl"
PATTERN_FACTS = FOLDER / "patterns.json"


def needs(path: Path) -> pytest.MarkDecorator:
    """Skip a test unless this file or folder of the test data exists."""
    return pytest.mark.skipif(
        not path.exists(), reason=f"needs {path} (docs/test-data.md); set VISIONSWEEPER_TEST_DATA"
    )
