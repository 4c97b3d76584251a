"""Chooses the background of covered and opened tiles, family by family."""

from __future__ import annotations

from dataclasses import replace
from typing import Final, Literal

import numpy as np

from visionsweeper.synthetic import colours as c
from visionsweeper.synthetic.background import Background, lighter
from visionsweeper.synthetic.canvas import Colour

Backgrounds = tuple[Background, ...]
"""Variants; mostly one."""

_Weave = Literal["none", "rows", "diagonal", "dots", "blotches"]
_WEAVES: Final[tuple[_Weave, ...]] = ("none", "none", "rows", "diagonal", "dots", "blotches")


def random_backgrounds(
    rng: np.random.Generator, *, wild: bool
) -> tuple[Colour, tuple[Background, ...], tuple[Background, ...]]:
    """Choose the page and the variants of covered and opened background.

    The two differ by at least a little, or are equal: then covered tiles need a picture of their own.
    """
    maker = rng.random()
    if wild:
        covered, opened, page = _wild_backgrounds(rng)
    elif maker < 0.3:
        covered, opened, page = _bevelled(rng)
    elif maker < 0.58:
        covered, opened, page = _flat(rng)
    elif maker < 0.74:
        covered, opened, page = _vivid(rng)
    elif maker < 0.86:
        covered, opened, page = _dark(rng)
    elif maker < 0.89:
        covered, opened, page = _same(rng)
    else:
        covered, opened, page = _rounded(rng)
    if rng.random() < 0.07:
        covered, opened = opened, covered
    if rng.random() < 0.09:
        grain, weave = rng.uniform(2, 14), _weave(rng)
        seeds = rng.integers(1 << 30, size=2)
        covered = replace(covered, grain=grain, weave=weave, seed=int(seeds[0]))
        if rng.random() < 0.5:
            opened = replace(opened, grain=grain * rng.uniform(0.3, 1), weave=weave, seed=int(seeds[1]))
    if covered != opened:
        covered, opened = _parted(rng, covered, opened)
    return page, _variants(rng, covered), _variants(rng, opened)


def _parted(
    rng: np.random.Generator, covered: Background, opened: Background
) -> tuple[Background, Background]:
    """Both backgrounds, made different where a player could not tell them apart."""
    same_shape = replace(covered, colour=opened.colour, end=opened.end) == opened
    least = 9.0 if same_shape else 3.0
    if same_shape or not covered.bevel:
        apart = c.distance(covered.colour, opened.colour)
        if covered.end is not None:
            apart = max(apart, c.distance(covered.end, opened.end or opened.colour))
        if apart < least:
            step = rng.uniform(0.05, 0.15) * (1 if c.luma(opened.colour) < 128 else -1)
            covered = lighter(covered, step)
    return covered, opened


def _weave(rng: np.random.Generator) -> _Weave:
    return _WEAVES[int(rng.integers(len(_WEAVES)))]


def _variants(rng: np.random.Generator, background: Background) -> tuple[Background, ...]:
    """Mostly one; textured backgrounds sometimes differ from tile to tile."""
    if background.grain and rng.random() < 0.5:
        return tuple(replace(background, seed=background.seed + i) for i in range(4))
    if rng.random() < 0.02:
        return tuple(lighter(background, float(s)) for s in rng.uniform(-0.06, 0.06, size=4))
    return (background,)


