"""The README does what it says: its Python runs, its commands run, and continuous integration agrees."""

from __future__ import annotations

import re
import shlex
import shutil
from pathlib import Path

import pytest
from commandline import Run, runner
from watching import Watch

from visionsweeper.cli import COMMANDS

ROOT = Path(__file__).parent.parent
README = (ROOT / "README.md").read_text(encoding="utf-8")
SETUP = "python3 -m venv .venv && "


def blocks(language: str, page: str = README) -> list[str]:
    return re.findall(rf"^```{language}\n(.*?)^```$", page, re.MULTILINE | re.DOTALL)


def shell_lines() -> list[str]:
    return [line for block in blocks("sh") for line in block.splitlines()]


def setup_commands() -> list[str]:
    return [line for line in shell_lines() if line.startswith(SETUP)]


@pytest.fixture
def run(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Run:
    return runner(monkeypatch, capsys)


@pytest.fixture(autouse=True)
def _beside_the_samples(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    shutil.copytree(ROOT / "samples", tmp_path / "samples")
    monkeypatch.chdir(tmp_path)


def test_the_two_commands_stand_on_the_first_screen() -> None:
    first, second = setup_commands()
    lines = README.splitlines()
    assert lines.index(second) < 30
    assert ".venv/bin/visionsweeper parse samples/" in first
    assert second.endswith(".venv/bin/pytest")


def test_continuous_integration_runs_the_second_command() -> None:
    lines = (ROOT / ".ci" / "run").read_text(encoding="utf-8").splitlines()
    assert setup_commands()[1] in lines
    assert (ROOT / ".ci" / "run").stat().st_mode & 0o111


def examples() -> list[str]:
    pages = [README, (ROOT / "docs" / "playing.md").read_text(encoding="utf-8")]
    return [code for page in pages for code in blocks("python", page)]


@pytest.mark.parametrize("code", examples())
def test_the_python_examples_run(code: str) -> None:
    exec(compile(code, "README.md", "exec"), {})


def test_the_commands_run(run: Run) -> None:
    commands = [line.split("&& .venv/bin/")[-1] for line in setup_commands()[:1]]
    commands += [line for line in shell_lines() if re.search(r"\bvisionsweeper (?!train)[a-z]+ ", line)]
    commands = [line for line in commands if not line.startswith(SETUP)]
    # These want a screen, and are tested with one; and a watch goes on until it is ended (below).
    commands = [line for line in commands if not re.search(r" (screen|watch) |--clipboard", line)]
    assert len(commands) >= 6
    for line in commands:
        arguments, stdin, target = _redirected(line)
        if "--model" in arguments:  # what `train` would have written
            continue
        outcome = run(*arguments, stdin=stdin)
        assert (outcome.status, outcome.err) == (0, ""), line
        if target is not None:
            Path(target).write_text(outcome.out, encoding="utf-8")


def test_the_watch_begins(tmp_path: Path) -> None:
    [line] = [line for line in shell_lines() if line.startswith("visionsweeper watch ")]
    _, _, folder = shlex.split(line)
    Path(folder).mkdir()
    watch = Watch(tmp_path / "log", folder)
    shutil.copy("samples/beginner-flat.png", folder)
    watch.until(lambda: watch.told("done beginner-flat.png"), "to do the picture")
    assert watch.end() == 0


def test_the_output_shown_is_the_real_one(run: Run) -> None:
    shown = re.findall(
        r"^```sh\nvisionsweeper ([^\n]*)\n```\n\n```text\n(.*?)^```$", README, re.MULTILINE | re.DOTALL
    )
    assert shown
    for command, output in shown:
        assert run(*shlex.split(command)).out == output


def test_every_option_in_the_readme_exists(run: Run) -> None:
    known = "".join(run(command, "--help").out for command in COMMANDS)
    known += run("--help").out
    named = set(re.findall(r"`(--[a-z-]+)", README))
    assert named
    assert {option for option in named if option not in known} == set()


def test_pictures_and_links_of_the_readme_exist() -> None:
    targets = re.findall(r"\]\(([^)#]+)\)", README)
    assert targets
    for target in targets:
        assert "://" in target or (ROOT / target).exists(), target


def _redirected(line: str) -> tuple[list[str], bytes, str | None]:
    """A command line's arguments, what is sent to it, and the file its output goes to."""
    stdin, target = b"", None
    if " | " in line:
        feed, line = line.split(" | ")
        name, text = shlex.split(feed)
        assert name == "printf"
        stdin = text.replace("\\n", "\n").encode()
    words = shlex.split(line)
    for sign in ("<", ">"):
        if sign in words:
            place = words.index(sign)
            file = words[place + 1]
            del words[place : place + 2]
            if sign == "<":
                stdin = Path(file).read_bytes()
            else:
                target = file
    assert words[0] == "visionsweeper"
    return words[1:], stdin, target
