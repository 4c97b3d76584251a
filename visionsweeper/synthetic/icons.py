"""Flags, mines, wrong flags and question marks, drawn by rule in many variants."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Final

import cv2
import numpy as np
import numpy.typing as npt

from visionsweeper.synthetic import colours as c
from visionsweeper.synthetic.canvas import (
    SIDE,
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
from visionsweeper.synthetic.fonts import FontSource, has_sign, pick_picture, pick_sign

FLAG_SIGNS: Final = "⚑⚑⚑⚐⚐▲▶►◀⚠✓✔♥♦★✦☂♟⛳♠✚"
MINE_SIGNS: Final = "✹✸✺❋☀☢☠☠⚙✱✳✻●⬤◉⊛⦿✪※¤☼☣✖♨⚛"
WRONG_SIGNS: Final = "✗✘✖×☓✕"
"""Characters that games use for flags, mines and wrong flags, in fonts that have them."""

FLAG_PICTURES: Final = "🚩🚩🚩🚩🚩🏁🏴⛳📍📌🎌🚧⚠❗🔺🔻⭐❤🔒🛑🚫✅🏳🔴🟥☠⛔❌"
MINE_PICTURES: Final = "💣💣💣💣💣💥💥☠💀🧨🔥☢🐛🦠🌋🎃👾👹😈🐞🐍🦈🌵🍄💩👻⚡🐙🕷🪲⚫🤯😵"
WRONG_PICTURES: Final = "❌❌❌❌✖🚫❎⛔🙅❗🤡"
QUESTION_PICTURES: Final = "❓❓❓❔🤔"
"""What stands for each kind in fonts of pictures in colour; the frequent ones come several times."""


def letter(text: str, font: FontSource, colour: Colour, size: float = 0.62, *, weight: float = 0.0) -> Art:
    """Draw one character in the middle of a canvas, its ink centred; `size` is a share, a digit's height."""
    canvas = Canvas()
    canvas.stamp(_centred(font.alpha(text, SIDE, SIDE, size * SIDE, weight=weight)), colour)
    return canvas.done()


def fitted_sign(text: str, font: FontSource, colour: Colour, size: float) -> Art:
    """Draw one character, enlarged until its longer side is `size`, a share of the canvas."""
    canvas = Canvas()
    trial = font.alpha(text, SIDE, SIDE, 0.4 * SIDE)
    ys, xs = np.nonzero(trial > 0.3)
    if len(ys):
        longest = max(int(np.ptp(ys)), int(np.ptp(xs))) + 1
        share = min(0.4 * size * SIDE / longest, 1.5)
        canvas.stamp(_centred(font.alpha(text, SIDE, SIDE, share * SIDE)), colour)
    return canvas.done()


def _centred(alpha: npt.NDArray[np.float32]) -> npt.NDArray[np.float32]:
    ys, xs = np.nonzero(alpha > 0.3)
    if len(ys) == 0:
        return alpha
    down = (SIDE - 1 - int(ys.min()) - int(ys.max())) // 2
    right = (SIDE - 1 - int(xs.min()) - int(xs.max())) // 2
    return np.roll(alpha, (down, right), axis=(0, 1))


def colour_sign(rng: np.random.Generator, fonts: Sequence[FontSource], signs: Sequence[str]) -> Art | None:
    """Draw a sign from a font of pictures in colour, now and then in other colours; None without one."""
    ink = pick_picture(rng, fonts, signs)
    if ink is None:
        return None
    scale = rng.uniform(0.72, 0.98) * SIDE / max(ink.shape[:2])
    size = (max(1, round(ink.shape[1] * scale)), max(1, round(ink.shape[0] * scale)))
    small = cv2.resize(ink, size, interpolation=cv2.INTER_AREA if scale < 1 else cv2.INTER_LINEAR)
    art = np.zeros((SIDE, SIDE, 4), dtype=np.uint8)
    top, left = (SIDE - size[1]) // 2, (SIDE - size[0]) // 2
    art[top : top + size[1], left : left + size[0]] = small
    alpha = art[..., 3:].astype(np.float32) / 255
    shown = art[..., :3].astype(np.float32)
    change = rng.random()
    if change < 0.1:
        shown = shown.mean(axis=2, keepdims=True).repeat(3, axis=2)
    elif change < 0.25:
        shown = shown[..., rng.permutation(3)]
    if rng.random() < 0.3:
        shown = np.float32(255) * (shown / np.float32(255)) ** np.float32(rng.uniform(0.6, 1.7))
    art[..., :3] = (shown * alpha).astype(np.uint8)
    art.setflags(write=False)
    return art


