"""Chooses a whole look at random."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Final, Literal

import numpy as np

from visionsweeper.board import COVERED
from visionsweeper.synthetic import colours as c
from visionsweeper.synthetic.canvas import Colour
from visionsweeper.synthetic.emoji import emoji_faces
from visionsweeper.synthetic.fonts import FontSource
from visionsweeper.synthetic.painted import painted_faces
from visionsweeper.synthetic.random_backgrounds import random_backgrounds
from visionsweeper.synthetic.terminal import terminal_faces
from visionsweeper.synthetic.theme import Degradation, RenderTheme, Text, Veil
from visionsweeper.synthetic.tile_faces import (
    covered_faces,
    hint_layers,
    lettering,
    opened_faces,
    pick_font,
    tone,
)

_OF_EMOJI: Final = 0.035  # of the themes: boards made of emoji throughout
PAINTED: Final = 0.07
"""Share of the themes that are scenes in which objects stand for the tile classes."""


def random_theme(
    rng: np.random.Generator, fonts: Sequence[FontSource], painted: float = PAINTED
) -> RenderTheme:
    """Choose a theme; the same state of `rng` and the same fonts give the same one.

    `painted`: share, 0 to 1, of the themes that are painted scenes.
    """
    mood = rng.random()
    odd = 2.0 if mood < 0.16 else 0.25 if mood > 0.62 else 1.0
    integer = rng.random() < 0.55
    pitch = _random_pitch(rng, integer=integer)
    kind = rng.random()
    tall = (
        pitch if kind < 0.9 else pitch * (rng.uniform(0.88, 1.12) if kind < 0.95 else rng.uniform(0.6, 1.6))
    )
    tall = max(tall, 12.0)
    font = pick_font(rng, fonts, odd=odd)
    letters = lettering(rng, fonts, font)
    terminal = False
    drawn = emoji_faces(rng, fonts, font, pitch) if rng.random() < _OF_EMOJI else None
    if drawn is not None:
        faces, page = drawn
    elif terminal := rng.random() < 0.07 * min(odd, 1.0):
        faces, page = terminal_faces(rng, letters, pitch)
    elif rng.random() < painted:
        faces, page = painted_faces(rng, fonts, font, letters, pitch)
    else:
        page, covered, opened = random_backgrounds(rng, wild=odd > 1)
        plates = 0.45 if covered == opened else 0.25 if odd > 1 else 0.1 * odd
        faces = opened_faces(rng, opened, font, fonts, page, pitch=min(pitch, tall), plates=plates, odd=odd)
        faces += covered_faces(rng, covered, opened, letters, fonts, odd=odd)
    base = RenderTheme(
        faces=tuple(faces),
        page=page,
        pitch=(pitch, float(round(tall)) if integer else tall),
        checker_opened=_checker(rng, 0.14),
        checker_covered=_checker(rng, 0.14),
        uneven=float(rng.choice([1.0, 2.0])) if rng.random() < 0.08 and pitch > 20 else 0.0,
        degradation=_random_degradation(rng, pitch),
    )
    covered_tone = tone(faces[COVERED].backgrounds[0])
    if rng.random() < 0.05:
        base = replace(base, hint=hint_layers(rng, covered_tone, letters))
    if rng.random() < 0.03 and not faces[COVERED].layers and pitch > 20:
        base = replace(base, coordinates=_coordinates(rng, letters, covered_tone))
    return _with_extras(rng, _with_canvas(rng, base), covered_tone, min(odd, 1.0), terminal=terminal)


def _coordinates(rng: np.random.Generator, font: FontSource, background: Colour) -> Text:
    ink = c.readable(c.BLACK if rng.random() < 0.5 else c.any_colour(rng), background, 80)
    return Text("A1", font, ink, rng.uniform(0.22, 0.36))


def _with_canvas(rng: np.random.Generator, theme: RenderTheme) -> RenderTheme:
    """Drawn at the final size, larger and shrunk, or smaller and enlarged as pixel art is."""
    kind = rng.random()
    pitch = theme.pitch[0]
    if kind < 0.57:
        return replace(theme, crisp=rng.random() < 0.1)
    if kind < 0.92 or pitch < 22:
        return replace(theme, canvas_pitch=int(min(96, max(pitch * rng.uniform(1.1, 3.0), 24))))
    small = min(int(pitch / 1.25), int(rng.integers(14, 25)))
    ways: tuple[Literal["nearest", "linear", "cubic"], ...] = ("nearest", "nearest", "linear", "cubic")
    way = ways[int(rng.integers(len(ways)))]
    if way == "nearest" and rng.random() < 0.7:
        # Whole screen pixels for each drawn one.
        side = float(small * round(pitch / small))
        theme = replace(theme, pitch=(side, side))
    return replace(theme, canvas_pitch=small, enlarge=way, crisp=rng.random() < 0.7)


def _with_extras(
    rng: np.random.Generator, theme: RenderTheme, covered: Colour, odd: float, *, terminal: bool
) -> RenderTheme:
    if rng.random() < 0.14:
        theme = replace(
            theme,
            frontier=rng.uniform(0.02, 0.14),
            frontier_colour=c.lighter(covered, -rng.uniform(0.3, 0.9)),
            frontier_soft=bool(rng.random() < 0.5),
        )
    if rng.random() < (0.4 if terminal else 0.05 * odd):
        shown = c.any_colour(rng) if rng.random() < 0.6 else c.WHITE if c.luma(covered) < 128 else c.BLACK
        theme = replace(theme, cursor=rng.uniform(0.03, 0.12), cursor_colour=shown)
        if rng.random() < (0.8 if terminal else 0.3):
            ways: tuple[Literal["reversed", "tinted", "inked"], ...] = ("reversed", "tinted", "inked")
            theme = replace(theme, lit=ways[int(rng.integers(len(ways)))])
    if rng.random() < 0.18 * odd:
        theme = replace(theme, veil=_random_veil(rng))
    return theme


def _random_veil(rng: np.random.Generator) -> Veil:
    plain = c.WHITE if rng.random() < 0.5 else c.BLACK
    colour = c.any_colour(rng) if rng.random() < 0.5 else plain
    on: tuple[Literal["all", "covered", "opened"], ...] = ("all", "all", "covered", "covered", "opened")
    where = on[int(rng.integers(len(on)))]
    kind = rng.random()
    if kind < 0.2:
        return Veil(colour, rng.uniform(0.08, 0.35), "flat")
    if kind < 0.65:
        return Veil(colour, rng.uniform(0.05, 0.4), "slope", where, rng.uniform(0, 360))
    return Veil(colour, rng.uniform(0.1, 0.35), "blotches", where, seed=int(rng.integers(1 << 30)))


def _checker(rng: np.random.Generator, odds: float) -> float:
    return float(rng.choice([-1, 1]) * rng.uniform(0.03, 0.16)) if rng.random() < odds else 0.0


def _random_pitch(rng: np.random.Generator, *, integer: bool) -> float:
    if rng.random() < 0.12 and integer:
        return float(rng.choice([16, 16, 20, 24, 25, 30, 32, 40, 50]))
    pitch = float(np.exp(rng.uniform(np.log(13), np.log(77))))
    return float(round(pitch)) if integer else pitch


def _random_degradation(rng: np.random.Generator, pitch: float) -> Degradation:
    """Small tiles are spared what would make them unreadable."""
    degradation = Degradation()
    if rng.random() < 0.1:
        degradation = replace(degradation, resample=max(rng.uniform(0.6, 1.7), 14 / pitch))
    if rng.random() < 0.1:
        degradation = replace(degradation, blur=min(rng.uniform(0.3, 0.9), pitch / 40))
    if rng.random() < 0.06:
        degradation = replace(degradation, noise=rng.uniform(0.5, 5))
    if rng.random() < 0.08:
        degradation = replace(degradation, gamma=rng.uniform(0.75, 1.3))
    if rng.random() < 0.08:
        red, green, blue = rng.uniform(0.85, 1.0, size=3)
        degradation = replace(degradation, tint=(float(red), float(green), float(blue)))
    if rng.random() < 0.25:
        degradation = replace(degradation, jpeg=int(rng.integers(45 if pitch > 20 else 70, 96)))
    return degradation
