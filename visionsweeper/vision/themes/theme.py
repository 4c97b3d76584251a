"""A theme: every choice of one look, made once, so that all tiles of a kind are drawn alike."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Final, Literal

import numpy as np

from visionsweeper.vision.themes import colours as c
from visionsweeper.vision.themes import icons
from visionsweeper.vision.themes.art import Art, Canvas, Colour, placed
from visionsweeper.vision.themes.fonts import FontSource
from visionsweeper.vision.themes.ground import Ground, lighter
from visionsweeper.vision.themes.positions import (
    COVERED,
    EXPLODED,
    FLAG,
    LOOKS,
    MINE,
    QUESTION,
    WRONG_FLAG,
)

PLAIN_FAMILIES: Final = (
    "Arimo",
    "Carlito",
    "Cantarell",
    "Courier",
    "Cousine",
    "DejaVu",
    "Fira",
    "Free",
    "Hack",
    "Inter",
    "JetBrains",
    "Lato",
    "Liberation",
    "Nimbus",
    "Noto Mono",
    "Noto Sans",
    "Open Sans",
    "Roboto",
    "Tahoma",
    "Tinos",
    "Ubuntu",
    "Verdana",
)
"""Beginnings of the names of families that programs and pages commonly use; they are drawn more often."""


@dataclass(frozen=True)
class Text:
    """A digit or letter on a tile. Lengths are shares of the tile's side."""

    text: str
    font: FontSource
    colour: Colour
    size: float
    """Height of the digit 8."""
    dx: float = 0.0
    dy: float = 0.0
    weight: float = 0.0
    """Thickening, as a share of the digit's height."""
    smooth: bool = True
    rim: Colour | None = None
    """Colour of an outline."""
    rim_width: float = 0.06
    shadow: Colour | None = None
    """Colour of a copy moved down and right."""
    shadow_step: float = 0.04
    shade: float = 0.0
    """Darkening (or lightening, below 0) of the colour towards the bottom."""


@dataclass(frozen=True, eq=False)
class Icon:
    """A picture on a tile."""

    art: Art
    scale: float = 1.0
    """Side of the art as a share of the tile's."""
    dx: float = 0.0
    dy: float = 0.0


Layer = Text | Icon


@dataclass(frozen=True, eq=False)
class Face:
    """All that tiles of one look code show."""

    grounds: tuple[Ground, ...]
    """Variants; each tile gets one of them."""
    layers: tuple[Layer, ...] = ()
    """What is printed, lowest first."""


@dataclass(frozen=True)
class Wear:
    """What happens to the picture afterwards; zeros do nothing."""

    resample: float = 0.0
    """Factor of an intermediate size, 0.5 to 2."""
    blur: float = 0.0
    """Sigma in pixels."""
    noise: float = 0.0
    """Standard deviation in gray levels."""
    gamma: float = 1.0
    tint: tuple[float, float, float] = (1.0, 1.0, 1.0)
    """Factors for red, green and blue."""
    jpeg: int = 0
    """Quality 1 to 100."""
    pointer: bool = False
    """A mouse pointer somewhere on the board."""


@dataclass(frozen=True, eq=False)
class Theme:
    """One look."""

    faces: tuple[Face, ...]
    """By look code."""
    page: Colour
    pitch: tuple[float, float]
    """Pixels from tile to tile, across and down; fractional."""
    canvas_pitch: int
    """Pixels a tile when drawn large and shrunk afterwards, or 0 to draw at the final size."""
    checker_opened: float = 0.0
    """Lightening of every other opened tile, -1 to 1."""
    checker_covered: float = 0.0
    uneven: float = 0.0
    """Largest shift in pixels of an edge between tiles."""
    frontier: float = 0.0
    """Width, as a share of a tile, of the edge of opened ground towards covered tiles."""
    frontier_colour: Colour = c.BLACK
    frontier_soft: bool = False
    wash: float = 0.0
    """Strength of a gradient of light across the whole board, gray levels."""
    wash_angle: float = 90.0
    wash_covered_only: bool = False
    wash_colour: Colour = c.WHITE
    wear: Wear = Wear()


