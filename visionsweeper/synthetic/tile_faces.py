"""Chooses what is printed on tiles: digits, blanks, flags, mines and their kin."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Final

import numpy as np

from visionsweeper.synthetic import colours as c
from visionsweeper.synthetic import icons
from visionsweeper.synthetic.background import Background
from visionsweeper.synthetic.canvas import Art, Canvas, Colour, placed, recoloured
from visionsweeper.synthetic.emoji import BLANK_SIGNS, COVERED_SIGNS
from visionsweeper.synthetic.fonts import FontSource, has_pictures, has_sign
from visionsweeper.synthetic.pictures import PICTURES, picture
from visionsweeper.synthetic.random_backgrounds import Backgrounds
from visionsweeper.synthetic.theme import Icon, Layer, Text, TileFace

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
    "Noto Serif",
    "Open Sans",
    "Roboto",
    "Tahoma",
    "Tinos",
    "Ubuntu",
    "Verdana",
)
"""Beginnings of the names of families that programs and pages commonly use; they are drawn more often."""

_IN_COLOUR: Final = 0.14  # of the themes: flags, mines and their kin from a font of pictures in colour
_BARE: Final = 0.06  # of the themes: flags, or mines, without a glyph
_ANY_PICTURE: Final = (
    0.09  # of the themes: flags, or mines, that are any picture at all: a fish, a star, a dot
)
_FLAG_AND_SIGN: Final = 0.35  # of the themes: question marks that are the flag as it is, with a small sign
_DOTS: Final = 0.012  # of the themes: dots in the colours of the numbers, or as many dots, instead of digits

_PILLOW: Final = FontSource("pillow", "built-in pillow")


def pick_font(rng: np.random.Generator, fonts: Sequence[FontSource], *, odd: float) -> FontSource:
    """Pick a font: mostly a common one, at times a built-in shape, ornamental ones where `odd` is above 1."""
    kind = rng.random() if odd >= 1 else 0.8 * rng.random()
    wild = odd > 1
    if kind < 0.08:
        pool = [f for f in fonts if f.path is None]
    elif kind < 0.66 and not wild:
        pool = [f for f in fonts if f.family.startswith(PLAIN_FAMILIES)]
    else:
        least = 0.0 if wild else rng.uniform(0.6, 0.85)
        pool = [f for f in fonts if f.likeness > least]
    pool = pool or [f for f in fonts if not f.colour] or [_PILLOW]
    # Families first: some have hundreds of faces that differ little. Their first words group them.
    families = sorted({f.family.split()[0] for f in pool})
    family = families[int(rng.integers(len(families)))]
    faces = [f for f in pool if f.family.split()[0] == family]
    return faces[int(rng.integers(len(faces)))]


def lettering(rng: np.random.Generator, fonts: Sequence[FontSource], font: FontSource) -> FontSource:
    """Pick a font for letters and signs: mostly the digits' own where it has any."""
    if rng.random() < 0.7 and _has_words(font):
        return font
    pool = [f for f in fonts if f.has_letters and f.likeness > 0.6]
    for _ in range(5 if pool else 0):
        other = pool[int(rng.integers(len(pool)))]
        if _has_words(other):
            return other
    return _PILLOW


def _has_words(font: FontSource) -> bool:
    return "Symbol" not in font.name and all(has_sign(font, sign) for sign in "?F!")


def tone(background: Background) -> Colour:
    """Return the colour of a background about its middle."""
    return background.colour if background.end is None else c.mix(background.colour, background.end, 0.5)


def in_one_colour(colour: Colour, backgrounds: Backgrounds) -> Backgrounds:
    """Return the same backgrounds in a plain colour, without a gradient."""
    return tuple(replace(each, colour=colour, end=None) for each in backgrounds)


# --- opened tiles ----------------------------------------------------------------------------------


