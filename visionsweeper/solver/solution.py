"""Board and mine count -> the answers for users: `solve` and its `Solution`."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, Final

from visionsweeper.board import Board
from visionsweeper.engine import Engine
from visionsweeper.geometry import Position, positions_of
from visionsweeper.solver.limits import DEFAULT, Limit
from visionsweeper.solver.odds import Odds

# What is more than odds loads on first use, so that reading a board alone stays light.
if TYPE_CHECKING:
    from visionsweeper.solver.advice import Advice
    from visionsweeper.solver.compiled import ManyOdds
    from visionsweeper.solver.guesses import Guesses
    from visionsweeper.solver.outcomes import Outcomes
    from visionsweeper.solver.random_integers import Rng
    from visionsweeper.solver.tables import Tables


@dataclass(frozen=True, eq=False)
class Solution(Odds):
    """The odds of every covered tile, and what follows from them. Made by `solve`."""

    @property
    def best(self) -> Position | None:
        """The tile to open next, the first of `advice`; None if there is none."""
        return self.advice.best

    @property
    def best_reason(self) -> str:
        """Why `best` was chosen, or why there is none: a few sentences."""
        return self.advice.reason

    @cached_property
    def advice(self) -> Advice:
        """The tiles worth opening next, ranked; better than `safest`, and slower to compute."""
        from visionsweeper.solver.advice import advise

        return advise(self, lambda: self.guesses)

    @cached_property
    def guesses(self) -> Guesses:
        """50/50s, pairs that only look like one, and dead tiles."""
        from visionsweeper.solver.guesses import find_guesses

        return find_guesses(self)

    @cached_property
    def flags_wrong(self) -> list[Position]:
        """Flags on tiles that certainly hold no mine (none when flags were trusted)."""
        flags = set(self.system.list_tiles(self.system.flags)) if self.system.flags else set()
        return [tile for tile in self.safe if tile in flags]

    @cached_property
    def flags_uncertain(self) -> list[Position]:
        """Flags on tiles that may or may not hold a mine (none when flags were trusted)."""
        if not self.system.flags:
            return []
        certain = {*self.safe, *self.mine}
        return [tile for tile in self.system.list_tiles(self.system.flags) if tile not in certain]

    @cached_property
    def flags_right(self) -> list[Position]:
        """Flags on tiles that certainly hold a mine (all of them when flags were trusted)."""
        flags = set(self.system.list_tiles(self.system.flags)) if self.system.flags else set()
        return [tile for tile in self.mine if tile in flags]

    def random(self, rng: Rng) -> tuple[Position, ...]:
        """Return the covered mines of a uniformly random solution of the board, in reading order.

        `rng` is a numpy Generator or a random.Random. In local scope, mines next to numbers only.
        """
        from visionsweeper.solver.sampling import random_mines

        return random_mines(self, rng)

    def outcomes(self, row: int, column: int) -> Outcomes:
        """Return the exact probability of each thing that opening a covered tile can show.

        Raises ValueError for tiles that are not covered, and in local scope for tiles that touch tiles whose
        odds are unknown.
        """
        from visionsweeper.solver.outcomes import outcomes

        return outcomes(self, (row, column))

    @cached_property
    def tables(self) -> Tables:
        """Everything that was counted, exactly."""
        from visionsweeper.solver.tables import tables

        return tables(self)


_COUNTED: Final = ("system", "counts", "chances")
"""The fields of `Odds` that counting a board fills in."""


class CompiledSolution(Solution):
    """A solution whose odds compiled code counted; what more is asked of it is counted exactly then."""

    def __init__(self, board: Board, mines: int | None, odds: ManyOdds) -> None:
        """`odds` are those of the board with so many mines, flags not believed."""
        # Fields, and values that are computed otherwise when they are first asked for.
        self.__dict__.update(board=board, mines=mines, trust_flags=False, limit=DEFAULT, estimated={})
        self.__dict__.update(
            probability=odds.probability,
            safe=list(positions_of(odds.safe)),
            mine=list(positions_of(odds.mine)),
        )

    def __getattr__(self, name: str) -> Any:
        """Count the board exactly for what only that tells. Raises what `solve` raises."""
        if name not in _COUNTED:
            raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}")
        return getattr(self.counted_exactly, name)

    @cached_property
    def counted_exactly(self) -> Solution:
        """The same board, counted exactly."""
        return Solution.of(self.board, self.mines, trust_flags=False, limit=DEFAULT)

    # What compares odds takes the exact ones: equal odds differ here by rounding.

    @cached_property
    def safest(self) -> tuple[Position | None, str]:
        """As of `Odds`."""
        return self.counted_exactly.safest

    @cached_property
    def advice(self) -> Advice:
        """As of `Solution`."""
        return self.counted_exactly.advice

    @cached_property
    def guesses(self) -> Guesses:
        """As of `Solution`."""
        return self.counted_exactly.guesses


def solve(
    board: Board,
    mines: int | None = None,
    *,
    trust_flags: bool = False,
    limit: Limit = DEFAULT,
    engine: Engine = "exact",
) -> Solution:
    """Compute the exact mine probability of every covered tile.

    `mines` is the number of mines on the whole board, shown ones included; without it only the tiles next to
    numbers get a (local) probability, and so it is for a board that goes on beyond what is seen
    (`Board.continues`), whose unseen tiles may hold any number of mines. Flags are covered tiles like others
    unless `trust_flags`.

    `engine` "compiled" counts in floating point: `probability` is within 1e-9 of the exact one, `safe` and
    `mine` are proven all the same, and the first question for anything else (fractions, counts, `best`)
    counts the board exactly. It needs numba, and its first use on a machine compiles for some ten seconds.
    "auto" does so where this process has loaded the compiled code, as after "compiled" or `solve_many`. What
    the compiled count does not take is counted exactly in the first place: no mine count, shown mines,
    trusted flags, boards that go on, a `limit` of your own, frontiers that are too wide.

    Raises InconsistentBoard when numbers contradict each other, TooFewMines or TooManyMines when they can
    hold but not with this many mines, TooWide (with what is certain all the same) when counting would
    take more memory or time than `limit`, all components together, and InvalidInput for an engine that there
    is not.
    """
    if engine != "exact":
        from visionsweeper.solver.compiled import check_engine, count_one, is_loaded

        check_engine(engine)
        takes = limit == DEFAULT and not trust_flags
        if takes and (engine == "compiled" or is_loaded()):
            odds = count_one(board, mines)
            if odds is not None:
                return CompiledSolution(board, mines, odds)
    return Solution.of(board, mines, trust_flags=trust_flags, limit=limit)
