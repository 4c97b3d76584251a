"""Inputs: files, standard input and the clipboard, as pictures or as positions."""

from __future__ import annotations

import codecs
import io
import os
import sys
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Final, Literal

import click

from visionsweeper.errors import InvalidInput
from visionsweeper.io.files import PICTURE_SUFFIXES, is_folder, read_at_most

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    from visionsweeper.analysis import Analysis
    from visionsweeper.board import Board
    from visionsweeper.formats import StoredPosition
    from visionsweeper.options import ReadOptions, SolveOptions
    from visionsweeper.solver import Solution

STDIN: Final = "-"
CLIPBOARD: Final = ":clipboard:"
"""Stands for the clipboard where inputs are named; no file of a relative name begins so by chance."""
MAX_STDIN_BYTES: Final = 256 * 1024 * 1024
MAX_BOARD_BYTES: Final = 16 * 1024 * 1024
"""Far beyond the largest board that is accepted, comments and spaces included."""


@dataclass(frozen=True)
class Named:
    """An input as it was named, or as it was found in a folder that was."""

    name: str
    below: Path = Path()
    """Where it lies in the folder that was named."""
    found: bool = False
    """Whether it was found in a folder, which may hold several."""


def expand(names: Sequence[str], *, recursive: bool) -> list[Named]:
    """Return the inputs, folders replaced by the pictures in them in the order of their names.

    Pictures that this program wrote are left out, unless one is named alone. Raises InvalidInput for a folder
    without pictures.
    """
    found: list[Named] = []
    for name in names:
        if name != STDIN and is_folder(name):
            inside = pictures_below(Path(name), recursive=recursive)
            if not inside and len(names) == 1:
                hint = "" if recursive else " (--recursive searches its subfolders too)"
                raise InvalidInput(f"there is no picture in the folder {name}{hint}")
            found += inside
        elif len(names) == 1 or not is_solved(name):
            found.append(Named(name))
    if not found:
        raise InvalidInput("all these are pictures that this program wrote: name the screenshots themselves")
    return found


def pictures_below(folder: Path, *, recursive: bool) -> list[Named]:
    """Return the pictures in a folder, by name, without those that this program wrote and hidden ones.

    Raises InvalidInput for a folder that cannot be read.
    """
    found: list[Named] = []

    def refuse(error: OSError) -> None:
        raise InvalidInput(f"{error.filename}: this folder cannot be read: {error.strerror}") from error

    for root, folders, names in os.walk(folder, onerror=refuse):
        folders[:] = sorted(one for one in folders if not one.startswith(".")) if recursive else []
        found += [
            Named(str(Path(root, name)), Path(root).relative_to(folder), found=True)
            for name in sorted(names)
            if name.lower().endswith(PICTURE_SUFFIXES) and not name.startswith(".") and not is_solved(name)
        ]
    return found


def is_solved(name: str) -> bool:
    """Whether a name is one that this program gives to its pictures."""
    return Path(name).stem.endswith(".solved")


def read_stdin(what: Literal["image", "board"]) -> bytes:
    """All of standard input. Raises InvalidInput when it is closed, empty or too large."""
    limit = MAX_STDIN_BYTES if what == "image" else MAX_BOARD_BYTES
    if sys.stdin is None:
        raise InvalidInput(f"standard input is closed: give a file, or send the {what} to it")
    try:
        data: bytes = sys.stdin.buffer.read(limit + 1)
    except (OSError, ValueError) as error:
        raise InvalidInput(f"standard input cannot be read: {error}") from error
    if not data:
        raise InvalidInput(f"standard input is empty: send the {what} to it, as in `< FILE`")
    return _limited(data, limit, "standard input")


def read_board_text(name: str) -> str:
    """Return the text of a board file, or of stdin for `-`. Raises InvalidInput for what is no text."""
    return decoded(_contents(name), subject_of(name))


def read_position_file(name: str) -> StoredPosition:
    """Read the position that a file holds, or stdin for `-`, in any form that is known.

    Raises InvalidInput, which names the file.
    """
    return _position(_contents(name), name)


@dataclass(frozen=True, eq=False)
class Taken:
    """One input as it came: a position, or a picture that is still to be read."""

    position: StoredPosition | None
    """None for a picture."""
    image: npt.NDArray[np.uint8] | None
    """(H, W, 3) uint8 RGB; None for a position."""
    name: str | None
    """The picture as the user named it; None for stdin, the clipboard and positions."""

    def analyse(self, read: ReadOptions, solve: SolveOptions) -> Analysis:
        """Read it where it is a picture, and compute its odds; a file's mine count counts as given."""
        from visionsweeper.pipeline import analyse_with, read_with

        if self.position is not None:
            board = self.position.board
            if read.continues is not None:
                board = replace(board, continues=read.continues)
            return analyse_with(board, solve.or_mines(self.position.mines))
        assert self.image is not None
        return analyse_with(read_with(self.image, read), solve)


