"""What a user wants done with every finished picture: shown, handed to a command, copied."""

from __future__ import annotations

import os
import re
import shlex
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Final, Literal

from visionsweeper.errors import InvalidInput, VisionsweeperError
from visionsweeper.watch.journal import Status
from visionsweeper.watch.service import Event

_PATIENCE: Final = 60.0
"""Seconds that a command may take."""


INPUT_VARIABLE: Final = "VISIONSWEEPER_INPUT"
OUTPUT_VARIABLE: Final = "VISIONSWEEPER_OUTPUT"
"""Variables of the environment in which a command finds the names of the two files."""


@dataclass(frozen=True)
class Afterwards:
    """Done after every finished picture, one after another."""

    show: bool = False
    command: tuple[str, ...] = ()
    """Program and arguments, `{input}` and `{output}` standing for the two files."""
    clipboard: Literal["picture", "text"] | None = None

    def __call__(self, event: Event, trouble: Callable[[str], None]) -> None:
        """Do it for an event; what goes wrong is told to `trouble`, and ends nothing."""
        entry, result = event.entry, event.result
        if event.kind != Status.DONE or entry is None or entry.output is None or result is None:
            return
        if self.show:
            _try(lambda: _show(entry.output or Path()), trouble, "the picture cannot be shown")
        if self.command:
            files = {"{input}": str(entry.source), "{output}": str(entry.output)}
            names = {INPUT_VARIABLE: files["{input}"], OUTPUT_VARIABLE: files["{output}"]}
            # In one go: a file's own name may have such signs in it.
            arguments = [re.sub(r"\{(in|out)put\}", lambda m: files[m[0]], part) for part in self.command]
            _try(lambda: _run(arguments, names), trouble, f"the command {self.command[0]} failed")
        if self.clipboard is not None:
            _try(lambda: self._copy(entry.output or Path(), result.board), trouble, "nothing was copied")

    def _copy(self, output: Path, board: str) -> None:
        from visionsweeper.io.clipboard import copy_picture, copy_text

        if self.clipboard == "text":
            copy_text(board)
        else:
            copy_picture(output.read_bytes())


def split_command(text: str) -> tuple[str, ...]:
    """Split a command line in its parts, as a shell would; no shell runs it. Raises InvalidInput."""
    try:
        parts = tuple(shlex.split(text))
    except ValueError as error:
        raise InvalidInput(f"the command {text!r} cannot be understood: {error}") from error
    if not parts:
        raise InvalidInput("the command is empty")
    return parts


def _try(action: Callable[[], None], trouble: Callable[[str], None], what: str) -> None:
    try:
        action()
    except subprocess.TimeoutExpired:
        trouble(f"{what}: it took longer than {_PATIENCE:g} seconds")
    except subprocess.CalledProcessError as error:
        trouble(f"{what}: it ended with status {error.returncode}")
    except (OSError, ValueError) as error:
        trouble(f"{what}: {getattr(error, 'strerror', None) or error}")
    except VisionsweeperError as error:
        trouble(f"{what}: {error}")


def _run(arguments: list[str], names: dict[str, str]) -> None:
    # What it prints goes to stderr: stdout is for our own lines.
    subprocess.run(
        arguments,
        check=True,
        timeout=_PATIENCE,
        stdin=subprocess.DEVNULL,
        stdout=sys.__stderr__,
        shell=False,
        env=os.environ | names,
    )


def _show(picture: Path) -> None:
    import click

    status = click.launch(str(picture))
    if status:
        raise OSError(f"the system's viewer ended with status {status}")
