"""A plain picture of a board that is known as text only."""

from __future__ import annotations

from functools import lru_cache
from typing import Final

import numpy as np
import numpy.typing as npt

from visionsweeper.board import COVERED, FLAG, MINE, SAFE, Board, TileCode
from visionsweeper.drawing.colours import Colour
from visionsweeper.drawing.layers import MAX_PIXELS, Layers, Stamp
from visionsweeper.drawing.shapes import disc, frame, polygon, rounded
from visionsweeper.geometry import Grid

TILE: Final = 40
"""Side of a tile in px, on boards of ordinary size."""

_TABLE: Final[Colour] = (112, 122, 138)
_OPENED: Final[Colour] = (240, 241, 243)
_LINE: Final[Colour] = (214, 217, 222)
_COVER: Final[Colour] = (184, 194, 208)
_COVER_LIGHT: Final[Colour] = (214, 221, 230)
_COVER_DARK: Final[Colour] = (142, 154, 172)
_BLACK: Final[Colour] = (34, 38, 46)
_RED: Final[Colour] = (208, 44, 46)
_DIGITS: Final[tuple[Colour, ...]] = (
    (0, 0, 0),
    (38, 84, 210),
    (30, 130, 62),
    (208, 44, 46),
    (66, 44, 150),
    (142, 42, 26),
    (16, 128, 138),
    (34, 38, 46),
    (112, 118, 128),
)


def draw_board(board: Board) -> tuple[npt.NDArray[np.uint8], Grid]:
    """Draw a board in a theme of our own.

    Returns the picture, (H, W, 3) uint8 RGB, and where its tiles lie in it.
    """
    side = max(min(TILE, int((MAX_PIXELS / board.cells.size) ** 0.5)), 4)
    margin = side // 4
    height, width = board.rows * side + 2 * margin, board.columns * side + 2 * margin
    picture = np.empty((height, width, 3), np.uint8)
    picture[:] = _TABLE
    for row in range(board.rows):
        for column in range(board.columns):
            _tile(board[row, column], side).lay(picture, margin + column * side, margin + row * side)
    return picture, Grid.even((margin, margin, width - margin, height - margin), board.columns, board.rows)


@lru_cache(maxsize=64)
def _tile(tile: TileCode, side: int) -> Stamp:
    layers = Layers(side, side)
    if tile in (COVERED, FLAG):
        _cover(layers, side)
        if tile == FLAG:
            _flag(layers, side)
        return layers.stamp()
    layers.add(np.ones((side, side), np.float32), _LINE)
    inside = np.zeros((side, side), np.float32)
    inside[1:, 1:] = 1
    layers.add(inside, (250, 196, 192) if tile == MINE else _OPENED)
    if tile == MINE:
        _mine(layers, side)
    elif tile == SAFE:
        _no_mine(layers, side)
    elif tile > 0:
        layers.write(str(tile), _DIGITS[tile], None, 0.7, 0.52, weight=0.05)
    return layers.stamp()


def _cover(layers: Layers, side: int) -> None:
    layers.add(np.ones((side, side), np.float32), _TABLE)
    layers.add(rounded(side, side, 0.0, 0.1), _COVER_DARK)
    light = rounded(side, side, 0.0, 0.1).copy()
    light[round(0.94 * side) :] = 0
    layers.add(light, _COVER_LIGHT)
    layers.add(rounded(side, side, 0.05, 0.08), _COVER)
    layers.add(frame(side, side, 0.0, 0.02), _COVER_DARK, 0.6)


def _flag(layers: Layers, side: int) -> None:
    layers.add(polygon(side, side, [(0.47, 0.2), (0.53, 0.2), (0.53, 0.74), (0.47, 0.74)]), _BLACK)
    layers.add(polygon(side, side, [(0.3, 0.8), (0.36, 0.72), (0.64, 0.72), (0.7, 0.8)]), _BLACK)
    layers.add(polygon(side, side, [(0.53, 0.2), (0.78, 0.345), (0.53, 0.49)]), _RED)


def _mine(layers: Layers, side: int) -> None:
    for turn in np.arange(8) * np.pi / 4:
        tip = np.array([np.cos(turn), np.sin(turn)])
        across = np.array([-tip[1], tip[0]]) * 0.035
        corners = [0.5 + across, 0.5 + tip * 0.36 + across, 0.5 + tip * 0.36 - across, 0.5 - across]
        layers.add(polygon(side, side, [(float(x), float(y)) for x, y in corners]), _BLACK)
    layers.add(disc(side, side, 0.5, 0.5, 0.25), _BLACK)
    layers.add(disc(side, side, 0.42, 0.42, 0.065), (255, 255, 255))


def _no_mine(layers: Layers, side: int) -> None:
    """Draw a tile that holds no mine, its number unknown: a faint mine, crossed out."""
    layers.add(disc(side, side, 0.5, 0.5, 0.22), (176, 182, 190))
    for a, b in (((0.24, 0.24), (0.76, 0.76)), ((0.24, 0.76), (0.76, 0.24))):
        dx, dy = (b[1] - a[1]) * 0.07, (a[0] - b[0]) * 0.07
        corners = [
            (a[0] + dx, a[1] + dy),
            (b[0] + dx, b[1] + dy),
            (b[0] - dx, b[1] - dy),
            (a[0] - dx, a[1] - dy),
        ]
        layers.add(polygon(side, side, corners), _RED)