def flag(
    rng: np.random.Generator,
    background: Colour,
    font: FontSource,
    fonts: Sequence[FontSource] = (),
    *,
    odd: float = 1.0,
    in_colour: bool = False,
) -> Art:
    """Draw a random flag, or something that games use in its place, that stands out from the background.

    `font` serves for letters, `fonts` for other signs; `odd` (0 to 2) scales how often it is no
    picture of the thing itself; `in_colour`: mostly a sign from a font of pictures in colour.
    """
    shown = colour_sign(rng, fonts, FLAG_PICTURES) if in_colour and rng.random() < 0.9 else None
    if shown is not None:
        return shown
    colour = _flag_colour(rng, background)
    kind = rng.random()
    strange = rng.random() < 0.33 * odd
    sign = pick_sign(rng, fonts, FLAG_SIGNS) if strange and kind < 0.3 and fonts else None
    if sign is not None:
        art = fitted_sign(*sign, colour, rng.uniform(0.45, 0.85))
    elif not strange:
        art = _pole_flag(rng, background, colour)
    elif kind < 0.55:
        weight = float(rng.choice([0.0, 0.1]))
        text = _any_of(rng, "FFF!Pf¶#▯", font)
        art = letter(text, font, colour, rng.uniform(0.45, 0.8), weight=weight)
    else:
        makers: tuple[Callable[[np.random.Generator, Colour, Colour], Art], ...] = (
            _warning,
            _exclamation,
            _pin,
            _barrier,
            _heart,
            _check,
            _diamond,
            _thick_cross,
            _shield,
            _padlock,
            _no_entry,
            _star_flag,
        )
        art = makers[int(rng.integers(len(makers)))](rng, background, colour)
    return _finished(rng, art, background, 0.14)


def mine(
    rng: np.random.Generator,
    background: Colour,
    font: FontSource,
    fonts: Sequence[FontSource] = (),
    *,
    odd: float = 1.0,
    in_colour: bool = False,
) -> Art:
    """Draw a random mine, or something that games use in its place, that stands out from the background.

    `font` serves for letters, `fonts` for other signs; `odd` (0 to 2) scales how often it is no
    picture of the thing itself; `in_colour`: mostly a sign from a font of pictures in colour.
    """
    shown = colour_sign(rng, fonts, MINE_PICTURES) if in_colour and rng.random() < 0.9 else None
    if shown is not None:
        return shown
    colour = _mine_colour(rng, background)
    kind = rng.random()
    strange = rng.random() < 0.42 * odd
    sign = pick_sign(rng, fonts, MINE_SIGNS) if strange and kind < 0.25 and fonts else None
    if sign is not None:
        art = fitted_sign(*sign, colour, rng.uniform(0.5, 0.9))
    elif not strange:
        art = _spiky(rng, background, colour) if kind < 0.74 else _bomb(rng, background, colour)
    elif kind < 0.43:
        text = _any_of(rng, "**BMX@¤•", font)
        art = letter(text, font, colour, rng.uniform(0.5, 0.85), weight=float(rng.choice([0, 0.1])))
    else:
        makers = (
            _burst,
            _naval,
            _skull,
            _plain,
            _sun,
            _gear,
            flower,
            _target,
            _dynamite,
            _radiation,
            _beetle,
        )
        art = makers[int(rng.integers(len(makers)))](rng, background, colour)
    return _finished(rng, art, background, 0.1)


def wrong_flag(
    rng: np.random.Generator,
    background: Colour,
    flag_art: Art,
    mine_art: Art,
    fonts: Sequence[FontSource] = (),
    *,
    in_colour: bool = False,
) -> Art:
    """Draw what marks a flag that was wrong: something crossed out, or a cross alone."""
    red = c.hsv(rng.normal(0, 0.02), rng.uniform(0.8, 1), rng.uniform(0.7, 1))
    colour = red if rng.random() < 0.75 else c.readable(c.any_colour(rng), background, 140)
    colour = c.readable(colour, background, 60)
    kind = rng.random()
    canvas = Canvas()
    if kind < (0.2 if in_colour else 0.45):
        canvas.paste(mine_art)
    elif kind < (0.4 if in_colour else 0.85):
        canvas.paste(flag_art)
    sign = pick_sign(rng, fonts, WRONG_SIGNS) if rng.random() < 0.12 and fonts else None
    cross = colour_sign(rng, fonts, WRONG_PICTURES) if in_colour and rng.random() < 0.8 else None
    if cross is None:
        cross = _cross(rng, colour, large=kind < 0.85)
    if sign is not None:
        cross = fitted_sign(*sign, colour, rng.uniform(0.6, 0.95))
    if rng.random() < 0.2:
        cross = with_outline(cross, c.WHITE if rng.random() < 0.6 else c.BLACK, 0.025)
    canvas.paste(cross)
    return canvas.done()


