"""A theme: every choice for one appearance, made once, so that all tiles of a kind are drawn alike."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from visionsweeper.synthetic import colours as c
from visionsweeper.synthetic.background import Background
from visionsweeper.synthetic.canvas import Art, Colour
from visionsweeper.synthetic.fonts import FontSource


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
    glint: Colour | None = None
    """Colour of a copy moved up and left."""
    fringed: bool = False
    """Antialiased by thirds of pixels, red, green and blue apart, as on LCD screens."""
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
class TileFace:
    """All that tiles of one tile class show."""

    backgrounds: tuple[Background, ...]
    """Variants; each tile gets one of them."""
    layers: tuple[Layer, ...] = ()
    """What is printed, lowest first."""


@dataclass(frozen=True)
class Veil:
    """A colour laid over the whole board, evenly or not."""

    colour: Colour
    strength: float
    """Opacity where it is thickest, 0 to 1."""
    kind: Literal["flat", "slope", "blotches"] = "slope"
    on: Literal["all", "covered", "opened"] = "all"
    angle: float = 90.0
    """Of a slope, degrees."""
    seed: int = 0
    """Of the blotches."""


@dataclass(frozen=True)
class Degradation:
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


@dataclass(frozen=True, eq=False)
class RenderTheme:
    """How one game draws its tiles."""

    faces: tuple[TileFace, ...]
    """By tile class."""
    page: Colour
    pitch: tuple[float, float]
    """Pixels from tile to tile, across and down; fractional."""
    canvas_pitch: int = 0
    """Pixels a tile when drawn at another size and resized afterwards, or 0 to draw at the final size."""
    enlarge: Literal["nearest", "linear", "cubic"] = "linear"
    """How a smaller canvas is enlarged."""
    crisp: bool = False
    """Icons without antialiasing, as in pixel art."""
    checker_opened: float = 0.0
    """Lightening of every other opened tile, -1 to 1."""
    checker_covered: float = 0.0
    uneven: float = 0.0
    """Largest shift in pixels of an edge between tiles."""
    frontier: float = 0.0
    """Width, as a share of a tile, of the edge of opened background towards covered tiles."""
    frontier_colour: Colour = c.BLACK
    frontier_soft: bool = False
    cursor: float = 0.0
    """Width, as a share of a tile, of a frame around one tile; none is drawn where `lit` is set."""
    cursor_colour: Colour = c.BLACK
    lit: Literal["", "reversed", "tinted", "inked"] = ""
    """How one tile is lit, as in terminals and on focused buttons.

    In opposite colours, tinted with `cursor_colour`, or on a background of that colour with its signs in
    black or white.
    """
    coordinates: Text | None = None
    """How covered tiles print where they are, as chat bots need it: A1, B1; each has another text."""
    hint: tuple[Layer, ...] = ()
    """What lies on a few covered tiles while the game goes on: a mark for where to start, a hint."""
    veil: Veil | None = None
    degradation: Degradation = Degradation()
