"""The tile itself, without what is printed on it: plate, bevel, gradient, gloss, lines, texture."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Literal

import numpy as np
import numpy.typing as npt

from visionsweeper.synthetic import colours as c
from visionsweeper.synthetic.canvas import Colour

Patch = npt.NDArray[np.float32]
"""(h, w, 3) float32 RGB, 0 to 255."""
Plane = npt.NDArray[np.float32]


@dataclass(frozen=True)
class Background:
    """How the background of a tile looks. Lengths are shares of the tile's side."""

    colour: Colour
    end: Colour | None = None
    """Far colour of a gradient."""
    angle: float = 90.0
    """Direction of the gradient in degrees, 90 is downwards."""
    radial: bool = False
    gap: float = 0.0
    """Margin on each side where the page shows."""
    radius: float = 0.0
    """Of rounded corners."""
    bevel: float = 0.0
    """Width of the raised (or sunken) edge; at least a pixel where it is above 0."""
    light: Colour = c.WHITE
    dark: Colour = (128.0, 128.0, 128.0)
    soft: bool = False
    """Bevel fades inwards."""
    line: float = 0.0
    """Width of the lines between tiles; at least a pixel where it is above 0."""
    line_colour: Colour = (128.0, 128.0, 128.0)
    sides: Literal["all", "left-top", "right-bottom"] = "all"
    rim: float = 0.0
    """Width of a border that follows the rounded corners."""
    rim_colour: Colour = c.BLACK
    gloss: float = 0.0
    """Extra light on the upper half, 0 to 1."""
    lip: float = 0.0
    """Height of a darker front edge at the bottom, as thick keys have."""
    shadow: float = 0.0
    """Darkness of the shadow below the plate, 0 to 1."""
    grain: float = 0.0
    """Standard deviation of noise, gray levels."""
    weave: Literal["none", "rows", "diagonal", "dots", "blotches"] = "none"
    """Pattern, of strength `grain` too."""
    seed: int = 0
    """Of the noise."""


def lighter(background: Background, share: float) -> Background:
    """Return the same background, its colours moved towards white (or black, share < 0)."""
    end = None if background.end is None else c.lighter(background.end, share)
    return replace(background, colour=c.lighter(background.colour, share), end=end)


def paint(background: Background, width: int, height: int, page: Colour) -> Patch:
    """Draw a background; returns (height, width, 3) float32 RGB, 0 to 255."""
    side = (width + height) / 2
    y, x = np.mgrid[0:height, 0:width].astype(np.float32) + np.float32(0.5)
    gap = round(background.gap * side) if side < 60 and background.radius == 0 else background.gap * side
    if background.gap and gap == 0:
        gap = 0.5
    inside = _depth(x, y, width, height, gap, background.radius * side)
    body = _body(background, x / width, y / height)
    if background.bevel:
        _add_bevel(body, background, inside, x, y, width, height, max(1.0, round(background.bevel * side)))
    if background.lip:
        front = np.clip(y - (height - gap - background.lip * side) + 0.5, 0, 1)[..., None]
        body *= 1 - 0.35 * front
    if background.rim:
        rim = np.clip(max(1.0, background.rim * side) - inside + 0.5, 0, 1)[..., None]
        body += (_vector(background.rim_colour) - body) * rim
    if background.line:
        _add_lines(body, background, width, height, max(1, round(background.line * side)))
    cover = np.clip(inside + 0.5, 0, 1)[..., None]
    if gap == 0 and background.radius == 0:
        return body
    under = np.broadcast_to(_vector(page), body.shape).copy()
    if background.shadow:
        drop = 0.05 * side
        below = _depth(x, y - drop, width, height, gap, background.radius * side)
        under *= 1 - background.shadow * np.clip(below / max(drop, 1) + 0.8, 0, 1)[..., None]
    return np.asarray(under + (body - under) * cover, dtype=np.float32)


def _vector(colour: Colour) -> npt.NDArray[np.float32]:
    return np.array(colour, dtype=np.float32)


def _depth(x: Plane, y: Plane, width: int, height: int, gap: float, radius: float) -> Plane:
    """Distance in pixels from each point to the edge of the rounded plate, positive inside."""
    half_w, half_h = width / 2 - gap, height / 2 - gap
    radius = min(radius, half_w, half_h)
    qx = np.abs(x - width / 2) - (half_w - radius)
    qy = np.abs(y - height / 2) - (half_h - radius)
    outside = np.hypot(np.maximum(qx, 0), np.maximum(qy, 0))
    return np.asarray(radius - outside - np.minimum(np.maximum(qx, qy), 0), dtype=np.float32)


def _body(background: Background, u: Plane, v: Plane) -> Patch:
    start = _vector(background.colour)
    body = np.empty((*u.shape, 3), dtype=np.float32)
    if background.end is None:
        body[:] = start
    else:
        if background.radial:
            share = np.clip(np.hypot(u - 0.5, v - 0.5) / 0.7, 0, 1)
        else:
            angle = np.deg2rad(background.angle)
            share = np.clip(0.5 + (u - 0.5) * np.cos(angle) + (v - 0.5) * np.sin(angle), 0, 1)
        body[:] = start + (_vector(background.end) - start) * share[..., None]
    if background.grain:
        body += _texture(background, u, v)[..., None]
    if background.gloss:
        edge = np.clip((0.5 - v) * 40 + 0.5, 0, 1) * (1 - v)
        body += (255 - body) * (background.gloss * edge)[..., None]
    return body


def _texture(background: Background, u: Plane, v: Plane) -> Plane:
    rng = np.random.default_rng(background.seed)
    if background.weave == "rows":
        wave = np.sin(2 * np.pi * v * int(rng.integers(3, 9)))
    elif background.weave == "diagonal":
        wave = np.sin(2 * np.pi * (u + v) * int(rng.integers(2, 6)))
    elif background.weave == "dots":
        count = int(rng.integers(3, 7))
        wave = np.sin(2 * np.pi * u * count) * np.sin(2 * np.pi * v * count)
    elif background.weave == "blotches":
        wave = np.zeros_like(u)
        for _ in range(6):
            fx, fy = rng.integers(-3, 4, size=2)
            wave += np.sin(2 * np.pi * (fx * u + fy * v + rng.random())) / 2
    else:
        wave = rng.standard_normal(u.shape)
    return np.asarray(wave * background.grain, dtype=np.float32)


def _add_bevel(
    body: Patch,
    background: Background,
    inside: Plane,
    x: Plane,
    y: Plane,
    width: int,
    height: int,
    size: float,
) -> None:
    strength = np.clip(size - inside + 0.5, 0, 1)
    if background.soft:
        strength = np.clip((size - inside) / size, 0, 1)
    # The diagonal from bottom left to top right parts the lit sides from the shaded ones.
    lit = (x * height + y * width < width * height)[..., None]
    edge = np.where(lit, _vector(background.light), _vector(background.dark))
    body += (edge - body) * strength[..., None]


def _add_lines(body: Patch, background: Background, width: int, height: int, size: int) -> None:
    colour = _vector(background.line_colour)
    if background.sides in {"all", "left-top"}:
        body[:size] = colour
        body[:, :size] = colour
    if background.sides == "right-bottom" or (background.sides == "all" and size > 1):
        body[height - size :] = colour
        body[:, width - size :] = colour