def random_theme(rng: np.random.Generator, fonts: Sequence[FontSource]) -> Theme:
    """Choose a look; the same state of `rng` and the same fonts give the same theme."""
    wild = rng.random() < 0.17
    page, covered, opened = _grounds(rng, wild=wild)
    font = _pick_font(rng, fonts, wild=wild)
    digits = _digits(rng, opened, font, wild=wild)
    blank = _blank(rng, opened, digits, page, wild=wild)
    faces: list[Face] = [blank, *digits]
    faces += _covered_faces(rng, covered, opened, font, fonts, page, wild=wild)
    integer = rng.random() < 0.55
    pitch = _random_pitch(rng, integer=integer)
    tall = pitch if rng.random() < 0.93 else pitch * rng.uniform(0.9, 1.1)
    if integer:
        tall = float(round(tall))
    large = 0 if rng.random() < 0.6 else int(min(96, max(pitch * rng.uniform(1.1, 3.0), 24)))
    frontier = rng.random() < 0.14
    return Theme(
        faces=tuple(faces),
        page=page,
        pitch=(pitch, tall),
        canvas_pitch=large,
        checker_opened=_checker(rng, 0.14),
        checker_covered=_checker(rng, 0.14),
        uneven=float(rng.choice([1.0, 2.0])) if rng.random() < 0.08 else 0.0,
        frontier=rng.uniform(0.02, 0.14) if frontier else 0.0,
        frontier_colour=c.lighter(covered[0].colour, -rng.uniform(0.3, 0.9)),
        frontier_soft=rng.random() < 0.5,
        wash=rng.uniform(5, 45) if rng.random() < 0.1 else 0.0,
        wash_angle=rng.uniform(0, 360),
        wash_covered_only=rng.random() < 0.4,
        wash_colour=c.any_colour(rng) if rng.random() < 0.5 else (c.WHITE if rng.random() < 0.5 else c.BLACK),
        wear=_wear(rng),
    )


# --- grounds -------------------------------------------------------------------------------------


def _grounds(
    rng: np.random.Generator, *, wild: bool
) -> tuple[Colour, tuple[Ground, ...], tuple[Ground, ...]]:
    """The page and the variants of covered and opened ground, told apart by at least a little."""
    maker = rng.random()
    if wild:
        covered, opened, page = _wild_grounds(rng)
    elif maker < 0.3:
        covered, opened, page = _bevelled(rng)
    elif maker < 0.58:
        covered, opened, page = _flat(rng)
    elif maker < 0.74:
        covered, opened, page = _vivid(rng)
    elif maker < 0.88:
        covered, opened, page = _dark(rng)
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
    covered, opened = _parted(rng, covered, opened)
    return page, _variants(rng, covered), _variants(rng, opened)


def _parted(rng: np.random.Generator, covered: Ground, opened: Ground) -> tuple[Ground, Ground]:
    """Both grounds, made different where a player could not tell them apart."""
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


def _weave(rng: np.random.Generator) -> Literal["none", "rows", "diagonal", "dots", "blotches"]:
    names: tuple[Literal["none", "rows", "diagonal", "dots", "blotches"], ...] = (
        "none",
        "none",
        "rows",
        "diagonal",
        "dots",
        "blotches",
    )
    return names[int(rng.integers(len(names)))]


def _variants(rng: np.random.Generator, ground: Ground) -> tuple[Ground, ...]:
    """Mostly one; textured grounds sometimes differ from tile to tile."""
    if ground.grain and rng.random() < 0.5:
        return tuple(replace(ground, seed=ground.seed + i) for i in range(4))
    if rng.random() < 0.02:
        return tuple(lighter(ground, float(s)) for s in rng.uniform(-0.06, 0.06, size=4))
    return (ground,)


