"""Samples for the tile map: windows of right and wrong lattices over drawn screens, cell by cell labelled."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Final

import numpy as np
import numpy.typing as npt

from visionsweeper.geometry import Grid
from visionsweeper.synthetic.fonts import FontSource
from visionsweeper.synthetic.pages import Page, PageKind, random_page
from visionsweeper.vision.cutting import sheet_of_tiles
from visionsweeper.vision.detection.candidates import continued
from visionsweeper.vision.detection.proposals import proposals, proposals_in_parts
from visionsweeper.vision.detection.tile_map import CELL, in_picture

Edges = npt.NDArray[np.float64]
Labels = npt.NDArray[np.int8]

WINDOW: Final = 20
"""Cells along a side of a sample."""

IGNORED: Final = -1
"""Label of a cell that is neither cut right nor wrong enough to be called so."""

_RIGHT: Final = 0.13
"""A cell is cut right whose borders are nearer than this to those of a tile, tiles."""

_WRONG: Final = 0.25
"""A cell is cut wrong one of whose borders is this far from that of a tile, tiles."""

_PITCHES: Final = (10.0, 60.0)
"""Of lattices that have nothing to do with the board, px."""

_FACTORS: Final = (1 / 3, 1 / 2, 1 / 2, 2 / 3, 3 / 4, 4 / 3, 3 / 2, 2.0, 2.0, 3.0)
"""By which a wrong pitch is off as proposals often are."""

_MOST_CELLS: Final = 60_000
"""Lattices with more cells than this over the screen are left out."""

_LEAST_PITCH: Final = 3.0
"""Of a lattice, px; finer ones are left out."""

_FROM_ONE_PAGE: Final = 4
"""Samples taken from each drawn screen, which takes longer to draw than a sample to cut out."""

_PROPOSED: Final = 2
"""Samples of each drawn screen whose lattice is one that the search proposes there."""

_FIRST_PROPOSALS: Final = 8
"""Of a screen, and of its parts, among which one is chosen."""

_IN_PARTS: Final = 0.3
"""Share of the screens whose parts are searched too."""


@dataclass(frozen=True, eq=False)
class LatticeSample:
    """A window of a lattice as the network sees it, and what it is to say."""

    sheet: npt.NDArray[np.uint8]
    """(WINDOW * CELL, WINDOW * CELL, 3) RGB: every cell resampled to CELL x CELL."""
    shown_y: npt.NDArray[np.bool_]
    """(WINDOW * CELL,) whether that row of the sheet lies in the picture."""
    shown_x: npt.NDArray[np.bool_]
    """(WINDOW * CELL,) whether that column of the sheet does."""
    labels: Labels
    """(WINDOW, WINDOW): 1 a whole tile of the board, cut right; 0 none; IGNORED."""


def lattice_samples(
    seed: int, fonts: Sequence[FontSource], count: int, *, untouched: float, terminals: float = 0.0
) -> Iterator[LatticeSample]:
    """Yield `count` samples; the same seed and fonts give the same ones, and fewer of them the first ones.

    On the share `untouched` of the boards nothing was opened yet. The share `terminals` of the screens are
    terminals; the others are of all kinds, terminals among them.
    """
    rng = np.random.default_rng(seed)
    made = 0
    while made < count:
        kind: PageKind | None = "terminal" if terminals and rng.random() < terminals else None
        page = random_page(rng, fonts, kind, untouched=untouched)
        found = proposed(page, rng)
        for number in range(_FROM_ONE_PAGE):
            proposal = found[int(rng.integers(len(found)))] if found and number < _PROPOSED else None
            sample = random_sample(page, rng, proposal)
            if sample is not None and made < count:
                made += 1
                yield sample


def proposed(page: Page, rng: np.random.Generator) -> list[Grid]:
    """Return lattices that the search proposes on a screen: mostly of things that are no board, if right."""
    found = list(islice(proposals(page.image), _FIRST_PROPOSALS))
    if rng.random() < _IN_PARTS:
        found += islice(proposals_in_parts(page.image, 2), _FIRST_PROPOSALS)
    return found


def random_sample(page: Page, rng: np.random.Generator, proposal: Grid | None = None) -> LatticeSample | None:
    """Cut a window, most often at an edge of the board, out of a random lattice; None where that fails.

    With a proposal it is cut out of the proposed lattice, at times at an edge of what was proposed.
    """
    height, width = page.image.shape[:2]
    of = page.grid
    if proposal is None:
        x, y = random_lattice(page, rng)
    else:
        everywhere = 2.0 * max(height, width)
        x, y = continued(proposal.x, width, everywhere), continued(proposal.y, height, everywhere)
        of = proposal if of is None or rng.random() < 0.5 else of
    columns, rows = len(x) - 1, len(y) - 1
    if min(columns, rows) < 2 or columns * rows > _MOST_CELLS:
        return None
    left = _first_cell(x, None if of is None else of.x, rng)
    top = _first_cell(y, None if of is None else of.y, rng)
    window_x, window_y = _window(x, left), _window(y, top)
    if min(np.diff(window_x).min(), np.diff(window_y).min()) < _LEAST_PITCH:
        return None
    if window_x[0] >= width or window_y[0] >= height or window_x[-1] <= 0 or window_y[-1] <= 0:
        return None
    window = Grid(window_x, window_y)
    labels = np.zeros((WINDOW, WINDOW), np.int8)
    r0, c0, r1, c1 = max(0, top), max(0, left), min(rows, top + WINDOW), min(columns, left + WINDOW)
    labels[r0 - top : r1 - top, c0 - left : c1 - left] = page_labels(page, x, y)[r0:r1, c0:c1]
    labels[_mostly_hidden(window, height, width)] = 0
    return LatticeSample(
        sheet_of_tiles(page.image, window, CELL),
        in_picture(window.y, height),
        in_picture(window.x, width),
        labels,
    )


def page_labels(page: Page, x: Edges, y: Edges) -> Labels:
    """Return the labels, as `lattice_labels` does, for all boards on a screen."""
    labels = lattice_labels(page.grid, x, y)
    for other in page.others:
        more = lattice_labels(other, x, y)
        labels = np.where((more == 1) | ((more == IGNORED) & (labels == 0)), more, labels)
    return labels


def lattice_labels(board: Grid | None, x: Edges, y: Edges) -> Labels:
    """Return (rows, columns): which cells between the edges `x` and `y`, px, are tiles of the board.

    1 where both pairs of borders are a tile's, 0 where they are not, IGNORED between.
    """
    if board is None:
        return np.zeros((len(y) - 1, len(x) - 1), np.int8)
    on_x, off_x = axis_match(x, board.x)
    on_y, off_y = axis_match(y, board.y)
    on_board = on_y[:, None] & on_x[None]
    off = np.maximum(off_y[:, None], off_x[None])
    labels = np.where(off < _RIGHT, 1, np.where(off < _WRONG, IGNORED, 0))
    return np.where(on_board, labels, 0).astype(np.int8)


def axis_match(edges: Edges, true: Edges) -> tuple[npt.NDArray[np.bool_], Edges]:
    """Compare the cells between `edges` with the tiles between `true` along one axis, px.

    Returns for each cell whether its middle is on the board, and how far the worse of its two borders is
    from that of the tile there (beyond the board: of the last tile), in tiles.
    """
    pitch = (true[-1] - true[0]) / (len(true) - 1)
    tile = np.searchsorted(true, (edges[:-1] + edges[1:]) / 2) - 1
    on_board = (tile >= 0) & (tile < len(true) - 1)
    tile = np.clip(tile, 0, len(true) - 2)
    off = np.maximum(np.abs(edges[:-1] - true[tile]), np.abs(edges[1:] - true[tile + 1])) / pitch
    return on_board, off


def random_lattice(page: Page, rng: np.random.Generator) -> tuple[Edges, Edges]:
    """Choose the edges, px, of a lattice all over the screen: x and y.

    Of 100, about 55 are the board's own, continued; 15 are shifted against it by a quarter to three
    quarters of a tile, 18 have another pitch, 7 drift away from it, and 5 have nothing to do with it.
    """
    height, width = page.image.shape[:2]
    if page.grid is None:
        across = float(np.exp(rng.uniform(*np.log(_PITCHES))))
        down = across * (1 if rng.random() < 0.8 else rng.uniform(0.6, 1.6))
        return (
            np.arange(rng.uniform(-across, 0), width + across, across),
            np.arange(rng.uniform(-down, 0), height + down, down),
        )
    kind = rng.random()
    both, which = rng.random() < 0.7, int(rng.integers(2))
    factor = _FACTORS[int(rng.integers(len(_FACTORS)))]
    drift = float(np.exp(rng.uniform(np.log(0.01), np.log(0.15))) * rng.choice([-1, 1]))
    axes = []
    for axis, (true, length) in enumerate(((page.grid.x, width), (page.grid.y, height))):
        if kind < 0.55:
            axes.append(_right_edges(true, length, rng))
        else:
            wrong = both or axis == which
            pitch, start = _wrong_pitch(true, kind, factor if wrong else 1.0, drift if wrong else 0.0, rng)
            axes.append(_from(start, pitch, length))
    return axes[0], axes[1]


def _right_edges(true: Edges, length: int, rng: np.random.Generator) -> Edges:
    """Continue the board's edges over the screen, px, a little off as a fit is; at times evened out."""
    tiles = len(true) - 1
    pitch = float(true[-1] - true[0]) / tiles
    if rng.random() < 0.6:
        core = true + float(np.clip(rng.normal(0, 0.03), -0.09, 0.09)) * pitch
        before, after = int(np.ceil(core[0] / pitch)) + 1, int(np.ceil((length - core[-1]) / pitch)) + 1
        return np.concatenate(
            [core[0] - pitch * np.arange(before, 0, -1), core, core[-1] + pitch * np.arange(1, after + 1)]
        )
    off = float(np.clip(rng.normal(0, 0.03), -0.08, 0.08)) * pitch
    pitch *= 1 + rng.normal(0, 0.03) / tiles
    middle = float(true[0]) + off + float(true[-1] - true[0]) / 2
    return _from(middle - tiles / 2 * pitch, pitch, length)


