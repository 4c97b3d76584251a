"""The board as a terminal shows it: numbers in their colours, covered tiles with their odds."""

from __future__ import annotations

import math
import sys
from importlib.util import find_spec
from typing import TYPE_CHECKING, Final

from visionsweeper.board import COVERED, FLAG, MINE, SYMBOLS
from visionsweeper.drawing.colours import INK, WHITE, ramp

if TYPE_CHECKING:
    from rich.console import Console
    from rich.style import Style
    from rich.text import Text

    from visionsweeper.analysis import Analysis
    from visionsweeper.geometry import Position
    from visionsweeper.solver.advice import Advice

_NUMBERS: Final = ("", "#4f7fff", "#2fa84f", "#ff5252", "#6a78ff", "#c04848", "#25a5a5", "#c060c0", "#a0a0a0")
"""Colour of each number, as games have them, bright enough for dark terminals and dark enough for white."""

_LABEL_EVERY: Final = 5
"""Columns between two column numbers."""

_WIDE: Final = 3
"""Characters a tile; two where that does not fit."""

_DARK: Final = 0.6
"""Chance of a mine from which its colour is so dark that it is written on in white."""


def show(analysis: Analysis, advice: Advice | None) -> None:
    """Print the annotated picture where the terminal shows pictures, else the board in colours.

    NO_COLOR is heeded; a line says so where the board does not fit.
    """
    from rich.console import Console  # only terminals need it

    console = Console(file=sys.stdout, highlight=False, soft_wrap=True)
    plain = console.no_color or console.is_dumb_terminal  # which would print the question for pictures
    if console.is_terminal and not plain and _show_picture(analysis, advice, console):
        return
    board = analysis.board
    labels = len(str(board.rows - 1)) + 1
    # Two characters a tile can be told apart by their colours alone.
    widths = (_WIDE,) if console.no_color or console.color_system is None else (_WIDE, 2)
    fitting = [wide for wide in widths if labels + wide * board.columns < console.width]
    if not fitting:
        needed = labels + widths[-1] * board.columns + 1
        console.print(f"(widen the terminal to {needed} columns to see the board here)")
        return
    for line in board_lines(analysis, advice, fitting[0]):
        console.print(line)
    if analysis.solution is not None:
        signs = ", F: flag, <: open this next" if fitting[0] == _WIDE else ""
        console.print(
            f"chance of a mine in percent, ok: certainly safe, !!: certainly a mine{signs}", style="dim"
        )


def _show_picture(analysis: Analysis, advice: Advice | None, console: Console) -> bool:
    """Print the annotated picture by Sixel or Kitty's protocol; False where the terminal knows neither."""
    if find_spec("textual_image") is None:  # of the extra `terminal`
        return False
    from textual_image.renderable import Image, SixelImage, TGPImage  # importing it asks the terminal

    if Image not in {SixelImage, TGPImage}:
        return False
    from PIL import Image as Pillow

    from visionsweeper.pipeline import best_of, picture

    console.print(Image(Pillow.fromarray(picture(analysis, best=best_of(advice)))))
    return True


def board_lines(analysis: Analysis, advice: Advice | None, wide: int) -> list[Text]:
    """Return the board below a line of column numbers, in `wide` (3 or 2) characters a tile."""
    from rich.text import Text

    from visionsweeper.pipeline import best_of

    board, labels = analysis.board, len(str(analysis.board.rows - 1))
    best = best_of(advice)
    certain = _certain(analysis)
    numbers = range(0, board.columns, _LABEL_EVERY)
    head = "".join(str(column).rjust(2).ljust(wide * _LABEL_EVERY) for column in numbers)
    lines = [Text(" " * (labels + 1) + head.rstrip(), style="dim")]
    for row in range(board.rows):
        line = Text()
        line.append(str(row).rjust(labels) + " ", "dim")
        for column in range(board.columns):
            text, style = _tile(analysis, (row, column), certain)
            line.append(text, style)
            if wide == _WIDE:
                flagged = board[row, column] == FLAG
                line.append("<" if (row, column) in best else "F" if flagged else " ")
        lines.append(line)
    return lines


def _certain(analysis: Analysis) -> dict[Position, str]:
    """Return what stands on certainly safe or mined tiles; a float of 0 may be a very small chance."""
    certain = analysis.certain
    return dict.fromkeys(certain.safe, "ok") | dict.fromkeys(certain.mine, "!!")


def _tile(analysis: Analysis, tile: Position, certain: dict[Position, str]) -> tuple[str, Style]:
    """Two characters for a tile, and their style."""
    from rich.color import Color
    from rich.style import Style

    code = int(analysis.board[tile])
    doubted = analysis.reading is not None and bool(analysis.reading.uncertain[tile])
    if tile in analysis.conflict:
        return f"{SYMBOLS[code]:>2}", Style(color="white", bgcolor="#ff0096", bold=True)
    if code in {COVERED, FLAG} and analysis.solution is not None:
        chance = float(analysis.solution.probability[tile])
        if not math.isnan(chance):
            ink = WHITE if chance > _DARK else INK
            style = Style(
                color=Color.from_rgb(*ink), bgcolor=Color.from_rgb(*ramp(chance)), underline=doubted
            )
            return certain.get(tile) or f"{min(max(round(100 * chance), 1), 99):2}", style
    sign = "" if code == 0 else SYMBOLS[code]
    colour = _NUMBERS[code] if 0 < code < len(_NUMBERS) else "red" if code == MINE else None
    return f"{sign:>2}", Style(color=colour or None, bold=code != COVERED, underline=doubted)
