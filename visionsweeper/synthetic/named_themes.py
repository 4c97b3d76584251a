"""Fixed themes with a name, for pictures that are to please: all choices made by hand, none by chance."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import Final

from visionsweeper.synthetic import colours as c
from visionsweeper.synthetic.background import Background
from visionsweeper.synthetic.canvas import Art, Canvas, Colour, with_outline, with_shadow
from visionsweeper.synthetic.fonts import FontSource
from visionsweeper.synthetic.theme import Icon, RenderTheme, Text, TileFace

_PITCH: Final = 32.0
_SANS: Final = FontSource("pillow", "built-in pillow")
_PRINTED: Final = Text("1", _SANS, c.BLACK, 0.5, weight=0.1)


@dataclass(frozen=True)
class NamedTheme:
    """A theme that can be asked for by name."""

    name: str
    description: str
    """One line for a list."""
    make: Callable[[], RenderTheme]
    """Draws its icons anew each time."""


@dataclass(frozen=True, kw_only=True)
class _Design:
    """A theme of one background for covered and one for opened tiles."""

    page: Colour
    covered: Background
    opened: Background
    exploded: Background
    digits: Sequence[Colour]
    """Of 1 to 8."""
    flag: Art
    mine: Art
    cross: Colour
    """Over a mine, of a wrong flag."""
    mark: Colour
    """Of the question mark."""
    text: Text = _PRINTED
    """How digits are printed."""

    def theme(self) -> RenderTheme:
        """Return the theme."""
        numbers = [
            TileFace((self.opened,), (replace(self.text, text=str(number), colour=colour),))
            for number, colour in enumerate(self.digits, start=1)
        ]
        question = replace(self.text, text="?", colour=self.mark)
        mine = Icon(self.mine, 0.86)
        faces = (
            TileFace((self.opened,)),
            *numbers,
            TileFace((self.covered,)),
            TileFace((self.covered,), (Icon(self.flag, 0.86),)),
            TileFace((self.opened,), (mine,)),
            TileFace((self.opened,), (mine, Icon(_cross(self.cross), 0.86))),
            TileFace((self.covered,), (question,)),
            TileFace((self.exploded,), (mine,)),
        )
        return RenderTheme(faces=faces, page=self.page, pitch=(_PITCH, _PITCH))


def _printed(size: float, weight: float) -> Text:
    return replace(_PRINTED, size=size, weight=weight)


# --- icons -----------------------------------------------------------------------------------------


def _pole_flag(cloth: Colour, pole: Colour, foot: Colour | None = None) -> Art:
    """Draw a pennant on a pole, on a foot of two steps."""
    canvas = Canvas()
    canvas.line([(0.44, 0.16), (0.44, 0.8)], pole, 0.055)
    for y, reach in ((0.74, 0.12), (0.82, 0.22)):
        canvas.line([(0.44 - reach, y), (0.44 + reach, y)], foot or pole, 0.075)
    canvas.polygon([(0.44, 0.13), (0.86, 0.31), (0.44, 0.5)], cloth)
    return canvas.done()


def _wave_flag(cloth: Colour, pole: Colour) -> Art:
    """Draw a cloth in the wind on a bare pole."""
    canvas = Canvas()
    steps = [i / 15 for i in range(16)]
    upper = [(0.32 + 0.52 * s, 0.18 + 0.05 * math.sin(2 * math.pi * s)) for s in steps]
    canvas.polygon([*upper, *((x, y + 0.34) for x, y in reversed(upper))], cloth)
    canvas.line([(0.3, 0.13), (0.3, 0.88)], pole, 0.07)
    return canvas.done()


def _spiky_mine(body: Colour, glint: Colour) -> Art:
    """Draw a ball with eight spikes and a light on it."""
    canvas = Canvas()
    for turn in range(8):
        angle = turn * math.pi / 4
        reach = 0.4 if turn % 2 == 0 else 0.36
        end = (0.5 + reach * math.cos(angle), 0.5 + reach * math.sin(angle))
        canvas.line([(0.5, 0.5), end], body, 0.065)
    canvas.disc((0.5, 0.5), 0.27, body)
    canvas.disc((0.41, 0.41), 0.075, glint)
    return canvas.done()


def _round_mine(body: Colour, fuse: Colour, spark: Colour) -> Art:
    """Draw a bomb with a burning fuse."""
    canvas = Canvas()
    bend = [(0.62 + 0.2 * s, 0.33 - 0.16 * math.sin(s * math.pi / 2)) for s in (0.0, 0.3, 0.6, 1.0)]
    canvas.line(bend, fuse, 0.05)
    canvas.disc((0.44, 0.58), 0.29, body)
    canvas.polygon([(0.53, 0.27), (0.7, 0.44), (0.63, 0.5), (0.46, 0.33)], body)
    canvas.ellipse((0.34, 0.47), (0.1, 0.05), -45, c.lighter(body, 0.55))
    canvas.disc(bend[-1], 0.075, spark)
    return canvas.done()


def _cross(colour: Colour) -> Art:
    canvas = Canvas()
    for ends in ([(0.14, 0.14), (0.86, 0.86)], [(0.14, 0.86), (0.86, 0.14)]):
        canvas.line(ends, colour, 0.1)
    return canvas.done()


# --- themes ----------------------------------------------------------------------------------------


def _classic() -> RenderTheme:
    gray: Colour = (192, 192, 192)
    opened = Background(gray, line=0.02, line_colour=(128, 128, 128), sides="left-top")
    return _Design(
        page=gray,
        covered=Background(gray, bevel=0.1, light=c.WHITE, dark=(128, 128, 128)),
        opened=opened,
        digits=c.CLASSIC[1:],
        flag=_pole_flag((255, 0, 0), c.BLACK),
        mine=_spiky_mine(c.BLACK, c.WHITE),
        cross=(255, 0, 0),
        mark=c.BLACK,
        exploded=replace(opened, colour=(255, 0, 0)),
        text=_printed(0.52, 0.14),
    ).theme()


def _flat() -> RenderTheme:
    opened = Background((236, 240, 241), gap=0.03, radius=0.08)
    digits: Sequence[Colour] = (
        (41, 128, 185),
        (39, 174, 96),
        (231, 76, 60),
        (142, 68, 173),
        (211, 84, 0),
        (22, 160, 133),
        (44, 62, 80),
        (127, 140, 141),
    )
    return _Design(
        page=(250, 251, 252),
        covered=Background((149, 165, 180), gap=0.03, radius=0.08),
        opened=opened,
        digits=digits,
        flag=_wave_flag((231, 76, 60), (52, 73, 94)),
        mine=_spiky_mine((52, 73, 94), (236, 240, 241)),
        cross=(231, 76, 60),
        mark=c.WHITE,
        exploded=replace(opened, colour=(245, 183, 177)),
    ).theme()


def _dark() -> RenderTheme:
    opened = Background((30, 33, 39), line=0.02, line_colour=(44, 49, 58))
    digits: Sequence[Colour] = (
        (97, 175, 239),
        (152, 195, 121),
        (224, 108, 117),
        (198, 120, 221),
        (229, 192, 123),
        (86, 182, 194),
        (220, 223, 228),
        (150, 157, 170),
    )
    return _Design(
        page=(24, 26, 31),
        covered=Background(
            (62, 69, 82),
            line=0.02,
            line_colour=(40, 44, 52),
            bevel=0.05,
            light=(84, 92, 108),
            dark=(48, 53, 64),
            soft=True,
        ),
        opened=opened,
        digits=digits,
        flag=_wave_flag((224, 108, 117), (200, 205, 215)),
        mine=_spiky_mine((171, 178, 191), (30, 33, 39)),
        cross=(224, 108, 117),
        mark=(229, 192, 123),
        exploded=replace(opened, colour=(126, 44, 52)),
    ).theme()


def _glass() -> RenderTheme:
    opened = Background((226, 238, 248), end=(206, 224, 240), line=0.02, line_colour=(178, 200, 222))
    digits: Sequence[Colour] = (
        (28, 92, 190),
        (22, 128, 60),
        (200, 36, 44),
        (20, 40, 130),
        (128, 40, 30),
        (0, 120, 130),
        (40, 44, 60),
        (100, 110, 130),
    )
    return _Design(
        page=(186, 208, 230),
        covered=Background(
            (120, 176, 232),
            end=(44, 104, 190),
            gap=0.02,
            radius=0.14,
            rim=0.03,
            rim_colour=(28, 72, 146),
            gloss=0.55,
        ),
        opened=opened,
        digits=digits,
        flag=with_shadow(_wave_flag((240, 66, 54), (245, 248, 252)), 0.4, 0.02),
        mine=_round_mine((38, 44, 58), (120, 96, 60), (255, 176, 32)),
        cross=(222, 30, 40),
        mark=c.WHITE,
        exploded=replace(opened, colour=(255, 190, 170), end=(255, 120, 110)),
        text=replace(_PRINTED, glint=c.WHITE, shadow_step=0.02),
    ).theme()


def _checker() -> RenderTheme:
    opened = Background((229, 194, 159))
    digits: Sequence[Colour] = (
        (25, 118, 210),
        (56, 142, 60),
        (211, 47, 47),
        (123, 31, 162),
        (230, 110, 0),
        (0, 131, 143),
        (66, 66, 66),
        (120, 112, 104),
    )
    theme = _Design(
        page=(74, 117, 44),
        covered=Background((170, 215, 81)),
        opened=opened,
        digits=digits,
        flag=with_shadow(_pole_flag((242, 54, 7), (230, 51, 7), (180, 40, 6)), 0.3, 0.02),
        mine=_spiky_mine((58, 54, 50), (240, 236, 228)),
        cross=(211, 30, 30),
        mark=(60, 92, 28),
        exploded=replace(opened, colour=(238, 120, 96)),
        text=_printed(0.54, 0.12),
    ).theme()
    return replace(
        theme,
        checker_covered=-0.045,
        checker_opened=-0.06,
        frontier=0.055,
        frontier_colour=(135, 175, 58),
    )


def _paper() -> RenderTheme:
    ink: Colour = (58, 62, 92)
    opened = Background((251, 248, 238), line=0.015, line_colour=(190, 208, 226), grain=1.2, seed=3)
    pencil: Sequence[Colour] = (
        (46, 84, 160),
        (50, 120, 70),
        (178, 52, 52),
        (92, 56, 132),
        (146, 88, 36),
        (34, 120, 128),
        (58, 62, 72),
        (120, 122, 130),
    )
    return _Design(
        page=(251, 248, 238),
        covered=Background(
            (214, 212, 206), line=0.015, line_colour=(160, 166, 176), grain=9.0, weave="diagonal", seed=5
        ),
        opened=opened,
        digits=pencil,
        flag=_wave_flag((190, 60, 52), ink),
        mine=_round_mine(ink, (120, 90, 60), (206, 120, 30)),
        cross=(190, 40, 40),
        mark=ink,
        exploded=replace(opened, colour=(244, 206, 196)),
        text=_printed(0.5, 0.06),
    ).theme()


def _neon() -> RenderTheme:
    opened = Background((14, 10, 28), line=0.02, line_colour=(34, 26, 62))
    digits: Sequence[Colour] = (
        (0, 229, 255),
        (57, 255, 136),
        (255, 64, 129),
        (186, 104, 255),
        (255, 214, 0),
        (29, 233, 182),
        (255, 255, 255),
        (160, 168, 214),
    )
    glowing = _spiky_mine((255, 64, 129), (255, 220, 235))
    return _Design(
        page=(8, 6, 18),
        covered=Background(
            (36, 24, 74), end=(24, 14, 52), gap=0.04, radius=0.16, rim=0.035, rim_colour=(124, 77, 255)
        ),
        opened=opened,
        digits=digits,
        flag=with_outline(_wave_flag((255, 214, 0), (255, 244, 180)), (120, 70, 0), 0.02),
        mine=with_outline(glowing, (96, 10, 60), 0.03),
        cross=(0, 229, 255),
        mark=(57, 255, 136),
        exploded=replace(opened, colour=(104, 14, 66)),
    ).theme()


def _mono() -> RenderTheme:
    ink: Colour = (20, 20, 20)
    opened = Background((255, 255, 255), line=0.03, line_colour=(150, 150, 150))
    return _Design(
        page=c.WHITE,
        covered=Background(
            (196, 196, 196),
            line=0.03,
            line_colour=(110, 110, 110),
            bevel=0.07,
            light=(238, 238, 238),
            dark=(150, 150, 150),
        ),
        opened=opened,
        digits=[ink] * 8,
        flag=_pole_flag(ink, ink),
        mine=_spiky_mine(ink, c.WHITE),
        cross=(120, 120, 120),
        mark=ink,
        exploded=replace(opened, colour=(170, 170, 170)),
        text=_printed(0.52, 0.04),
    ).theme()


def _candy() -> RenderTheme:
    opened = Background((255, 246, 250), gap=0.03, radius=0.24)
    digits: Sequence[Colour] = (
        (64, 120, 220),
        (40, 150, 100),
        (226, 60, 90),
        (140, 80, 200),
        (220, 110, 30),
        (20, 150, 170),
        (90, 70, 90),
        (150, 130, 150),
    )
    return _Design(
        page=(250, 224, 236),
        covered=Background(
            (248, 150, 190), end=(236, 110, 166), gap=0.04, radius=0.28, lip=0.09, gloss=0.22, shadow=0.25
        ),
        opened=opened,
        digits=digits,
        flag=_wave_flag((255, 250, 240), (120, 40, 90)),
        mine=_round_mine((92, 60, 110), (150, 110, 80), (255, 190, 60)),
        cross=(226, 50, 80),
        mark=c.WHITE,
        exploded=replace(opened, colour=(255, 204, 160)),
    ).theme()


_ALL: Final = (
    NamedTheme("classic", "gray tiles with bevels, digits in the classic colours", _classic),
    NamedTheme("flat", "slate and pale gray, small gaps, no bevels", _flat),
    NamedTheme("dark", "dark gray with the soft colours of a code editor", _dark),
    NamedTheme("glass", "glossy blue tiles over pale blue", _glass),
    NamedTheme("checker", "a checkerboard of two greens, opened tiles in two browns", _checker),
    NamedTheme("paper", "hatched squares on ruled paper, in coloured pencil", _paper),
    NamedTheme("neon", "bright digits in the dark, violet rims", _neon),
    NamedTheme("mono", "black on white, one colour for all digits", _mono),
    NamedTheme("candy", "round pink tiles", _candy),
)

NAMED_THEMES: Final[Mapping[str, NamedTheme]] = MappingProxyType({theme.name: theme for theme in _ALL})
"""By name, in the order of a list."""