def opened_faces(
    rng: np.random.Generator,
    opened: Backgrounds,
    font: FontSource,
    fonts: Sequence[FontSource],
    page: Colour,
    *,
    pitch: float,
    plates: float,
    odd: float,
) -> list[TileFace]:
    """Make the faces of the codes 0 to 8, in order.

    `plates` are the odds of plates behind the digits; `odd` (0 to 2) scales how often blanks and
    digits are unusual.
    """
    digits = _digits(rng, opened, font, pitch=pitch, plates=plates, odd=odd)
    if rng.random() < _DOTS:
        digits = _dots(rng, digits)
    return [_blank(rng, opened, digits, fonts, page, odd=odd), *digits]


def _digits(
    rng: np.random.Generator,
    opened: Backgrounds,
    font: FontSource,
    *,
    pitch: float,
    plates: float,
    odd: float,
) -> list[TileFace]:
    base = tone(opened[0])
    plate = _plate(rng, base) if rng.random() < plates else None
    heated = plate is None and rng.random() < 0.07 * odd
    heats = _heat(rng, base) if heated else [base] * 9
    behind = base if plate is None else plate[0]
    palette = _palette(rng, behind, odd=odd, apart=rng.uniform(60, 110) + 2 * opened[0].grain)
    size = rng.uniform(0.36, 0.72) if rng.random() < 0.85 else rng.uniform(0.22, 0.84)
    # Digits of fewer than 7 pixels can't be told apart by anybody.
    size = min(max(size, 7.0 / pitch), 0.52 if plate else 0.84)
    small = size * pitch < 11
    model = Text(
        "1",
        font,
        base,
        size,
        dx=rng.normal(0, 0.015),
        dy=rng.normal(0, 0.03),
        weight=0.0 if small else float(rng.choice([0.0, 0.0, 0.0, 0.06, 0.12, 0.18])),
        smooth=rng.random() < 0.93,
        shade=rng.uniform(-0.5, 0.6) if rng.random() < 0.06 else 0.0,
        fringed=rng.random() < 0.12,
    )
    if rng.random() < 0.06:
        model = replace(model, dx=rng.uniform(-0.2, 0.2), dy=rng.uniform(-0.16, 0.16), size=min(size, 0.45))
    decoration = 1.0 if small else rng.random()
    other = tuple(replace(g, colour=c.lighter(g.colour, 0.08 * rng.choice([-1, 1]))) for g in opened)
    backgrounds = other if rng.random() < 0.04 else opened
    faces = []
    for digit in range(1, 9):
        colour = c.readable(palette[digit], heats[digit], 100) if heated else palette[digit]
        text = _decorated(replace(model, text=str(digit), colour=colour), base, decoration)
        mine = in_one_colour(heats[digit], opened) if heated else backgrounds
        faces.append(TileFace(mine, (text,) if plate is None else (Icon(plate[1]), text)))
    return faces


def _dots(rng: np.random.Generator, digits: list[TileFace]) -> list[TileFace]:
    """Return the digits' faces with a dot in each digit's colour, or with as many dots as it says."""
    counted = rng.random() < 0.4
    size = rng.uniform(0.12, 0.34)
    places = {
        1: [(0, 0)],
        2: [(-1, -1), (1, 1)],
        3: [(-1, -1), (0, 0), (1, 1)],
        4: [(-1, -1), (1, -1), (-1, 1), (1, 1)],
        5: [(-1, -1), (1, -1), (-1, 1), (1, 1), (0, 0)],
        6: [(-1, -1), (1, -1), (-1, 1), (1, 1), (-1, 0), (1, 0)],
        7: [(-1, -1), (1, -1), (-1, 1), (1, 1), (-1, 0), (1, 0), (0, 0)],
        8: [(-1, -1), (1, -1), (-1, 1), (1, 1), (-1, 0), (1, 0), (0, -1), (0, 1)],
    }
    faces = []
    for digit, face in enumerate(digits, start=1):
        text = face.layers[-1]
        assert isinstance(text, Text)  # `_digits` prints every digit last
        canvas = Canvas()
        if counted:
            for across, down in places[digit]:
                canvas.disc((0.5 + 0.24 * across, 0.5 + 0.24 * down), 0.09, text.colour)
        else:
            canvas.disc((0.5, 0.5), size, text.colour)
        faces.append(replace(face, layers=(*face.layers[:-1], Icon(canvas.done()))))
    return faces


