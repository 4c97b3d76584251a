"""Boards made of emoji: every tile is a picture from a font of pictures in colour, or nearly every one."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import numpy as np

from visionsweeper.synthetic import colours as c
from visionsweeper.synthetic import icons
from visionsweeper.synthetic.background import Background
from visionsweeper.synthetic.canvas import Art, Canvas, Colour
from visionsweeper.synthetic.fonts import FontSource
from visionsweeper.synthetic.theme import Icon, Layer, Text, TileFace

COVERED_SIGNS: Final = "⬜⬜⬜🟦🟩🟫⬛🟪🟧🔲🔳◻▪❔🌳🌲☁🧱🎁📦🥚⚪🔵🟢🔘💠🌊"
BLANK_SIGNS: Final = "🐣⬜⬛▫◽🌸🌱🍀🌾🟫🟩⚪🔲✨🌼🍃🐥➖💧0⭕🆗"
_KEYCAP: Final = "\ufe0f\u20e3"


def emoji_faces(
    rng: np.random.Generator, fonts: Sequence[FontSource], font: FontSource, pitch: float
) -> tuple[list[TileFace], Colour] | None:
    """Make faces of all tile classes, and the page; None where there is no font of pictures.

    `font` serves what is left to letters; `pitch` in px.
    """
    page = c.WHITE if rng.random() < 0.5 else c.gray(rng, 0, 255) if rng.random() < 0.7 else c.any_colour(rng)
    background = Background(page)
    scale = rng.uniform(0.62, 1.0)
    change = np.random.default_rng(int(rng.integers(1 << 30)))

    def face(*layers: Layer) -> TileFace:
        return TileFace((background,), layers)

    def pictured(signs: Sequence[str]) -> Art | None:
        return icons.colour_sign(change, fonts, signs)

    hidden = str(rng.choice(list(COVERED_SIGNS)))
    free = [sign for sign in BLANK_SIGNS if sign not in (hidden, "0")]
    covered, blank = pictured([hidden]), pictured([str(rng.choice(free))])
    if covered is None or blank is None:
        return None
    digits = _digits(rng, fonts, font, page, scale, pitch)
    zero = face(Icon(blank, scale)) if rng.random() < 0.6 else face()
    if rng.random() < 0.15:
        keycap = icons.colour_sign(change, fonts, ["0" + _KEYCAP])
        zero = face(Icon(keycap, scale)) if keycap is not None else zero
    nothing = Canvas().done()
    signs = (icons.FLAG_PICTURES, icons.MINE_PICTURES, icons.WRONG_PICTURES, icons.QUESTION_PICTURES)
    flag, mine, wrong, question = (pictured(each) for each in signs)
    burst = pictured("💥🔥") if rng.random() < 0.6 else mine
    marks = [Icon(art if art is not None else nothing, scale) for art in (flag, mine, wrong, question, burst)]
    return [zero, *(face(*layers) for layers in digits), face(Icon(covered, scale)), *map(face, marks)], page


def _digits(
    rng: np.random.Generator,
    fonts: Sequence[FontSource],
    font: FontSource,
    page: Colour,
    scale: float,
    pitch: float,
) -> list[tuple[Layer, ...]]:
    """Return what the numbers 1 to 8 show: keycaps, or plain digits."""
    change = int(rng.integers(1 << 30))
    if rng.random() < 0.6:
        # The same generator for each, so that all of them change their colours alike.
        caps = [
            icons.colour_sign(np.random.default_rng(change), fonts, [str(digit) + _KEYCAP])
            for digit in range(1, 9)
        ]
        shown = [(Icon(cap, scale),) for cap in caps if cap is not None]
        if len(shown) == 8:
            return list(shown)
    size = max(rng.uniform(0.4, 0.7), 7 / pitch)
    ink = c.readable(c.any_colour(rng), page, 110)
    coloured = rng.random() < 0.6
    palette = [c.readable(c.jitter(rng, colour, 0.1), page, 90) for colour in c.CLASSIC]
    return [(Text(str(digit), font, palette[digit] if coloured else ink, size),) for digit in range(1, 9)]
