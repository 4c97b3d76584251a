"""Draws a session as lines of text for a terminal."""

from __future__ import annotations

import textwrap
from typing import TYPE_CHECKING, Final

import click

from visionsweeper.board import COVERED, FLAG, MINE, SYMBOLS

if TYPE_CHECKING:
    from visionsweeper.game.session import Session
    from visionsweeper.solver import Solution

_COLOURS: Final = {
    1: "bright_blue",
    2: "green",
    3: "bright_red",
    4: "blue",
    5: "red",
    6: "cyan",
    7: "magenta",
    8: "bright_black",
    FLAG: "yellow",
    MINE: "red",
}

_LEGEND: Final = "? help  q quit  space open  f flag  p/l odds  c certain  h hint  u undo  n new"


def draw(session: Session, columns: int, lines: int, *, colour: bool = True) -> list[str]:
    """Draw the game on a screen of so many columns and lines: what does not fit is scrolled to the cursor.

    With the odds shown, a covered tile has its chance of a mine in percent, `ok` where it is certainly safe
    and `!!` where it is certainly a mine.
    """
    solution = session.solution if session.odds_shown else None
    wide = 4 if session.odds_shown else 2
    rows, across = session.rules.height, session.rules.width
    said = textwrap.wrap(session.message, max(columns - 1, 10))[: max(lines - 4, 1)]
    # A line with the counter, a line with the keys, and what was said.
    seen_rows = max(min(rows, lines - 2 - max(len(said), 1)), 1)
    seen_columns = max(min(across, (columns - 1) // wide), 1)
    top = _scrolled(session.cursor[0], rows, seen_rows)
    left = _scrolled(session.cursor[1], across, seen_columns)
    row, column = session.cursor
    head = f"{session.mines_left} mines left, {session.state}, at {row},{column}"
    if len(head) >= columns:
        head = f"{session.mines_left} {session.state} {row},{column}"
    cells = _cells(session, solution, " " if colour else "0")
    drawn = [head[: columns - 1]]
    for r in range(top, top + seen_rows):
        parts = []
        for c in range(left, left + seen_columns):
            text, code = cells[r][c]
            padded = text.rjust(wide - 1)
            if (r, c) == session.cursor:
                # Brackets show the cursor where colours do not.
                parts.append(click.style(padded, reverse=True) + " " if colour else f"{padded}<")
            else:
                parts.append((click.style(padded, fg=_COLOURS.get(code)) if colour else padded) + " ")
        drawn.append("".join(parts).rstrip() if not colour else "".join(parts))
    return [*drawn, *said, _LEGEND[: columns - 1]]


def _scrolled(at: int, length: int, seen: int) -> int:
    """First of `seen` places out of `length` that has `at` in the middle, as far as possible."""
    return min(max(at - seen // 2, 0), length - seen)


def _cells(session: Session, solution: Solution | None, zero: str) -> list[list[tuple[str, int]]]:
    """Text and tile code of every tile."""
    board = session.board
    cells = [
        [(zero if code == 0 else "." if code == COVERED else SYMBOLS[code], int(code)) for code in row]
        for row in board.cells
    ]
    if solution is not None:
        safe, mine = set(solution.safe), set(solution.mine)
        for row in range(board.rows):
            for column in range(board.columns):
                code = board[row, column]
                if code in {COVERED, FLAG}:
                    text = _odds(solution, (row, column), safe, mine)
                    cells[row][column] = (f"F{text}" if code == FLAG else text, code)
    return cells


def _odds(
    solution: Solution, tile: tuple[int, int], safe: set[tuple[int, int]], mine: set[tuple[int, int]]
) -> str:
    """Return a tile's odds in two characters."""
    if tile in safe:
        return "ok"
    if tile in mine:
        return "!!"
    return str(min(max(round(100 * float(solution.probability[tile])), 1), 99))
