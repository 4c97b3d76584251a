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
class Ground:
    """How the ground of a tile looks. Lengths are shares of the tile's side."""

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


def lighter(ground: Ground, share: float) -> Ground:
    """The same ground, its colours moved towards white (or black, share < 0)."""
    end = None if ground.end is None else c.lighter(ground.end, share)
    return replace(ground, colour=c.lighter(ground.colour, share), end=end)


def paint(ground: Ground, width: int, height: int, page: Colour) -> Patch:
    """Draw a ground; returns (height, width, 3) float32 RGB, 0 to 255."""
    side = (width + height) / 2
    y, x = np.mgrid[0:height, 0:width].astype(np.float32) + np.float32(0.5)
    gap = round(ground.gap * side) if side < 60 and ground.radius == 0 else ground.gap * side
    if ground.gap and gap == 0:
        gap = 0.5
    inside = _depth(x, y, width, height, gap, ground.radius * side)
    body = _body(ground, x / width, y / height)
    if ground.bevel:
        _add_bevel(body, ground, inside, x, y, width, height, max(1.0, round(ground.bevel * side)))
    if ground.lip:
        front = np.clip(y - (height - gap - ground.lip * side) + 0.5, 0, 1)[..., None]
        body *= 1 - 0.35 * front
    if ground.rim:
        rim = np.clip(max(1.0, ground.rim * side) - inside + 0.5, 0, 1)[..., None]
        body += (_vector(ground.rim_colour) - body) * rim
    if ground.line:
        _add_lines(body, ground, width, height, max(1, round(ground.line * side)))
    cover = np.clip(inside + 0.5, 0, 1)[..., None]
    if gap == 0 and ground.radius == 0:
        return body
    under = np.broadcast_to(_vector(page), body.shape).copy()
    if ground.shadow:
        drop = 0.05 * side
        below = _depth(x, y - drop, width, height, gap, ground.radius * side)
        under *= 1 - ground.shadow * np.clip(below / max(drop, 1) + 0.8, 0, 1)[..., None]
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


def _body(ground: Ground, u: Plane, v: Plane) -> Patch:
    start = _vector(ground.colour)
    body = np.empty((*u.shape, 3), dtype=np.float32)
    if ground.end is None:
        body[:] = start
    else:
        if ground.radial:
            share = np.clip(np.hypot(u - 0.5, v - 0.5) / 0.7, 0, 1)
        else:
            angle = np.deg2rad(ground.angle)
            share = np.clip(0.5 + (u - 0.5) * np.cos(angle) + (v - 0.5) * np.sin(angle), 0, 1)
        body[:] = start + (_vector(ground.end) - start) * share[..., None]
    if ground.grain:
        body += _texture(ground, u, v)[..., None]
    if ground.gloss:
        edge = np.clip((0.5 - v) * 40 + 0.5, 0, 1) * (1 - v)
        body += (255 - body) * (ground.gloss * edge)[..., None]
    return body


def _texture(ground: Ground, u: Plane, v: Plane) -> Plane:
    rng = np.random.default_rng(ground.seed)
    if ground.weave == "rows":
        wave = np.sin(2 * np.pi * v * int(rng.integers(3, 9)))
    elif ground.weave == "diagonal":
        wave = np.sin(2 * np.pi * (u + v) * int(rng.integers(2, 6)))
    elif ground.weave == "dots":
        count = int(rng.integers(3, 7))
        wave = np.sin(2 * np.pi * u * count) * np.sin(2 * np.pi * v * count)
    elif ground.weave == "blotches":
        wave = np.zeros_like(u)
        for _ in range(6):
            fx, fy = rng.integers(-3, 4, size=2)
            wave += np.sin(2 * np.pi * (fx * u + fy * v + rng.random())) / 2
    else:
        wave = rng.standard_normal(u.shape)
    return np.asarray(wave * ground.grain, dtype=np.float32)


def _add_bevel(
    body: Patch, ground: Ground, inside: Plane, x: Plane, y: Plane, width: int, height: int, size: float
) -> None:
    strength = np.clip(size - inside + 0.5, 0, 1)
    if ground.soft:
        strength = np.clip((size - inside) / size, 0, 1)
    # The diagonal from bottom left to top right parts the lit sides from the shaded ones.
    lit = (x * height + y * width < width * height)[..., None]
    edge = np.where(lit, _vector(ground.light), _vector(ground.dark))
    body += (edge - body) * strength[..., None]


def _add_lines(body: Patch, ground: Ground, width: int, height: int, size: int) -> None:
    colour = _vector(ground.line_colour)
    if ground.sides in {"all", "left-top"}:
        body[:size] = colour
        body[:, :size] = colour
    if ground.sides == "right-bottom" or (ground.sides == "all" and size > 1):
        body[height - size :] = colour
        body[:, width - size :] = colour
