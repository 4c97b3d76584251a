"""The size of a board whose rows and columns are numbered, as in a terminal: the numbers tell it."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

import cv2
import numpy as np
import numpy.typing as npt

from visionsweeper.geometry import Grid
from visionsweeper.vision.counter.glyphs import as_digits, as_letters, load_characters
from visionsweeper.vision.counter.strokes import contrasts, find_strokes
from visionsweeper.vision.tiles.features import FloatArray

Floats = npt.NDArray[np.float64]

_BEFORE: Final = 4
"""Tiles before the first row or column of a cut within which its numbers are looked for."""

_LOWEST: Final = 6
"""Height of a digit, px."""

_OFF_CENTRE: Final = 0.35
"""How far from the middle of its tile a number may stand, tiles."""

_OFF_LEVEL: Final = 0.2
"""How much farther from the middle of its row a number may stand than the one above it, tiles."""

_LEVEL: Final = 0.5
"""How far from the middle of the first character of a line the others lie at most, heights of it."""

_AS_HIGH: Final = 0.2
"""By what share of its height digits are higher or lower at most: small letters are a quarter lower."""

_LETTERS_AS_HIGH: Final = 0.6
"""By what share of its height letters are higher or lower at most: some small ones have a stem."""

_NEXT_DIGIT: Final = 1.25
"""How far apart the middles of two digits of a number are at most, heights of them."""

_LIKELY: Final = 0.35
"""Probability of a digit where it belongs from which it is read."""

_READ: Final = 0.75
"""Share of the numbers of a line that have to be read."""

_FEW: Final = 2
"""Characters of words below the rows that may be in line with their numbers."""

_FEWEST: Final = 4
"""Numbers that a line has to have."""

_LEAST_HEADER: Final = 6
"""Numbers from which a first row that counts up is a header: no corner of a board has so many mines."""


@dataclass(frozen=True, eq=False)
class _Signs:
    """Characters of a strip of the picture, in tiles from the first edges of the cut."""

    along: Floats
    """(n,) where their middles are along the line of numbers,"""
    beside: Floats
    """(n,) and at a right angle to it."""
    height: Floats
    """(n,) in the units of `beside`."""
    left: Floats
    """(n,) px from the left, by which digits of one number are put in order."""
    digits: FloatArray
    """(n, 10) probability of each digit,"""
    letters: FloatArray
    """(n, 26) and of each letter."""


@dataclass(frozen=True)
class _Line:
    """A line of numbers that counts up from 0 or 1, or of letters from A on."""

    first: int
    """Index of the tile that is numbered first, from that of the cut; may be less than 0."""
    count: int
    beside: float
    """Where it lies at a right angle to it, tiles from the first edge of the cut."""


@dataclass(frozen=True, eq=False)
class NumberedTiles:
    """The tiles that numbers tell of."""

    grid: Grid
    complete: bool
    """Whether rows and columns are numbered, so that the numbers tell the size; else columns alone are."""


def numbered_tiles(image: npt.NDArray[np.uint8], grid: Grid) -> NumberedTiles | None:
    """Return the tiles whose rows and columns are numbered, in the lattice of `grid`; None without such.

    The numbers count up from 0 or 1 above the columns and to the left of the rows; of larger ones the last
    digit alone may be written, and letters from A on are numbers too. Numbers up to the picture's edge do not
    tell where the board ends. Nor do those of the rows alone: an editor numbers its lines. Those of the
    columns alone do no more than to tell that the first row of the grid is none, if they are all of it.
    `image` is (H, W, 3) uint8 RGB.
    """
    columns = list(_lines(image, grid, down=False))
    for rows in _lines(image, grid, down=True) if columns else ():
        for line in columns:
            if line.beside < rows.first and rows.beside < line.first:
                return NumberedTiles(Grid(_edges(grid.x, line), _edges(grid.y, rows)), complete=True)
    if grid.rows > 1 and any(_fills_first_row(line, grid.columns) for line in columns):
        return NumberedTiles(Grid(grid.x, grid.y[1:]), complete=False)
    return None


def _fills_first_row(line: _Line, columns: int) -> bool:
    """Whether a line of numbers fills the first row of a grid with so many columns."""
    return line.first == 0 and line.count == columns >= _LEAST_HEADER and 0.0 <= line.beside < 1.0


def _edges(edges: Floats, line: _Line) -> Floats:
    """Return the edges of the tiles that are numbered, of the lattice with these edges."""
    places = range(line.first, line.first + line.count + 1)
    return np.array([edges[at] if 0 <= at < len(edges) else _place(edges, at) for at in places])


def _lines(image: npt.NDArray[np.uint8], grid: Grid, *, down: bool) -> Iterator[_Line]:
    """Yield the lines of numbers of the rows (`down`) or columns that end in the picture.

    First those of dark digits, then those of light ones, of either the one that lies farthest in.
    """
    edges, end = (grid.y, image.shape[0]) if down else (grid.x, image.shape[1])
    for signs in _signs(image, grid, down=down):
        for seed in np.argsort(-signs.beside):
            if max(*signs.digits[seed, :2], signs.letters[seed, 0]) < _LIKELY:
                continue
            if down and _ends_a_number(signs, int(seed)):
                continue
            line = _counting_up(signs, int(seed), down=down)
            if line is not None and _place(edges, line.first + line.count + 0.5) < end:
                yield line


def _ends_a_number(signs: _Signs, seed: int) -> bool:
    """Whether a digit other than 0 stands right before a character of a row: 10 is no first number."""
    before = (signs.beside[seed] - signs.beside) / signs.height[seed]
    level = np.abs(signs.along - signs.along[seed]) <= _OFF_LEVEL
    near = level & (before > 0) & (before <= _NEXT_DIGIT)
    return bool((signs.digits[near, 1:].max(axis=1, initial=0.0) >= _LIKELY).any())


def _place(edges: Floats, tiles: float) -> float:
    """Return the px that is so many tiles behind the first of a lattice's edges."""
    return float(edges[0] + tiles * (edges[-1] - edges[0]) / (len(edges) - 1))


