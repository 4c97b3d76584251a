"""The odds of many positions, by the compiled count of simulations."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import islice
from typing import TYPE_CHECKING, Final, get_args

import numpy as np
import numpy.typing as npt

from visionsweeper.board import COVERED, FLAG, Board
from visionsweeper.errors import InvalidInput
from visionsweeper.options import Engine
from visionsweeper.simulation.compile_once import compile_once
from visionsweeper.simulation.engine.compiling import COMPILED, is_ready
from visionsweeper.simulation.per_thread import PerThread

if TYPE_CHECKING:
    from visionsweeper.simulation.engine.answering import Room
    from visionsweeper.solver import Solution

AT_ONCE: Final = 1000
"""Positions that are worked on together: as many are worth compiling for."""

_ENTRY: Final = "answer_positions"
"""The compiled function."""

_MOST_TILES: Final = 10_000
"""Tiles of a board that the compiled count takes: its room grows with them, to megabytes by the hundred."""


@dataclass(frozen=True, eq=False)
class ManyOdds:
    """The odds of one of many positions."""

    probability: npt.NDArray[np.float64]
    """(rows, columns) mine probability, 0..1; NaN for opened tiles, and where nothing can be said."""
    safe: npt.NDArray[np.bool_]
    """(rows, columns) covered tiles that certainly hold no mine."""
    mine: npt.NDArray[np.bool_]
    """(rows, columns) covered tiles that certainly hold one."""


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


def check_engine(engine: Engine) -> None:
    """Raise InvalidInput for an engine that there is not, or that is not installed."""
    if engine not in get_args(Engine):
        raise InvalidInput(f"there is no engine {engine!r}: auto, exact or compiled")
    if engine == "compiled" and not COMPILED:
        raise InvalidInput("the compiled engine needs numba: pip install 'visionsweeper[fast]'")


def use_compiled(engine: Engine, positions: int) -> bool:
    """Return whether so many positions go to the compiled count."""
    if engine == "auto":
        return COMPILED and (positions >= AT_ONCE or is_ready(_ENTRY))
    return engine == "compiled"


def has_to_compile(engine: Engine, positions: int) -> bool:
    """Return whether the count has to be compiled first for so many positions."""
    return use_compiled(engine, positions) and not is_ready(_ENTRY)


def is_countable(board: Board, mines: int | None) -> bool:
    """Return whether the compiled count takes it: mines are known, tiles are opened, covered or flagged."""
    if mines is None or board.continues or board.cells.size > _MOST_TILES:
        return False
    opened_or_covered = (board.cells <= COVERED) | (board.cells == FLAG)
    return bool(opened_or_covered.all())


def count_compiled(positions: list[tuple[Board, int | None]]) -> list[ManyOdds | None]:
    """Return the odds of each position; None for what the compiled count does not take, or cannot be."""
    found: list[ManyOdds | None] = [None] * len(positions)
    by_size: defaultdict[tuple[int, int], list[int]] = defaultdict(list)
    for at, (board, mines) in enumerate(positions):
        if is_countable(board, mines):
            by_size[board.rows, board.columns].append(at)
    for size, places in by_size.items():
        for at, odds in zip(places, _counted(size, [positions[at] for at in places]), strict=True):
            found[at] = odds
    return found


def _counted(size: tuple[int, int], positions: list[tuple[Board, int | None]]) -> list[ManyOdds | None]:
    from visionsweeper.simulation.engine.answering import answer_positions
    from visionsweeper.simulation.engine.counting import CERTAINLY_MINED, CERTAINLY_SAFE, FITS

    count, tiles = len(positions), size[0] * size[1]
    cells = np.stack([board.cells.ravel() for board, _ in positions])
    mines = np.array([each for _, each in positions], np.int64)
    probability, certain = np.empty((count, tiles)), np.empty((count, tiles), np.int8)
    fits = np.empty(count, np.int8)
    room = _ROOMS.get(*size)
    results = probability, certain, fits
    compile_once(answer_positions, room, cells[:0], mines[:0], *(values[:0] for values in results))
    # Interpreted, products of the hash function wrap around as they should, but with a warning.
    with np.errstate(over="ignore"):
        answer_positions(room, cells, mines, *results)
    for values in (probability, certain):
        values.setflags(write=False)
    return [
        ManyOdds(
            probability[at].reshape(size),
            (certain[at] == CERTAINLY_SAFE).reshape(size),
            (certain[at] == CERTAINLY_MINED).reshape(size),
        )
        if fits[at] == FITS
        else None
        for at in range(count)
    ]


def _exactly(board: Board, mines: int | None) -> ManyOdds:
    from visionsweeper.solver import solve  # slow to load

    solution: Solution = solve(board, mines)
    safe, mine = np.zeros((2, *board.cells.shape), np.bool_)
    for mask, listed in ((safe, solution.safe), (mine, solution.mine)):
        mask[tuple(np.array(listed, np.intp).reshape(-1, 2).T)] = True
    return ManyOdds(solution.probability, safe, mine)


def _new_room(rows: int, columns: int) -> Room:
    from visionsweeper.simulation.engine.answering import new_room  # numba loads slowly

    return new_room(rows, columns)


_ROOMS: Final = PerThread(_new_room)
