"""Boards painted like a scene: objects stand on one background, and the object tells what the tile is."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Final, Literal

import numpy as np

from visionsweeper.synthetic import colours as c
from visionsweeper.synthetic import icons
from visionsweeper.synthetic.background import Background
from visionsweeper.synthetic.canvas import (
    Art,
    Canvas,
    Colour,
    Point,
    placed,
    recoloured,
    turned,
    with_light,
    with_outline,
    with_shadow,
)
from visionsweeper.synthetic.fonts import FontSource
from visionsweeper.synthetic.pictures import PICTURES, picture
from visionsweeper.synthetic.theme import Icon, Layer, Text, TileFace

_LOW: Final = ("grass", "grass", "bush", "brick", "cloud", "lattice", "stripes", "square", "disc", "leaf")
"""What lies flat and covers a tile."""
_STANDING: Final = tuple(name for name in PICTURES if name not in {"question", "dot", "stripes", "bars"})


def painted_faces(
    rng: np.random.Generator, fonts: Sequence[FontSource], font: FontSource, letters: FontSource, pitch: float
) -> tuple[list[TileFace], Colour]:
    """Make faces of all tile classes, and the page.

    `font` serves the digits, `letters` the question mark; `pitch` in px.
    """
    background = _background(rng)
    under = background.colour
    other = replace(background, colour=c.lighter(under, float(rng.uniform(-0.2, 0.2))))
    opened = (background if rng.random() < 0.7 else other,)
    covered = (background,)
    cover = _scenery(rng, under, letters, _LOW, near=0.7) if rng.random() < 0.85 else None
    cleared = None
    if cover is None or rng.random() < 0.65:
        cleared = (
            _post(rng, under) if rng.random() < 0.4 else _scenery(rng, under, letters, _STANDING, near=0.5)
        )
    digits = _digits(rng, opened, cleared, font, pitch)

    def face(on: Sequence[Background], *arts: Art | None, scale: float = 1.0) -> TileFace:
        return TileFace(tuple(on), tuple(Icon(art, scale) for art in arts if art is not None))

    def hidden(odds: float) -> tuple[tuple[Background, ...], Art | None]:
        """Return a mark's background: a covered tile's, with its picture or without, or an opened one's."""
        return (covered, cover) if rng.random() < odds else (opened, None)

    flag_art = _mark(rng, under, letters, fonts, "flag")
    mine_art = _mark(rng, under, letters, fonts, "mine")
    flag = face(*hidden(0.5), flag_art, scale=rng.uniform(0.75, 1.0))
    mine_on, mine_under = hidden(0.35)
    mine = face(mine_on, mine_under, mine_art, scale=rng.uniform(0.75, 1.0))
    crossed = icons.wrong_flag(rng, under, flag_art, mine_art, fonts)
    question = _sign(rng, under, rng.uniform(-0.1, 0.1))[0] if rng.random() < 0.5 else None
    ink = c.readable(c.any_colour(rng), under, 110)
    asked = icons.letter("?", letters, ink, rng.uniform(0.4, 0.7), weight=0.1)
    burst = icons.explosion(rng) if rng.random() < 0.4 else None
    hit = (
        recoloured(mine_art, c.hsv(0.0, 0.9, 0.9), rng.uniform(0.3, 0.9)) if rng.random() < 0.4 else mine_art
    )
    faces = [
        face(opened, cleared),
        *digits,
        face(covered, cover),
        flag,
        mine,
        face(mine_on, mine_under, crossed),
        face(*hidden(0.5), question, asked),
        face(opened, burst, hit),
    ]
    return faces, under


def _background(rng: np.random.Generator) -> Background:
    colour = c.hsv(rng.random(), rng.uniform(0.1, 0.7), rng.uniform(0.15, 0.95))
    grain = rng.uniform(1, 8) if rng.random() < 0.3 else 0.0
    weave: Literal["none", "blotches"] = "blotches" if rng.random() < 0.6 else "none"
    line = 0.02 if rng.random() < 0.15 else 0.0
    shade = c.lighter(colour, float(rng.uniform(-0.3, 0.3)))
    return Background(
        colour, grain=grain, weave=weave, seed=int(rng.integers(1 << 30)), line=line, line_colour=shade
    )


def _scenery(
    rng: np.random.Generator, under: Colour, font: FontSource, names: Sequence[str], *, near: float
) -> Art:
    """One to three pictures over each other; `near` are the odds of colours close to the background's."""
    canvas = Canvas()
    name = str(rng.choice(names))
    for _ in range(int(rng.integers(1, 4))):
        close = rng.random() < near
        colour = c.lighter(under, float(rng.uniform(-0.45, 0.45))) if close else c.any_colour(rng)
        art = picture(rng, name, c.readable(colour, under, 14 if close else 50), font)
        dx, dy = rng.uniform(-0.15, 0.15, 2)
        canvas.paste(placed(art, rng.uniform(0.6, 1.1), float(dx), float(dy)))
        if rng.random() < 0.4:
            name = str(rng.choice(names))
    return _modelled(rng, canvas.done())


