"""Image + reading + solution -> a new image with the odds drawn on it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Final, Protocol

import cv2
import numpy as np
import numpy.typing as npt

from visionsweeper.board import Board
from visionsweeper.drawing import marks
from visionsweeper.drawing.frame import draw_outline
from visionsweeper.drawing.layers import MAX_PIXELS
from visionsweeper.drawing.legend import legend_strip
from visionsweeper.errors import InvalidInput
from visionsweeper.geometry import positions_of
from visionsweeper.solver.doubt import Certainty
from visionsweeper.solver.flags import doubtful_flags, wrong_flags
from visionsweeper.wording import format_percentage

if TYPE_CHECKING:
    from visionsweeper.geometry import Grid
    from visionsweeper.solver import Solution

LEGIBLE: Final = 30.0
"""Tiles narrower than this many pixels are enlarged, by a whole factor so that edges stay crisp."""
ROOMY: Final = 44.0
"""From this many pixels a tile on, every percentage has its decimal."""


class View(Protocol):
    """What is known about a picture: a Reading, or anything with these."""

    @property
    def board(self) -> Board:
        """What the picture shows."""

    @property
    def image(self) -> npt.NDArray[np.uint8]:
        """(H, W, 3) uint8 RGB: the pixels that the grid lies in."""

    @property
    def straightened(self) -> bool:
        """Whether `image` has other pixels than the picture that was read, which was tilted."""

    @property
    def grid(self) -> Grid:
        """Where its tiles lie, px of `image`."""

    @property
    def uncertain(self) -> npt.NDArray[np.bool_]:
        """(rows, columns) bool: tiles that were read with doubt."""


def annotate(
    image: npt.NDArray[np.uint8],
    reading: View,
    solution: Solution | None,
    *,
    conflict: Iterable[tuple[int, int]] = (),
    best: Sequence[tuple[int, int]] | None = None,
    certain: Certainty | None = None,
    legend: bool = True,
    outline: bool = False,
) -> npt.NDArray[np.uint8]:
    """Draw the odds over a picture of a board; the picture itself is left as it is.

    `image` is (H, W, 3) uint8 RGB, the picture that was read; where the tiles of `reading` do not lie in it
    (a photo that was put upright, a picture of another size) `reading.image` is drawn on instead.
    `solution` may be None (a board that contradicts itself): then only the `conflict` tiles (row, column)
    and the doubted ones are marked.
    `best` are the tiles to outline as the ones to open next, best first; without them the solution's best.
    `certain` says which tiles are certain although some are in doubt; without it, it is worked out.
    Returns (H', W', 3) uint8 RGB, enlarged by a whole factor where tiles are too small to write on, with a
    strip below that explains the marks if `legend` and where it has room. `outline` frames the board where
    the picture goes on around it, to show what was taken for it.
    Raises InvalidInput when the image is not (H, W, 3) uint8 or board, grid and solution differ in size.
    """
    _check(image, reading, solution)
    if reading.straightened or image.shape != reading.image.shape:
        image = reading.image
    factor = enlargement(reading.grid, image.shape[:2])
    canvas = _enlarged(image, factor)
    tiles = _TilePixels(reading.grid, factor)
    if outline:
        draw_outline(canvas, tiles.x, tiles.y)
    shown = set()
    doubtful: tuple[tuple[int, int], ...] = ()
    wrong: tuple[tuple[int, int], ...] = ()
    if solution is not None:
        if certain is None:
            certain = Certainty.of(solution, reading.uncertain, reading.board)
        shown |= _draw_odds(canvas, tiles, reading.board, solution, certain)
        doubtful, wrong = doubtful_flags(solution, certain), wrong_flags(solution, certain)
    if best is None:
        best = [solution.best] if solution is not None and solution.best is not None else []
    shown |= _draw_marks(canvas, tiles, reading, doubtful, wrong, conflict, best)
    if legend and shown:
        canvas = np.vstack([canvas, legend_strip(canvas.shape[1], shown)])
    return canvas


def enlargement(grid: Grid, shape: tuple[int, ...]) -> int:
    """Return the whole factor by which a picture of (H, W, ...) grows so that its tiles can be written on."""
    pitch = min(grid.pitch_x, grid.pitch_y)
    wanted = int(np.ceil(LEGIBLE / max(pitch, 1.0) - 1e-6))
    allowed = int((MAX_PIXELS / max(shape[0] * shape[1], 1)) ** 0.5)
    return max(min(wanted, allowed), 1)


class _TilePixels:
    """Whole pixels of every tile on the canvas."""

    def __init__(self, grid: Grid, factor: int) -> None:
        self.x = [round(float(edge) * factor) for edge in grid.x]
        self.y = [round(float(edge) * factor) for edge in grid.y]
        self.roomy = min(grid.pitch_x, grid.pitch_y) * factor >= ROOMY

    def box(self, tile: tuple[int, int], outset: float = 0.0) -> tuple[int, int, int, int]:
        """x, y, width, height of a tile, grown on all sides by a share of its size."""
        row, column = tile
        x, y = self.x[column], self.y[row]
        width, height = self.x[column + 1] - x, self.y[row + 1] - y
        more = round(outset * min(width, height))
        return x - more, y - more, max(width + 2 * more, 1), max(height + 2 * more, 1)


def _draw_odds(
    canvas: npt.NDArray[np.uint8],
    tiles: _TilePixels,
    board: Board,
    solution: Solution,
    certain: Certainty,
) -> set[str]:
    """Percentages on all covered tiles whose odds are known; says which kinds there were."""
    none, all_ = format_percentage(0.0, certain=True), format_percentage(1.0, certain=True)
    kinds = (
        ("safe", certain.safe, marks.certainly_safe, none),
        ("mined", certain.mine, marks.certainly_mined, all_),
        ("safe_if", certain.safe_if_read_right, marks.safe_if_read_right, none),
        ("mined_if", certain.mine_if_read_right, marks.mined_if_read_right, all_),
    )
    settled = {tile: (kind, make, text) for kind, where, make, text in kinds for tile in where}
    shown = set()
    for tile in positions_of(board.covered):
        x, y, width, height = tiles.box(tile)
        if tile in settled:
            kind, make, text = settled[tile]
            stamp = make(width, height, text)
            shown.add(kind)
        else:
            chance = float(solution.probability[tile])
            if np.isnan(chance):
                continue
            text = format_percentage(chance, certain=False, compact=not tiles.roomy)
            stamp = marks.odds(width, height, text, round(chance * 1000))
            shown.add("odds")
        stamp.lay(canvas, x, y)
    return shown


def _draw_marks(
    canvas: npt.NDArray[np.uint8],
    tiles: _TilePixels,
    reading: View,
    doubtful_flags: Sequence[tuple[int, int]],
    wrong_flags: Sequence[tuple[int, int]],
    conflict: Iterable[tuple[int, int]],
    best: Sequence[tuple[int, int]],
) -> set[str]:
    """Corners and outlines, the most important last and so on top; says which kinds there were."""
    shown = set()
    layers = [
        ("doubted_flag", marks.doubted_flag, doubtful_flags, 0.0),
        ("wrong_flag", marks.wrong_flag, wrong_flags, 0.0),
        ("uncertain", marks.uncertain, positions_of(reading.uncertain), 0.0),
        ("conflict", marks.conflict, list(conflict), 0.0),
        ("runner_up", marks.runner_up, best[1:], 0.09),
        ("best", marks.best, best[:1], 0.09),
    ]
    for name, make, where, outset in layers:
        for tile in where:
            x, y, width, height = tiles.box(tile, outset)
            make(width, height).lay(canvas, x, y)
            shown.add(name)
    return shown


def _enlarged(image: npt.NDArray[np.uint8], factor: int) -> npt.NDArray[np.uint8]:
    if factor == 1:
        return image.copy()
    return np.asarray(
        cv2.resize(image, None, fx=factor, fy=factor, interpolation=cv2.INTER_CUBIC), dtype=np.uint8
    )


def _check(image: npt.NDArray[np.uint8], reading: View, solution: Solution | None) -> None:
    if image.ndim != 3 or image.shape[2] != 3 or image.dtype != np.uint8 or image.size == 0:
        raise InvalidInput("the picture to annotate must be an (H, W, 3) uint8 RGB array")
    size = reading.board.cells.shape
    sizes = [(reading.grid.rows, reading.grid.columns), reading.uncertain.shape]
    if solution is not None:
        sizes.append(solution.probability.shape)
    if any(other != size for other in sizes):
        raise InvalidInput("board, grid and solution to draw differ in size: use those of one reading")