def question(
    rng: np.random.Generator,
    background: Colour,
    font: FontSource,
    flag_art: Art,
    fonts: Sequence[FontSource] = (),
    *,
    in_colour: bool = False,
) -> Art:
    """Draw a question mark: plain, on a disc, small beside a flag, or on the cloth of a coloured flag."""
    shown = colour_sign(rng, fonts, QUESTION_PICTURES) if in_colour and rng.random() < 0.8 else None
    if shown is not None:
        return shown
    colour = c.readable(
        c.BLACK if rng.random() < 0.45 else c.any_colour(rng), background, float(rng.uniform(90, 200))
    )
    kind = rng.random()
    weight = float(rng.choice([0.0, 0.0, 0.08, 0.14]))
    if kind < 0.58:
        art = letter("?", font, colour, rng.uniform(0.45, 0.85), weight=weight)
    elif kind < 0.64:
        canvas = Canvas()
        canvas.disc((0.5, 0.5), 0.36, colour)
        canvas.paste(letter("?", font, c.readable(c.WHITE, colour, 120), 0.46, weight=weight))
        art = canvas.done()
    elif kind < 0.88:
        # Beside the cloth, mostly low and to the right; the flag stays as large as it is without the sign.
        canvas = Canvas()
        canvas.paste(placed(flag_art, rng.uniform(0.8, 1.0), *rng.uniform(-0.08, 0.0, 2).tolist()))
        canvas.paste(corner_question(rng, background, font, flag_art, colour))
        art = canvas.done()
    else:
        other = c.any_colour(rng)
        canvas = Canvas()
        canvas.paste(recoloured(flag_art, other, rng.uniform(0.5, 0.95)) if rng.random() < 0.7 else flag_art)
        on_cloth = letter("?", font, c.readable(c.WHITE, other, 110), 0.8, weight=0.12)
        canvas.paste(
            placed(on_cloth, rng.uniform(0.35, 0.6), rng.uniform(-0.05, 0.12), rng.uniform(-0.18, 0))
        )
        art = canvas.done()
    return _finished(rng, art, background, 0.05)


def corner_question(
    rng: np.random.Generator,
    background: Colour,
    font: FontSource,
    flag_art: Art,
    colour: Colour | None = None,
) -> Art:
    """Draw a small question mark low at one side, mostly the right one, in the flag's colour or another."""
    other = c.readable(c.any_colour(rng), background, 90) if colour is None else colour
    ink = _mean_colour(flag_art) if rng.random() < 0.4 else other
    side = 1.0 if rng.random() < 0.8 else -1.0
    size = rng.uniform(0.24, 0.55)
    mark = placed(letter("?", font, ink, 0.8, weight=0.12), size, side * rng.uniform(0.18, 0.28), 0.22)
    return with_outline(mark, background, 0.02) if rng.random() < 0.3 else mark


def _mean_colour(art: Art) -> Colour:
    """Return the colour of a picture, all in all; black where it shows nothing."""
    red, green, blue, alpha = art.reshape(-1, 4).astype(np.float64).sum(axis=0)
    share = 255.0 / max(alpha, 255.0)
    return (red * share, green * share, blue * share)


def explosion(rng: np.random.Generator) -> Art:
    """Draw a burst of yellow, orange and red, to lie behind an exploded mine."""
    canvas = Canvas()
    points = int(rng.integers(8, 16))
    for radius, hue in ((0.48, 0.0), (0.38, 0.07), (0.27, 0.14)):
        ragged = 0.12 * rng.random()
        canvas.polygon(star(points, radius, radius * (0.6 + ragged), rng.random()), c.hsv(hue, 0.95, 1))
    return canvas.done()


def _any_of(rng: np.random.Generator, signs: str, font: FontSource) -> str:
    able = [sign for sign in signs if has_sign(font, sign)] or [signs[0]]
    return able[int(rng.integers(len(able)))]


def _finished(rng: np.random.Generator, art: Art, background: Colour, odds: float) -> Art:
    if rng.random() < 0.12:
        art = with_light(art, rng.uniform(1.0, 1.6), rng.uniform(0.4, 1.0))
    if rng.random() < odds:
        rim = c.WHITE if c.luma(background) < 128 or rng.random() < 0.4 else c.BLACK
        art = with_outline(art, rim, rng.uniform(0.012, 0.035))
    if rng.random() < odds:
        art = with_shadow(art, rng.uniform(0.25, 0.6), rng.uniform(0.01, 0.04))
    return art


def _flag_colour(rng: np.random.Generator, background: Colour) -> Colour:
    kind = rng.random()
    if kind < 0.62:
        colour = c.hsv(rng.normal(0, 0.02), rng.uniform(0.65, 1), rng.uniform(0.6, 1))
    elif kind < 0.75:
        colour = c.gray(rng, 10, 80)
    else:
        colour = c.any_colour(rng)
    return c.readable(colour, background, 55 if kind < 0.62 else 100)


def _mine_colour(rng: np.random.Generator, background: Colour) -> Colour:
    kind = rng.random()
    if kind < 0.68:
        colour = c.gray(rng, 0, 60)
    elif kind < 0.78:
        colour = c.hsv(rng.normal(0, 0.02), rng.uniform(0.6, 1), rng.uniform(0.4, 1))
    else:
        colour = c.any_colour(rng)
    return c.readable(colour, background, float(rng.uniform(60, 140)))


def star(points: int, outer: float, inner: float, turn: float, centre: Point = (0.5, 0.5)) -> list[Point]:
    """Return the corners of a star with so many points; `turn` in full turns."""
    result = []
    for i in range(2 * points):
        radius = outer if i % 2 == 0 else inner
        angle = math.pi * i / points + turn * 2 * math.pi - math.pi / 2
        result.append((centre[0] + radius * math.cos(angle), centre[1] + radius * math.sin(angle)))
    return result


