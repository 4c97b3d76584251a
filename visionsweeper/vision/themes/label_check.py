"""From a labelled shot to a theme, and what speaks against believing the labels."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from visionsweeper.board import COVERED, Board
from visionsweeper.geometry import Grid
from visionsweeper.vision.cutting import cut_tiles
from visionsweeper.vision.themes.similarity import Exemplars, sketches_of
from visionsweeper.vision.themes.theme import LearnedTheme, TaughtShot, choose_exemplars, make_theme
from visionsweeper.vision.tiles.classes import QUESTION
from visionsweeper.vision.tiles.evidence import form_opinions, gather
from visionsweeper.vision.tiles.features import TILE_SIZE
from visionsweeper.vision.tiles.knn import Model

_INDISTINGUISHABLE: Final = 0.22  # in units of chance: nobody tells such tiles apart
_MOST_SLIPS: Final = 3
"""So many tiles against several times as many: likelier a slip than a class of their own."""
_TIMES_AS_MANY: Final = 4


@dataclass(frozen=True)
class Contradiction:
    """A tile labelled otherwise than tiles that look the same."""

    tile: tuple[int, int]
    """(row, column)."""
    label: int
    """Tile code that the truth gives it."""
    other: int
    """Tile code of those that look the same."""
    example: tuple[int, int]
    """(row, column) of one of them."""


def theme_of_shot(
    image: npt.NDArray[np.uint8], grid: Grid, truth: Board, model: Model, name: str, source: Mapping[str, Any]
) -> LearnedTheme:
    """Return the theme of one labelled shot; `truth` has the grid's size.

    Tile codes serve as tile classes. Which covered tiles bear a question mark the truth does not say: the
    model tells them apart.
    """
    evidence = gather(image, grid, model)
    classes = truth.cells.reshape(-1).copy()
    logs = form_opinions(evidence, model).combined[evidence.scene.groups]
    classes[(classes == COVERED) & (logs[:, QUESTION] > logs[:, COVERED])] = QUESTION
    chosen = choose_exemplars(evidence.tiles, classes)
    shot = TaughtShot.of(str(source.get("file", name)), image, grid, truth)
    return make_theme(name, evidence.tiles[chosen], classes[chosen], source, (shot,))


def contradictions(
    image: npt.NDArray[np.uint8], grid: Grid, truth: Board
) -> tuple[list[Contradiction], list[tuple[int, int]]]:
    """Find tiles that look the same under different labels: likely slips, and pairs of labels.

    Where a few tiles stand against several times as many, they are listed one by one; looks that are
    drawn alike throughout are given as pairs of tile codes, the smaller first.
    """
    tiles = cut_tiles(image, grid, TILE_SIZE)
    codes = truth.cells.reshape(-1)
    sketches = sketches_of(tiles)
    # One tile of each appearance is enough to compare with.
    found: list[Contradiction] = []
    pairs: set[tuple[int, int]] = set()
    labels = np.unique(codes).tolist()
    for i, one in enumerate(labels):
        mine = np.flatnonzero(codes == one)
        for two in labels[i + 1 :]:
            theirs = np.flatnonzero(codes == two)
            alike = Exemplars.of(tiles[theirs]).distances(sketches[mine]) < _INDISTINGUISHABLE
            left, right = np.flatnonzero(alike.any(axis=1)), np.flatnonzero(alike.any(axis=0))
            if len(left) == 0:
                continue
            if len(left) <= _MOST_SLIPS and len(right) >= _TIMES_AS_MANY * len(left):
                found += [_contradiction(truth, mine[k], theirs[alike[k].argmax()]) for k in left]
            elif len(right) <= _MOST_SLIPS and len(left) >= _TIMES_AS_MANY * len(right):
                found += [_contradiction(truth, theirs[k], mine[alike[:, k].argmax()]) for k in right]
            else:
                pairs.add((one, two))
    return found, sorted(pairs)


def _contradiction(truth: Board, tile: int, example: int) -> Contradiction:
    place = divmod(int(tile), truth.columns)
    other = divmod(int(example), truth.columns)
    return Contradiction(place, truth[place], truth[other], other)
