"""The one writer of text: what commands print of an analysis, of its explanation and of the advice."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING

from visionsweeper.analysis import flag_warnings
from visionsweeper.board import COVERED, FLAG
from visionsweeper.errors import TooWide
from visionsweeper.formats import StoredPosition, write_position
from visionsweeper.report.text_tables import (
    advice_to_text,
    flags_to_text,
    matrix_to_text,
    outcomes_to_text,
    tables_to_text,
    tile_to_text,
)
from visionsweeper.wording import (
    format_percentage,
    fraction_text,
    has_so_many_mines,
    plural,
    printable,
    sides_in_words,
    tile_name,
    tile_names,
    tile_subject,
)

if TYPE_CHECKING:
    from visionsweeper.analysis import Analysis
    from visionsweeper.geometry import Position
    from visionsweeper.report.explanation import Drawn, Explanation
    from visionsweeper.report.result import Report
    from visionsweeper.solver import Solution
    from visionsweeper.solver.advice import Advice
    from visionsweeper.solver.doubt import Certainty

_RANKED = 5
"""Tiles of the ranking that `advise` prints."""


def to_summary(report: Report, *, exact: bool = False) -> str:
    """Return a few lines for a person."""
    analysis = report.analysis
    if analysis is None:
        return ""
    board = analysis.board
    title = f"{printable(report.image or 'board')}: {board.columns}x{board.rows}, {_mines_text(analysis)}"
    lines = _solution_lines(report, analysis.solution, exact) if analysis.solution is not None else []
    lines += _conflict_lines(analysis) + _uncertain_lines(analysis) + _warnings(analysis)
    if report.output is not None:
        lines.append(f"picture: {printable(report.output)}")
    elif report.error is None:
        lines.append("picture: none written; name one with -o")
    return "\n  ".join([title, *lines])


def to_text(analysis: Analysis) -> str:
    """Return the board in the text notation, with the mine count given or read; without a last line end."""
    # What is only usual for the size is assumed again by whoever reads this.
    known = analysis.mines if analysis.mines_source in {"given", "counter"} else None
    return write_position(StoredPosition(analysis.board, known), "text").decode().rstrip("\n")


def to_line(report: Report) -> str:
    """Return what is most worth knowing, on one line."""
    analysis = report.analysis
    if analysis is None:
        return _one_line(report.error)
    board, solution = analysis.board, analysis.solution
    size = f"{board.columns}x{board.rows}"
    if solution is None:
        return f"{size}, {_one_line(analysis.problem)}"
    certain = analysis.certain
    goes_on = [f"goes on {sides_in_words(board.continues)}"] if board.continues else []
    parts = [size, *goes_on, f"{len(certain.safe)} safe", plural(len(certain.mine), "mine")]
    if certain.safe_if_read_right or certain.mine_if_read_right:
        count = len(certain.safe_if_read_right) + len(certain.mine_if_read_right)
        parts.append(f"{count} more if {certain.condition}")
    if report.advice is not None and report.advice.best is not None:
        parts.append(f"best {tile_name(*report.advice.best)}")
    if analysis.uncertain:
        parts.append(f"{plural(len(analysis.uncertain), 'tile')} read with doubt")
    return ", ".join(parts)


def advice_with_warnings(analysis: Analysis, advice: Advice) -> str:
    """Return which tile to open next, why, the next best, and warnings, without a last line end."""
    return "\n".join([advice_to_text(advice, _RANKED), *_warnings(analysis)])


def steps_to_text(explanation: Explanation, *, leave_out: Sequence[str] = ()) -> str:
    """Return the steps, numbered, with a last line that says what they come to, and warnings.

    `leave_out` are warnings that are told elsewhere.
    """
    steps, width = explanation.steps, len(str(len(explanation.steps)))
    lines = [f"{at:{width}}. {step.sentence}" for at, step in enumerate(steps, start=1)]
    if explanation.tile is None and steps:
        safe = sum(len(step.safe) for step in steps)
        mine = sum(len(step.mine) for step in steps)
        certain = explanation.analysis.certain
        settled = {tile for step in steps for tile in (*step.safe, *step.mine)}
        hanging = len(settled.intersection((*certain.safe_if_read_right, *certain.mine_if_read_right)))
        condition = f", {hanging} of these tiles only if {certain.condition}" if hanging else ""
        lines.append(f"That makes {plural(safe, 'safe tile')} and {plural(mine, 'mine')}{condition}.")
    elif explanation.tile is None:
        lines.append("No tile can be settled that way.")
    elif not steps:
        lines.append(_not_settled(explanation.analysis, explanation.tile))
    if explanation.hangs_on:
        lines.append(
            f"It holds only if these doubted tiles were read right: {tile_names(explanation.hangs_on)}."
        )
    if explanation.hangs_on_mines is not None:
        lines.append(f"It holds only if {has_so_many_mines(explanation.hangs_on_mines)}.")
    return "\n".join(lines + _warnings(explanation.analysis, leave_out))


def explanation_to_text(explanation: Explanation, advice: Advice | None, *, tables: bool) -> str:
    """Return the steps and what there is besides: the advice and the flags, or what one tile can show.

    `tables` adds all counts and the equations.
    """
    analysis, solution, tile = explanation.analysis, explanation.analysis.solution, explanation.tile
    # All flags are listed further down.
    listed = flag_warnings(analysis) if tile is None else []
    parts = [steps_to_text(explanation, leave_out=listed)]
    if solution is not None and tile is not None:
        parts.append(_tile_shows(solution, tile))
    elif solution is not None:
        if advice is not None:
            parts.append(f"Which tile next? {advice_to_text(advice)}")
        parts.append(flags_to_text(solution, analysis.certain))
    if tables:
        if analysis.solution is not None:
            parts.append(tables_to_text(analysis.solution.tables))
        parts.append(_equations(explanation))
    return "\n\n".join(part for part in parts if part)


def drawn_to_text(drawn: Drawn) -> str:
    """Return a solution as a board in the text notation, its heading in comments, without a last line end."""
    return "\n".join([*(f"# {line}" for line in drawn.heading), *drawn.board.to_rows()])


def _one_line(error: object) -> str:
    return " ".join(str(error).split())


def _warnings(analysis: Analysis, leave_out: Sequence[str] = ()) -> list[str]:
    return [f"warning: {warning}" for warning in analysis.warnings if warning not in leave_out]


def _not_settled(analysis: Analysis, tile: Position) -> str:
    subject = tile_subject(*tile)
    if analysis.board[tile] not in {COVERED, FLAG}:
        return f"{subject} is not covered: there is nothing to explain."
    solution = analysis.solution
    probability = math.nan if solution is None else float(solution.probability[tile])
    if math.isnan(probability):
        return f"{subject} is not settled, and its odds are not known without the mine count."
    if probability in {0.0, 1.0}:
        return f"{subject} is {'a mine' if probability else 'safe'}, but not by these steps."
    return f"{subject} is not certain: it is a mine with a probability of {format_percentage(probability)}."


def _tile_shows(solution: Solution, tile: Position) -> str:
    """Say what a covered tile can show, with its table; empty for other tiles."""
    if solution.board[tile] not in {COVERED, FLAG}:
        return ""
    try:
        shown = f"Opened, it shows\n{outcomes_to_text(solution.outcomes(*tile))}"
    except (ValueError, TooWide) as error:
        shown = f"What it shows when opened is not known: {error}."
    table = tile_to_text(solution.tables, tile)
    return f"{shown}\n\n{table}" if table else shown


def _equations(explanation: Explanation) -> str:
    from visionsweeper.report.explanation import MOST_EQUATIONS  # `parse` needs none of it

    if explanation.matrix is None:
        return f"The equations are left out: there are more than {MOST_EQUATIONS}."
    return matrix_to_text(explanation.matrix)


def _mines_text(analysis: Analysis) -> str:
    if analysis.board.continues:
        return f"goes on {sides_in_words(analysis.board.continues)} (local probabilities only)"
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


def _solution_lines(report: Report, solution: Solution, exact: bool) -> list[str]:
    assert report.analysis is not None  # the solution is its
    covered, advice, certain = int(solution.board.covered.sum()), report.advice, report.analysis.certain
    lines = [f"{plural(covered, 'covered tile')}: {_certain_text(certain)}"]
    if advice is None or advice.best is None:
        reason = "" if advice is None else advice.reason
        return [*lines, f"best next tile: none ({reason})" if reason else "best next tile: none"]
    row, column = advice.best
    odds = "unknown odds"
    if not math.isnan(value := float(solution.probability[row, column])):
        odds = f"{format_percentage(value, certain=value in (0, 1))} mine"
        odds += f" = {fraction_text(solution.exact(row, column))}" if exact and not solution.estimated else ""
    return [*lines, f"best next tile: {tile_name(row, column)}, {odds}"]


def _certain_text(certain: Certainty) -> str:
    text = f"{len(certain.safe)} certainly safe, {len(certain.mine)} certainly a mine"
    safe, mine = len(certain.safe_if_read_right), len(certain.mine_if_read_right)
    if not safe and not mine:
        return text
    return f"{text}; {safe} safe and {mine} a mine only if {certain.condition}"


def _conflict_lines(analysis: Analysis) -> list[str]:
    if analysis.problem is None:
        return []
    if isinstance(analysis.problem, TooWide):
        return [
            "no probabilities: the frontier is too wide to count exactly",
            f"by single numbers alone: {_certain_text(analysis.certain)}",
        ]
    if not analysis.conflict:
        return ["no probabilities: the mine count is impossible"]
    return [f"no probabilities: these numbers cannot hold: {tile_names(analysis.conflict)}"]


def _uncertain_lines(analysis: Analysis) -> list[str]:
    doubtful = analysis.uncertain
    if not doubtful or analysis.reading is None:
        return []
    row, column = doubtful[0]
    sure = format_percentage(float(analysis.reading.confidence[row, column]))
    return [
        f"read with low confidence: {plural(len(doubtful), 'tile')} "
        f"({tile_names(doubtful)}; least sure: {tile_name(row, column)}, {sure} sure)"
    ]
