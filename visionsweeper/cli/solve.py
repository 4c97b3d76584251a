"""`visionsweeper solve`: a board as text in, odds and a picture out."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from visionsweeper.cli.delivery import deliver, run_each
from visionsweeper.cli.explain import technique_option, tell_board
from visionsweeper.cli.inputs import read_board_text
from visionsweeper.cli.options import FileName, form_of, result_options
from visionsweeper.cli.outputs import plan_outputs

if TYPE_CHECKING:
    from visionsweeper.report.analysis import Report


@click.command(
    "solve",
    short_help="The odds of a board written as text.",
    epilog="Example: visionsweeper solve board.txt --mines 99 (writes board.solved.png)",
)
@click.argument("board", metavar="BOARD.txt", type=FileName())
@result_options
@technique_option
def command(
    board: str,
    mines: int | None,
    trust_flags: bool,
    output: str | None,
    as_json: bool,
    as_text: bool,
    exact: bool,
    technique: str | None,
) -> int:
    """Compute every covered tile's mine probability on a board written as text, and draw it.

    BOARD.txt has one row a line, one character a tile: 0 to 8 opened, ? covered, F a flag, * a mine that
    is shown, x no mine. Use - for standard input; its picture is written only with -o.
    """
    form = form_of(as_json=as_json, as_text=as_text, exact=exact)
    if technique is not None:
        if output is not None or as_text or exact:
            raise click.UsageError("--technique goes with --mines, --trust-flags and --json only")
        return tell_board(board, mines, technique, trust_flags=trust_flags, as_json=as_json)
    outputs = plan_outputs([board], output)

    def solve(name: str, place: Path | None) -> Report:
        return _solve(name, place, mines, trust_flags)

    return run_each([board], outputs, solve, form)


def _solve(name: str, place: Path | None, mines: int | None, trust_flags: bool) -> Report:
    from visionsweeper.board import Board
    from visionsweeper.pipeline import analyse, picture

    analysis = analyse(Board.from_text(read_board_text(name)), mines=mines, trust_flags=trust_flags)
    return deliver(analysis, lambda: picture(analysis), None, place)