def _wrong_pitch(
    true: Edges, kind: float, factor: float, drift: float, rng: np.random.Generator
) -> tuple[float, float]:
    """Choose the pitch of a wrong lattice and one of its edges, px.

    `factor` 1 and `drift` 0 leave the axis right where the lattice is wrong along the other one alone.
    """
    first, right = float(true[0]), factor == 1.0
    pitch = float(true[-1] - true[0]) / (len(true) - 1)
    if kind < 0.70:
        return pitch, first + (0.0 if right else rng.uniform(0.25, 0.75) * pitch)
    if kind < 0.88:
        pitch *= factor
        at_the_first = rng.random() < 0.5
        return pitch, first if at_the_first or right else first + rng.uniform(0, 1) * pitch
    if kind < 0.95:
        rng.random()  # the shipped network's samples were drawn with this number, which nothing uses
        return pitch * (1 + drift), float(true[int(rng.integers(len(true)))])
    pitch = float(np.exp(rng.uniform(*np.log(_PITCHES))))
    return pitch, rng.uniform(0, pitch)


def _from(start: float, pitch: float, length: int) -> Edges:
    """Return even edges, one of them at `start`, from before 0 to beyond `length`, px."""
    first = start - np.ceil(start / pitch) * pitch - pitch
    return np.arange(first, length + 2 * pitch, pitch, dtype=np.float64)


