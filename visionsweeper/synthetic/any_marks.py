"""Flags and mines that look like anything: where they stand is all that tells which is which."""

from __future__ import annotations

import string
from collections.abc import Sequence
from dataclasses import replace
from typing import Final

import numpy as np

from visionsweeper.board import COVERED, FLAG, MINE
from visionsweeper.synthetic import colours as c
from visionsweeper.synthetic import icons
from visionsweeper.synthetic.background import Background
from visionsweeper.synthetic.canvas import Art, Colour
from visionsweeper.synthetic.fonts import FontSource
from visionsweeper.synthetic.random_themes import PAINTED, random_theme
from visionsweeper.synthetic.theme import Icon, RenderTheme, TileFace
from visionsweeper.synthetic.tile_faces import (
    any_picture,
    exploded_face,
    in_one_colour,
    pick_font,
    question_face,
    tone,
    wrong_face,
)
from visionsweeper.vision.tiles.classes import EXPLODED, QUESTION, WRONG_FLAG

_PICTURES: Final = [
    *map(chr, range(0x1F300, 0x1F530)),
    *map(chr, range(0x1F5FB, 0x1F650)),
    *map(chr, range(0x1F680, 0x1F6C6)),
    *map(chr, range(0x1F90C, 0x1F9FF)),
]
_LETTERS: Final = [*string.ascii_letters.replace("l", ""), *"!@#$%&*+=<>^~"]


def theme_with_any_marks(
    rng: np.random.Generator, fonts: Sequence[FontSource], share: float, painted: float = PAINTED
) -> RenderTheme:
    """Choose a theme as `random_theme` does; so many of them, 0 to 1, then get marks of any look."""
    drawn = random_theme(rng, fonts, painted)
    if share and rng.random() < share:
        return with_any_marks(rng, drawn, pick_font(rng, fonts, odd=1.0), fonts)
    return drawn


def with_any_marks(
    rng: np.random.Generator, theme: RenderTheme, letters: FontSource, fonts: Sequence[FontSource]
) -> RenderTheme:
    """Return the theme with other marks, each of any look: flags, mines, wrong flags, question marks.

    `letters` serves for letters. Flags now and then look like bombs; mines are not drawn as the
    usual flags, but a flag may be among the pictures in colour.
    """
    faces = list(theme.faces)
    if rng.random() < 0.1:
        plain = faces[COVERED]
        faces[COVERED] = replace(plain, backgrounds=_in_many_colours(rng, plain.backgrounds))
    covered, opened = faces[COVERED].backgrounds, faces[0].backgrounds
    flag, flag_art = _face(rng, covered if rng.random() < 0.93 else opened, letters, fonts, bombs=0.03)
    mine, mine_art = _face(rng, opened if rng.random() < 0.6 else covered, letters, fonts, bombs=0.3)
    faces[FLAG], faces[MINE] = flag, mine
    if rng.random() < 0.25:
        backgrounds = covered if rng.random() < 0.7 else opened
        faces[WRONG_FLAG] = _face(rng, backgrounds, letters, fonts, bombs=0.0)[0]
    else:
        faces[WRONG_FLAG] = wrong_face(rng, flag, mine, flag_art, mine_art, fonts, in_colour=False)
    faces[QUESTION] = question_face(
        rng, flag, flag_art, covered, theme.faces[COVERED].layers, letters, fonts, in_colour=False
    )
    if rng.random() < 0.2:
        faces[EXPLODED] = _face(rng, opened, letters, fonts, bombs=0.0)[0]
    else:
        faces[EXPLODED] = exploded_face(rng, mine, mine_art, opened, covered, letters)
    return replace(theme, faces=tuple(faces))


def _in_many_colours(rng: np.random.Generator, backgrounds: tuple[Background, ...]) -> tuple[Background, ...]:
    """Paint the first of the backgrounds in several colours, which tiles have by chance."""
    count = int(rng.integers(3, 8))
    if rng.random() < 0.5:
        start, saturation, value = rng.random(), rng.uniform(0.2, 0.9), rng.uniform(0.5, 1)
        colours = [c.hsv(start + at / count, saturation, value) for at in range(count)]
    else:
        colours = [c.any_colour(rng) for _ in range(count)]
    return tuple(replace(backgrounds[0], colour=colour, end=None) for colour in colours)


def _face(
    rng: np.random.Generator,
    backgrounds: tuple[Background, ...],
    letters: FontSource,
    fonts: Sequence[FontSource],
    *,
    bombs: float,
) -> tuple[TileFace, Art]:
    if rng.random() < 0.25:
        backgrounds = in_one_colour(c.any_colour(rng), backgrounds)
    background = tone(backgrounds[0])
    art = (
        icons.mine(rng, background, letters, fonts)
        if rng.random() < bombs
        else _art(rng, background, letters, fonts)
    )
    dx, dy = rng.normal(0, 0.03, size=2)
    return TileFace(backgrounds, (Icon(art, rng.uniform(0.6, 1.0), float(dx), float(dy)),)), art


def _art(
    rng: np.random.Generator, background: Colour, letters: FontSource, fonts: Sequence[FontSource]
) -> Art:
    kind = rng.random()
    shown = icons.colour_sign(rng, fonts, _PICTURES) if kind < 0.4 else None
    if shown is not None:
        return shown
    if kind < 0.7:
        colour = c.readable(c.any_colour(rng), background, 80)
        sign = str(rng.choice(_LETTERS))
        return icons.letter(sign, letters, colour, rng.uniform(0.4, 0.85), weight=float(rng.choice([0, 0.1])))
    return any_picture(rng, background, letters)
