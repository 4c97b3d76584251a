"""The board: an immutable value, its text notation and its neighbours."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache
from typing import Any, Final, Literal, TypeAlias, TypeVar

import numpy as np
import numpy.typing as npt

from visionsweeper.errors import InvalidInput

_Value = TypeVar("_Value", bound=np.generic)

TileCode: TypeAlias = int
"""A tile code: 0 to 8 opened with that number, else one of the constants below."""

COVERED: Final = 9
FLAG: Final = 10
MINE: Final = 11
"""A mine that is shown: a fact."""
SAFE: Final = 12
"""No mine, number unknown: a wrong flag shown after a loss, or set by hand."""

SYMBOLS: Final = "012345678?F*x"
"""Tile code -> character of the board notation."""

MAX_TILES: Final = 1_000_000
"""Boards beyond this many tiles are refused rather than worked on for hours."""

Side: TypeAlias = Literal["left", "right", "top", "bottom"]

SIDES: Final[tuple[Side, ...]] = ("left", "right", "top", "bottom")
"""The sides of a board, in the order in which they are named."""

_UNKNOWN: Final = 255
"""Stands for a character that is none of the notation."""

_CODES: Final = bytes(
    0 if chr(byte) in "._" else SYMBOLS.index(chr(byte)) if chr(byte) in SYMBOLS else _UNKNOWN
    for byte in range(256)
)
"""ASCII code of a character -> tile code."""

STANDARD_MINES: Final = {(8, 8): 10, (9, 9): 10, (16, 16): 40, (30, 16): 99, (16, 30): 99}
"""(width, height) -> mine count of the standard games."""


@dataclass(frozen=True, eq=False)
class Board:
    """An immutable board, as a player sees it.

    Hashable; equal to another board with the same cells that continues at the same sides.
    """

    cells: npt.NDArray[np.uint8]
    """(rows, columns) uint8 tile codes, read-only."""
    continues: tuple[Side, ...] = ()
    """Sides where the board goes on beyond what is seen, in the order of SIDES: numbers there have neighbours
    that nothing is known of, and how many mines the tiles in view hold is not known either."""

    def __post_init__(self) -> None:
        """Validate; raises InvalidInput for an empty or ill-shaped array, unknown codes or sides."""
        unknown_sides = [side for side in self.continues if side not in SIDES]
        if unknown_sides:
            raise InvalidInput(f"{unknown_sides[0]!r} is not a side of a board: use {', '.join(SIDES)}")
        object.__setattr__(self, "continues", tuple(side for side in SIDES if side in self.continues))
        try:
            given = np.asarray(self.cells)
        except ValueError as error:
            raise InvalidInput("the rows of a board must have the same length") from error
        if given.ndim != 2 or given.size == 0:
            raise InvalidInput("a board needs at least one row of at least one tile")
        if given.size > MAX_TILES:
            raise InvalidInput(
                f"a board of {given.shape[1]}x{given.shape[0]} tiles is too large: "
                f"at most {MAX_TILES} tiles are accepted"
            )
        if given.dtype.kind not in "iu":
            raise InvalidInput(f"tile codes must be whole numbers, not {given.dtype}")
        unknown = given[(given < 0) | (given >= len(SYMBOLS))]
        if unknown.size:
            raise InvalidInput(f"unknown tile code {int(unknown[0])}")
        cells = np.array(given, dtype=np.uint8)
        cells.setflags(write=False)
        object.__setattr__(self, "cells", cells)

    @property
    def rows(self) -> int:
        """Number of rows (the height)."""
        return int(self.cells.shape[0])

    @property
    def columns(self) -> int:
        """Number of columns (the width)."""
        return int(self.cells.shape[1])

    @cached_property
    def covered(self) -> npt.NDArray[np.bool_]:
        """(rows, columns) bool, read-only: covered tiles, flagged ones included."""
        return _read_only((self.cells == COVERED) | (self.cells == FLAG))

    @cached_property
    def flags(self) -> npt.NDArray[np.bool_]:
        """(rows, columns) bool, read-only: flagged tiles."""
        return _read_only(self.cells == FLAG)

    @cached_property
    def numbers(self) -> npt.NDArray[np.bool_]:
        """(rows, columns) bool, read-only: opened tiles that show a number, 0 included."""
        return _read_only(self.cells < COVERED)

    @cached_property
    def shown_mines(self) -> npt.NDArray[np.bool_]:
        """(rows, columns) bool, read-only: mines that are shown."""
        return _read_only(self.cells == MINE)

    @cached_property
    def unseen_around(self) -> npt.NDArray[np.uint8]:
        """(rows, columns) uint8, read-only: how many neighbours of each tile are not in view, 0 to 5."""
        return _read_only(count_around(~self.padded(np.ones(self.cells.shape, dtype=np.bool_)))[self.inner])

    @property
    def margins(self) -> tuple[tuple[int, int], tuple[int, int]]:
        """1 for each side at which the board goes on, else 0: ((top, bottom), (left, right))."""
        left, right, top, bottom = (int(side in self.continues) for side in SIDES)
        return (top, bottom), (left, right)

    @property
    def inner(self) -> tuple[slice, slice]:
        """Where the rows and columns in view lie in an array that was `padded`."""
        (top, _), (left, _) = self.margins
        return slice(top, top + self.rows), slice(left, left + self.columns)

    def padded(self, values: npt.NDArray[_Value], fill: int = 0) -> npt.NDArray[_Value]:
        """Return (rows, columns) values with a line of `fill` beyond each side that is not in view."""
        return np.pad(values, self.margins, constant_values=fill)

    def changed(self, cells: npt.NDArray[np.uint8]) -> Board:
        """Return a board with other (rows, columns) tile codes that goes on at the same sides."""
        return replace(self, cells=cells)

    def __getitem__(self, tile: tuple[int, int]) -> TileCode:
        return int(self.cells[tile])

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, Board)
            and self.continues == other.continues
            and np.array_equal(self.cells, other.cells)
        )

    def __hash__(self) -> int:
        return hash((self.cells.shape, self.cells.tobytes(), self.continues))

    def __str__(self) -> str:
        return "".join("".join(SYMBOLS[code] for code in row) + "\n" for row in self.cells)

    def to_rows(self) -> list[str]:
        """Return the board in board notation, one string for each row."""
        return str(self).splitlines()

    @classmethod
    def from_text(cls, text: str) -> Board:
        """Read the board notation.

        Blank lines and lines that begin with `#` are skipped; spaces between characters are allowed.
        Raises InvalidInput, quoting the line, for unknown characters, ragged rows or no rows at all.
        """
        if not isinstance(text, str):
            raise InvalidInput(f"a board in notation must be text, not {type(text).__name__}")
        rows: list[bytes] = []
        for number, line in enumerate(text.lstrip("\ufeff").splitlines(), start=1):
            if not line.strip() or line.lstrip().startswith("#"):
                continue
            characters = "".join(line.split())
            codes = characters.encode("utf-8", "surrogatepass").translate(_CODES)
            if _UNKNOWN in codes:
                unknown = next(c for c in characters if not c.isascii() or _CODES[ord(c)] == _UNKNOWN)
                raise InvalidInput(
                    f"line {number} of the board has an unknown character {unknown!r} in "
                    f"{_quoted(characters)}; use 0 to 8 . _ ? F * x"
                )
            if rows and len(characters) != len(rows[0]):
                plural = "" if len(characters) == 1 else "s"
                raise InvalidInput(
                    f"line {number} of the board has {len(characters)} tile{plural}, but the first row has "
                    f"{len(rows[0])}: {_quoted(characters)}"
                )
            if (len(rows) + 1) * len(characters) > MAX_TILES:
                raise InvalidInput(f"the board is too large: at most {MAX_TILES} tiles are accepted")
            rows.append(codes)
        if not rows:
            raise InvalidInput("the text holds no board: write one row of tiles on each line")
        return cls(np.frombuffer(b"".join(rows), dtype=np.uint8).reshape(len(rows), -1))

    def neighbours(self, row: int, column: int) -> Iterator[tuple[int, int]]:
        """Yield the up to eight tiles around (row, column), in reading order."""
        for r in range(max(row - 1, 0), min(row + 2, self.rows)):
            for c in range(max(column - 1, 0), min(column + 2, self.columns)):
                if (r, c) != (row, column):
                    yield r, c


def sides_from_text(text: str) -> tuple[Side, ...]:
    """Return the sides that `left,bottom` or `none` means. Raises InvalidInput."""
    named = [part.strip().lower() for part in text.split(",")]
    if named == ["none"]:
        return ()
    found = tuple(side for side in SIDES if side in named)
    if len(found) != len(named):
        raise InvalidInput(f"{text[:60]!r} is not a list of sides: give some of {','.join(SIDES)}, or none")
    return found


def going_on(board: Board, continues: object) -> Board:
    """Return the board as it goes on at the sides that JSON lists, if it does. Raises InvalidInput."""
    if not (continues is None or isinstance(continues, list)):
        raise InvalidInput(f"`continues` must be a list of sides or null, not {repr(continues)[:40]}")
    named = ",".join(str(side) for side in continues or ())
    return replace(board, continues=sides_from_text(named)) if named else board


def checked_mines(mines: object) -> int | None:
    """Return the mine count that stands in a JSON object. Raises InvalidInput unless it is one, or null."""
    if mines is None or (isinstance(mines, int) and not isinstance(mines, bool) and mines >= 0):
        return mines
    raise InvalidInput(f"the mine count must be a whole number or null, not {repr(mines)[:40]}")


def lines_from(side: Side, tiles: npt.NDArray[Any]) -> npt.NDArray[Any]:
    """Return (rows, columns) tiles as lines, the first of them the one at that side."""
    lines = tiles.T if side in {"left", "right"} else tiles
    return lines if side in {"left", "top"} else lines[::-1]


def count_around(tiles: npt.NDArray[np.bool_]) -> npt.NDArray[np.uint8]:
    """Count how many of the (rows, columns) bool tiles are in each 3x3 block, (rows, columns) uint8."""
    rows, columns = tiles.shape
    padded = np.pad(tiles, 1)
    count = np.zeros((rows, columns), dtype=np.uint8)
    for down in range(3):
        for right in range(3):
            count += padded[down : down + rows, right : right + columns]
    return count


def connected(tiles: npt.NDArray[np.bool_]) -> npt.NDArray[np.intp]:
    """Label the areas of (rows, columns) bool tiles by number: (rows, columns) intp, -1 for the others.

    Tiles that touch, by a corner too, are one area; areas are numbered by their first tile, row by row.
    """
    around = neighbour_table(*tiles.shape)
    marked = np.append(tiles.ravel(), False)  # index -1 is beyond the edge
    areas = np.full(tiles.size, -1, dtype=np.intp)
    count = 0
    for first in np.flatnonzero(marked).tolist():
        if areas[first] >= 0:
            continue
        areas[first] = count
        left = [first]
        while left:
            for tile in around[left.pop()].tolist():
                if marked[tile] and areas[tile] < 0:
                    areas[tile] = count
                    left.append(tile)
        count += 1
    return areas.reshape(tiles.shape)


def _read_only(mask: npt.NDArray[_Value]) -> npt.NDArray[_Value]:
    mask.setflags(write=False)
    return mask


def _quoted(text: str, limit: int = 40) -> str:
    return repr(text if len(text) <= limit else text[: limit - 1] + "…")


@lru_cache(maxsize=32)
def neighbour_table(rows: int, columns: int) -> npt.NDArray[np.int32]:
    """Return the row-major indices of the tiles around each, -1 for none.

    The table is (rows * columns, 8) int32, read-only.
    """
    index = np.full((rows + 2, columns + 2), -1, dtype=np.int32)
    index[1:-1, 1:-1] = np.arange(rows * columns, dtype=np.int32).reshape(rows, columns)
    shifts = [(dr, dc) for dr in range(3) for dc in range(3) if (dr, dc) != (1, 1)]
    table = np.stack([index[dr : dr + rows, dc : dc + columns].ravel() for dr, dc in shifts], axis=1)
    table.setflags(write=False)
    return table