def _first_cell(edges: Edges, true: Edges | None, rng: np.random.Generator) -> int:
    """Choose where a window begins along one axis; most often so that the board begins or ends in it.

    May be negative: the lattice then goes on beyond its edges.
    """
    low, high = -3, len(edges) - 1 - WINDOW + 3
    if high < low:
        return int(rng.integers(high, low + 1))
    if true is not None and rng.random() < 0.85:
        end = true[0] if rng.random() < 0.5 else true[-1]
        nearest = int(np.argmin(np.abs(edges - end)))
        return int(np.clip(nearest - int(rng.integers(2, WINDOW - 2)), low, high))
    return int(rng.integers(low, high + 1))


def _window(edges: Edges, first: int) -> Edges:
    """Return WINDOW + 1 edges from the `first` on, px, continued evenly beyond both ends."""
    pitch, last = float(np.mean(np.diff(edges))), len(edges) - 1
    index = np.arange(first, first + WINDOW + 1)
    inner = edges[np.clip(index, 0, last)]
    beyond = np.minimum(index, 0) + np.maximum(index - last, 0)
    return inner + beyond * pitch


def _mostly_hidden(window: Grid, height: int, width: int) -> npt.NDArray[np.bool_]:
    """Tell of each cell whether less than half of it, along either axis, lies in the picture."""
    shares = [
        np.diff(np.clip(edges, 0, length)) / np.diff(edges)
        for edges, length in ((window.y, height), (window.x, width))
    ]
    return np.asarray(np.minimum(shares[0][:, None], shares[1][None]) < 0.5)
