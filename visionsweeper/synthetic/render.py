"""Draws a board in a look: one with a name, or a random one."""

from __future__ import annotations

from dataclasses import replace
from typing import Final

import cv2
import numpy as np
import numpy.typing as npt

from visionsweeper.board import Board
from visionsweeper.drawing.text import text_mask
from visionsweeper.errors import InvalidInput
from visionsweeper.synthetic import RenderTheme, draw, find_fonts, random_theme
from visionsweeper.synthetic.named_themes import NAMED_THEMES
from visionsweeper.vision.tiles.classes import EXPLODED, QUESTION

RANDOM: Final = "random"
"""The name that asks for a look chosen by the seed."""

MAX_PIXELS: Final = 64_000_000
"""Larger pictures are not drawn."""

_SAMPLE: Final = """
0 1 ? ? F 2 1 0 0
0 1 2 3 F ? 1 0 0
0 0 0 1 2 2 2 1 1
1 1 0 0 0 0 1 ? ?
? 2 1 1 0 0 1 4 ?
? ? 5 * 6 x 7 8 ?
"""
_SAMPLE_QUESTION: Final = (4, 8)
_SAMPLE_EXPLODED: Final = (5, 3)
_SHEET_TILE: Final = 32
_ACROSS: Final = 3


def render_board(
    board: Board, theme: str = "classic", *, tile: int | None = None, seed: int = 0
) -> npt.NDArray[np.uint8]:
    """Draw a board, (H, W, 3) uint8 RGB, nothing around it.

    `theme` is one of NAMED_THEMES, or RANDOM for a look that `seed` alone decides (with the shapes of digits
    that come with the program, whatever fonts are installed). `tile` is the side of a tile in px; without it
    32, or what the random look has. Raises InvalidInput for an unknown theme and a picture too large.
    """
    rng = np.random.default_rng(seed)
    chosen = _with_tile(_theme(theme, rng), tile)
    pitch_x, pitch_y = (max(pitch, chosen.canvas_pitch) for pitch in chosen.pitch)
    pixels = pitch_x * pitch_y * board.cells.size
    if pixels > MAX_PIXELS:
        raise InvalidInput(
            f"{board.columns}x{board.rows} tiles of {chosen.pitch[0]:.0f} px are too large a picture: "
            f"at most {MAX_PIXELS // 10**6} million pixels are drawn, give a smaller --tile"
        )
    # The codes of the board are those of the looks; what only looks know, question marks, no text can hold.
    return draw(chosen, board.cells, rng).image


def theme_sheet() -> npt.NDArray[np.uint8]:
    """All named themes on one picture, (H, W, 3) uint8 RGB, with their names."""
    classes = Board.from_text(_SAMPLE).cells.copy()
    classes[_SAMPLE_QUESTION], classes[_SAMPLE_EXPLODED] = QUESTION, EXPLODED
    rows, columns = classes.shape
    gap, head = _SHEET_TILE * 3 // 4, _SHEET_TILE
    width, height = columns * _SHEET_TILE + gap, rows * _SHEET_TILE + head + gap
    down = -(-len(NAMED_THEMES) // _ACROSS)
    sheet = np.full((down * height + gap, _ACROSS * width + gap, 3), 255, dtype=np.uint8)
    for place, named in enumerate(NAMED_THEMES.values()):
        top, left = place // _ACROSS * height + gap, place % _ACROSS * width + gap
        _caption(sheet[top : top + head - 6, left : left + width], named.name)
        image = draw(_with_tile(named.make(), _SHEET_TILE), classes, np.random.default_rng(0)).image
        sheet[top + head : top + head + image.shape[0], left : left + image.shape[1]] = image
    return sheet


def _theme(name: str, rng: np.random.Generator) -> RenderTheme:
    if name == RANDOM:
        return random_theme(rng, find_fonts([]))
    if name not in NAMED_THEMES:
        raise InvalidInput(f"there is no theme {name!r}: choose {', '.join(NAMED_THEMES)} or {RANDOM}")
    return NAMED_THEMES[name].make()


def _with_tile(theme: RenderTheme, tile: int | None) -> RenderTheme:
    if tile is None:
        return theme
    return replace(theme, pitch=(float(tile), float(tile) * theme.pitch[1] / theme.pitch[0]))


def _caption(place: npt.NDArray[np.uint8], text: str) -> None:
    mask = text_mask(text, place.shape[0] * 0.8, 0.0)
    mask = mask[: place.shape[0], : place.shape[1]]
    part = place[: mask.shape[0], : mask.shape[1]]
    part[:] = cv2.subtract(part, np.repeat((mask * 0.8).astype(np.uint8)[..., None], 3, axis=2))
