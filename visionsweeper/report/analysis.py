"""An analysis in the three forms it is printed in: JSON, a short summary, the board as text."""

from __future__ import annotations

import json
import math
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, Any

import numpy as np

from visionsweeper.errors import ImpossibleBoard, TooWide, VisionsweeperError
from visionsweeper.formats import StoredPosition, write_position
from visionsweeper.pipeline import Analysis, advise
from visionsweeper.report.result import Best, CounterShown, Problem, Result
from visionsweeper.solver import Solution
from visionsweeper.wording import format_percentage, plural, tile_name, tile_names

if TYPE_CHECKING:
    from visionsweeper.solver.advice import Advice


@dataclass(frozen=True, eq=False)
class Report:
    """What came of one input."""

    image: str | None
    """The picture read, as the user named it; None for stdin and text boards."""
    analysis: Analysis | None
    """None when the input could not be read."""
    output: str | None
    """The picture written, or None."""
    error: Exception | None
    """What went wrong, or None."""


def to_json(report: Report, *, exact: bool = False) -> str:
    """One line of JSON, ASCII only."""
    return json.dumps(to_dict(report, exact=exact), allow_nan=False)


def to_dict(
    report: Report, *, exact: bool = False, advised: bool = True, advice: Advice | None = None
) -> dict[str, Any]:
    """The JSON object: unknown is None, never a made-up number. `exact` adds fractions as text.

    Without `advised` the best tile is left out, which can take longer than all the odds; `advice` is what to
    name as best instead of what `pipeline.advise` says.
    """
    error = report.error
    problem = None if error is None else Problem(_kind(error), str(error))
    found: dict[str, Any] = {"image": report.image, "output": report.output, "error": problem}
    if report.analysis is None:
        result = Result(**found, uncertain=[], safe=[], mine=[], conflict=[], warnings=[])
    else:
        result = _result(report.analysis, exact, advised, advice, found)
    return result.to_dict(exact=exact)


def to_summary(report: Report, *, exact: bool = False) -> str:
    """A few lines for a person."""
    analysis = report.analysis
    if analysis is None:
        return ""
    board = analysis.board
    title = f"{report.image or 'board'}: {board.columns}x{board.rows}, {_mines_text(analysis)}"
    lines = _solution_lines(analysis, analysis.solution, exact) if analysis.solution is not None else []
    lines += _conflict_lines(analysis) + _uncertain_lines(analysis)
    lines += [f"warning: {warning}" for warning in analysis.warnings]
    if report.output is not None:
        lines.append(f"picture: {report.output}")
    elif report.error is analysis.problem:
        lines.append("picture: none written; name one with -o")
    return "\n  ".join([title, *lines])


def to_text(analysis: Analysis) -> str:
    """The board in the text notation, with the mine count that was given or read; without a last line end."""
    # What is only usual for the size is assumed again by whoever reads this.
    known = analysis.mines if analysis.mines_source in {"given", "counter"} else None
    return write_position(StoredPosition(analysis.board, known), "text").decode().rstrip("\n")


def decimal_text(number: int) -> str:
    """A whole number of any size in decimal; `str` refuses beyond 4300 digits."""
    digits = 4000
    if abs(number) < 10**digits:
        return str(number)
    if number < 0:
        return "-" + decimal_text(-number)
    while 10 ** (2 * digits) <= number:
        digits *= 2
    high, low = divmod(number, 10**digits)
    return decimal_text(high) + decimal_text(low).rjust(digits, "0")


def fraction_text(value: Fraction) -> str:
    """A fraction as `num/den`, also when it is whole."""
    return f"{decimal_text(value.numerator)}/{decimal_text(value.denominator)}"


def _kind(error: Exception) -> str:
    return error.kind if isinstance(error, VisionsweeperError) else "unexpected"


def _result(
    analysis: Analysis, exact: bool, advised: bool, advice: Advice | None, found: dict[str, Any]
) -> Result:
    """`found` are the fields that the analysis knows nothing of."""
    board, reading, solution = analysis.board, analysis.reading, analysis.solution
    # A board too wide to count still has tiles that single numbers settle.
    certain = analysis.problem if isinstance(analysis.problem, TooWide) else solution
    return Result(
        **found,
        width=board.columns,
        height=board.rows,
        mines=analysis.mines,
        mines_source=analysis.mines_source,
        counter=_counter(analysis),
        box=None if reading is None else [float(edge) for edge in reading.box],
        board=board.to_rows(),
        confidence=None
        if reading is None
        else [[round(float(value), 4) for value in row] for row in reading.confidence],
        uncertain=_uncertain(analysis),
        scope="local" if analysis.mines is None else "global",
        probability=_probability(analysis, solution),
        exact=_exact(analysis, solution) if exact else None,
        safe=[] if certain is None else _pairs(certain.safe),
        mine=[] if certain is None else _pairs(certain.mine),
        best=_best(analysis, advice or advise(analysis)) if advised else None,
        solutions=_solutions(analysis, solution),
        consistent=None if isinstance(analysis.problem, TooWide) else not analysis.conflict,
        conflict=_pairs(analysis.conflict),
        warnings=list(analysis.warnings),
    )