def _bevelled(rng: np.random.Generator) -> tuple[Ground, Ground, Colour]:
    """Raised covered tiles, opened ones flat with thin lines, as of old."""
    base = (192.0, 192.0, 192.0) if rng.random() < 0.35 else c.gray(rng, 120, 235)
    if rng.random() < 0.15:
        base = c.hsv(rng.random(), rng.uniform(0.1, 0.6), rng.uniform(0.5, 0.95))
    light = c.lighter(base, rng.uniform(0.4, 1.0))
    dark = c.lighter(base, -rng.uniform(0.2, 0.6))
    covered = Ground(
        base,
        bevel=rng.uniform(0.04, 0.17),
        light=light,
        dark=dark,
        soft=rng.random() < 0.25,
        gap=rng.uniform(0.01, 0.04) if rng.random() < 0.15 else 0.0,
    )
    if rng.random() < 0.2:
        covered = replace(
            covered, end=c.lighter(base, rng.uniform(-0.25, 0.25)), angle=rng.choice([45.0, 90.0])
        )
    if rng.random() < 0.15:
        covered = replace(covered, line=0.01, line_colour=c.lighter(base, -0.5), sides="right-bottom")
    tone = base if rng.random() < 0.6 else c.lighter(base, rng.uniform(-0.2, 0.4))
    opened = Ground(
        tone,
        line=float(rng.choice([0.01, 0.03, 0.06])),
        line_colour=dark if rng.random() < 0.7 else c.lighter(tone, -rng.uniform(0.08, 0.7)),
        sides=("left-top", "all", "right-bottom")[int(rng.choice(3, p=[0.65, 0.2, 0.15]))],
    )
    if rng.random() < 0.12:
        opened = replace(opened, line=0.0)
    if rng.random() < 0.1:
        opened = replace(opened, bevel=covered.bevel * 0.5, light=dark, dark=light)
    return covered, opened, c.lighter(base, rng.uniform(-0.4, 0.2))


def _lines(rng: np.random.Generator, covered: Ground, opened: Ground, page: Colour) -> tuple[Ground, Ground]:
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


def _flat(rng: np.random.Generator) -> tuple[Ground, Ground, Colour]:
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
    a, b = _lines(rng, Ground(covered), Ground(opened), page)
    return _adorned(rng, a), b, page


def _vivid(rng: np.random.Generator) -> tuple[Ground, Ground, Colour]:
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
    a, b = _lines(rng, Ground(covered), Ground(opened), page)
    return _adorned(rng, a), b, page


def _dark(rng: np.random.Generator) -> tuple[Ground, Ground, Colour]:
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
    a, b = _lines(rng, Ground(covered), Ground(opened), page)
    if rng.random() < 0.3:
        a = replace(
            a, bevel=rng.uniform(0.03, 0.12), light=c.lighter(covered, rng.uniform(0.1, 0.4)),
            dark=c.lighter(covered, -rng.uniform(0.2, 0.7)), soft=rng.random() < 0.3,
        )  # fmt: skip
    return _adorned(rng, a), b, page


def _rounded(rng: np.random.Generator) -> tuple[Ground, Ground, Colour]:
    """Buttons with round corners, shadows and gloss."""
    page = c.gray(rng, 180, 255) if rng.random() < 0.6 else c.any_colour(rng)
    covered = c.any_colour(rng)
    opened = page if rng.random() < 0.3 else c.mix(page, c.any_colour(rng), rng.uniform(0.05, 0.6))
    gap, radius = rng.uniform(0.02, 0.1), rng.uniform(0.08, 0.5)
    button = Ground(covered, gap=gap, radius=radius, shadow=rng.uniform(0, 0.6) * (rng.random() < 0.5))
    hole = Ground(opened, gap=gap, radius=radius)
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