def _polar(radius: float, angle: float) -> Point:
    return (0.5 + radius * math.cos(angle), 0.5 + radius * math.sin(angle))


# --- flags ---------------------------------------------------------------------------------------


def _pole_flag(rng: np.random.Generator, background: Colour, colour: Colour) -> Art:
    canvas = Canvas()
    pole = _pole_colour(rng, background, colour)
    top, bottom = rng.uniform(0.1, 0.24), rng.uniform(0.74, 0.9)
    width = rng.uniform(0.03, 0.1)
    x = rng.uniform(0.24, 0.42) if rng.random() < 0.7 else rng.uniform(0.44, 0.56)
    reach = rng.uniform(0.3, 0.5) if x < 0.43 else rng.uniform(0.26, 0.36)
    tall = rng.uniform(0.28, 0.46)
    _foot(rng, canvas, background, pole, x, bottom, width)
    cloth_first = rng.random() < 0.5
    pole_line = [(x, top), (x, bottom)]
    if not cloth_first:
        canvas.line(pole_line, pole, width)
    _cloth(rng, canvas, colour, x, top, reach, tall)
    if cloth_first:
        canvas.line(pole_line, pole, width)
    if rng.random() < 0.12:
        canvas.disc((x, top), width * 1.1, c.lighter(pole, 0.3) if rng.random() < 0.5 else pole)
    art = canvas.done()
    if rng.random() < 0.15:
        art = turned(art, rng.uniform(-18, 18))
    if rng.random() < 0.3:
        art = turned(art, 0, mirrored=True)
    return art


def _pole_colour(rng: np.random.Generator, background: Colour, colour: Colour) -> Colour:
    kind = rng.random()
    if kind < 0.5:
        dark = c.BLACK if rng.random() < 0.6 else c.lighter(colour, -0.6)
        return c.readable(dark, background, 60)
    if kind < 0.7:
        return colour
    if kind < 0.85:
        return c.readable(c.hsv(0.08, rng.uniform(0.3, 0.8), rng.uniform(0.3, 0.7)), background, 50)
    return c.readable(c.gray(rng, 80, 220), background, 60)


def _foot(
    rng: np.random.Generator,
    canvas: Canvas,
    background: Colour,
    pole: Colour,
    x: float,
    bottom: float,
    width: float,
) -> None:
    """Draw what the pole stands on; often nothing."""
    base = rng.random()
    ink = pole if rng.random() < 0.8 else c.readable(c.any_colour(rng), background, 60)
    if base < 0.3:
        spread = rng.uniform(0.1, 0.28)
        canvas.line([(x - spread, bottom), (x + spread, bottom)], ink, width * rng.uniform(0.8, 1.5))
    elif base < 0.5:
        for step, spread in enumerate((0.28, 0.17)):
            y = bottom - 0.07 * step
            canvas.polygon(
                [(x - spread, y - 0.07), (x + spread, y - 0.07), (x + spread, y), (x - spread, y)], ink
            )
    elif base < 0.58:
        canvas.polygon([(x - 0.18, bottom), (x, bottom - 0.14), (x + 0.18, bottom)], ink)
    elif base < 0.64:
        canvas.ellipse((x, bottom), (0.2, 0.06), 0, ink)


def _cloth(
    rng: np.random.Generator, canvas: Canvas, colour: Colour, x: float, top: float, reach: float, tall: float
) -> None:
    kind = rng.random()
    far, low = x + reach, top + tall
    if kind < 0.4:
        tip = top + tall * rng.choice([0.5, 0.5, 0.5, 0.0, 1.0, 0.35])
        points = [(x, top), (far, tip), (x, low)]
    elif kind < 0.58:
        points = [(x, top), (far, top), (far, low), (x, low)]
    elif kind < 0.68:
        notch = rng.uniform(0.2, 0.45) * reach
        points = [(x, top), (far, top), (far - notch, (top + low) / 2), (far, low), (x, low)]
    elif kind < 0.9:
        bend = rng.uniform(0.03, 0.08)
        steps = np.linspace(0, 1, 12).tolist()
        phase = float(rng.choice([0.0, math.pi]))
        wave = [bend * math.sin(2 * math.pi * s + phase) for s in steps]
        taper = float(rng.choice([0.0, 0.0, 0.12]))
        upper = [(x + reach * s, top + w + taper * s) for s, w in zip(steps, wave, strict=True)]
        lower = [(x + reach * s, low + w - taper * s) for s, w in zip(steps, wave, strict=True)]
        points = upper + lower[::-1]
    else:
        points = [(x, top), (far, top + 0.25 * tall), (far, top + 0.75 * tall), (x, low)]
    canvas.polygon(points, colour)
    extra = rng.random()
    if extra < 0.1:
        canvas.line(points, c.lighter(colour, -0.5), 0.03, closed=True)
    elif extra < 0.16:
        canvas.line([(x, (top + low) / 2), (x + 0.6 * reach, (top + low) / 2)], c.lighter(colour, 0.5), 0.06)
    elif extra < 0.22:
        canvas.polygon(
            [(x, (top + low) / 2), (x + 0.5 * reach, (top + low) / 2), (x, low)], c.lighter(colour, -0.3)
        )
    elif extra < 0.26:
        canvas.disc((x + 0.35 * reach, (top + low) / 2), 0.07, c.lighter(colour, 0.8))