def _signs(image: npt.NDArray[np.uint8], grid: Grid, *, down: bool) -> Iterator[_Signs]:
    """Yield the dark, then the light characters in the first tiles of the rows or columns, or before them."""
    (height, width), (x0, y0, _, _) = image.shape[:2], grid.box
    across, below, left, top, right, bottom = grid.pitch_x, grid.pitch_y, 0, 0, width, height
    if down:
        left, right = max(int(x0 - _BEFORE * across), 0), max(int(x0 + across), 0)
    else:
        top, bottom = max(int(y0 - _BEFORE * below), 0), max(int(y0 + below), 0)
    part = image[top:bottom, left:right]
    if not part.size:
        return
    for contrast in contrasts(np.asarray(cv2.cvtColor(part, cv2.COLOR_RGB2GRAY), np.uint8)):
        strokes = find_strokes(contrast, _LOWEST)
        chosen = np.flatnonzero(strokes.boxes[:, 3] >= _LOWEST)
        if not len(chosen):
            continue
        x, y, wide, tall = strokes.boxes[chosen].astype(np.float64).T
        u, v = (left + x + wide / 2 - x0) / across, (top + y + tall / 2 - y0) / below
        along, beside, unit = (v, u, across) if down else (u, v, below)
        shares = load_characters().shares(np.stack([strokes.glyph(int(i)) for i in chosen]))
        yield _Signs(along, beside, tall / unit, x, as_digits(shares), as_letters(shares))


def _of_one_line(signs: _Signs, seed: int, as_high: float) -> npt.NDArray[np.intp]:
    """Return the characters about as high as the one at `seed` and in a line with it, from left to right."""
    height = signs.height[seed]
    level = np.abs(signs.beside - signs.beside[seed]) <= _LEVEL * height
    chosen = np.flatnonzero(level & (np.abs(signs.height - height) <= as_high * height))
    return chosen[np.argsort(signs.left[chosen])]


def _counting_up(signs: _Signs, seed: int, *, down: bool) -> _Line | None:
    """Return the numbers or letters that count up from the one at `seed` among the characters of its line."""
    digits, letters = (_of_one_line(signs, seed, as_high) for as_high in (_AS_HIGH, _LETTERS_AS_HIGH))
    lines = [(digits, "01"), (letters, "A")]
    if down:
        # Below the first digits of numbers the second ones are in no line with them.
        lines.append((_with_next_digits(signs, digits), "01"))
    found = (_counting_from(signs, seed, chosen, firsts, down=down) for chosen, firsts in lines)
    return next((line for line in found if line is not None), None)


