"""README and docs do what they say: code and commands in them run, links lead somewhere, the site builds."""

from __future__ import annotations

import importlib.util
import os
import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

import click
import pytest
from commandline import Run
from watching import Watch

from visionsweeper.cli import COMMANDS, group

ROOT = Path(__file__).parent.parent
PAGES = {
    str(path.relative_to(ROOT)): path.read_text(encoding="utf-8")
    for path in (ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").glob("*.md")))
}
README = PAGES["README.md"]
WITH_PYTHON = ("README.md", "docs/python.md", "docs/playing.md")
WITH_COMMANDS = ("README.md", "docs/commands.md")
SETUP = "python3 -m venv .venv && "


def blocks(language: str, page: str = README) -> list[str]:
    return re.findall(rf"^```{language}\n(.*?)^```$", page, re.MULTILINE | re.DOTALL)


def shell_lines(page: str = README) -> list[str]:
    return [line for block in blocks("sh", page) for line in block.splitlines()]


def setup_commands() -> list[str]:
    return [line for line in shell_lines() if line.startswith(SETUP)]


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


@pytest.mark.slow
@pytest.mark.parametrize("code", [code for name in WITH_PYTHON for code in blocks("python", PAGES[name])])
def test_the_python_examples_run(code: str) -> None:
    exec(compile(code, "README.md", "exec"), {})


@pytest.mark.slow
@pytest.mark.parametrize("name", WITH_COMMANDS)
def test_the_commands_run(run: Run, name: str) -> None:
    lines = shell_lines(PAGES[name])
    commands = [line.split("&& .venv/bin/")[-1] for line in lines if line.startswith(SETUP)][:1]
    commands += [
        line for line in lines if re.match(r"(printf .* \| )?visionsweeper (?!train)[a-z]+[ /]", line)
    ]
    # These want a screen, and are tested with one; and a watch goes on until it is ended (below).
    commands = [line for line in commands if not re.search(r" (screen|watch) |--clipboard", line)]
    assert len(commands) >= 4
    for line in commands:
        arguments, stdin, target = _redirected(line)
        if "--model" in arguments:  # what `train` would have written
            continue
        outcome = run(*arguments, stdin=stdin)
        # That something is compiled is said once on every machine.
        said = re.sub(r"visionsweeper: compiling .*\n", "", outcome.err)
        assert (outcome.status, said) == (0, ""), line
        if target is not None:
            Path(target).write_text(outcome.out, encoding="utf-8")


@pytest.mark.slow
def test_the_watch_begins(tmp_path: Path) -> None:
    lines = shell_lines(PAGES["docs/commands.md"])
    [line] = [line for line in lines if line.startswith("visionsweeper watch ")]
    _, _, folder = shlex.split(line)
    Path(folder).mkdir()
    watch = Watch(tmp_path / "log", folder)
    shutil.copy("samples/beginner-flat.png", folder)
    watch.until(lambda: watch.told("done beginner-flat.png"), "to do the picture")
    assert watch.end() == 0


def test_the_output_shown_is_the_real_one(run: Run) -> None:
    shown = [
        found
        for name in WITH_COMMANDS
        for found in re.findall(
            r"^```sh\nvisionsweeper ([^\n]*)\n```\n\n```text\n(.*?)^```$",
            PAGES[name],
            re.MULTILINE | re.DOTALL,
        )
    ]
    assert shown
    for command, output in shown:
        assert run(*shlex.split(command)).out == output


def test_every_command_and_option_that_is_named_exists(run: Run) -> None:
    known = run("--help").out + "".join(run(command, "--help").out for command in COMMANDS)
    for name in WITH_COMMANDS:
        options = set(re.findall(r"`(--[a-z-]+)", PAGES[name]))
        assert {option for option in options if option not in known} == set()
    headings = re.findall(r"^## ([a-z]+)$", PAGES["docs/commands.md"], re.MULTILINE)
    assert sorted(headings) == sorted(COMMANDS), "docs/commands.md has a chapter for each command"


def test_the_files_and_names_that_architecture_leads_to_exist() -> None:
    page, package = PAGES["docs/architecture.md"], ROOT / "visionsweeper"
    rooms = (
        ROOT,
        package,
        ROOT / "tests",
        package / "report",
        package / "solver",
        package / "vision/detection",
    )
    named = set(re.findall(r"`([\w./]+\.(?:py|js|html|css))`", page)) - {"tests/test_ROOM.py"}
    assert len(named) > 40
    assert {name for name in named if not any((room / name).is_file() for room in rooms)} == set()
    pairs = re.findall(r"`(\w+)`\s+in\s+`([\w/]+\.py)`", page)
    assert {"FORMATS", "METHODS", "TECHNIQUES", "COMMANDS", "_STOPS", "_STEPS"} <= {name for name, _ in pairs}
    for name, place in pairs:
        assert re.search(rf"^(?:def |class )?{name}\b", (package / place).read_text(), re.MULTILINE), name


@pytest.mark.parametrize("name", PAGES)
def test_pictures_and_links_exist(name: str) -> None:
    for target, part in re.findall(r"\]\(([^)#]*)(?:#([^)]*))?\)", PAGES[name]):
        if "://" in target:
            continue
        path = (ROOT / name).parent / target if target else ROOT / name
        assert path.exists(), target
        if part:
            headings = re.findall(r"^#+ (.*)$", path.read_text(encoding="utf-8"), re.MULTILINE)
            anchors = {re.sub(r"[^\w -]", "", heading.lower()).replace(" ", "-") for heading in headings}
            assert part in anchors, f"{target}#{part}"


@pytest.mark.slow
@pytest.mark.skipif(importlib.util.find_spec("mkdocs") is None, reason="needs the extra docs")
def test_the_site_builds(tmp_path: Path) -> None:
    built = subprocess.run(
        [
            sys.executable,
            "-m",
            "mkdocs",
            "build",
            "--strict",
            "--quiet",
            "--site-dir",
            str(tmp_path / "site"),
        ],
        cwd=ROOT,
        env=os.environ | {"NO_MKDOCS_2_WARNING": "1"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert built.returncode == 0, built.stderr
    assert "solve" in (tmp_path / "site" / "api" / "index.html").read_text(encoding="utf-8")
    page = (tmp_path / "site" / "options" / "index.html").read_text(encoding="utf-8")
    for name in COMMANDS:
        command = group.get_command(click.Context(group), name)
        assert command is not None
        options = [one.opts[0] for one in command.params if isinstance(one, click.Option)]
        assert [option for option in options if option not in page] == [], name


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