def _decorated(text: Text, base: Colour, decoration: float) -> Text:
    if decoration < 0.05:
        rim = c.WHITE if c.luma(text.colour) < 150 else c.BLACK
        return replace(text, rim=rim, rim_width=text.size * 0.08)
    if decoration < 0.12:
        return replace(text, shadow=c.lighter(base, -0.6), shadow_step=0.04 if text.size > 0.5 else 0.025)
    if decoration < 0.17:
        return replace(text, shadow=c.lighter(base, 0.7), shadow_step=0.025)
    if decoration < 0.2:
        dark, light = c.lighter(text.colour, -0.6), c.lighter(text.colour, 0.7)
        return replace(text, shadow=dark, glint=light, shadow_step=0.02)
    return text


def _palette(rng: np.random.Generator, background: Colour, *, odd: float, apart: float) -> list[Colour]:
    """Colours of the digits 0 to 8 that can be read on the background."""
    kind = rng.random() * (0.84 if odd < 1 else 1.0) + (0.2 if odd > 1 else 0.0)
    if kind < 0.32:
        palette = list(c.CLASSIC)
    elif kind < 0.52:
        palette = [c.jitter(rng, colour, 0.1) for colour in c.CLASSIC]
    elif kind < 0.7:
        share = rng.uniform(0.2, 0.55) * (1 if c.luma(background) < 128 else float(rng.choice([-0.6, 0.7])))
        palette = [c.lighter(c.jitter(rng, colour, 0.06), share) for colour in c.CLASSIC]
    elif kind < 0.84:
        one = c.any_colour(rng) if rng.random() < 0.4 else c.gray(rng, 0, 255)
        palette = [one] * 9
        apart = max(apart, 100)
    elif kind < 0.93:
        start, step = rng.random(), rng.uniform(0.04, 0.14) * rng.choice([-1, 1])
        palette = [c.hsv(start + step * i, rng.uniform(0.5, 1), rng.uniform(0.5, 1)) for i in range(9)]
    else:
        palette = [c.any_colour(rng) for _ in range(9)]
    return [c.readable(colour, background, apart) for colour in palette]


def _heat(rng: np.random.Generator, base: Colour) -> list[Colour]:
    """Return a background for each number, from cool to hot."""
    if rng.random() < 0.3:
        target = c.any_colour(rng)
        return [c.mix(base, target, i / 9) for i in range(9)]
    start, end = rng.uniform(0.2, 0.65), rng.uniform(-0.05, 0.05)
    saturation, value = rng.uniform(0.2, 0.9), rng.uniform(0.5, 1)
    return [c.hsv(start + (end - start) * i / 8, saturation, value) for i in range(9)]


def _plate(rng: np.random.Generator, base: Colour) -> tuple[Colour, Art]:
    """Return what is behind each digit: the colour to read it on, and the plate."""
    colour = c.readable(c.any_colour(rng), base, 40)
    canvas = Canvas()
    size = rng.uniform(0.34, 0.47)
    a, b = 0.5 - size, 0.5 + size
    corners = [(a, a), (b, a), (b, b), (a, b)]
    kind = rng.random()
    if kind < 0.12:
        canvas.line(corners, colour, rng.uniform(0.03, 0.08), closed=True)
        return base, canvas.done()
    if kind < 0.2:
        canvas.ring((0.5, 0.5), size, colour, rng.uniform(0.03, 0.08))
        return base, canvas.done()
    if kind < 0.4:
        canvas.disc((0.5, 0.5), size, colour)
        return colour, canvas.done()
    canvas.polygon(corners, colour)
    if kind < 0.75:
        canvas.line(corners, colour, 0.1, closed=True)
    if rng.random() < 0.3:
        canvas.line(corners, c.lighter(colour, float(rng.choice([-0.4, 0.5]))), 0.04, closed=True)
    return colour, canvas.done()


