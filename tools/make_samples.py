"""Draws the screenshots in samples/, writes their truth beside them, and a board as text.

Run `python tools/make_samples.py` from the root of the checkout. Everything is seeded, and the looks
are this file's own: no training picture is drawn by it, and no game's artwork went in.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TypeAlias

import numpy as np
import numpy.typing as npt
from PIL import Image

from visionsweeper.board import COVERED, FLAG, MINE, SAFE, Board
from visionsweeper.drawing.colours import Colour
from visionsweeper.drawing.layers import Layers
from visionsweeper.drawing.shapes import disc, polygon, rounded

SAMPLES = Path(__file__).parent.parent / "samples"

QUESTION, EXPLODED = 13, 14
"""What a screenshot tells apart beyond the tile codes of a board."""

Cells: TypeAlias = npt.NDArray[np.uint8]
Mines: TypeAlias = npt.NDArray[np.bool_]


def main() -> None:
    """Write every screenshot and its truth."""
    classic, dark, flat = Look(24, 24, classic_tile), Look(33, 33, dark_tile), Look(36.5, 36.5, flat_tile)
    expert = play(seed=12, size=(16, 30), mines=99, share=0.6, flags=0.3)
    write("expert", expert, classic)
    write(
        "intermediate-dark", play(seed=4, size=(16, 16), mines=40, share=0.62, flags=0.4, questions=2), dark
    )
    write("beginner-flat", play(seed=9, size=(9, 9), mines=10, share=0.6, flags=0.5), flat, border=5)
    write(
        "lost",
        play(seed=21, size=(16, 16), mines=40, share=0.7, flags=0.6, lose=True),
        Look(20, 20, classic_tile),
    )
    late = play(seed=30, size=(16, 30), mines=99, share=0.85, flags=0.0)
    note = "# 30x16, 99 mines, late in the game, no flags.\n"
    (SAMPLES / "boards" / "expert.txt").write_text(note + str(Board(late)), encoding="ascii")


def play(
    *,
    seed: int,
    size: tuple[int, int],
    mines: int,
    share: float,
    flags: float,
    questions: int = 0,
    lose: bool = False,
) -> Cells:
    """Play a game of (rows, columns) along its frontier until `share` of the safe tiles is open.

    A share `flags` of the mines that touch an opened number is flagged; `questions` covered tiles get a
    question mark. A lost game shows its mines, one exploded, and one wrong flag.
    """
    rng = np.random.default_rng(seed)
    rows, columns = size
    r, c = np.divmod(np.arange(rows * columns), columns)
    start = int(rng.integers(rows * columns))
    far = np.flatnonzero(np.maximum(abs(r - r[start]), abs(c - c[start])) > 1)
    field: Mines = np.zeros(size, np.bool_)
    field.flat[rng.choice(far, mines, replace=False)] = True
    numbers = around(field)
    opened = np.zeros_like(field)
    flood(opened, numbers, int(r[start]), int(c[start]))
    while opened.sum() < share * (~field).sum():
        edge = np.argwhere(~opened & ~field & (around(opened) > 0))
        flood(opened, numbers, *edge[rng.integers(len(edge))].tolist())
    cells = np.where(opened, numbers, COVERED).astype(np.uint8)
    touched = ~opened & (around(opened) > 0)
    cells[field & touched & (rng.random(size) < flags)] = FLAG
    if questions:
        rest = np.argwhere(touched & (cells == COVERED))
        cells[tuple(rng.choice(rest, questions, replace=False).T)] = QUESTION
    if lose:
        cells[field & (cells == COVERED)] = MINE
        cells[tuple(rng.choice(np.argwhere(touched & ~field)))] = SAFE
        cells[tuple(rng.choice(np.argwhere(touched & (cells == MINE))))] = EXPLODED
    return cells


def around(mask: Mines) -> npt.NDArray[np.int64]:
    """How many of the neighbours are True."""
    padded = np.pad(mask.astype(np.int64), 1)
    rows, columns = mask.shape
    return sum(padded[i : i + rows, j : j + columns] for i in range(3) for j in range(3)) - mask


def flood(opened: Mines, numbers: npt.NDArray[np.int64], row: int, column: int) -> None:
    """Open a tile, and around zeros all that follows."""
    waiting = [(row, column)]
    while waiting:
        r, c = waiting.pop()
        if not (0 <= r < opened.shape[0] and 0 <= c < opened.shape[1]) or opened[r, c]:
            continue
        opened[r, c] = True
        if numbers[r, c] == 0:
            waiting += [(r + i, c + j) for i in (-1, 0, 1) for j in (-1, 0, 1)]


@dataclass(frozen=True)
class Look:
    """How a game looks."""

    pitch_x: float
    pitch_y: float
    draw: Callable[[int, int, int, bool], Layers]
    """(code, width, height, odd tile of a checkerboard) -> the tile."""


def write(name: str, cells: Cells, look: Look, border: int = 0) -> None:
    """Write NAME.png and NAME.txt; `border` px of the window's background stay around the grid."""
    rows, columns = cells.shape
    x = [border + round(i * look.pitch_x) for i in range(columns + 1)]
    y = [border + round(i * look.pitch_y) for i in range(rows + 1)]
    picture = np.full((y[-1] + border, x[-1] + border, 3), 226, np.uint8)
    for row in range(rows):
        for column in range(columns):
            width, height = x[column + 1] - x[column], y[row + 1] - y[row]
            tile = look.draw(int(cells[row, column]), width, height, (row + column) % 2 == 1)
            tile.stamp().lay(picture, x[column], y[row])
    Image.fromarray(picture).save(SAMPLES / f"{name}.png", optimize=True)
    truth = cells.copy()
    truth[cells == QUESTION] = COVERED
    truth[cells == EXPLODED] = MINE
    (SAMPLES / f"{name}.txt").write_text(str(Board(truth)), encoding="ascii")


