"""Pairs of drawn boards in one theme, one to teach and one to read: what the theme networks learn from."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Final

import numpy as np
import numpy.typing as npt

from visionsweeper.board import MINE, Board
from visionsweeper.synthetic.fonts import FontSource
from visionsweeper.synthetic.positions import random_position
from visionsweeper.synthetic.random_themes import random_theme
from visionsweeper.synthetic.theme import Degradation, RenderTheme
from visionsweeper.training.dataset import Example
from visionsweeper.training.train import drawn_example
from visionsweeper.vision.themes.comparison import Lesson, class_columns, distances, fit_columns, lesson_of
from visionsweeper.vision.themes.label_check import theme_of_shot
from visionsweeper.vision.themes.theme import LearnedTheme
from visionsweeper.vision.tiles.classes import EXPLODED, WRONG_FLAG, tiles_of_classes
from visionsweeper.vision.tiles.evidence import Evidence, form_opinions, gather
from visionsweeper.vision.tiles.features import FloatArray
from visionsweeper.vision.tiles.knn import Model

_IN_PLAY: Final = 0.8
"""Share of the boards to teach that show a running game, as people's labelled shots mostly do."""
_OTHER_SIZE: Final = 0.35
_OTHER_DEGRADATION: Final = 0.3
_TILES: Final = 60
"""Of a board to read, at most two of each group and class."""


@dataclass(frozen=True, eq=False)
class ThemeSample:
    """What the theme networks see of one pair, and what is true of it."""

    columns: FloatArray
    """(n, CLASS_COLUMNS) of tiles and taught classes."""
    right: npt.NDArray[np.bool_]
    """(n,) whether the tile is of the class."""
    fit: FloatArray
    """(FIT_COLUMNS,) of the board under its own theme."""
    fit_of_other: FloatArray | None
    """The same under the theme of the pair before."""


def theme_samples(seed: int, fonts: Sequence[FontSource], count: int, model: Model) -> Iterator[ThemeSample]:
    """Yield so many pairs, each in a theme of its own."""
    before: Lesson | None = None
    for each in np.random.SeedSequence(seed).spawn(count):
        rng = np.random.default_rng(each)
        theme = random_theme(rng, fonts)
        lesson = lesson_of(_taught(_to_teach(theme, rng), model), model)
        example = drawn_example(_varied(theme, rng), random_position(rng), rng)
        evidence = gather(example.image, example.grid, model)
        yield _sample(evidence, example, lesson, before, form_opinions(evidence, model).combined, rng)
        before = lesson


def _sample(
    evidence: Evidence,
    example: Example,
    lesson: Lesson,
    before: Lesson | None,
    logs: FloatArray,
    rng: np.random.Generator,
) -> ThemeSample:
    apart, contrast = distances(evidence, lesson), evidence.scene.contrast
    chosen = _chosen(evidence.scene.groups, example, rng)
    columns = class_columns(evidence.scene, lesson, apart, logs)[chosen]
    right = example.classes[chosen][:, None] == lesson.taught
    other = None if before is None else fit_columns(distances(evidence, before), contrast)
    return ThemeSample(
        columns.reshape(-1, columns.shape[2]), right.ravel(), fit_columns(apart, contrast), other
    )


def _chosen(groups: npt.NDArray[np.intp], example: Example, rng: np.random.Generator) -> npt.NDArray[np.intp]:
    """Up to two tiles of each group and class, at random."""
    seen: dict[tuple[int, int], int] = {}
    chosen: list[int] = []
    for tile in rng.permutation(example.order).tolist():
        key = int(groups[tile]), int(example.classes[tile])
        seen[key] = seen.get(key, 0) + 1
        if seen[key] <= 2:
            chosen.append(tile)
    return np.array(chosen[:_TILES], np.intp)


def _taught(example: Example, model: Model) -> LearnedTheme:
    cells = tiles_of_classes(example.classes).reshape(example.grid.rows, example.grid.columns)
    return theme_of_shot(example.image, example.grid, Board(cells), model, "drawn", {})


def _to_teach(theme: RenderTheme, rng: np.random.Generator) -> Example:
    """Draw a board that a person would label: mostly of a running game, with nothing over its tiles."""
    in_play = rng.random() < _IN_PLAY
    while True:
        position = random_position(rng)
        if not in_play or not np.isin(position, (MINE, WRONG_FLAG, EXPLODED)).any():
            example = drawn_example(theme, position, rng)
            if len(example.order) == position.size:
                return example


def _varied(theme: RenderTheme, rng: np.random.Generator) -> RenderTheme:
    """Vary the theme as another window of the game does: as it was, in another size, or worn otherwise."""
    if rng.random() < _OTHER_SIZE:
        across = max(13.0, theme.pitch[0] * float(np.exp(rng.uniform(np.log(0.6), np.log(1.7)))))
        down = across * theme.pitch[1] / theme.pitch[0]
        if theme.pitch[0].is_integer():
            across, down = float(round(across)), float(round(down))
        theme = replace(theme, pitch=(across, down))
    if rng.random() < _OTHER_DEGRADATION:
        jpeg = int(rng.integers(60, 96)) if rng.random() < 0.5 else 0
        theme = replace(theme, degradation=Degradation(jpeg=jpeg))
    return theme
