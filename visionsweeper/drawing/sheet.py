"""Pictures put together: lines of text, frames, pictures beside and below each other, cards in rows."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from visionsweeper.drawing.colours import INK, WHITE, Colour
from visionsweeper.drawing.layers import Stamp
from visionsweeper.drawing.text import text_mask, text_width

Picture: TypeAlias = npt.NDArray[np.uint8]
"""(H, W, 3) uint8 RGB."""


def written(
    text: str,
    size: float = 12.0,
    ink: Colour = INK,
    *,
    weight: float = 0.0,
    width: int | None = None,
    height: int | None = None,
    centred: bool = False,
    paper: Colour = WHITE,
) -> Picture:
    """Return a line of text on paper, in the middle of its height.

    `size` is the font size in px, `weight` the boldness (see text_mask). Without `width` and `height`, px,
    the paper is as large as the text; a text that is too wide ends in three dots.
    """
    mask = text_mask(text if width is None else _shortened(text, width, size), size, weight)
    strip = _paper(height or mask.shape[0], width or mask.shape[1], paper)
    covered = mask[:, :, None].astype(np.uint16)
    colour = (covered * np.array(ink, np.uint16) // 255).astype(np.uint8)
    stamp = Stamp(colour, np.repeat(255 - mask[:, :, None], 3, axis=2))
    left = (strip.shape[1] - mask.shape[1]) // 2 if centred else 0
    stamp.lay(strip, left, (strip.shape[0] - mask.shape[0]) // 2)
    return strip


def beside(*pictures: Picture, gap: int = 0, paper: Colour = WHITE) -> Picture:
    """Return the pictures beside each other, their tops level, `gap` px apart."""
    height = max(one.shape[0] for one in pictures)
    widths = [one.shape[1] for one in pictures]
    whole = _paper(height, sum(widths) + gap * (len(pictures) - 1), paper)
    left = 0
    for one in pictures:
        whole[: one.shape[0], left : left + one.shape[1]] = one
        left += one.shape[1] + gap
    return whole


def below(*pictures: Picture, gap: int = 0, paper: Colour = WHITE) -> Picture:
    """Return the pictures below each other, their left sides level, `gap` px apart."""
    return beside(*(one.swapaxes(0, 1) for one in pictures), gap=gap, paper=paper).swapaxes(0, 1).copy()


def in_rows(cards: Sequence[Picture], across: int, *, gap: int = 0, paper: Colour = WHITE) -> Picture:
    """Return the cards in rows of `across`, `gap` px apart, each on the room that the largest needs."""
    if not cards:
        return _paper(0, 0, paper)
    height, width = (max(one.shape[axis] for one in cards) for axis in (0, 1))
    room = [on_paper(one, height, width, paper=paper) for one in cards]
    rows = [beside(*room[at : at + across], gap=gap, paper=paper) for at in range(0, len(room), across)]
    return below(*rows, gap=gap, paper=paper)


def on_paper(picture: Picture, height: int, width: int, *, paper: Colour = WHITE) -> Picture:
    """Return the picture in the top left corner of at least height x width px of paper."""
    whole = _paper(max(height, picture.shape[0]), max(width, picture.shape[1]), paper)
    whole[: picture.shape[0], : picture.shape[1]] = picture
    return whole


def framed(picture: Picture, thickness: int, colour: Colour = WHITE) -> Picture:
    """Return the picture in a frame of so many px."""
    height, width = picture.shape[:2]
    whole = _paper(height + 2 * thickness, width + 2 * thickness, colour)
    whole[thickness : thickness + height, thickness : thickness + width] = picture
    return whole


def _paper(height: int, width: int, colour: Colour) -> Picture:
    return np.full((height, width, 3), colour, np.uint8)


def _shortened(text: str, width: float, size: float) -> str:
    if text_width(text) * size + 2 <= width:
        return text
    while text and text_width(f"{text}...") * size + 2 > width:
        text = text[:-1]
    return f"{text}..."