def _bevelled(rng: np.random.Generator) -> tuple[Background, Background, Colour]:
    """Return raised covered tiles, and opened ones flat with thin lines, as of old."""
    base = (192.0, 192.0, 192.0) if rng.random() < 0.35 else c.gray(rng, 120, 235)
    if rng.random() < 0.15:
        base = c.hsv(rng.random(), rng.uniform(0.1, 0.6), rng.uniform(0.5, 0.95))
    light = c.lighter(base, rng.uniform(0.4, 1.0))
    dark = c.lighter(base, -rng.uniform(0.2, 0.6))
    covered = Background(
        base,
        bevel=rng.uniform(0.04, 0.17),
        light=light,
        dark=dark,
        soft=rng.random() < 0.25,
        gap=rng.uniform(0.01, 0.04) if rng.random() < 0.15 else 0.0,
    )
    if rng.random() < 0.2:
        covered = replace(
            covered, end=c.lighter(base, rng.uniform(-0.25, 0.25)), angle=float(rng.choice([45.0, 90.0]))
        )
    if rng.random() < 0.15:
        covered = replace(covered, line=0.01, line_colour=c.lighter(base, -0.5), sides="right-bottom")
    tone = base if rng.random() < 0.6 else c.lighter(base, rng.uniform(-0.2, 0.4))
    opened = Background(
        tone,
        line=float(rng.choice([0.01, 0.03, 0.06])),
        line_colour=dark if rng.random() < 0.7 else c.lighter(tone, -rng.uniform(0.08, 0.7)),
        sides=("left-top", "all", "right-bottom")[int(rng.choice(3, p=[0.65, 0.2, 0.15]))],
    )
    if rng.random() < 0.12:
        opened = replace(opened, line=0.0)
    style = rng.random()
    if style < 0.12:
        thin = float(rng.choice([0.4, 1.0]))
        opened = replace(
            opened, bevel=covered.bevel * thin, light=dark, dark=light, soft=covered.soft, line=0.0
        )
    elif style < 0.18:
        # Buttons that stay raised and only change their colour.
        shift = rng.uniform(0.12, 0.5) * rng.choice([-1, 1])
        opened = lighter(replace(covered, light=c.lighter(light, shift), dark=c.lighter(dark, shift)), shift)
    return covered, opened, c.lighter(base, rng.uniform(-0.4, 0.2))


def _lines(
    rng: np.random.Generator, covered: Background, opened: Background, page: Colour
) -> tuple[Background, Background]:
    """Separate tiles by gaps, by lines, or by nothing."""
    kind = rng.random()
    if kind < 0.4:
        gap = rng.uniform(0.01, 0.1)
        radius = rng.uniform(0.02, 0.25) if rng.random() < 0.45 else 0.0
        covered = replace(covered, gap=gap, radius=radius)
        bare = rng.random() < 0.12
        opened = replace(opened, gap=0.0 if bare else gap, radius=0.0 if bare else radius)
    elif kind < 0.82:
        width = float(rng.choice([0.01, 0.01, 0.02, 0.05]))
        tone = c.lighter(opened.colour, rng.uniform(-0.5, 0.5))
        tone = page if rng.random() < 0.3 else tone
        covered = replace(covered, line=width, line_colour=tone)
        opened = replace(opened, line=width if rng.random() < 0.85 else 0.0, line_colour=tone)
        if rng.random() < 0.3:
            covered = replace(covered, line_colour=c.lighter(covered.colour, rng.uniform(-0.4, 0.4)))
    return covered, opened


def _flat(rng: np.random.Generator) -> tuple[Background, Background, Colour]:
    """Grays or pale colours that differ by little; opened lighter or darker."""
    opened = (
        c.gray(rng, 150, 255)
        if rng.random() < 0.7
        else c.hsv(rng.random(), rng.uniform(0, 0.3), rng.uniform(0.75, 1))
    )
    if rng.random() < 0.6:
        covered = c.lighter(opened, -rng.uniform(0.03, 0.5))
    else:
        opened, covered = c.lighter(opened, -rng.uniform(0.03, 0.4)), opened
    if rng.random() < 0.25:
        covered = c.mix(covered, c.any_colour(rng), rng.uniform(0.1, 0.5))
    page = (c.WHITE, c.BLACK, c.gray(rng, 30, 250))[int(rng.choice(3, p=[0.4, 0.1, 0.5]))]
    a, b = _lines(rng, Background(covered), Background(opened), page)
    return _adorned(rng, a), b, page


def _vivid(rng: np.random.Generator) -> tuple[Background, Background, Colour]:
    """Saturated covered tiles on light or dark opened ones."""
    covered = c.hsv(rng.random(), rng.uniform(0.4, 1), rng.uniform(0.4, 1))
    kind = rng.random()
    if kind < 0.45:
        opened = c.gray(rng, 205, 255)
    elif kind < 0.7:
        opened = c.mix(covered, c.WHITE, rng.uniform(0.4, 0.9))
    elif kind < 0.85:
        opened = c.hsv(rng.random(), rng.uniform(0.2, 0.7), rng.uniform(0.6, 1))
    else:
        opened = c.lighter(covered, -rng.uniform(0.3, 0.8))
    page = c.WHITE if rng.random() < 0.4 else c.any_colour(rng)
    a, b = _lines(rng, Background(covered), Background(opened), page)
    return _adorned(rng, a), b, page