def _wild_grounds(rng: np.random.Generator) -> tuple[Ground, Ground, Colour]:
    """Anything goes."""
    page, covered, opened = c.any_colour(rng), c.any_colour(rng), c.any_colour(rng)
    if rng.random() < 0.35:
        opened = page
    a, b = _lines(rng, Ground(covered), Ground(opened), page)
    if rng.random() < 0.4:
        grain = rng.uniform(5, 30)
        a = replace(a, grain=grain, weave=_weave(rng), seed=int(rng.integers(1 << 30)))
        if rng.random() < 0.6:
            b = replace(
                b, grain=grain * rng.uniform(0.2, 1), weave=_weave(rng), seed=int(rng.integers(1 << 30))
            )
    if rng.random() < 0.3:
        b = replace(b, end=c.mix(opened, c.any_colour(rng), 0.4), radial=rng.random() < 0.5)
    return _adorned(rng, a), b, page


def _adorned(rng: np.random.Generator, ground: Ground) -> Ground:
    kind = rng.random()
    if kind < 0.16:
        end = c.lighter(ground.colour, rng.uniform(-0.35, 0.35))
        return replace(ground, end=end, angle=float(rng.choice([90, 45, 135, 0])), radial=rng.random() < 0.2)
    if kind < 0.22:
        return replace(ground, gloss=rng.uniform(0.15, 0.6))
    if kind < 0.3:
        return replace(
            ground, bevel=rng.uniform(0.02, 0.12), soft=rng.random() < 0.5,
            light=c.lighter(ground.colour, rng.uniform(0.1, 0.6)),
            dark=c.lighter(ground.colour, -rng.uniform(0.1, 0.5)),
        )  # fmt: skip
    return ground


def _checker(rng: np.random.Generator, odds: float) -> float:
    return float(rng.choice([-1, 1]) * rng.uniform(0.03, 0.16)) if rng.random() < odds else 0.0


# --- digits --------------------------------------------------------------------------------------


def _pick_font(rng: np.random.Generator, fonts: Sequence[FontSource], *, wild: bool) -> FontSource:
    kind = rng.random()
    if kind < 0.08:
        pool = [f for f in fonts if f.path is None]
    elif kind < 0.62 and not wild:
        pool = [f for f in fonts if f.family.startswith(PLAIN_FAMILIES)]
    else:
        pool = list(fonts)
    pool = pool or list(fonts)
    families = sorted({f.family for f in pool})
    family = families[int(rng.integers(len(families)))]
    faces = [f for f in pool if f.family == family]
    return faces[int(rng.integers(len(faces)))]


def _digit_colours(rng: np.random.Generator, ground: Colour, *, wild: bool) -> list[Colour]:
    kind = rng.random() + (0.2 if wild else 0.0)
    apart = rng.uniform(55, 110)
    if kind < 0.34:
        palette = list(c.CLASSIC)
    elif kind < 0.55:
        palette = [c.jitter(rng, colour, 0.1) for colour in c.CLASSIC]
    elif kind < 0.72:
        share = rng.uniform(0.2, 0.55) * (1 if c.luma(ground) < 128 else rng.choice([-0.6, 0.7]))
        palette = [c.lighter(c.jitter(rng, colour, 0.06), share) for colour in c.CLASSIC]
    elif kind < 0.84:
        one = c.any_colour(rng) if rng.random() < 0.5 else c.gray(rng, 0, 255)
        palette = [one] * 9
        apart = 110
    elif kind < 0.93:
        start, step = rng.random(), rng.uniform(0.04, 0.14) * rng.choice([-1, 1])
        palette = [c.hsv(start + step * i, rng.uniform(0.5, 1), rng.uniform(0.5, 1)) for i in range(9)]
    else:
        palette = [c.any_colour(rng) for _ in range(9)]
    return [c.readable(colour, ground, apart) for colour in palette]


