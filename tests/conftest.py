"""What all tests share: none reads or writes the developer's own learned themes."""

from __future__ import annotations

from pathlib import Path

import pytest


@pytest.fixture(autouse=True)
def own_data_directory(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty data directory, which is not even made until something is learned."""
    folder = tmp_path_factory.mktemp("data") / "visionsweeper"
    monkeypatch.setenv("VISIONSWEEPER_DATA", str(folder))
    return folder
