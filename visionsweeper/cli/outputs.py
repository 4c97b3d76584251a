"""Where the pictures go: beside their inputs or where -o says, and never over an input."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path
from typing import Final

import click

from visionsweeper.cli.inputs import CLIPBOARD, STDIN, Named
from visionsweeper.io.files import (
    PICTURE_SUFFIXES,
    check_folder,
    check_place,
    is_folder,
    is_there,
    key_of_name,
)

STDOUT: Final = Path("-")
"""Stands for standard output as the place of a picture."""


def plan_outputs(inputs: Sequence[str | Named], wanted: str | None) -> list[Path | None]:
    """Return the picture's path for each input; None where none is written (stdin without -o).

    Raises UsageError when -o cannot hold the pictures of several inputs, when an output would replace an
    input, or when two inputs would share one output; WriteFailed where -o cannot be written.
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
    if wanted is not None:
        if into:
            check_folder(wanted)
        else:
            check_picture(wanted)
    return outputs


def plan_output(source: str, wanted: str | None) -> Path | None:
    """Return the picture's path for one input of which text is printed; None without -o.

    Raises as `plan_outputs` does, and UsageError for standard output, which the text takes.
    """
    if wanted is None:
        return None
    if wanted == STDIN:
        raise click.UsageError("-o takes a file or a folder here: standard output is for the text")
    return plan_outputs([source], wanted)[0]


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


def place_of(wanted: str, name: str) -> Path:
    """Return the picture's path that -o means: a file, or a folder, where it gets this name."""
    return Path(wanted) / name if _names_folder(wanted) else Path(wanted)


def check_picture(place: str | Path) -> None:
    """Raise WriteFailed for no name or no place for a picture: before the work for it, not after."""
    check_place(place, PICTURE_SUFFIXES)


def _names_folder(wanted: str) -> bool:
    """Tell whether a name is one of a folder, there or still to be made."""
    return is_folder(wanted) or wanted.endswith(("/", os.sep))


def _is_for_a_folder(wanted: str, *, several: bool) -> bool:
    """Whether -o names a folder, there or still to be made. Raises UsageError where it should."""
    if _names_folder(wanted):
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