def _digits(
    rng: np.random.Generator, opened: tuple[Ground, ...], font: FontSource, *, wild: bool
) -> list[Face]:
    """Faces of 1 to 8."""
    ground = opened[0]
    base = ground.colour if ground.end is None else c.mix(ground.colour, ground.end, 0.5)
    plate = _plates(rng, base) if rng.random() < (0.25 if wild else 0.07) else None
    heat = plate is None and rng.random() < 0.06
    heats = _heat(rng, base) if heat else [base] * 9
    behind = plate[0] if plate else base
    palette = _digit_colours(rng, behind, wild=wild)
    size = rng.uniform(0.34, 0.72) if rng.random() < 0.85 else rng.uniform(0.28, 0.82)
    if plate:
        size = min(size, 0.52)
    model = Text(
        "1", font, base, size, dx=rng.normal(0, 0.015), dy=rng.normal(0, 0.02),
        weight=float(rng.choice([0.0, 0.0, 0.0, 0.06, 0.12, 0.18])), smooth=rng.random() < 0.94,
        shade=rng.uniform(-0.5, 0.6) if rng.random() < 0.06 else 0.0,
    )  # fmt: skip
    if rng.random() < 0.05:
        model = replace(model, dx=rng.uniform(-0.15, 0.15), dy=rng.uniform(-0.12, 0.12), size=min(size, 0.45))
    decoration = rng.random()
    faces = []
    for digit in range(1, 9):
        colour = c.readable(palette[digit], heats[digit], 80) if heat else palette[digit]
        text = replace(model, text=str(digit), colour=colour)
        if decoration < 0.06:
            text = replace(
                text, rim=c.WHITE if c.luma(colour) < 150 else c.BLACK, rim_width=model.size * 0.08
            )
        elif decoration < 0.13:
            text = replace(text, shadow=c.lighter(base, -0.6), shadow_step=0.02 + 0.02 * (size > 0.5))
        elif decoration < 0.18:
            text = replace(text, shadow=c.lighter(base, 0.7), shadow_step=0.025)
        grounds = opened
        if heat:
            grounds = tuple(replace(g, colour=heats[digit], end=None) for g in opened)
        layers: tuple[Layer, ...] = (text,)
        if plate:
            layers = (Icon(plate[1][digit % len(plate[1])]), text)
        faces.append(Face(grounds, layers))
    return faces


def _heat(rng: np.random.Generator, base: Colour) -> list[Colour]:
    """A background for each number, from cool to hot."""
    start, end = rng.uniform(0.2, 0.65), rng.uniform(-0.05, 0.05)
    saturation, value = rng.uniform(0.2, 0.9), rng.uniform(0.5, 1)
    if rng.random() < 0.3:
        target = c.any_colour(rng)
        return [c.mix(base, target, i / 9) for i in range(9)]
    return [c.hsv(start + (end - start) * i / 8, saturation, value) for i in range(9)]


def _plates(rng: np.random.Generator, base: Colour) -> tuple[Colour, list[Art]]:
    """A plate behind each digit: one colour for all, or one each."""
    colour = c.readable(c.any_colour(rng), base, 40)
    shape = rng.choice(["square", "round", "disc"])
    rim = rng.random() < 0.3
    arts = []
    for _ in range(1):
        canvas = Canvas()
        a, b = 0.5 - (size := rng.uniform(0.34, 0.46)), 0.5 + size
        if shape == "disc":
            canvas.disc((0.5, 0.5), size, colour)
        else:
            canvas.polygon([(a, a), (b, a), (b, b), (a, b)], colour)
            if shape == "round":
                canvas.line([(a, a), (b, a), (b, b), (a, b)], colour, 0.1, closed=True)
            if rim:
                canvas.line([(a, a), (b, a), (b, b), (a, b)], c.lighter(colour, 0.5), 0.04, closed=True)
        arts.append(canvas.done())
    return colour, arts