def _blank(
    rng: np.random.Generator,
    opened: Backgrounds,
    digits: list[TileFace],
    fonts: Sequence[FontSource],
    page: Colour,
    *,
    odd: float,
) -> TileFace:
    """Return the face of an opened tile without mines around it: mostly nothing."""
    kind = rng.random() / max(odd, 0.1)
    one = digits[0].layers[-1]
    if not isinstance(one, Text) or kind > 0.18:
        return TileFace(opened)
    if kind < 0.06:
        faint = c.readable(c.gray(rng, 60, 200), tone(opened[0]), 40)
        colour = one.colour if rng.random() < 0.4 else faint
        return TileFace(
            digits[0].backgrounds, (*digits[0].layers[:-1], replace(one, text="0", colour=colour))
        )
    if kind < 0.09:
        bare = tuple(
            replace(g, colour=page, end=None, line=0.0, rim=0.0, bevel=0.0, shadow=0.0) for g in opened
        )
        return TileFace(bare)
    if kind < 0.11:
        if len(digits[0].layers) > 1:
            return TileFace(opened, digits[0].layers[:1])
        shift = rng.uniform(0.06, 0.25) * rng.choice([-1, 1])
        return TileFace(tuple(replace(g, colour=c.lighter(g.colour, shift)) for g in opened))
    return TileFace(opened, (Icon(_blank_picture(rng, opened, fonts, one.font), rng.uniform(0.4, 1.0)),))


def _blank_picture(
    rng: np.random.Generator, opened: Backgrounds, fonts: Sequence[FontSource], font: FontSource
) -> Art:
    shown = icons.colour_sign(rng, fonts, BLANK_SIGNS) if rng.random() < 0.2 else None
    if shown is not None:
        return shown
    colour = c.lighter(tone(opened[0]), rng.uniform(-0.3, 0.3))
    colour = c.readable(colour if rng.random() < 0.6 else c.any_colour(rng), tone(opened[0]), 18)
    usual = ("dot", "dot", "square", "disc", "grass", "diamond", "ring", "flower", "leaf", "plus", "lattice")
    name = str(rng.choice(usual if rng.random() < 0.8 else PICTURES))
    if name == "question":
        name = "dot"
    return picture(rng, name, colour, font)


# --- covered tiles, flags and mines ------------------------------------------------------------------


def covered_faces(
    rng: np.random.Generator,
    covered: Backgrounds,
    opened: Backgrounds,
    letters: FontSource,
    fonts: Sequence[FontSource],
    *,
    odd: float,
) -> list[TileFace]:
    """Make faces of the codes 9 to 14 (covered, flag, mine, wrong flag, question mark, exploded), in order.

    `odd` (0 to 2) scales how often they are unusual.
    """
    decor_odds = 0.4 if odd > 1 else 0.1 * odd
    decor = _decor(rng, covered, letters, fonts, needed=covered[0] == opened[0], odds=decor_odds)
    in_colour = rng.random() < _IN_COLOUR and has_pictures(fonts)
    flag, flag_art = _flag_face(rng, covered, opened, letters, fonts, decor, odd, in_colour=in_colour)
    mine, mine_art = _mine_face(rng, covered, opened, letters, fonts, odd, in_colour=in_colour)
    wrong = wrong_face(rng, flag, mine, flag_art, mine_art, fonts, in_colour=in_colour)
    question = question_face(rng, flag, flag_art, covered, decor, letters, fonts, in_colour=in_colour)
    exploded = exploded_face(rng, mine, mine_art, opened, covered, letters)
    return [TileFace(covered, decor), flag, mine, wrong, question, exploded]