def _solutions(analysis: Analysis, solution: Solution | None) -> str | None:
    if solution is not None:
        return decimal_text(solution.count)
    # A board that cannot be has no solution at all: that number is known.
    return "0" if isinstance(analysis.problem, ImpossibleBoard) else None


def _pairs(tiles: Any) -> list[list[int]]:
    return [[int(row), int(column)] for row, column in tiles]


def _uncertain(analysis: Analysis) -> list[list[int]]:
    """Tiles read with too low a confidence, the least sure first."""
    reading = analysis.reading
    if reading is None:
        return []
    tiles = [(r, c) for r in range(analysis.board.rows) for c in range(analysis.board.columns)]
    doubtful = [tile for tile in tiles if reading.uncertain[tile]]
    return _pairs(sorted(doubtful, key=lambda tile: float(reading.confidence[tile])))


def _probability(analysis: Analysis, solution: Solution | None) -> list[list[float | None]]:
    if solution is None:
        return [[None] * analysis.board.columns for _ in range(analysis.board.rows)]
    return [
        [None if math.isnan(value) else float(value) for value in row]
        for row in solution.probability.tolist()
    ]


def _exact(analysis: Analysis, solution: Solution | None) -> list[list[str | None]]:
    board = analysis.board
    result: list[list[str | None]] = [[None] * board.columns for _ in range(board.rows)]
    if solution is None:
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


def _mines_text(analysis: Analysis) -> str:
    if analysis.mines is None:
        return "mine count unknown (local probabilities only; --mines gives it)"
    count = plural(analysis.mines, "mine")
    return {
        "given": f"{count} (given)",
        "counter": f"{count} ({_counter_text(analysis)})",
        "standard": f"{count} (the standard count for this size; --mines gives another)",
        "unknown": count,
    }[analysis.mines_source]


def _counter_text(analysis: Analysis) -> str:
    counter = None if analysis.reading is None else analysis.reading.counter
    if counter is None:
        return "read from the counter"
    sure = format_percentage(counter.confidence)
    return f"read from the counter, which shows {counter.shown}; {sure} sure; --mines gives another"


def _counter(analysis: Analysis) -> CounterShown | None:
    counter = None if analysis.reading is None else analysis.reading.counter
    if counter is None:
        return None
    return CounterShown(counter.shown, counter.kind, list(counter.box), counter.confidence)


def _solution_lines(analysis: Analysis, solution: Solution, exact: bool) -> list[str]:
    covered = int(analysis.board.covered.sum())
    lines = [
        f"{plural(covered, 'covered tile')}: {len(solution.safe)} certainly safe, "
        f"{len(solution.mine)} certainly a mine"
    ]
    advice = advise(analysis)
    if advice is None or advice.best is None:
        reason = "" if advice is None else advice.reason
        return [*lines, f"best next tile: none ({reason})" if reason else "best next tile: none"]
    row, column = advice.best
    odds = "unknown odds"
    if not math.isnan(value := float(solution.probability[row, column])):
        odds = f"{format_percentage(value, certain=value in (0, 1))} mine"
        odds += f" = {fraction_text(solution.exact(row, column))}" if exact else ""
    return [*lines, f"best next tile: {tile_name(row, column)}, {odds}"]


def _conflict_lines(analysis: Analysis) -> list[str]:
    if analysis.problem is None:
        return []
    if isinstance(analysis.problem, TooWide):
        return [
            "no probabilities: the frontier is too wide to count exactly",
            f"by single numbers alone {len(analysis.problem.safe)} tiles are certainly safe, "
            f"{len(analysis.problem.mine)} certainly a mine",
        ]
    if not analysis.conflict:
        return ["no probabilities: the mine count cannot be"]
    return [f"no probabilities: these numbers cannot hold: {tile_names(analysis.conflict)}"]


def _uncertain_lines(analysis: Analysis) -> list[str]:
    doubtful = _uncertain(analysis)
    if not doubtful or analysis.reading is None:
        return []
    row, column = doubtful[0]
    sure = format_percentage(float(analysis.reading.confidence[row, column]))
    return [
        f"read with low confidence: {plural(len(doubtful), 'tile')} "
        f"({tile_names(doubtful)}; least sure: {tile_name(row, column)}, {sure} sure)"
    ]
