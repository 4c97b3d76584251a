"""How many of the drawn boards are out of the ordinary, and the boards and looks drawn so."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np

from visionsweeper.synthetic.any_marks import theme_with_any_marks
from visionsweeper.synthetic.fonts import FontSource
from visionsweeper.synthetic.positions import (
    Labels,
    is_lost,
    late_game,
    marked_position,
    random_game,
    untouched_position,
    with_mines_kept_covered,
    with_more_flags,
    with_rare_endings,
)
from visionsweeper.synthetic.random_themes import PAINTED
from visionsweeper.synthetic.screenshots import OCCLUDED
from visionsweeper.synthetic.small_signs import with_small_signs
from visionsweeper.synthetic.theme import RenderTheme
from visionsweeper.vision.tiles.classes import EXPLODED


@dataclass(frozen=True)
class Shares:
    """Shares, 0 to 1, of the boards that are out of the ordinary."""

    any_marks: float = 0.0
    """With flags and mines of any look."""
    untouched: float = 0.0
    """That nobody has played on."""
    marked: float = 0.0
    """Of those somebody has: on which nothing was opened yet, only marked. Shares of games: of the rest."""
    painted: float = PAINTED
    """Painted scenes."""
    silent: float = 0.0
    """Of those with an exploded mine: that show no other one."""
    small: float = 0.0
    """With marks, and half the time digits, as small as text in a wide cell."""
    lost: float = 0.0
    """Of games, but for those near their end, that are lost for certain; of the others some are as well."""
    rare: float = 0.0
    """Of the lost ones: that may show what is rare after a loss."""
    deep: float = 0.0
    """Of games that are neither won nor near their end: whose player flags more than single numbers prove."""
    late: float = 0.0
    """Of games near their end."""
    occluded: float = OCCLUDED
    """With a pointer or a message over a few tiles, or a tile that is lit."""

    def position(self, rng: np.random.Generator) -> Labels:
        """Return the tile classes, (rows, columns) uint8, of a board played so."""
        if self.untouched and rng.random() < self.untouched:
            return untouched_position(rng)
        if self.marked and rng.random() < self.marked:
            return marked_position(rng)
        late = self.late and rng.random() < self.late
        labels = late_game(rng).labels if late else self._of_any_stage(rng)
        if self.rare and rng.random() < self.rare:
            labels = with_rare_endings(rng, labels)
        if self.silent and (labels == EXPLODED).any() and rng.random() < self.silent:
            return with_mines_kept_covered(labels)
        return labels

    def _of_any_stage(self, rng: np.random.Generator) -> Labels:
        """Play a game up to a random moment, or to its end; returns its tile classes."""
        game = random_game(rng)
        if self.lost and rng.random() < self.lost:
            while not is_lost(game.labels):
                game = random_game(rng)
        if self.deep and rng.random() < self.deep:
            return with_more_flags(rng, game)
        return game.labels

    def theme(self, rng: np.random.Generator, fonts: Sequence[FontSource]) -> RenderTheme:
        """Return a look drawn so."""
        drawn = theme_with_any_marks(rng, fonts, self.any_marks, self.painted)
        return with_small_signs(rng, drawn) if self.small and rng.random() < self.small else drawn


ORDINARY: Final = Shares()