def hint_layers(rng: np.random.Generator, background: Colour, letters: FontSource) -> tuple[Layer, ...]:
    """Draw what games put on a covered tile to say "start here" or "open this": a cross, a star, a frame."""
    colour = c.readable(c.any_colour(rng), background, 60)
    if rng.random() < 0.5:
        sign = str(rng.choice(list("XX+x*O!")))
        return (Icon(icons.letter(sign, letters, colour, rng.uniform(0.4, 0.8), weight=0.1)),)
    return (
        Icon(
            picture(rng, str(rng.choice([name for name in PICTURES if name != "question"])), colour, letters)
        ),
    )


def _decor(
    rng: np.random.Generator,
    covered: Backgrounds,
    letters: FontSource,
    fonts: Sequence[FontSource],
    *,
    needed: bool,
    odds: float,
) -> tuple[Layer, ...]:
    """Return a picture on covered tiles; `needed` where nothing else tells them from opened ones."""
    if not needed and rng.random() > odds:
        return ()
    shown = icons.colour_sign(rng, fonts, COVERED_SIGNS) if rng.random() < 0.15 else None
    if shown is not None:
        return (Icon(shown, rng.uniform(0.6, 1.0)),)
    background = tone(covered[0])
    if rng.random() < 0.08:
        ink = c.readable(c.gray(rng, 0, 255), background, 60)
        return (Icon(icons.letter(str(rng.choice(list("XO#+-.~:"))), letters, ink, rng.uniform(0.35, 0.8))),)
    near = not needed and rng.random() < 0.5
    colour = c.lighter(background, rng.uniform(-0.4, 0.4)) if near else c.any_colour(rng)
    colour = c.readable(colour, background, 14 if near else 40)
    names = ("key", "key", "square", "pyramid", "disc") if needed and rng.random() < 0.4 else PICTURES
    art = picture(rng, str(rng.choice(names)), colour, letters)
    return (Icon(art, rng.uniform(0.6, 1.0)),)


def _flag_face(
    rng: np.random.Generator,
    covered: Backgrounds,
    opened: Backgrounds,
    letters: FontSource,
    fonts: Sequence[FontSource],
    decor: tuple[Layer, ...],
    odd: float,
    *,
    in_colour: bool,
) -> tuple[TileFace, Art]:
    backgrounds = covered
    place = rng.random() / min(max(odd, 0.1), 1.0)
    if place < 0.08:
        backgrounds = opened
    elif place < 0.14:
        colour = c.any_colour(rng)
        backgrounds = in_one_colour(colour, covered)
    elif place < 0.17:
        shift = float(rng.uniform(-0.2, 0.2))
        backgrounds = tuple(replace(g, colour=c.lighter(g.colour, shift)) for g in covered)
    art = icons.flag(rng, tone(backgrounds[0]), letters, fonts, odd=odd, in_colour=in_colour)
    if rng.random() < _ANY_PICTURE * odd:
        art = any_picture(rng, tone(backgrounds[0]), letters)
    if rng.random() < _BARE * odd:
        # Nothing but a tile of another colour.
        backgrounds, art = _painted(rng, covered), Canvas().done()
    kept = decor if rng.random() < 0.3 and backgrounds is covered else ()
    scale = rng.uniform(0.65, 1.0)
    dx, dy = rng.normal(0, 0.03, size=2)
    return TileFace(backgrounds, (*kept, Icon(art, scale, float(dx), float(dy)))), art


