"""The one writer of JSON: an analysis, its explanation, and the tables of the solver.

Whole numbers that can outgrow what readers of JSON take are decimal strings, fractions `num/den` strings.
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Sequence
from contextlib import suppress
from dataclasses import fields, is_dataclass, replace
from fractions import Fraction
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from visionsweeper.errors import ImpossibleBoard, SeveralBoards, TooWide, kind_of
from visionsweeper.report.result import Best, CounterShown, FoundBoard, Problem, Report, Result
from visionsweeper.solver.flags import right_flags, uncertain_flags, wrong_flags
from visionsweeper.wording import decimal_text, fraction_text

if TYPE_CHECKING:
    from visionsweeper.analysis import Analysis
    from visionsweeper.report.explanation import Drawn, Explanation
    from visionsweeper.solver import Solution
    from visionsweeper.solver.advice import Advice
    from visionsweeper.solver.doubt import Certainty
    from visionsweeper.solver.outcomes import Outcomes
    from visionsweeper.solver.tables import Tables
    from visionsweeper.solver.techniques import Step, SystemMatrix

_COUNTS = {"solutions", "weight", "with_mine"}
"""Fields whose whole numbers can outgrow what readers of JSON take; they become strings."""


def to_json(report: Report, *, exact: bool = False) -> str:
    """Return one line of JSON, ASCII only."""
    return json.dumps(to_dict(report, exact=exact), allow_nan=False)


def to_dict(report: Report, *, exact: bool = False) -> dict[str, Any]:
    """Return the JSON object: unknown is None, never a made-up number. `exact` adds fractions as text."""
    failure = report.failure
    problem = None if failure is None else Problem(kind_of(failure), str(failure), _boards(failure))
    found: dict[str, Any] = {"image": report.image, "output": report.output, "error": problem}
    if report.analysis is None:
        result = Result(**found)
    else:
        result = _result(report.analysis, report.advice, exact, found)
    return result.to_dict(exact=exact)


def steps_to_json(steps: Sequence[Step]) -> list[dict[str, Any]]:
    """Return the steps, each with its technique, tiles and sentence.

    The keys are `technique`, `pattern`, `safe`, `mine`, `numbers` (tiles as [row, column]) and `sentence`.
    """
    return [
        {
            "technique": step.technique,
            "pattern": step.pattern,
            "safe": [list(tile) for tile in step.safe],
            "mine": [list(tile) for tile in step.mine],
            "numbers": [list(tile) for tile in step.numbers],
            "sentence": step.sentence,
        }
        for step in steps
    ]


def details_to_json(explanation: Explanation, *, whole: bool = True) -> dict[str, Any]:
    """Return `flags`, `tables`, `outcomes`, `matrix`, `hangs_on` and `hangs_on_mines`; unknown is None.

    Unless `whole`, the tables hold of the tiles only the explained one, and no mine counts of the board.
    """
    found: dict[str, Any] = dict.fromkeys(("flags", "tables", "outcomes", "matrix"))
    found["hangs_on"] = _pairs(explanation.hangs_on)
    found["hangs_on_mines"] = explanation.hangs_on_mines
    solution, tile = explanation.analysis.solution, explanation.tile
    if solution is not None:
        found["flags"] = flags_to_json(solution, explanation.analysis.certain)
        with suppress(TooWide):
            tables = solution.tables
            if not whole:
                own = tuple(one for one in tables.tiles if one.tile == tile)
                tables = replace(tables, tiles=own, mine_counts=())
            found["tables"] = tables_to_json(tables)
        if tile is not None:
            with suppress(ValueError, TooWide):
                found["outcomes"] = {"tile": list(tile), **outcomes_to_json(solution.outcomes(*tile))}
    if explanation.matrix is not None:
        found["matrix"] = matrix_to_json(explanation.matrix)
    return found


def drawn_to_json(drawn: Drawn) -> dict[str, Any]:
    """Return `component` (from 1), `number`, `mines` as [row, column] and `board` in rows."""
    return {
        "component": drawn.component,
        "number": drawn.number,
        "mines": [list(tile) for tile in drawn.mines],
        "board": drawn.board.to_rows(),
    }


def tables_to_json(tables: Tables) -> dict[str, Any]:
    """Return the tables with the same names as their fields, tiles as [row, column].

    Numbers of solutions and weights are decimal strings, probabilities `num/den` strings; each mine count
    also has its probability as a float, `share`.
    """
    result: dict[str, Any] = _plain(tables)
    return result


def outcomes_to_json(outcomes: Outcomes) -> dict[str, str]:
    """Return `mine` and "0" to "8", each as `num/den`."""
    numbers = {str(number): fraction_text(chance) for number, chance in enumerate(outcomes.numbers)}
    return {"mine": fraction_text(outcomes.mine), **numbers}


def advice_to_json(advice: Advice) -> dict[str, Any]:
    """Return `tile`, `reason`, `win` and `ranking`.

    Exact chances are `num/den`, estimates floats, and others null.
    """

    def exact(chance: Fraction | None) -> str | None:
        return None if chance is None else fraction_text(chance)

    return {
        "tile": None if advice.best is None else list(advice.best),
        "reason": advice.reason,
        "win": exact(advice.win),
        "ranking": [
            {
                "tile": list(one.tile),
                "safety": exact(one.safety),
                "progress": one.progress,
                "survival": one.survival,
                "win": exact(one.win),
            }
            for one in advice.ranking
        ],
    }


def flags_to_json(solution: Solution, certain: Certainty) -> dict[str, list[list[int]]]:
    """Return `right`, `wrong` and `uncertain`: every flag as [row, column] in one of them."""
    return {
        "right": _pairs(right_flags(solution, certain)),
        "wrong": _pairs(wrong_flags(solution, certain)),
        "uncertain": _pairs(uncertain_flags(solution, certain)),
    }


def matrix_to_json(matrix: SystemMatrix) -> dict[str, Any]:
    """Return the equations: `tiles` (columns), `numbers` (rows of `before`), `before` and `after`.

    A row is {"terms": [[index into tiles, coefficient], ...], "sum": right side}, zeros left out; on large
    boards nearly all are.
    """

    def rows(array: npt.NDArray[np.object_]) -> list[dict[str, Any]]:
        return [
            {"terms": [[at, entry] for at, entry in enumerate(row[:-1]) if entry], "sum": row[-1]}
            for row in array.tolist()
        ]

    return {
        "tiles": [list(tile) for tile in matrix.tiles],
        "numbers": [list(tile) for tile in matrix.numbers],
        "before": rows(matrix.before),
        "after": rows(matrix.after),
    }


def _boards(error: Exception) -> list[FoundBoard] | None:
    if not isinstance(error, SeveralBoards):
        return None
    return [FoundBoard(width, height, list(box)) for width, height, box in error.boards]


def grid_to_json(values: npt.NDArray[np.float64]) -> list[list[float | None]]:
    """Return the (rows, columns) values, None where nothing is known."""
    return [[None if math.isnan(value) else float(value) for value in row] for row in values.tolist()]


def _result(analysis: Analysis, advice: Advice | None, exact: bool, found: dict[str, Any]) -> Result:
    """`found` are the fields that the analysis knows nothing of."""
    board, reading, solution = analysis.board, analysis.reading, analysis.solution
    certain = analysis.certain
    return Result(
        **found,
        width=board.columns,
        height=board.rows,
        mines=analysis.mines,
        mines_source=analysis.mines_source,
        counter=_counter(analysis),
        box=None if reading is None else [float(edge) for edge in reading.box],
        board=board.to_rows(),
        continues=list(board.continues),
        confidence=None
        if reading is None
        else [[round(float(value), 4) for value in row] for row in reading.confidence],
        uncertain=_pairs(analysis.uncertain),
        scope="local" if analysis.mines is None else "global",
        probability=_probability(analysis, solution),
        exact=_exact(analysis, solution) if exact else None,
        estimated=[] if solution is None else _pairs(sorted(solution.estimated)),
        safe=_pairs(certain.safe),
        mine=_pairs(certain.mine),
        safe_if_read_right=_pairs(certain.safe_if_read_right),
        mine_if_read_right=_pairs(certain.mine_if_read_right),
        best=_best(analysis, advice),
        fifty_fifty=[] if solution is None else [_pairs(pair) for pair in solution.guesses.fifty_fifty],
        pseudo_fifty_fifty=[]
        if solution is None
        else [_pairs(pair) for pair in solution.guesses.pseudo_fifty_fifty],
        dead=[] if solution is None else _pairs(solution.guesses.dead),
        solutions=_solutions(analysis, solution),
        consistent=None if isinstance(analysis.problem, TooWide) else not analysis.conflict,
        conflict=_pairs(analysis.conflict),
        warnings=list(analysis.warnings),
    )


def _solutions(analysis: Analysis, solution: Solution | None) -> str | None:
    if solution is not None:
        return decimal_text(solution.count) if solution.countable else None
    # A board that cannot be has no solution at all: that number is known.
    return "0" if isinstance(analysis.problem, ImpossibleBoard) else None


def _pairs(tiles: Iterable[Sequence[int]]) -> list[list[int]]:
    return [[int(row), int(column)] for row, column in tiles]


def _probability(analysis: Analysis, solution: Solution | None) -> list[list[float | None]]:
    if solution is None:
        return [[None] * analysis.board.columns for _ in range(analysis.board.rows)]
    return grid_to_json(solution.probability)


def _exact(analysis: Analysis, solution: Solution | None) -> list[list[str | None]]:
    board = analysis.board
    result: list[list[str | None]] = [[None] * board.columns for _ in range(board.rows)]
    if solution is None or solution.estimated:
        return result
    # Tiles next to the same numbers share their fraction, which can be long to compute and to write.
    known: dict[tuple[int, frozenset[tuple[int, int]]], str] = {}
    for row, column in np.argwhere(~np.isnan(solution.probability)).tolist():
        numbers = frozenset(tile for tile in board.neighbours(row, column) if board[tile] <= 8)
        key = (board[row, column], numbers)
        if key not in known:
            known[key] = fraction_text(solution.exact(row, column))
        result[row][column] = known[key]
    return result


def _best(analysis: Analysis, advice: Advice | None) -> Best | None:
    if analysis.solution is None or advice is None or advice.best is None:
        return None
    row, column = advice.best
    value = analysis.solution.probability[row, column]
    return Best([int(row), int(column)], None if math.isnan(value) else float(value), advice.reason)


def _counter(analysis: Analysis) -> CounterShown | None:
    counter = None if analysis.reading is None else analysis.reading.counter
    if counter is None:
        return None
    return CounterShown(counter.shown, counter.kind, list(counter.box), counter.confidence)


def _plain(value: Any, *, count: bool = False) -> Any:
    from visionsweeper.solver.tables import MineCount  # `parse` needs none of it

    if isinstance(value, int):  # most of all there is
        return decimal_text(value) if count else value
    if is_dataclass(value):
        row = {
            part.name: _plain(getattr(value, part.name), count=part.name in _COUNTS) for part in fields(value)
        }
        if isinstance(value, MineCount):
            row["share"] = float(value.probability)
        return row
    if isinstance(value, Fraction):
        return fraction_text(value)
    if isinstance(value, tuple):
        return [_plain(part, count=count) for part in value]
    return value