def classic_tile(code: int, width: int, height: int, odd: bool) -> Layers:
    """Gray with raised edges, as games of the nineties had them."""
    tile = Layers(width, height)
    whole = np.ones((height, width), np.float32)
    if code in (COVERED, FLAG, QUESTION):
        edge = max(round(width / 9), 2)
        tile.add(whole, (128, 128, 128))
        # the light edges meet the dark ones along the diagonal
        y, x = np.mgrid[0:height, 0:width]
        tile.add(((x / width + y / height) < 1).astype(np.float32), (255, 255, 255))
        tile.add(inner(width, height, edge), (192, 192, 192))
    else:
        tile.add(whole, (128, 128, 128))
        middle = np.zeros((height, width), np.float32)
        middle[1:, 1:] = 1
        tile.add(middle, (255, 40, 40) if code == EXPLODED else (192, 192, 192))
    colours = ((0, 0, 255), (0, 128, 0), (255, 0, 0), (0, 0, 128), (128, 0, 0), (0, 128, 128), (0, 0, 0))
    symbols(tile, code, (*colours, (112, 112, 112)), (230, 0, 0), (0, 0, 0))
    return tile


def dark_tile(code: int, width: int, height: int, odd: bool) -> Layers:
    """Draw rounded tiles with gaps on a dark window."""
    tile = Layers(width, height)
    tile.add(np.ones((height, width), np.float32), (24, 26, 32))
    covered = code in (COVERED, FLAG, QUESTION)
    shade = (70, 78, 94) if covered else (150, 40, 44) if code == EXPLODED else (36, 39, 47)
    tile.add(rounded(width, height, 0.04, 0.14), shade)
    colours = (
        (110, 168, 254),
        (105, 208, 128),
        (255, 118, 117),
        (190, 140, 255),
        (255, 176, 84),
        (84, 214, 214),
        (236, 236, 240),
        (160, 166, 178),
    )
    symbols(tile, code, colours, (255, 92, 92), (225, 228, 235))
    return tile


def flat_tile(code: int, width: int, height: int, odd: bool) -> Layers:
    """Draw a flat checkerboard of blue on sand."""
    tile = Layers(width, height)
    covered = code in (COVERED, FLAG, QUESTION)
    shades = ((116, 172, 223), (128, 184, 233)) if covered else ((236, 225, 204), (228, 215, 191))
    tile.add(np.ones((height, width), np.float32), shades[odd])
    colours = (
        (25, 98, 190),
        (48, 130, 62),
        (206, 48, 46),
        (112, 40, 150),
        (200, 110, 10),
        (10, 134, 140),
        (50, 50, 54),
        (120, 116, 110),
    )
    symbols(tile, code, colours, (226, 56, 20), (40, 44, 52))
    return tile


def symbols(tile: Layers, code: int, digits: tuple[Colour, ...], cloth: Colour, ink: Colour) -> None:
    """Draw what stands on a tile."""
    height, width = tile.through.shape[:2]
    if 1 <= code <= 8:
        tile.write(str(code), digits[code - 1], None, 0.8, 0.58, weight=0.06)
    elif code == QUESTION:
        tile.write("?", ink, None, 0.8, 0.55, weight=0.05)
    elif code == FLAG:
        tile.add(polygon(width, height, [(0.5, 0.2), (0.57, 0.2), (0.57, 0.75), (0.5, 0.75)]), ink)
        tile.add(polygon(width, height, [(0.28, 0.82), (0.36, 0.7), (0.66, 0.7), (0.74, 0.82)]), ink)
        tile.add(polygon(width, height, [(0.57, 0.18), (0.22, 0.35), (0.57, 0.52)]), cloth)
    elif code in (MINE, EXPLODED, SAFE):
        for turn in range(4):
            angle = turn * np.pi / 4
            dx, dy = 0.37 * np.cos(angle), 0.37 * np.sin(angle)
            nx, ny = -0.04 * np.sin(angle), 0.04 * np.cos(angle)
            ends = [(dx + nx, dy + ny), (-dx + nx, -dy + ny), (-dx - nx, -dy - ny), (dx - nx, dy - ny)]
            tile.add(polygon(width, height, [(0.5 + float(x), 0.5 + float(y)) for x, y in ends]), ink)
        tile.add(disc(width, height, 0.5, 0.5, 0.26), ink)
        tile.add(disc(width, height, 0.41, 0.41, 0.07), (255, 255, 255))
        if code == SAFE:
            for sign in (1, -1):
                bar = [(0.14, -0.05), (0.14, 0.05), (0.86, 0.05), (0.86, -0.05)]
                slanted = [(x, 0.5 + sign * (x - 0.5) + y) for x, y in bar]
                tile.add(polygon(width, height, slanted), (255, 0, 0))


def inner(width: int, height: int, edge: int) -> npt.NDArray[np.float32]:
    """1 within `edge` px of the rim, 0 outside."""
    mask = np.zeros((height, width), np.float32)
    mask[edge : height - edge, edge : width - edge] = 1
    return mask


if __name__ == "__main__":
    main()
