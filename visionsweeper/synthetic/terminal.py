"""Boards made of characters, as in a text terminal: every tile is a letter or sign on a plain background."""

from __future__ import annotations

from dataclasses import replace
from typing import Final

import numpy as np

from visionsweeper.synthetic import colours as c
from visionsweeper.synthetic.background import Background
from visionsweeper.synthetic.canvas import Colour
from visionsweeper.synthetic.fonts import FontSource, has_sign
from visionsweeper.synthetic.pictures import picture
from visionsweeper.synthetic.theme import Icon, Layer, Text, TileFace

COVERED_SIGNS: Final = "#.-+~=%&_:█▓▒░■□▢·•▪◻"
BLANK_SIGNS: Final = " .-0_,'·∙"
FLAG_SIGNS: Final = "FP!>^f⚑⚐►▲"
MINE_SIGNS: Final = "*XM@B&☼●✹✱☠"
WRONG_FLAG_SIGNS: Final = "xXw%✗✘"


def terminal_faces(rng: np.random.Generator, font: FontSource, pitch: float) -> tuple[list[TileFace], Colour]:
    """Make faces of all tile classes, and the page."""
    page = (
        c.BLACK if rng.random() < 0.4 else c.gray(rng, 5, 60) if rng.random() < 0.6 else c.gray(rng, 220, 255)
    )
    background = Background(page)
    if rng.random() < 0.3:
        background = replace(background, line=0.02, line_colour=c.readable(c.gray(rng, 40, 200), page, 40))
    ink = c.readable(c.WHITE if rng.random() < 0.6 else c.any_colour(rng), page, 110)
    size = max(rng.uniform(0.35, 0.62), 7 / pitch)
    model = Text("1", font, ink, size, weight=float(rng.choice([0.0, 0.0, 0.1])) if pitch > 18 else 0.0)

    def sign(text: str, colour: Colour | None = None) -> TileFace:
        if text == " ":
            return TileFace((background,))
        return TileFace((background,), (replace(model, text=text, colour=colour or ink),))

    coloured = rng.random() < 0.6
    palette = [c.readable(c.jitter(rng, colour, 0.1), page, 90) for colour in c.CLASSIC]
    hidden = pick_sign_of(rng, COVERED_SIGNS, font)
    blank = pick_sign_of(rng, BLANK_SIGNS.replace(hidden, ""), font)
    # Tiles two characters wide may be filled with two of a sign.
    times = 2 if rng.random() < 0.15 else 1
    flag = times * pick_sign_of(rng, FLAG_SIGNS, font)
    mine = times * pick_sign_of(rng, MINE_SIGNS.replace(hidden, ""), font)
    faint = c.mix(ink, page, rng.uniform(0, 0.6))
    digits = [sign(str(d), palette[d] if coloured else None) for d in range(1, 9)]
    red = c.readable(c.hsv(rng.normal(0, 0.02), 0.9, 1), page, 60)
    covered = sign(times * hidden, c.mix(ink, page, rng.uniform(0, 0.5)))
    filled = rng.random() < 0.35
    if filled:
        # A block character, or the background itself in another colour.
        block: tuple[Layer, ...] = (
            Icon(picture(rng, str(rng.choice(["square", "lattice"])), ink, font), rng.uniform(0.8, 1.0)),
        )
        lit = replace(background, colour=c.mix(page, ink, rng.uniform(0.15, 0.7)))
        covered = TileFace((background,), block) if rng.random() < 0.6 else TileFace((lit,))
    alarm = replace(background, colour=c.hsv(0, 0.9, rng.uniform(0.5, 0.9)))
    shown = sign(mine, red if rng.random() < 0.5 else None)
    wrong = sign(
        pick_sign_of(rng, WRONG_FLAG_SIGNS.replace(mine[0], ""), font), red if rng.random() < 0.5 else None
    )
    exploded = TileFace((alarm,), (replace(model, text=mine, colour=c.readable(c.WHITE, alarm.colour, 90)),))
    if rng.random() < 0.35:
        # The flag as it was: in red, on red, or with another sign beside it.
        way = rng.random()
        wrong = sign(flag, red) if way < 0.25 and not coloured else TileFace((alarm,), sign(flag).layers)
        if way > 0.65:
            wrong = sign(flag + str(rng.choice(list("/\\x-!"))), red if rng.random() < 0.5 else None)
    marks = [sign(flag, red if coloured else None), shown, wrong, sign("?"), exploded]
    return [sign(blank, faint), *digits, covered, *marks], page


def pick_sign_of(rng: np.random.Generator, signs: str, font: FontSource) -> str:
    """Pick one of the signs that the font has; the first ones of each list are in all fonts."""
    able = [sign for sign in signs if sign == " " or has_sign(font, sign)] or list(signs[:1])
    return able[int(rng.integers(len(able)))]