def _dark(rng: np.random.Generator) -> tuple[Background, Background, Colour]:
    """Dark pages."""
    opened = (
        c.gray(rng, 5, 75)
        if rng.random() < 0.7
        else c.hsv(rng.random(), rng.uniform(0.2, 0.7), rng.uniform(0.08, 0.35))
    )
    share = rng.uniform(0.04, 0.4)
    covered = c.lighter(opened, share)
    if rng.random() < 0.25:
        opened, covered = covered, opened
    if rng.random() < 0.35:
        covered = c.mix(covered, c.hsv(rng.random(), 0.8, 0.8), rng.uniform(0.1, 0.7))
    page = c.BLACK if rng.random() < 0.3 else c.gray(rng, 5, 90)
    a, b = _lines(rng, Background(covered), Background(opened), page)
    if rng.random() < 0.3:
        a = replace(
            a, bevel=rng.uniform(0.03, 0.12), light=c.lighter(covered, rng.uniform(0.1, 0.4)),
            dark=c.lighter(covered, -rng.uniform(0.2, 0.7)), soft=rng.random() < 0.3,
        )  # fmt: skip
    return _adorned(rng, a), b, page


def _rounded(rng: np.random.Generator) -> tuple[Background, Background, Colour]:
    """Buttons with round corners, shadows and gloss."""
    page = c.gray(rng, 180, 255) if rng.random() < 0.6 else c.any_colour(rng)
    covered = c.any_colour(rng)
    opened = page if rng.random() < 0.3 else c.mix(page, c.any_colour(rng), rng.uniform(0.05, 0.6))
    gap, radius = rng.uniform(0.02, 0.1), rng.uniform(0.08, 0.5)
    button = Background(covered, gap=gap, radius=radius, shadow=rng.uniform(0, 0.6) * (rng.random() < 0.5))
    hole = Background(opened, gap=gap, radius=radius)
    if rng.random() < 0.4:
        rim = c.lighter(covered, rng.uniform(-0.6, 0.4))
        button = replace(button, rim=rng.uniform(0.01, 0.06), rim_colour=rim)
        if rng.random() < 0.6:
            hole = replace(hole, rim=button.rim, rim_colour=c.lighter(opened, -rng.uniform(0.1, 0.5)))
    if rng.random() < 0.25:
        bevel = rng.uniform(0.04, 0.2)
        button = replace(
            button, bevel=bevel, light=c.lighter(covered, 0.5), dark=c.lighter(covered, -0.4), soft=True
        )
    return _adorned(rng, button), hole, page


def _same(rng: np.random.Generator) -> tuple[Background, Background, Colour]:
    """One background for covered and opened: what is printed on it tells them apart."""
    page = c.WHITE if rng.random() < 0.4 else c.BLACK if rng.random() < 0.3 else c.gray(rng, 10, 250)
    background = Background(page)
    if rng.random() < 0.5:
        background, _ = _lines(rng, background, background, page)
    return background, background, page


def _wild_backgrounds(rng: np.random.Generator) -> tuple[Background, Background, Colour]:
    """Anything goes."""
    page, covered, opened = c.any_colour(rng), c.any_colour(rng), c.any_colour(rng)
    if rng.random() < 0.35:
        opened = page
    a, b = _lines(rng, Background(covered), Background(opened), page)
    if rng.random() < 0.4:
        grain = rng.uniform(4, 18)
        a = replace(a, grain=grain, weave=_weave(rng), seed=int(rng.integers(1 << 30)))
        if rng.random() < 0.6:
            b = replace(
                b, grain=grain * rng.uniform(0.2, 1), weave=_weave(rng), seed=int(rng.integers(1 << 30))
            )
    if rng.random() < 0.3:
        b = replace(b, end=c.mix(opened, c.any_colour(rng), 0.4), radial=rng.random() < 0.5)
    return _adorned(rng, a), b, page


def _adorned(rng: np.random.Generator, background: Background) -> Background:
    kind = rng.random()
    if kind > 0.95:
        return replace(background, lip=rng.uniform(0.05, 0.16))
    if kind < 0.16:
        end = c.lighter(background.colour, rng.uniform(-0.35, 0.35))
        return replace(
            background, end=end, angle=float(rng.choice([90, 45, 135, 0])), radial=rng.random() < 0.2
        )
    if kind < 0.22:
        return replace(background, gloss=rng.uniform(0.15, 0.6))
    if kind < 0.3:
        return replace(
            background, bevel=rng.uniform(0.02, 0.12), soft=rng.random() < 0.5,
            light=c.lighter(background.colour, rng.uniform(0.1, 0.6)),
            dark=c.lighter(background.colour, -rng.uniform(0.1, 0.5)),
        )  # fmt: skip
    return background