def _modelled(rng: np.random.Generator, art: Art) -> Art:
    """Give the picture light, a rim or a shadow, or leave it as it is."""
    if rng.random() < 0.4:
        art = with_light(art, rng.uniform(0.9, 1.3), rng.uniform(0.6, 1.0))
    if rng.random() < 0.3:
        art = with_outline(art, c.gray(rng, 0, 80), rng.uniform(0.01, 0.03))
    if rng.random() < 0.3:
        art = with_shadow(art, rng.uniform(0.2, 0.6), rng.uniform(0.01, 0.04))
    return art


def _mark(
    rng: np.random.Generator,
    under: Colour,
    letters: FontSource,
    fonts: Sequence[FontSource],
    kind: Literal["flag", "mine"],
) -> Art:
    """Draw a flag or a mine: one of the usual shapes, or a picture that says nothing by itself."""
    if rng.random() < 0.55:
        usual = icons.flag if kind == "flag" else icons.mine
        return _modelled(rng, usual(rng, under, letters, fonts))
    return _scenery(rng, under, letters, _STANDING, near=0.1)


def _post(rng: np.random.Generator, under: Colour) -> Art:
    """Draw an upright post, a cross or a stump."""
    canvas = Canvas()
    wood = c.readable(_material(rng), under, 30)
    width, top = rng.uniform(0.05, 0.16), rng.uniform(0.1, 0.4)
    canvas.line([(0.5, top), (0.5, 0.9)], wood, width)
    kind = rng.random()
    if kind < 0.4:
        arm, height = rng.uniform(0.14, 0.34), rng.uniform(0.25, 0.45)
        canvas.line([(0.5 - arm, height), (0.5 + arm, height + rng.uniform(-0.06, 0.06))], wood, width)
    elif kind < 0.6:
        canvas.ellipse((0.5, 0.85), (rng.uniform(0.15, 0.4), 0.1), 0, c.lighter(wood, -0.3))
    return _modelled(rng, turned(canvas.done(), rng.uniform(-8, 8)))


def _material(rng: np.random.Generator) -> Colour:
    """Wood, stone, or anything."""
    kind = rng.random()
    if kind < 0.4:
        return c.hsv(rng.uniform(0.05, 0.13), rng.uniform(0.3, 0.8), rng.uniform(0.3, 0.9))
    return c.gray(rng, 30, 240) if kind < 0.7 else c.any_colour(rng)


def _sign(rng: np.random.Generator, under: Colour, lift: float) -> tuple[Art, Colour]:
    """Draw a board to write on, on a post or lying, its middle `lift` above the tile's; and its colour."""
    canvas = Canvas()
    board = c.readable(_material(rng), under, 30)
    wide, high, middle = rng.uniform(0.24, 0.46), rng.uniform(0.24, 0.42), 0.5 - lift
    corners: list[Point] = [
        (0.5 + x * wide + float(dx), middle + y * high + float(dy))
        for (x, y), (dx, dy) in zip(
            [(-1, -1), (1, -1), (1, 1), (-1, 1)], rng.uniform(-0.06, 0.06, (4, 2)), strict=True
        )
    ]
    if rng.random() < 0.5:
        canvas.line([(0.5, middle), (0.5 + rng.uniform(-0.05, 0.05), 0.95)], c.lighter(board, -0.3), 0.08)
    canvas.polygon(corners, board)
    if rng.random() < 0.5:
        canvas.line(corners, c.lighter(board, float(rng.choice([-0.5, 0.4]))), 0.04, closed=True)
    for _ in range(int(rng.integers(0, 4))):
        height = middle + high * rng.uniform(-0.8, 0.8)
        grain = c.lighter(board, float(rng.uniform(-0.25, 0.1)))
        canvas.line([(0.5 - 0.8 * wide, height), (0.5 + 0.8 * wide, height)], grain, 0.02)
    return _modelled(rng, canvas.done()), board


def _digits(
    rng: np.random.Generator,
    opened: tuple[Background, ...],
    cleared: Art | None,
    font: FontSource,
    pitch: float,
) -> list[TileFace]:
    """Faces of the numbers 1 to 8: on a board each, on what stands on cleared tiles, or on the background."""
    under, lift = opened[0].colour, rng.uniform(-0.12, 0.18)
    behind, below = under, None
    if rng.random() < 0.7:
        below, behind = _sign(rng, under, lift)
    elif cleared is not None and rng.random() < 0.6:
        below = cleared
    size = max(rng.uniform(0.3, 0.55), 7.0 / pitch)
    ink = c.readable(c.WHITE if rng.random() < 0.4 else c.any_colour(rng), behind, 110)
    coloured = rng.random() < 0.35
    weight = float(rng.choice([0.0, 0.08, 0.16])) if size * pitch > 11 else 0.0
    rim = c.readable(c.BLACK, ink, 90) if rng.random() < 0.35 else None
    kept = (Icon(cleared),) if cleared is not None and below is not cleared and rng.random() < 0.3 else ()
    faces = []
    for digit in range(1, 9):
        colour = c.readable(c.CLASSIC[digit], behind, 90) if coloured else ink
        text = Text(str(digit), font, colour, size, dy=-lift, weight=weight, rim=rim, rim_width=size * 0.08)
        layers: tuple[Layer, ...] = (*kept, *(() if below is None else (Icon(below),)), text)
        faces.append(TileFace(opened, layers))
    return faces