def _warning(rng: np.random.Generator, background: Colour, colour: Colour) -> Art:
    del background
    canvas = Canvas()
    fill = colour if rng.random() < 0.4 else c.hsv(rng.uniform(0.08, 0.16), 0.9, 1)
    canvas.polygon([(0.5, 0.12), (0.9, 0.84), (0.1, 0.84)], fill)
    ink = c.BLACK if c.luma(fill) > 110 else c.WHITE
    if rng.random() < 0.5:
        canvas.line([(0.5, 0.12), (0.9, 0.84), (0.1, 0.84)], ink, 0.04, closed=True)
    canvas.line([(0.5, 0.38), (0.5, 0.6)], ink, 0.08)
    canvas.disc((0.5, 0.73), 0.05, ink)
    return canvas.done()


def _exclamation(rng: np.random.Generator, background: Colour, colour: Colour) -> Art:
    del background
    canvas = Canvas()
    wide = rng.uniform(0.05, 0.1)
    canvas.polygon(
        [(0.5 - wide, 0.15), (0.5 + wide, 0.15), (0.5 + wide * 0.6, 0.62), (0.5 - wide * 0.6, 0.62)], colour
    )
    canvas.disc((0.5, 0.78), wide, colour)
    return canvas.done()


def _pin(rng: np.random.Generator, background: Colour, colour: Colour) -> Art:
    canvas = Canvas()
    radius = rng.uniform(0.2, 0.27)
    y = 0.16 + radius
    if rng.random() < 0.5:
        canvas.polygon([(0.5 - radius * 0.95, y + 0.08), (0.5 + radius * 0.95, y + 0.08), (0.5, 0.9)], colour)
        canvas.disc((0.5, y), radius, colour)
        canvas.disc((0.5, y), radius * 0.4, c.WHITE if rng.random() < 0.6 else c.lighter(colour, -0.6))
        return canvas.done()
    canvas.line([(0.5, y), (0.5, 0.9)], c.readable((120, 120, 120), background, 50), 0.05)
    canvas.disc((0.5, y), radius, colour)
    canvas.disc((0.5 - radius * 0.35, y - radius * 0.35), radius * 0.25, c.lighter(colour, 0.7))
    return turned(canvas.done(), rng.uniform(-35, 35))


def _barrier(rng: np.random.Generator, background: Colour, colour: Colour) -> Art:
    canvas = Canvas()
    legs = c.readable((90, 90, 90), background, 50)
    for x in (0.24, 0.76):
        canvas.line([(x, 0.3), (x, 0.84)], legs, 0.07)
    other = c.BLACK if rng.random() < 0.4 else c.WHITE
    for top in (0.28,) if rng.random() < 0.5 else (0.24, 0.5):
        low = top + (0.3 if rng.random() < 0.3 else 0.2)
        canvas.polygon([(0.08, top), (0.92, top), (0.92, low), (0.08, low)], colour)
        for i in range(4):
            x = 0.1 + 0.22 * i
            canvas.polygon([(x, top), (x + 0.1, top), (x + 0.02 + 0.1, low), (x + 0.02, low)], other)
    return canvas.done()


def _heart(rng: np.random.Generator, background: Colour, colour: Colour) -> Art:
    del background, rng
    canvas = Canvas()
    steps = np.linspace(0, 2 * math.pi, 40)
    points = [
        (
            0.5 + 0.022 * 16 * math.sin(t) ** 3,
            0.47 - 0.022 * (13 * math.cos(t) - 5 * math.cos(2 * t) - 2 * math.cos(3 * t) - math.cos(4 * t)),
        )
        for t in steps
    ]
    canvas.polygon(points, colour)
    return canvas.done()


def _check(rng: np.random.Generator, background: Colour, colour: Colour) -> Art:
    del background
    canvas = Canvas()
    canvas.line([(0.18, 0.52), (0.42, 0.76), (0.84, 0.24)], colour, rng.uniform(0.07, 0.16))
    return canvas.done()


def _diamond(rng: np.random.Generator, background: Colour, colour: Colour) -> Art:
    del background
    canvas = Canvas()
    wide = rng.uniform(0.22, 0.36)
    canvas.polygon([(0.5, 0.14), (0.5 + wide, 0.5), (0.5, 0.86), (0.5 - wide, 0.5)], colour)
    if rng.random() < 0.5:
        canvas.polygon([(0.5, 0.14), (0.5 + wide, 0.5), (0.5, 0.5)], c.lighter(colour, 0.35))
    return canvas.done()


def _thick_cross(rng: np.random.Generator, background: Colour, colour: Colour) -> Art:
    del background
    return _cross(rng, colour, large=False)


