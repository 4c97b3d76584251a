"""`visionsweeper-app`: the page as an application."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import httpx
import pytest
from serving import serving

from visionsweeper.cli.application import main

SAMPLES = Path(__file__).parents[1] / "samples"

MODULE = "visionsweeper.cli.application"

NO_BROWSER = {"BROWSER": "true", "DISPLAY": ""}
"""The browser is the program `true`, and there is no display for a window."""


def run(*arguments: str, **environment: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", MODULE, *arguments],
        env=os.environ | NO_BROWSER | environment,
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )


@pytest.mark.slow
def test_the_picture_that_was_given_is_offered_to_the_page(tmp_path: Path) -> None:
    with serving(tmp_path, str(SAMPLES / "expert.png"), module=MODULE, **NO_BROWSER) as app:
        assert app.address.endswith("/?opened")
        page = httpx.get(app.address, timeout=60)
        assert page.status_code == 200
        given = httpx.get(httpx.URL(app.address).join("/opened"), timeout=60)
        assert given.content == (SAMPLES / "expert.png").read_bytes()
        # This file, and to this machine alone.
        assert httpx.get(httpx.URL(app.address).join("/expert.png")).status_code == 404
        assert httpx.get(given.url, headers={"Host": "elsewhere.example"}).status_code != 200
        assert app.stop() == 0


@pytest.mark.slow
def test_with_a_command_it_is_the_command_line(tmp_path: Path) -> None:
    (tmp_path / "board.txt").write_text("?1\n")
    told = run("solve", str(tmp_path / "board.txt"), "--mines", "1", "--text")
    assert (told.returncode, told.stdout.splitlines()[-1]) == (0, "?1")
    assert run("--version").stdout.startswith("visionsweeper")


@pytest.mark.slow
def test_a_file_that_is_not_there_is_told(tmp_path: Path) -> None:
    told = run(str(tmp_path / "none.png"))
    assert told.returncode == 3
    assert told.stderr.splitlines() == [f"visionsweeper: {tmp_path / 'none.png'}: no such file"]


def test_packages_that_are_missing_are_told(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("visionsweeper.cli.serve.find_spec", lambda name: None)
    with pytest.raises(SystemExit) as ended:
        main([])
    assert ended.value.code == 3
    [line] = capsys.readouterr().err.splitlines()
    assert "pip install 'visionsweeper[web]'" in line