def _with_next_digits(signs: _Signs, chosen: npt.NDArray[np.intp]) -> npt.NDArray[np.intp]:
    """Return the characters with the digits right behind them, from left to right."""
    behind = (signs.beside - signs.beside[chosen, None]) / signs.height[chosen, None]
    level = np.abs(signs.along - signs.along[chosen, None]) <= _OFF_LEVEL
    near = (level & (behind > 0) & (behind <= _NEXT_DIGIT)).any(axis=0)
    both = np.union1d(chosen, np.flatnonzero(near & (signs.digits.max(axis=1) >= _LIKELY)))
    return both[np.argsort(signs.left[both])]


def _counting_from(
    signs: _Signs, seed: int, chosen: npt.NDArray[np.intp], firsts: str, *, down: bool
) -> _Line | None:
    """Return the line that counts up from one of `firsts` at `seed`, of the `chosen` characters."""
    level = chosen[_on_a_level(signs.along[chosen], signs.along[seed])] if down else chosen
    cells: dict[int, list[int]] = defaultdict(list)
    for at in level:
        cells[int(np.floor(signs.along[at]))].append(int(at))
    start = int(np.floor(signs.along[seed]))
    if start - 1 in cells:
        return None
    for first in firsts:
        read: list[bool] = []
        while True:
            at = len(read)
            if start + at not in cells and not _is_numbered(signs, cells, start, at + 1, first):
                break
            read.append(_is_numbered(signs, cells, start, at, first))
        end = start + len(read)
        # Words below the rows may stand in line with their numbers, between two rows.
        words = int((signs.along[chosen] >= end).sum()) if len(level) < len(chosen) else 0
        all_read = len(read) >= _FEWEST and all(read[:2] + read[-2:]) and np.mean(read) >= _READ
        last = max(
            (at for at in level if signs.along[at] < end), key=lambda at: signs.along[at], default=seed
        )
        if all_read and words <= _FEW and not _goes_on(signs, int(last), end, down=down):
            return _Line(start, len(read), float(signs.beside[seed]))
    return None


def _goes_on(signs: _Signs, last: int, cell: int, *, down: bool) -> bool:
    """Whether anything, however high, is in line with the numbers in the tile after the last of them."""
    near = np.abs(signs.beside - signs.beside[last]) <= _LEVEL * signs.height[last]
    there = signs.along[near & (np.floor(signs.along) == cell)]
    return bool(len(there) and (not down or _level(there, signs.along[last]).any()))


def _level(places: Floats, number: float) -> npt.NDArray[np.bool_]:
    """(n,) which places down a line are as far from the middle of their row as a number is from its own."""
    return np.asarray(np.abs((places - number + 0.5) % 1.0 - 0.5) <= _OFF_LEVEL)


def _on_a_level(places: Floats, first: float) -> npt.NDArray[np.bool_]:
    """(n,) which of the characters at these places down a line are on a level with the number before them.

    All digits of a row's number are as far from the middle of the row as those of the row above.
    """
    level = np.ones(len(places), np.bool_)
    for at in np.argsort(places, kind="stable"):
        if places[at] > first:
            level[at] = _level(places[at], first)
            first = places[at] if level[at] else first
    return level


def _is_numbered(signs: _Signs, cells: dict[int, list[int]], start: int, place: int, first: str) -> bool:
    """Whether the characters of a tile, from left to right, are its number, or the last digit of it.

    `cells`: the characters of each tile; `place`: how many tiles it is from that at `start`, whose number is
    `first`, a digit or letter.
    """
    cell = cells.get(start + place, [])
    middle = float(np.mean([signs.along[at] for at in cell])) % 1.0 if cell else 0.0
    if abs(middle - 0.5) > _OFF_CENTRE:
        return False
    if first.isalpha():
        return len(cell) == 1 and place < signs.letters.shape[1] and signs.letters[cell[0], place] >= _LIKELY
    text = str(int(first) + place)[-len(cell) :]
    likely = [signs.digits[at, int(digit)] >= _LIKELY for at, digit in zip(cell, text, strict=False)]
    return len(text) == len(cell) and all(likely)