def _mine_face(
    rng: np.random.Generator,
    covered: Backgrounds,
    opened: Backgrounds,
    letters: FontSource,
    fonts: Sequence[FontSource],
    odd: float,
    *,
    in_colour: bool,
) -> tuple[TileFace, Art]:
    place = rng.random()
    backgrounds = opened
    if place < 0.22:
        backgrounds = covered
    elif place < 0.34:
        red = c.hsv(rng.normal(0, 0.03), rng.uniform(0.3, 1), rng.uniform(0.4, 1))
        colour = red if rng.random() < 0.7 else c.any_colour(rng)
        backgrounds = in_one_colour(colour, opened)
    elif place < 0.38:
        saturation, value = rng.uniform(0.4, 0.9), rng.uniform(0.6, 1)
        colours = [c.hsv(hue, saturation, value) for hue in rng.random(6)]
        backgrounds = tuple(replace(opened[0], colour=colour, end=None) for colour in colours)
    art = icons.mine(rng, tone(backgrounds[0]), letters, fonts, odd=odd, in_colour=in_colour)
    if rng.random() < _ANY_PICTURE * odd:
        art = any_picture(rng, tone(backgrounds[0]), letters)
    if rng.random() < _BARE * odd:
        backgrounds, art = _painted(rng, opened if rng.random() < 0.6 else covered), Canvas().done()
    if place < 0.38 and len(backgrounds) == 6 and rng.random() < 0.6:
        art = recoloured(art, c.BLACK if rng.random() < 0.7 else c.WHITE)
    return TileFace(backgrounds, (Icon(art, rng.uniform(0.65, 1.0)),)), art


def any_picture(rng: np.random.Generator, background: Colour, font: FontSource) -> Art:
    """Draw any picture at all: only the numbers around tell whether it is a flag or a mine."""
    names = [name for name in PICTURES if name != "question"]
    colour = c.readable(c.any_colour(rng), background, 80)
    return picture(rng, str(rng.choice(names)), colour, font)


def _painted(rng: np.random.Generator, backgrounds: Backgrounds) -> Backgrounds:
    """Return the same backgrounds in a plain strong colour: red, mostly."""
    red = c.hsv(rng.normal(0, 0.03), rng.uniform(0.6, 1), rng.uniform(0.55, 1))
    colour = red if rng.random() < 0.55 else c.any_colour(rng)
    colour = c.readable(colour, tone(backgrounds[0]), 60)
    return in_one_colour(colour, backgrounds)


def question_face(
    rng: np.random.Generator,
    flag: TileFace,
    flag_art: Art,
    covered: Backgrounds,
    decor: tuple[Layer, ...],
    letters: FontSource,
    fonts: Sequence[FontSource],
    *,
    in_colour: bool,
) -> TileFace:
    """Make the face of a question mark, or the flag as it is with a small one."""
    kept = decor if rng.random() < 0.3 else ()
    if rng.random() < _FLAG_AND_SIGN:
        corner = icons.corner_question(rng, tone(flag.backgrounds[0]), letters, flag_art)
        return replace(flag, layers=(*flag.layers, Icon(corner)))
    mark = icons.question(rng, tone(covered[0]), letters, flag_art, fonts, in_colour=in_colour)
    backgrounds = flag.backgrounds if rng.random() < 0.3 else covered
    return TileFace(backgrounds, (*kept, Icon(mark, rng.uniform(0.75, 1.0))))


def wrong_face(
    rng: np.random.Generator,
    flag: TileFace,
    mine: TileFace,
    flag_art: Art,
    mine_art: Art,
    fonts: Sequence[FontSource],
    *,
    in_colour: bool,
) -> TileFace:
    """Make the face of a flag that was wrong: crossed out, in other colours, or on another background."""
    icon = flag.layers[-1]
    scale = icon.scale if isinstance(icon, Icon) else 1.0
    kind = rng.random()
    if kind < 0.22:
        red = c.hsv(rng.normal(0, 0.03), rng.uniform(0.15, 1.0), rng.uniform(0.5, 1))
        colour = red if rng.random() < 0.8 else c.any_colour(rng)
        return TileFace(in_one_colour(colour, flag.backgrounds), (Icon(flag_art, scale),))
    if kind < 0.3:
        red = c.hsv(rng.normal(0, 0.02), rng.uniform(0.7, 1), rng.uniform(0.6, 1))
        other = red if rng.random() < 0.6 else c.any_colour(rng)
        other = c.readable(other, tone(flag.backgrounds[0]), 60)
        return TileFace(flag.backgrounds, (Icon(recoloured(flag_art, other, 0.8), scale),))
    if kind < 0.32:
        faded = recoloured(flag_art, tone(flag.backgrounds[0]), rng.uniform(0.4, 0.65))
        return TileFace(flag.backgrounds, (Icon(faded, scale),))
    if kind < 0.37:
        cross = icons.wrong_flag(rng, tone(flag.backgrounds[0]), Canvas().done(), Canvas().done())
        return TileFace(flag.backgrounds, (Icon(flag_art, scale), Icon(placed(cross, 0.45, 0.22, 0.22))))
    if kind < 0.52:
        return _struck_out(rng, flag, flag_art, scale)
    backgrounds = mine.backgrounds if rng.random() < 0.5 else flag.backgrounds
    art = icons.wrong_flag(rng, tone(backgrounds[0]), flag_art, mine_art, fonts, in_colour=in_colour)
    return TileFace(backgrounds, (Icon(art, max(scale, 0.8)),))