def _shield(rng: np.random.Generator, background: Colour, colour: Colour) -> Art:
    del background
    canvas = Canvas()
    canvas.polygon(
        [(0.2, 0.16), (0.8, 0.16), (0.8, 0.5), (0.68, 0.72), (0.5, 0.88), (0.32, 0.72), (0.2, 0.5)], colour
    )
    if rng.random() < 0.6:
        canvas.polygon([(0.5, 0.24), (0.72, 0.24), (0.72, 0.5), (0.5, 0.78)], c.lighter(colour, 0.4))
    return canvas.done()


def _padlock(rng: np.random.Generator, background: Colour, colour: Colour) -> Art:
    canvas = Canvas()
    canvas.ring((0.5, 0.4), 0.17, c.readable(c.lighter(colour, -0.3), background, 50), rng.uniform(0.06, 0.1))
    canvas.polygon([(0.24, 0.44), (0.76, 0.44), (0.76, 0.84), (0.24, 0.84)], colour)
    canvas.disc((0.5, 0.6), 0.06, c.lighter(colour, -0.7))
    canvas.line([(0.5, 0.6), (0.5, 0.74)], c.lighter(colour, -0.7), 0.05)
    return canvas.done()


def _no_entry(rng: np.random.Generator, background: Colour, colour: Colour) -> Art:
    del background
    canvas = Canvas()
    if rng.random() < 0.5:
        canvas.disc((0.5, 0.5), 0.36, colour)
        canvas.line([(0.28, 0.5), (0.72, 0.5)], c.WHITE, 0.13)
    else:
        canvas.ring((0.5, 0.5), 0.32, colour, 0.1)
        canvas.line([(0.28, 0.28), (0.72, 0.72)], colour, 0.1)
    return canvas.done()


def _star_flag(rng: np.random.Generator, background: Colour, colour: Colour) -> Art:
    del background
    canvas = Canvas()
    canvas.polygon(star(5, rng.uniform(0.34, 0.44), rng.uniform(0.14, 0.2), 0), colour)
    return canvas.done()


def _cross(rng: np.random.Generator, colour: Colour, *, large: bool) -> Art:
    canvas = Canvas()
    inset = rng.uniform(0.08, 0.2) if large else rng.uniform(0.16, 0.32)
    width = rng.uniform(0.04, 0.13) if large else rng.uniform(0.06, 0.18)
    canvas.line([(inset, inset), (1 - inset, 1 - inset)], colour, width)
    if not large or rng.random() < 0.88:
        canvas.line([(1 - inset, inset), (inset, 1 - inset)], colour, width)
    return canvas.done()


def strike(rng: np.random.Generator, background: Colour) -> Art:
    """Draw what strikes a thing out, other than a cross: a line, a barred ring, a web."""
    red = c.hsv(rng.normal(0, 0.03), rng.uniform(0.6, 1), rng.uniform(0.5, 1))
    colour = c.readable(red if rng.random() < 0.55 else c.any_colour(rng), background, 60)
    canvas = Canvas()
    width, kind = rng.uniform(0.025, 0.1), rng.random()
    if kind < 0.7:
        eighths = float(rng.integers(4)) if rng.random() < 0.8 else rng.uniform(0, 4)
        _across(canvas, 0.42, eighths / 8, colour, width)
    elif kind < 0.88:
        canvas.ring((0.5, 0.5), 0.4, colour, width)
        _across(canvas, 0.4, 1 / 8, colour, width)
    else:
        spokes = int(rng.integers(3, 6))
        for spoke in range(spokes):
            _across(canvas, 0.46, spoke / (2 * spokes), colour, 0.5 * width)
        for radius in (0.18, 0.34):
            canvas.ring((0.5, 0.5), radius, colour, 0.5 * width)
    return canvas.done()


def _across(canvas: Canvas, radius: float, turn: float, colour: Colour, width: float) -> None:
    """Draw a line through the middle, turned by a share of a full turn."""
    angle = turn * 2 * math.pi
    canvas.line([_polar(radius, angle), _polar(radius, angle + math.pi)], colour, width)


# --- mines ---------------------------------------------------------------------------------------


def _shine(
    rng: np.random.Generator, canvas: Canvas, radius: float, colour: Colour, odds: float = 0.7
) -> None:
    if rng.random() < odds:
        bright = c.WHITE if rng.random() < 0.7 else c.lighter(colour, 0.55)
        where = (0.5 - radius * rng.uniform(0.2, 0.45), 0.5 - radius * rng.uniform(0.2, 0.45))
        if rng.random() < 0.6:
            canvas.disc(where, radius * rng.uniform(0.15, 0.35), bright)
        else:
            half = radius * rng.uniform(0.15, 0.3)
            x, y = where
            canvas.polygon(
                [(x - half, y - half), (x + half, y - half), (x + half, y + half), (x - half, y + half)],
                bright,
            )


