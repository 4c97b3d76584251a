"""What a user meant who left the command out or mistyped it."""

from __future__ import annotations

import os
from collections.abc import Collection, Sequence
from difflib import get_close_matches
from pathlib import PurePath
from typing import Final

_STDIN: Final = "-"


def with_command(arguments: Sequence[str], commands: Collection[str], options: Collection[str]) -> list[str]:
    """Return the arguments with the command put first where it was left out.

    A file or folder is read: a picture by `parse`, a position by `solve`. `options` are those that stand
    before a command; any other option that comes first belongs to `parse`.
    """
    given = list(arguments)
    if not given or given[0] in commands:
        return given
    first = given[0]
    if first.startswith("-") and first != _STDIN:
        known = first.split("=")[0] in options
        return given if known or not any(_is_input(one) for one in given[1:]) else [_reader(given), *given]
    return [_reader(given), *given] if _is_input(first) else given


def suggestion(name: str, commands: Collection[str]) -> str:
    """Return the question which command was meant, or the list of all where none is like it."""
    alike = get_close_matches(name, commands, n=2, cutoff=0.5)
    if alike:
        return f"did you mean {' or '.join(alike)}?"
    return f"the commands are {', '.join(commands)}; a picture is named with its suffix, as in shot.png"


def _is_input(name: str) -> bool:
    """Whether an argument names a file: it is there, or looks like a path."""
    if name == _STDIN:
        return True
    if name.startswith("-"):
        return False
    # A name with an ending that is not there is a mistyped file, not a mistyped command.
    return os.sep in name or "/" in name or os.path.lexists(name) or bool(PurePath(name).suffix)


def _reader(arguments: Sequence[str]) -> str:
    """Return `solve` where the only file named is a position by its ending, else `parse`."""
    from visionsweeper.formats import SUFFIXES  # loads numpy

    files = [one for one in arguments if _is_input(one)]
    return "solve" if files and files[0].lower().endswith(SUFFIXES) else "parse"
