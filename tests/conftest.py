"""What all tests share: none reads or writes the developer's own learned themes."""

from __future__ import annotations

import signal
from pathlib import Path

import pytest
from hypothesis import settings

pytest_plugins = ("serving", "browsing")

# How long an example takes says nothing on a busy machine; benchmarks measure time.
settings.register_profile("unhurried", deadline=None)
settings.load_profile("unhurried")

# A suite run in the background ignores Ctrl-C, one run with nohup the end of its terminal, and so would every
# program that it starts.
if signal.getsignal(signal.SIGINT) == signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)
if hasattr(signal, "SIGHUP") and signal.getsignal(signal.SIGHUP) == signal.SIG_IGN:
    signal.signal(signal.SIGHUP, signal.SIG_DFL)


@pytest.fixture(autouse=True)
def own_data_directory(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty data directory, which is not even made until something is learned."""
    folder = tmp_path_factory.mktemp("data") / "visionsweeper"
    monkeypatch.setenv("VISIONSWEEPER_DATA", str(folder))
    return folder
