"""Draws a board in a theme: one with a name, or a random one."""

from __future__ import annotations

from dataclasses import replace
from typing import Final

import numpy as np
import numpy.typing as npt

from visionsweeper.board import Board
from visionsweeper.drawing.layers import MAX_PIXELS
from visionsweeper.drawing.sheet import below, framed, in_rows, written
from visionsweeper.errors import InvalidInput
from visionsweeper.synthetic import RenderTheme, draw, find_fonts, random_theme
from visionsweeper.synthetic.named_themes import NAMED_THEMES
from visionsweeper.vision.tiles.classes import EXPLODED, QUESTION

RANDOM: Final = "random"
"""The name that asks for a theme chosen by the seed."""


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

    `theme` is one of NAMED_THEMES, or RANDOM for a theme that `seed` alone decides (with the shapes of digits
    that come with the program, whatever fonts are installed). `tile` is the side of a tile in px; without it
    32, or what the random theme has. Raises InvalidInput for an unknown theme and a picture too large.
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
    # Codes of the board are those of the classes; question marks, which only classes know, no text holds.
    return draw(chosen, board.cells, rng).image


def theme_sheet() -> npt.NDArray[np.uint8]:
    """Draw all named themes on one picture, (H, W, 3) uint8 RGB, with their names."""
    classes = Board.from_text(_SAMPLE).cells.copy()
    classes[_SAMPLE_QUESTION], classes[_SAMPLE_EXPLODED] = QUESTION, EXPLODED
    gap = _SHEET_TILE * 3 // 4
    cards = []
    for named in NAMED_THEMES.values():
        image = draw(_with_tile(named.make(), _SHEET_TILE), classes, np.random.default_rng(0)).image
        cards.append(below(written(named.name, 0.7 * _SHEET_TILE, height=_SHEET_TILE), image))
    return framed(in_rows(cards, _ACROSS, gap=gap), gap)


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