def _blank(
    rng: np.random.Generator, opened: tuple[Ground, ...], digits: list[Face], page: Colour, *, wild: bool
) -> Face:
    """The face of an opened tile without mines around it."""
    kind = rng.random() * (0.55 if wild else 1.0)
    plain = Face(opened)
    one = digits[0].layers[-1]
    if not isinstance(one, Text) or kind > 0.14:
        return plain
    if kind < 0.035:
        colour = c.readable(c.gray(rng, 60, 200), opened[0].colour, 40)
        return Face(digits[0].grounds, (*digits[0].layers[:-1], replace(one, text="0", colour=colour)))
    if kind < 0.055:
        return Face(tuple(replace(g, colour=page, end=None, line=0.0, rim=0.0, bevel=0.0) for g in opened))
    if kind < 0.075 and len(digits[0].layers) > 1:
        return Face(opened, digits[0].layers[:1])
    colour = c.readable(c.lighter(opened[0].colour, rng.uniform(-0.3, 0.3)), opened[0].colour, 18)
    name = str(rng.choice(["dot", "square", "disc", "grass", "diamond", "ring", "flower", "leaf", "plus"]))
    art = icons.picture(rng, name, colour, one.font)
    return Face(opened, (Icon(art, rng.uniform(0.4, 1.0)),))


# --- covered tiles, flags and mines ----------------------------------------------------------------


def _covered_faces(
    rng: np.random.Generator,
    covered: tuple[Ground, ...],
    opened: tuple[Ground, ...],
    font: FontSource,
    fonts: Sequence[FontSource],
    page: Colour,
    *,
    wild: bool,
) -> list[Face]:
    """Faces of the codes 9 to 14, in order."""
    print_on: tuple[Layer, ...] = ()
    if rng.random() < (0.4 if wild else 0.07):
        name = str(rng.choice(icons.PICTURES))
        near = rng.random() < 0.5
        colour = c.lighter(covered[0].colour, rng.uniform(-0.4, 0.4)) if near else c.any_colour(rng)
        colour = c.readable(colour, covered[0].colour, 14 if near else 40)
        print_on = (Icon(icons.picture(rng, name, colour, font), rng.uniform(0.6, 1.0)),)
    hidden = Face(covered, print_on)
    lettering = font if font.has_letters and rng.random() < 0.7 else _lettered(rng, fonts)
    on_covered, on_opened = covered[0].colour, opened[0].colour
    flagged, flag_ground = covered, on_covered
    if rng.random() < 0.08:
        flagged, flag_ground = opened, on_opened
    elif rng.random() < 0.06:
        flag_ground = c.any_colour(rng)
        flagged = tuple(replace(g, colour=flag_ground, end=None) for g in covered)
    flag_art = icons.flag(rng, flag_ground, lettering)
    kept = print_on if rng.random() < 0.3 and flagged is covered else ()
    scale = rng.uniform(0.7, 1.0)
    flag = Face(flagged, (*kept, Icon(flag_art, scale)))

    mined, mine_ground = opened, on_opened
    place = rng.random()
    if place < 0.22:
        mined, mine_ground = covered, on_covered
    elif place < 0.34:
        mine_ground = (
            c.hsv(rng.normal(0, 0.03), rng.uniform(0.3, 1), rng.uniform(0.4, 1))
            if rng.random() < 0.7
            else c.any_colour(rng)
        )
        mined = tuple(replace(g, colour=mine_ground, end=None) for g in opened)
    mine_art = icons.mine(rng, mine_ground, lettering)
    mine_scale = rng.uniform(0.7, 1.0)
    mine = Face(mined, (Icon(mine_art, mine_scale),))

    wrong = _wrong_face(rng, flag, mine, flag_art, mine_art, flag_ground, mine_ground)
    question = Face(covered, (*kept, Icon(icons.question(rng, on_covered, lettering, flag_art), scale)))
    exploded = _exploded_face(rng, mine, mine_art, mine_scale, opened, covered)
    faces = {
        COVERED: hidden,
        FLAG: flag,
        MINE: mine,
        WRONG_FLAG: wrong,
        QUESTION: question,
        EXPLODED: exploded,
    }
    return [faces[code] for code in range(COVERED, LOOKS)]