def _spiky(rng: np.random.Generator, background: Colour, colour: Colour) -> Art:
    canvas = Canvas()
    radius = rng.uniform(0.18, 0.31)
    spikes = int(rng.choice([4, 6, 8, 8, 8, 8, 10, 12]))
    reach = min(radius * rng.uniform(1.25, 1.75), 0.47)
    width = rng.uniform(0.03, 0.09)
    turn = 0.0 if rng.random() < 0.8 else rng.random()
    ink = colour if rng.random() < 0.85 else c.readable(c.lighter(colour, 0.3), background, 50)
    shorter = rng.uniform(0.75, 1.0) if rng.random() < 0.5 else 1.0
    style = rng.random()
    for i in range(spikes):
        angle = 2 * math.pi * i / spikes + turn
        far = reach * (shorter if i % 2 else 1.0)
        if style < 0.55:
            canvas.line([(0.5, 0.5), _polar(far, angle)], ink, width)
        elif style < 0.8:
            side = 0.35
            canvas.polygon(
                [
                    _polar(radius * 0.95, angle - side),
                    _polar(far, angle),
                    _polar(radius * 0.95, angle + side),
                ],
                ink,
            )
        else:
            canvas.line([(0.5, 0.5), _polar(far, angle)], ink, width * 0.7)
            canvas.disc(_polar(far, angle), width * 0.9, ink)
    canvas.disc((0.5, 0.5), radius, colour)
    if rng.random() < 0.12:
        canvas.disc((0.5, 0.5), radius * 0.6, c.lighter(colour, rng.uniform(-0.4, 0.5)))
    _shine(rng, canvas, radius, colour)
    return canvas.done()


def _bomb(rng: np.random.Generator, background: Colour, colour: Colour) -> Art:
    canvas = Canvas()
    radius = rng.uniform(0.26, 0.34)
    x, y = 0.46, 0.56
    fuse = c.readable(
        c.hsv(0.09, 0.6, rng.uniform(0.4, 0.9)) if rng.random() < 0.6 else colour, background, 40
    )
    bend = rng.uniform(-0.06, 0.12)
    start, end = (x + radius * 0.6, y - radius * 0.7), (0.84, rng.uniform(0.1, 0.22))
    middle = ((start[0] + end[0]) / 2 + bend * 0.3, (start[1] + end[1]) / 2 - bend)
    canvas.line([start, middle, end], fuse, rng.uniform(0.03, 0.06))
    if rng.random() < 0.6:
        spark = c.hsv(rng.uniform(0.02, 0.16), 0.9, 1)
        canvas.polygon(star(6, 0.13, 0.05, rng.random(), end), spark)
    canvas.disc((x, y), radius, colour)
    neck = (x + radius * 0.66, y - radius * 0.76)
    canvas.line([(neck[0] - 0.07, neck[1] - 0.05), (neck[0] + 0.06, neck[1] + 0.07)], colour, 0.1)
    if rng.random() < 0.7:
        canvas.ellipse(
            (x - radius * 0.4, y - radius * 0.4), (radius * 0.28, radius * 0.16), -45, c.lighter(colour, 0.7)
        )
    art = canvas.done()
    return turned(art, 0, mirrored=True) if rng.random() < 0.25 else art


def _burst(rng: np.random.Generator, background: Colour, colour: Colour) -> Art:
    del background
    canvas = Canvas()
    points = int(rng.integers(5, 14))
    outer = rng.uniform(0.34, 0.46)
    canvas.polygon(
        star(points, outer, outer * rng.uniform(0.4, 0.7), float(rng.choice([0, rng.random()]))), colour
    )
    if rng.random() < 0.4:
        canvas.disc((0.5, 0.5), outer * 0.3, c.lighter(colour, float(rng.choice([-0.6, 0.6]))))
    return canvas.done()


def _naval(rng: np.random.Generator, background: Colour, colour: Colour) -> Art:
    canvas = Canvas()
    radius = rng.uniform(0.24, 0.32)
    horn = c.readable(c.hsv(rng.random(), 0.6, 0.7), background, 50) if rng.random() < 0.4 else colour
    for angle in np.arange(0, 2 * math.pi, math.pi / 3) + math.pi / 6:
        canvas.line([_polar(radius * 0.8, angle), _polar(radius * 1.35, angle)], horn, 0.1)
    canvas.disc((0.5, 0.5), radius, colour)
    canvas.line([(0.5 - radius, 0.5), (0.5 + radius, 0.5)], c.lighter(colour, 0.35), 0.05)
    _shine(rng, canvas, radius, colour, 0.4)
    return canvas.done()


def _skull(rng: np.random.Generator, background: Colour, colour: Colour) -> Art:
    canvas = Canvas()
    hole = background if rng.random() < 0.5 else c.readable(c.BLACK, colour, 120)
    if rng.random() < 0.4:
        for a, b in (((0.14, 0.62), (0.86, 0.9)), ((0.86, 0.62), (0.14, 0.9))):
            canvas.line([a, b], colour, 0.08)
    canvas.ellipse((0.5, 0.42), (0.28, 0.27), 0, colour)
    canvas.polygon([(0.36, 0.6), (0.64, 0.6), (0.62, 0.82), (0.38, 0.82)], colour)
    for x in (0.39, 0.61):
        canvas.disc((x, 0.45), 0.075, hole)
    canvas.polygon([(0.5, 0.52), (0.54, 0.6), (0.46, 0.6)], hole)
    for x in (0.44, 0.5, 0.56):
        canvas.line([(x, 0.7), (x, 0.82)], hole, 0.018)
    return canvas.done()


