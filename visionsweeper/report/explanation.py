"""The one explanation of a position: steps, equations, single solutions, each as a value."""

from __future__ import annotations

import random
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Final

import numpy as np

from visionsweeper.errors import InvalidInput, TooWide
from visionsweeper.solver.doubt import hangs_on, hangs_on_mines
from visionsweeper.solver.solutions import place
from visionsweeper.solver.techniques import explain, follow, shorten, steps_to, system_matrix
from visionsweeper.solver.techniques.equations import numbers_of
from visionsweeper.wording import decimal_text, plural

if TYPE_CHECKING:
    from visionsweeper.analysis import Analysis
    from visionsweeper.board import Board
    from visionsweeper.geometry import Position
    from visionsweeper.solver import Solution
    from visionsweeper.solver.solutions import ComponentSolutions
    from visionsweeper.solver.techniques import Step, SystemMatrix

MOST_EQUATIONS: Final = 1000
"""Numbers with covered tiles around them for which the equations are still shown: a 30x16 board has 480
tiles, and elimination takes the cube of it at worst."""


class NoSuchSolution(InvalidInput):
    """A component, or a solution of one, that there is not."""

    def __init__(self, message: str, asked: str) -> None:
        super().__init__(message)
        self.asked = asked
        """What was asked for: `component` or `solution`."""


@dataclass(frozen=True, eq=False)
class Explanation:
    """Why tiles are certain."""

    analysis: Analysis
    """The position, and its odds."""
    steps: Sequence[Step]
    """By all techniques or one alone, in the order in which they can be followed."""
    tile: Position | None
    """The one tile that the steps are to settle; None for all."""
    trust_flags: bool
    """Whether flags are mines."""

    @cached_property
    def hangs_on(self) -> tuple[Position, ...]:
        """Doubted tiles that have to be read right for what is said of the tile to hold, (row, column)."""
        analysis = self.analysis
        if self.tile is None or analysis.doubted is None or analysis.solution is None:
            return ()
        # Either the count or the doubted tiles may do: the tiles are named then.
        by_numbers = analysis.mines_doubted and self.hangs_on_mines is None
        return hangs_on(analysis.solution, analysis.doubted, self.tile, by_numbers=by_numbers)

    @cached_property
    def hangs_on_mines(self) -> int | None:
        """The mine count that has to be right for it, where it is in doubt; None if it need not be."""
        analysis = self.analysis
        if self.tile is None or analysis.solution is None or not analysis.mines_doubted:
            return None
        return analysis.mines if hangs_on_mines(analysis.solution, self.tile) else None

    @cached_property
    def matrix(self) -> SystemMatrix | None:
        """The system of equations; None on boards where elimination takes too long."""
        board = self.analysis.board
        if len(numbers_of(board)) > MOST_EQUATIONS:
            return None
        return system_matrix(board, trust_flags=self.trust_flags)


@dataclass(frozen=True)
class Drawn:
    """One solution, placed on the board."""

    heading: tuple[str, ...]
    """What it is, in lines."""
    component: int | None
    """Its component, from 1; None for a solution of the whole board."""
    number: int | None
    """Its number among the component's solutions, from 0; None for one of the whole board."""
    mines: tuple[Position, ...]
    """Its mines, (row, column) in reading order."""
    board: Board
    """The board with mines as `*` and the other tiles of the solution as `x`."""


def explain_position(
    analysis: Analysis,
    technique: str | None = None,
    tile: Position | None = None,
    *,
    trust_flags: bool = False,
) -> Explanation:
    """Return why tiles are certain: by all techniques or one alone; with a tile, a short way to that one."""
    steps = _steps(analysis, technique, tile, trust_flags)
    return Explanation(analysis, steps, tile, trust_flags)


def _steps(
    analysis: Analysis, technique: str | None, tile: Position | None, trust_flags: bool
) -> Sequence[Step]:
    board, problem = analysis.board, analysis.problem
    # Where counting is beyond reach, all other techniques still work.
    if problem is not None and (technique == "exact" or not isinstance(problem, TooWide)):
        return []
    if technique is None:
        steps = explain(board, analysis.mines, trust_flags=trust_flags, solution=analysis.solution)
    else:
        steps = follow(board, technique, analysis.mines, trust_flags=trust_flags)
    if tile is None:
        return steps
    return shorten(board, steps_to(board, steps, tile), tile, technique, trust_flags=trust_flags)


def draw_solution(solution: Solution, chosen: int | None, component: int | None) -> Drawn:
    """Return one solution: number `chosen`, None for a random one, of a component (from 1).

    Without a component a random solution is one of the whole board; a numbered one needs the component
    unless there is just one. Raises NoSuchSolution and TooWide.
    """
    if chosen is None and component is None:
        mines = solution.random(random.SystemRandom())
        tiles = _tiles_of_solution(solution)
        whole = "the board" if solution.mines is not None else "the tiles next to numbers"
        held = plural(len(mines), "mine")
        title = f"a random solution of {whole}, one of {decimal_text(solution.count)}: {held}"
        return Drawn((title,), None, None, mines, place(solution.board, tiles, mines))
    index = _component(solution.components, component)
    part = solution.components[index]
    tiles = [tile for tile in part.tiles if solution.system.in_view(tile)]
    if chosen is None:
        chosen = random.SystemRandom().randrange(part.count)
        name = f"a random solution, number {decimal_text(chosen)},"
    else:
        if not 0 <= chosen < part.count:
            raise NoSuchSolution(
                f"there is no solution {chosen} of component {index + 1}: its {decimal_text(part.count)} "
                f"{'solution is' if part.count == 1 else 'solutions are'} numbered from 0",
                "solution",
            )
        name = f"solution {chosen}"
    mines = tuple(tile for tile in part.solution(chosen) if solution.system.in_view(tile))
    heading = (
        f"{name} of component {index + 1}, one of {decimal_text(part.count)}: {plural(len(mines), 'mine')}",
        "by mine count: "
        + ", ".join(
            f"{decimal_text(one.first)} to {decimal_text(one.last)} with {one.mines}" for one in part.ranges
        ),
    )
    return Drawn(heading, index + 1, chosen, mines, place(solution.board, tiles, mines))


def _tiles_of_solution(solution: Solution) -> Iterable[Position]:
    """Return the covered tiles that a solution of the whole board settles: all that have a probability."""
    return [(row, column) for row, column in np.argwhere(~np.isnan(solution.probability)).tolist()]


def _component(components: tuple[ComponentSolutions, ...], number: int | None) -> int:
    """Return the index of the component meant."""
    have = len(components)
    if not have:
        raise NoSuchSolution(
            "there is no component: single numbers settle every tile next to one; use random",
            "solution",
        )
    if number is None:
        if have > 1:
            raise NoSuchSolution(
                f"the board has {have} components: choose one, from 1 to {have}",
                "solution",
            )
        return 0
    if not 1 <= number <= have:
        raise NoSuchSolution(
            f"there is no component {number}: the board has {have}, numbered from 1",
            "component",
        )
    return number - 1
