"""Grids that are no boards: seats, calendars, sheets of numbers, games of other kinds; tiles in no order.

What is read in them is wrong, however clear it looks: the confidence of a model is fitted on some of them.
"""

from __future__ import annotations

import string
from collections.abc import Sequence
from dataclasses import replace
from typing import Final

import numpy as np

from visionsweeper.board import COVERED, FLAG
from visionsweeper.synthetic import colours as c
from visionsweeper.synthetic.background import Background
from visionsweeper.synthetic.fonts import FontSource
from visionsweeper.synthetic.positions import Labels
from visionsweeper.synthetic.random_themes import random_theme
from visionsweeper.synthetic.theme import Icon, Layer, RenderTheme, Text, TileFace
from visionsweeper.synthetic.tile_faces import any_picture, in_one_colour, pick_font, tone
from visionsweeper.vision.tiles.classes import CLASS_COUNT

_OWN_FACES: Final = 0.65
"""Share of the grids whose cells hold other things than the tiles of a board."""

_MOST_KINDS: Final = 9
"""Kinds of cells that a grid has at most."""


def other_grid(rng: np.random.Generator, fonts: Sequence[FontSource]) -> tuple[RenderTheme, Labels]:
    """Choose how a grid looks, and (rows, columns) uint8 which kind of cell lies where.

    The kinds stand in place of the tile classes. They lie at random or in lines, straight or aslant, so
    that no numbers count anything.
    """
    theme = random_theme(rng, fonts)
    if rng.random() < _OWN_FACES:
        backgrounds = [
            theme.faces[0].backgrounds,
            theme.faces[COVERED].backgrounds,
            theme.faces[FLAG].backgrounds,
        ]
        font = pick_font(rng, fonts, odd=0.5)
        faces = (_cell(rng, backgrounds[int(rng.integers(3))], font) for _ in range(CLASS_COUNT))
        theme = replace(theme, faces=tuple(faces))
    return theme, _kinds(rng)


def _kinds(rng: np.random.Generator) -> Labels:
    rows, columns = (int(rng.integers(5, 21)) for _ in range(2))
    kinds = rng.permutation(CLASS_COUNT)[: int(rng.integers(2, _MOST_KINDS + 1))].astype(np.uint8)
    order = rng.random()
    if order < 0.15:
        places = np.add.outer(np.arange(rows), np.arange(columns)) % len(kinds)
    elif order < 0.3:
        places = np.broadcast_to(rng.integers(len(kinds), size=columns), (rows, columns))
    else:
        shares = rng.dirichlet(np.full(len(kinds), 0.7))
        places = rng.choice(len(kinds), size=(rows, columns), p=shares)
    labels: Labels = kinds[places]
    labels.setflags(write=False)
    return labels


def _cell(rng: np.random.Generator, backgrounds: tuple[Background, ...], font: FontSource) -> TileFace:
    """Draw a cell: plain, in a colour, with a word, a number or a picture."""
    if rng.random() < 0.25:
        backgrounds = in_one_colour(c.any_colour(rng), backgrounds)
    background = tone(backgrounds[0])
    kind = rng.random()
    if kind < 0.3:
        return TileFace(backgrounds)
    ink = c.readable(c.BLACK if rng.random() < 0.5 else c.any_colour(rng), background, 80)
    layer: Layer
    if kind < 0.5:
        layer = Icon(any_picture(rng, background, font), rng.uniform(0.5, 1.0))
    elif kind < 0.75:
        number = int(rng.integers(1, 100)) if rng.random() < 0.7 else int(rng.integers(10))
        layer = Text(str(number), font, ink, rng.uniform(0.3, 0.5))
    else:
        letters = rng.choice(list(string.ascii_letters), size=int(rng.integers(1, 4)))
        layer = Text("".join(letters), font, ink, rng.uniform(0.25, 0.45))
    return TileFace(backgrounds, (layer,))
