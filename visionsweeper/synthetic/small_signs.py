"""Marks and digits no larger than text in a wide cell, as terminals, tables and chat bots show them."""

from __future__ import annotations

from dataclasses import replace
from typing import Final

import numpy as np

from visionsweeper.board import COVERED, FLAG, MINE
from visionsweeper.synthetic.theme import Layer, RenderTheme, Text, TileFace
from visionsweeper.vision.tiles.classes import EXPLODED, QUESTION, WRONG_FLAG

_MARKS: Final = (FLAG, MINE, WRONG_FLAG, QUESTION, EXPLODED)
_DIGITS: Final = tuple(range(1, 9))

_FEWEST_PIXELS: Final = 7.0
"""Height of a digit, and side of a mark, below which they are hard to tell apart."""


def with_small_signs(rng: np.random.Generator, theme: RenderTheme) -> RenderTheme:
    """Return the theme with smaller marks, and half the time smaller digits, by one factor of 0.4 to 0.75.

    Plates behind them shrink as well. Nothing becomes smaller than 7 pixels; what is, stays as it is, and so
    does what marked tiles share with covered ones.
    """
    factor, digits = rng.uniform(0.4, 0.75), rng.random() < 0.5
    faces, pitch = list(theme.faces), min(theme.pitch)
    for label in (*_MARKS, *(_DIGITS if digits else ())):
        faces[label] = _shrunk(faces[label], factor, pitch, faces[COVERED].layers)
    return replace(theme, faces=tuple(faces))


def _shrunk(face: TileFace, factor: float, pitch: float, kept: tuple[Layer, ...]) -> TileFace:
    return replace(
        face,
        layers=tuple(layer if layer in kept else _smaller(layer, factor, pitch) for layer in face.layers),
    )


def _smaller(layer: Layer, factor: float, pitch: float) -> Layer:
    size = layer.size if isinstance(layer, Text) else layer.scale
    smaller = max(size * factor, min(size, _FEWEST_PIXELS / pitch))
    return replace(layer, size=smaller) if isinstance(layer, Text) else replace(layer, scale=smaller)
