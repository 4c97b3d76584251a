"""What all tests share: none reads or writes the developer's own learned themes."""

from __future__ import annotations

import os
import signal
from pathlib import Path

import pytest
from hypothesis import settings

# Before NumPy is loaded, as the command line does: where test processes share the cores, threads of OpenBLAS
# wait for each other, which costs more than they bring. Programs that tests start inherit it.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

pytest_plugins = ("commandline", "serving")

# How long an example takes says nothing on a busy machine; benchmarks measure time.
settings.register_profile("unhurried", deadline=None)
settings.register_profile("few", deadline=None, max_examples=25)
settings.load_profile("unhurried")


def pytest_configure(config: pytest.Config) -> None:
    """Let the fast tests (-m "not slow") try fewer examples where no number is set, and load no browser."""
    if config.option.markexpr == "not slow":
        settings.load_profile("few")
    else:
        config.pluginmanager.import_plugin("browsing")


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    """Spare the fast tests what modules of slow tests alone import: browsers, servers, a cluster."""
    if config.option.markexpr != "not slow" or collection_path.suffix != ".py":
        return None
    return "\npytestmark = pytest.mark.slow\n" in collection_path.read_text(encoding="utf-8") or None


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
