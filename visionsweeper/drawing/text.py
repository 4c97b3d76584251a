"""Text as coverage masks, in the font that Pillow carries (Aileron, CC0)."""

from __future__ import annotations

from functools import lru_cache
from typing import Final

import cv2
import numpy as np
import numpy.typing as npt
from PIL import Image, ImageDraw, ImageFont

_FINE: Final = 4
"""Glyphs are drawn this many times larger and averaged down: sub-pixel sizes, even strokes."""
_EM: Final = 100
"""Font size at which widths are measured."""
DIGIT_HEIGHT: Final = 0.71
"""Height of a digit in units of the font size."""


@lru_cache(maxsize=64)
def _font(size: int) -> ImageFont.FreeTypeFont:
    font = ImageFont.load_default(size)
    if not isinstance(font, ImageFont.FreeTypeFont):
        raise RuntimeError("Pillow was built without FreeType; install the Pillow wheel from PyPI")
    return font


@lru_cache(maxsize=4096)
def text_width(text: str) -> float:
    """Return the width of a text in units of the font size."""
    return float(_font(_EM).getlength(text)) / _EM


def fitting_size(text: str, width: float, height: float) -> float:
    """Return the largest font size in px at which the text's digits fit into width x height px."""
    return min(width / max(text_width(text), 0.01), height / DIGIT_HEIGHT)


@lru_cache(maxsize=2048)
def text_mask(text: str, size: float, weight: float = 0.03) -> npt.NDArray[np.uint8]:
    """Draw a text as (height, width) uint8 coverage, 0..255, read-only, with one pixel of air around.

    `size` is the font size in px, `weight` half the extra stroke in units of the size.
    The height depends on the size alone and is centred on the digits, so that centred texts align.
    """
    fine = max(round(size * _FINE), 1)
    font = _font(fine)
    left, _, right, _ = font.getbbox(text, anchor="ls")
    width = int(np.ceil((right - left) / _FINE)) + 2
    height = int(np.ceil(1.1 * size)) + 2
    drawing = Image.new("L", (width * _FINE, height * _FINE))
    baseline = round(drawing.height / 2 + DIGIT_HEIGHT * fine / 2)
    start = (drawing.width - (right - left)) // 2 - left
    ImageDraw.Draw(drawing).text((start, baseline), text, fill=255, font=font, anchor="ls")
    canvas = np.asarray(drawing, dtype=np.uint8)
    bold = 2 * round(fine * weight) + 1
    pen = cv2.getStructuringElement(cv2.MORPH_ELLIPSE, (bold, bold))
    canvas = np.asarray(cv2.dilate(canvas, pen), dtype=np.uint8)
    mask = np.asarray(cv2.resize(canvas, (width, height), interpolation=cv2.INTER_AREA), dtype=np.uint8)
    mask.setflags(write=False)
    return mask