def _plain(rng: np.random.Generator, background: Colour, colour: Colour) -> Art:
    del background
    canvas = Canvas()
    radius = rng.uniform(0.16, 0.38) if rng.random() < 0.75 else rng.uniform(0.38, 0.5)
    canvas.disc((0.5, 0.5), radius, colour)
    _shine(rng, canvas, radius, colour, 0.4)
    if rng.random() < 0.2:
        canvas.ring((0.5, 0.5), radius, c.lighter(colour, -0.4), 0.04)
    return canvas.done()


def _sun(rng: np.random.Generator, background: Colour, colour: Colour) -> Art:
    del background
    canvas = Canvas()
    rays = int(rng.integers(8, 13))
    for i in range(rays):
        angle = 2 * math.pi * i / rays
        canvas.line([_polar(0.3, angle), _polar(0.44, angle)], colour, 0.05)
    canvas.disc((0.5, 0.5), rng.uniform(0.18, 0.26), colour)
    return canvas.done()


def _gear(rng: np.random.Generator, background: Colour, colour: Colour) -> Art:
    canvas = Canvas()
    teeth = int(rng.integers(6, 11))
    for i in range(teeth):
        angle = 2 * math.pi * i / teeth
        canvas.line([(0.5, 0.5), _polar(0.42, angle)], colour, 0.12)
    canvas.disc((0.5, 0.5), 0.31, colour)
    canvas.disc((0.5, 0.5), rng.uniform(0.08, 0.16), background)
    return canvas.done()


def flower(rng: np.random.Generator, background: Colour, colour: Colour) -> Art:
    """Draw petals of the colour around a yellow heart; the background does not matter."""
    del background
    canvas = Canvas()
    petals = int(rng.integers(5, 9))
    for i in range(petals):
        canvas.disc(_polar(0.24, 2 * math.pi * i / petals), 0.15, colour)
    canvas.disc((0.5, 0.5), 0.14, c.hsv(rng.uniform(0.1, 0.17), 0.8, 1))
    return canvas.done()


def _target(rng: np.random.Generator, background: Colour, colour: Colour) -> Art:
    del background
    canvas = Canvas()
    canvas.ring((0.5, 0.5), rng.uniform(0.26, 0.36), colour, rng.uniform(0.05, 0.12))
    canvas.disc((0.5, 0.5), rng.uniform(0.08, 0.16), colour)
    return canvas.done()


def _dynamite(rng: np.random.Generator, background: Colour, colour: Colour) -> Art:
    canvas = Canvas()
    red = c.readable(c.hsv(0, 0.85, rng.uniform(0.6, 0.95)), background, 40)
    for x in (0.26, 0.42, 0.58):
        canvas.polygon([(x, 0.34), (x + 0.14, 0.34), (x + 0.14, 0.86), (x, 0.86)], red)
        canvas.line([(x + 0.15, 0.34), (x + 0.15, 0.86)], c.lighter(red, -0.4), 0.02)
    canvas.polygon([(0.24, 0.52), (0.74, 0.52), (0.74, 0.64), (0.24, 0.64)], c.lighter(colour, -0.2))
    canvas.line([(0.5, 0.34), (0.54, 0.2), (0.66, 0.14)], c.readable((90, 70, 40), background, 40), 0.04)
    canvas.disc((0.68, 0.13), 0.06, c.hsv(0.12, 0.9, 1))
    return canvas.done()


def _radiation(rng: np.random.Generator, background: Colour, colour: Colour) -> Art:
    del background
    canvas = Canvas()
    fill = c.hsv(0.14, 0.9, 1)
    ink = c.readable(colour, fill, 120)
    canvas.disc((0.5, 0.5), 0.42, fill)
    for i in range(3):
        middle = 2 * math.pi * i / 3 + math.pi / 6
        arc = [_polar(0.36, middle + a) for a in np.linspace(-math.pi / 6, math.pi / 6, 8)]
        canvas.polygon([(0.5, 0.5), *arc], ink)
    canvas.disc((0.5, 0.5), 0.1, fill)
    canvas.disc((0.5, 0.5), 0.06, ink)
    if rng.random() < 0.5:
        canvas.ring((0.5, 0.5), 0.42, ink, 0.03)
    return canvas.done()


def _beetle(rng: np.random.Generator, background: Colour, colour: Colour) -> Art:
    canvas = Canvas()
    legs = c.readable(c.BLACK, background, 50)
    for y in (0.4, 0.55, 0.7):
        canvas.line([(0.16, y - 0.05), (0.5, y), (0.84, y - 0.05)], legs, 0.035)
    canvas.disc((0.5, 0.28), 0.13, legs)
    canvas.ellipse((0.5, 0.56), (0.23, 0.3), 0, colour)
    canvas.line([(0.5, 0.28), (0.5, 0.86)], c.lighter(colour, -0.6), 0.03)
    if rng.random() < 0.5:
        for x, y in ((0.4, 0.45), (0.6, 0.45), (0.4, 0.65), (0.6, 0.65)):
            canvas.disc((x, y), 0.05, c.lighter(colour, -0.7))
    return canvas.done()
