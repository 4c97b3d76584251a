"""The odds of many positions, one after another."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import islice
from typing import Final

import numpy as np

from visionsweeper.board import Board
from visionsweeper.engine import Engine
from visionsweeper.engine.compiling import COMPILED
from visionsweeper.solver.compiled import ManyOdds, check_engine, count_compiled, is_compiled
from visionsweeper.solver.solution import solve

AT_ONCE: Final = 1000
"""Positions that are worked on together: as many are worth compiling for."""


def solve_many(
    positions: Iterable[tuple[Board, int | None]], *, engine: Engine = "auto"
) -> Iterator[ManyOdds]:
    """Yield the odds of every position, a board and its mine count, in their order.

    `engine` is "exact" (as `solve`, rounded), "compiled" (floating point throughout, within 1e-9 of that;
    certain tiles are proven all the same) or "auto": compiled where numba is installed, and has compiled the
    count before or gets a thousand positions. What the compiled count does not take (no mine count, shown
    mines, boards that go on, frontiers that are too wide) is solved exactly. Raises what `solve` raises, and
    InvalidInput for "compiled" without numba.
    """
    check_engine(engine)
    left = iter(positions)
    while taken := list(islice(left, AT_ONCE)):
        compiled = use_compiled(engine, len(taken))
        counted = count_compiled(taken) if compiled else [None] * len(taken)
        for found, (board, mines) in zip(counted, taken, strict=True):
            yield found or _exactly(board, mines)


def use_compiled(engine: Engine, positions: int) -> bool:
    """Return whether so many positions go to the compiled count."""
    if engine == "auto":
        return COMPILED and (positions >= AT_ONCE or is_compiled())
    return engine == "compiled"


def has_to_compile(engine: Engine, positions: int) -> bool:
    """Return whether the count has to be compiled first for so many positions."""
    return use_compiled(engine, positions) and not is_compiled()


def _exactly(board: Board, mines: int | None) -> ManyOdds:
    solution = solve(board, mines)
    safe, mine = np.zeros((2, *board.cells.shape), np.bool_)
    for mask, listed in ((safe, solution.safe), (mine, solution.mine)):
        mask[tuple(np.array(listed, np.intp).reshape(-1, 2).T)] = True
    return ManyOdds(solution.probability, safe, mine)
