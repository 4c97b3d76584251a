"""Inputs: standard input by its name, board files as text."""

from __future__ import annotations

import codecs
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Final, Literal

from visionsweeper.errors import InvalidInput
from visionsweeper.io.files import read_at_most

if TYPE_CHECKING:
    from visionsweeper.board import Board

STDIN: Final = "-"
MAX_STDIN_BYTES: Final = 256 * 1024 * 1024
MAX_BOARD_BYTES: Final = 16 * 1024 * 1024
"""Far beyond the largest board that is accepted, comments and spaces included."""


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
    """The text of a board file, or of stdin for `-`. Raises InvalidInput for what is no text."""
    if name == STDIN:
        return decoded(read_stdin("board"), "standard input")
    try:
        data = read_at_most(Path(name), MAX_BOARD_BYTES + 1)
    except (OSError, ValueError) as error:
        raise InvalidInput(_reason(name, error)) from error
    return decoded(_limited(data, MAX_BOARD_BYTES, name), name)


def read_board_file(name: str) -> Board:
    """The board of a file, or of stdin for `-`. Raises InvalidInput, which names the file."""
    from visionsweeper.board import Board  # needs numpy

    text = read_board_text(name)
    try:
        return Board.from_text(text)
    except InvalidInput as error:
        raise InvalidInput(f"{'standard input' if name == STDIN else name}: {error}") from error


def _reason(name: str, error: Exception) -> str:
    if isinstance(error, FileNotFoundError):
        return f"{name}: no such file"
    if isinstance(error, IsADirectoryError):
        return f"{name} is a folder, name a board file in it"
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