def _struck_out(rng: np.random.Generator, flag: TileFace, flag_art: Art, scale: float) -> TileFace:
    """Strike a flag out, gray or in another colour at times, by a line or a frame around the tile."""
    if rng.random() < 0.5:
        other = (
            c.gray(rng, 60, 200) if rng.random() < 0.6 else c.hsv(0, rng.uniform(0.6, 1), rng.uniform(0.6, 1))
        )
        flag_art = recoloured(flag_art, other, rng.uniform(0.6, 1.0))
    background = tone(flag.backgrounds[0])
    if rng.random() < 0.25:
        frame = c.readable(c.hsv(rng.normal(0, 0.02), 0.8, rng.uniform(0.6, 1)), background, 60)
        canvas, inset = Canvas(), rng.uniform(0.03, 0.1)
        corners = [(inset, inset), (1 - inset, inset), (1 - inset, 1 - inset), (inset, 1 - inset)]
        canvas.line(corners, frame, rng.uniform(0.03, 0.08), closed=True)
        return TileFace(flag.backgrounds, (Icon(flag_art, scale), Icon(canvas.done())))
    return TileFace(
        flag.backgrounds, (Icon(flag_art, scale), Icon(icons.strike(rng, background), max(scale, 0.8)))
    )


def exploded_face(
    rng: np.random.Generator,
    mine: TileFace,
    mine_art: Art,
    opened: Backgrounds,
    covered: Backgrounds,
    letters: FontSource,
) -> TileFace:
    """Make the face of the mine that ended the game: mostly as the others, on a strong colour."""
    icon = mine.layers[-1]
    scale = icon.scale if isinstance(icon, Icon) else 1.0
    kind = rng.random()
    if kind < 0.1:
        return mine
    if kind < 0.17:
        return TileFace(
            mine.backgrounds, (Icon(icons.explosion(rng)), Icon(placed(mine_art, 0.8, 0, 0), scale))
        )
    if kind < 0.22:
        backgrounds = opened if rng.random() < 0.6 else covered
        art = icons.explosion(rng) if rng.random() < 0.6 else any_picture(rng, tone(backgrounds[0]), letters)
        return TileFace(backgrounds, (Icon(art, rng.uniform(0.65, 1.0)),))
    if kind < 0.28:
        red = c.readable(c.hsv(0, 0.9, rng.uniform(0.7, 1)), tone(mine.backgrounds[0]), 40)
        return TileFace(mine.backgrounds, (Icon(recoloured(mine_art, red, 0.85), scale),))
    hue = 0.0 if kind < 0.85 else rng.uniform(-0.05, 0.15)
    alarm = c.hsv(hue, rng.uniform(0.6, 1), rng.uniform(0.65, 1))
    if rng.random() < 0.05:
        alarm = c.any_colour(rng)
    bare = opened if rng.random() < 0.8 else covered
    shown = mine_art
    if c.distance(tone(mine.backgrounds[0]), alarm) > 60 and rng.random() < 0.15:
        shown = recoloured(mine_art, c.readable(c.WHITE, alarm, 80))
    return TileFace(in_one_colour(alarm, bare), (Icon(shown, scale),))
