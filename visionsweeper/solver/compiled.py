"""The compiled count: the odds of positions in floating point, within 1e-9 of the exact ones."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, Any, Final, get_args

import numpy as np
import numpy.typing as npt

from visionsweeper.board import FLAG, Board
from visionsweeper.engine import Engine
from visionsweeper.engine.compile_once import compile_once, has_compiled
from visionsweeper.engine.compiling import COMPILED, is_ready
from visionsweeper.engine.per_thread import PerThread
from visionsweeper.errors import InvalidInput

if TYPE_CHECKING:
    from visionsweeper.engine.answering import Room

_ENTRY: Final = "answer_positions"
"""The compiled function."""

_MOST_TILES: Final = 10_000
"""Tiles of a board that the compiled count takes: its room grows with them, to megabytes by the hundred."""

_SIZES: Final = 4
"""Sizes of boards that each thread keeps room for."""


@dataclass(frozen=True, eq=False)
class ManyOdds:
    """The odds of one of many positions."""

    probability: npt.NDArray[np.float64]
    """(rows, columns) mine probability, 0..1; NaN for opened tiles, and where nothing can be said."""
    safe: npt.NDArray[np.bool_]
    """(rows, columns) covered tiles that certainly hold no mine."""
    mine: npt.NDArray[np.bool_]
    """(rows, columns) covered tiles that certainly hold one."""


def check_engine(engine: Engine) -> None:
    """Raise InvalidInput for an engine that there is not, or that is not installed."""
    if engine not in get_args(Engine):
        raise InvalidInput(f"there is no engine {engine!r}: auto, exact or compiled")
    if engine == "compiled" and not COMPILED:
        raise InvalidInput("the compiled engine needs numba: pip install 'visionsweeper[fast]'")


def is_loaded() -> bool:
    """Tell whether this process has loaded the compiled count, so that not even one position waits for it."""
    return has_compiled(_ENTRY)


def is_compiled() -> bool:
    """Tell whether nothing has to be compiled first, as far as can be told."""
    return is_ready(_ENTRY)


def is_countable(board: Board, mines: int | None) -> bool:
    """Return whether the compiled count takes it: mines are known, tiles are opened, covered or flagged."""
    if mines is None or board.continues or board.cells.size > _MOST_TILES:
        return False
    return bool(board.cells.max() <= FLAG)  # shown mines and safe marks have higher codes


def count_one(board: Board, mines: int | None) -> ManyOdds | None:
    """Return the odds of a position; None for what the compiled count does not take, or cannot be."""
    if not is_countable(board, mines):
        return None
    [odds] = _counted((board.rows, board.columns), [(board, mines)])
    return odds


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
    from visionsweeper.engine.counting import CERTAINLY_MINED, CERTAINLY_SAFE, FITS

    cells = np.array([board.cells for board, _ in positions]).reshape(len(positions), -1)
    mines = np.array([each for _, each in positions], np.int64)
    probability, certain = np.empty(cells.shape), np.empty(cells.shape, np.int8)
    fits = np.empty(len(positions), np.int8)
    _answer(_ROOMS.get(*size), cells, mines, probability, certain, fits)
    probability.setflags(write=False)
    odds = probability.reshape(-1, *size)
    safe = (certain == CERTAINLY_SAFE).reshape(-1, *size)
    mine = (certain == CERTAINLY_MINED).reshape(-1, *size)
    return [
        ManyOdds(*grids) if fit == FITS else None
        for fit, *grids in zip(fits.tolist(), odds, safe, mine, strict=True)
    ]


def _answer(room: Room, *arguments: npt.NDArray[Any]) -> None:
    answer_positions = _entry()
    if not is_loaded():
        compile_once(answer_positions, room, *(values[:0] for values in arguments))
    answer_positions(room, *arguments)


@cache
def _entry() -> Callable[..., None]:
    """Return the compiled function."""
    from visionsweeper.engine.answering import answer_positions

    if hasattr(answer_positions, "py_func"):
        return answer_positions
    # Interpreted, products of the hash function wrap around as they should, but with a warning.
    return np.errstate(over="ignore")(answer_positions)


def _new_room(rows: int, columns: int) -> Room:
    from visionsweeper.engine.answering import new_room  # numba loads slowly

    return new_room(rows, columns)


_ROOMS: Final = PerThread(_new_room, _SIZES)
