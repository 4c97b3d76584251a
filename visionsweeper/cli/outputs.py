"""Where the pictures go: beside their inputs or where -o says, and never over an input."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path
from typing import Final

import click

from visionsweeper.cli.inputs import CLIPBOARD, STDIN, Named
from visionsweeper.io.files import is_folder, is_there, key_of_name

STDOUT: Final = Path("-")
"""Stands for standard output as the place of a picture."""


def plan_outputs(inputs: Sequence[str | Named], wanted: str | None) -> list[Path | None]:
    """Return the picture's path for each input; None where none is written (stdin without -o).

    Raises UsageError when -o cannot hold the pictures of several inputs, when an output would replace an
    input, or when two inputs would share one output; WriteFailed where its suffix is of no picture format.
    """
    named = [Named(one) if isinstance(one, str) else one for one in inputs]
    names = [one.name for one in named]
    if names.count(STDIN) > 1:
        raise click.UsageError("standard input (-) can be read only once")
    if wanted == STDIN:
        if len(names) > 1:
            raise click.UsageError("-o - takes the picture of one input only: name a folder")
        return [STDOUT]
    # A folder may hold one picture today and two tomorrow.
    into = wanted is not None and _is_for_a_folder(
        wanted, several=len(named) > 1 or (named[0].found and not Path(wanted).suffix)
    )
    outputs = [_output(one, wanted, into=into) for one in named]
    _check_none_is_lost(names, outputs)
    if wanted is not None and not into:
        from visionsweeper.io.images import check_picture_name  # loads what writes pictures

        check_picture_name(Path(wanted))
    return outputs


def _check_none_is_lost(names: Sequence[str], outputs: Sequence[Path | None]) -> None:
    """Raise UsageError where an output would replace an input or another output."""
    there = {_key(Path(name)): name for name in names if name not in {STDIN, CLIPBOARD}}
    # By what tells a file from all others too: it may have several names.
    files = {_identity(Path(name)): name for name in reversed(there.values())}
    taken: dict[str, str] = {}
    for name, output in zip(names, outputs, strict=True):
        if output is None:
            continue
        other = there.get(_key(output)) or (files.get(found) if (found := _identity(output)) else None)
        if other is not None:
            raise click.UsageError(
                f"the picture of {name} would overwrite the input {other}: choose another place with -o, "
                "or leave that input out"
            )
        first = taken.setdefault(_key(output), name)
        if not same_place(Path(first), Path(name)):
            raise click.UsageError(
                f"{first} and {name} would both be written to {output}: give them one at a time, with -o"
            )


def _is_for_a_folder(wanted: str, *, several: bool) -> bool:
    """Whether -o names a folder, there or still to be made. Raises UsageError where it should."""
    if is_folder(wanted) or wanted.endswith(("/", os.sep)):
        return True
    if several and (is_there(wanted) or Path(wanted).suffix):
        raise click.UsageError(f"with several inputs -o must be a folder, and {wanted} is not a folder")
    return several


def _output(source: Named, wanted: str | None, *, into: bool) -> Path | None:
    if wanted is not None and not into:
        return Path(wanted)
    if source.name == STDIN:
        return None if wanted is None else Path(wanted) / "stdin.solved.png"
    path = Path("clipboard" if source.name == CLIPBOARD else source.name)
    folder = path.parent if wanted is None else Path(wanted) / source.below
    return folder / f"{path.stem}.solved.png"


def _identity(path: Path) -> tuple[int, int] | None:
    """Return what tells a file that is there from all others, whatever it is called."""
    try:
        found = path.stat()
    except (OSError, ValueError):
        return None
    return found.st_dev, found.st_ino


def same_place(one: Path, other: Path) -> bool:
    """Whether two paths name one file, which need not exist."""
    try:
        return one.samefile(other)
    except (OSError, ValueError):
        return _key(one) == _key(other)


def _key(path: Path) -> str:
    try:
        return key_of_name(os.path.realpath(path))
    except (OSError, ValueError):
        return key_of_name(str(path))