def take_picture(name: str) -> Taken:
    """Take a picture: a file, stdin for `-`, or the clipboard for CLIPBOARD. Raises InvalidInput."""
    from visionsweeper.io.images import load_image

    if name == CLIPBOARD:
        from visionsweeper.io.clipboard import read_picture  # seldom needed

        return Taken(None, load_image(read_picture()), None)
    return Taken(
        None, load_image(read_stdin("image") if name == STDIN else name), None if name == STDIN else name
    )


def take_position(name: str) -> Taken:
    """Take a position: a file, stdin for `-`, or the clipboard's text for CLIPBOARD. Raises InvalidInput."""
    if name == CLIPBOARD:
        from visionsweeper.io.clipboard import read_text  # seldom needed

        return Taken(_position(read_text().encode(), name), None, None)
    return Taken(read_position_file(name), None, None)


def take_solved(name: str, mines: int | None) -> tuple[Solution, int]:
    """Take a position as `take_position` does, and return its solution and its mine count.

    Raises InvalidInput for a position without a mine count, ImpossibleBoard and TooWide.
    """
    from visionsweeper.options import ReadOptions, SolveOptions

    analysis = take_position(name).analyse(ReadOptions(), SolveOptions(mines=mines))
    if analysis.problem is not None:
        raise analysis.problem
    if analysis.solution is None or analysis.mines is None:
        raise InvalidInput(f"{name} does not say how many mines its board has: give --mines")
    return analysis.solution, analysis.mines


def one_source(source: str | None, *, clipboard: bool) -> str:
    """Return the one input that was named, a file or `-`, or else the clipboard. Raises UsageError."""
    if (source is None) != clipboard:
        raise click.UsageError("give one input, or --clipboard for what is on the clipboard")
    return CLIPBOARD if source is None else source


def take(name: str) -> Taken:
    """Take what may be a position or a picture, by the ending of its name; stdin by what it holds."""
    if name == STDIN:
        from visionsweeper.io.images import load_image

        data = read_stdin("image")
        if is_picture(data):
            return Taken(None, load_image(data), None)
        return Taken(_position(_limited(data, MAX_BOARD_BYTES, subject_of(name)), name), None, None)
    if name == CLIPBOARD:
        try:
            return take_picture(name)
        except InvalidInput as no_picture:
            with suppress(InvalidInput):
                return take_position(name)
            raise InvalidInput(f"{no_picture} (nor is its text a board)") from no_picture
    from visionsweeper.formats import SUFFIXES

    return take_position(name) if name.lower().endswith(SUFFIXES) else take_picture(name)


def subject_of(name: str) -> str:
    """Return what messages call an input."""
    return {STDIN: "standard input", CLIPBOARD: "the clipboard"}.get(name, name)


def _position(data: bytes, name: str) -> StoredPosition:
    from visionsweeper.formats import read_position  # needs numpy

    try:
        return read_position(data, name)
    except InvalidInput as error:
        if is_picture(data):
            raise InvalidInput(
                f"{subject_of(name)} is a picture, not a board: read it with `visionsweeper parse`"
            ) from error
        raise InvalidInput(f"{subject_of(name)}: {error}") from error


def read_board_file(name: str) -> Board:
    """Return the board of a file, or of stdin for `-`. Raises InvalidInput, which names the file."""
    return read_position_file(name).board


def is_picture(data: bytes) -> bool:
    """Whether the bytes begin as a picture does."""
    from PIL import Image  # slow to load

    from visionsweeper.io.images import FORMATS

    try:
        with Image.open(io.BytesIO(data), formats=FORMATS):
            return True
    except Exception:  # what a damaged file makes Pillow raise is not to be listed
        return False


def _contents(name: str) -> bytes:
    """Return the bytes of a board file, or of stdin for `-`. Raises InvalidInput."""
    if name == STDIN:
        return read_stdin("board")
    try:
        data = read_at_most(Path(name), MAX_BOARD_BYTES + 1)
    except (OSError, ValueError) as error:
        raise InvalidInput(_reason(name, error)) from error
    return _limited(data, MAX_BOARD_BYTES, name)


def _reason(name: str, error: Exception) -> str:
    if isinstance(error, FileNotFoundError):
        return f"{name}: no such file"
    if isinstance(error, IsADirectoryError):
        return f"{Path(name)} is a folder, name a board file in it"
    if isinstance(error, PermissionError):
        return f"{name}: no permission to read it"
    detail = error.strerror if isinstance(error, OSError) else None
    return f"{name!r} cannot be read: {detail or error}"


def _limited(data: bytes, limit: int, name: str) -> bytes:
    if len(data) > limit:
        raise InvalidInput(f"{name} is too large: at most {limit // 2**20} MB are read")
    return data


def decoded(data: bytes, name: str) -> str:
    """Bytes as text, UTF-8 or marked UTF-16. Raises InvalidInput, with the name, for what is no text."""
    # PowerShell's `>` writes UTF-16.
    wide = data.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE))
    try:
        text = data.decode("utf-16" if wide else "utf-8-sig")
    except UnicodeDecodeError as error:
        raise InvalidInput(
            f"{name} is not a text file; a screenshot is read with `visionsweeper parse`"
        ) from error
    return text