def _lettered(rng: np.random.Generator, fonts: Sequence[FontSource]) -> FontSource:
    pool = [f for f in fonts if f.has_letters]
    return pool[int(rng.integers(len(pool)))] if pool else FontSource("pillow", "built-in pillow")


def _wrong_face(
    rng: np.random.Generator,
    flag: Face,
    mine: Face,
    flag_art: Art,
    mine_art: Art,
    flag_ground: Colour,
    mine_ground: Colour,
) -> Face:
    kind = rng.random()
    icon = flag.layers[-1]
    scale = icon.scale if isinstance(icon, Icon) else 1.0
    if kind < 0.12:
        red = c.hsv(rng.normal(0, 0.03), rng.uniform(0.4, 0.9), rng.uniform(0.5, 1))
        art = (
            icons.flag(rng, red, FontSource("pillow", "built-in pillow")) if rng.random() < 0.2 else flag_art
        )
        return Face(tuple(replace(g, colour=red, end=None) for g in flag.grounds), (Icon(art, scale),))
    on_mine = rng.random() < 0.5
    grounds, ground = (mine.grounds, mine_ground) if on_mine else (flag.grounds, flag_ground)
    return Face(grounds, (Icon(icons.wrong_flag(rng, ground, flag_art, mine_art), max(scale, 0.85)),))


def _exploded_face(
    rng: np.random.Generator,
    mine: Face,
    mine_art: Art,
    scale: float,
    opened: tuple[Ground, ...],
    covered: tuple[Ground, ...],
) -> Face:
    kind = rng.random()
    if kind < 0.1:
        return mine
    if kind < 0.17:
        return Face(mine.grounds, (Icon(icons.explosion(rng)), Icon(placed(mine_art, 0.8, 0, 0), scale)))
    if kind < 0.2:
        return Face(opened, (Icon(icons.explosion(rng)),))
    hue = 0.0 if kind < 0.85 else rng.uniform(-0.05, 0.15)
    alarm = c.hsv(hue, rng.uniform(0.6, 1), rng.uniform(0.65, 1))
    if rng.random() < 0.05:
        alarm = c.any_colour(rng)
    bare = opened if rng.random() < 0.8 else covered
    return Face(tuple(replace(g, colour=alarm, end=None) for g in bare), (Icon(mine_art, scale),))


# --- the picture as a whole ------------------------------------------------------------------------


def _random_pitch(rng: np.random.Generator, *, integer: bool) -> float:
    if rng.random() < 0.12 and integer:
        return float(rng.choice([16, 16, 20, 24, 25, 30, 32, 40, 50]))
    pitch = float(np.exp(rng.uniform(np.log(12), np.log(77))))
    return float(round(pitch)) if integer else pitch


def _wear(rng: np.random.Generator) -> Wear:
    wear = Wear()
    if rng.random() < 0.1:
        wear = replace(wear, resample=rng.uniform(0.6, 1.7))
    if rng.random() < 0.1:
        wear = replace(wear, blur=rng.uniform(0.3, 0.9))
    if rng.random() < 0.06:
        wear = replace(wear, noise=rng.uniform(0.5, 5))
    if rng.random() < 0.08:
        wear = replace(wear, gamma=rng.uniform(0.75, 1.3))
    if rng.random() < 0.08:
        red, green, blue = rng.uniform(0.85, 1.0, size=3)
        wear = replace(wear, tint=(float(red), float(green), float(blue)))
    if rng.random() < 0.25:
        wear = replace(wear, jpeg=int(rng.integers(45, 96)))
    if rng.random() < 0.03:
        wear = replace(wear, pointer=True)
    return wear
