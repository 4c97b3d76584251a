"""`visionsweeper solve`: a board as text in, odds and a picture out."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from visionsweeper.cli.delivery import Form, deliver, run_each
from visionsweeper.cli.explain import technique_option, tell_board
from visionsweeper.cli.inputs import one_source, take_position
from visionsweeper.cli.options import FileName, read_options, result_options, solve_options
from visionsweeper.cli.outputs import plan_outputs

if TYPE_CHECKING:
    from visionsweeper.options import ReadOptions, SolveOptions
    from visionsweeper.report.result import Report


@click.command(
    "solve",
    short_help="The odds of a board written as text.",
    epilog="Example: visionsweeper solve board.txt --mines 99 (writes board.solved.png)",
)
@click.argument("board", metavar="BOARD", required=False, type=FileName())
@click.option("--clipboard", is_flag=True, help="Take the board on the clipboard, such as emoji from a chat.")
@read_options("continues")
@solve_options
@result_options()
@technique_option
def command(
    board: str | None,
    clipboard: bool,
    read: ReadOptions,
    solve: SolveOptions,
    output: str | None,
    form: Form,
    technique: str | None,
) -> int:
    """Compute every covered tile's mine probability on a board from a file, and draw it.

    BOARD is a text with one row a line, one character a tile: 0 to 8 opened, ? covered, F a flag, * a mine
    that is shown, x no mine; a line `# mines: 99` gives the mine count. Files of JSMinesweeper (.mine),
    minefields (.mbf, .abf), this program's JSON, emoji and spreadsheet cells are read too. Use - for standard
    input; its picture is written only with -o.
    """
    source = one_source(board, clipboard=clipboard)
    if technique is not None:
        if output is not None or form.kind == "board" or form.exact:
            raise click.UsageError("--technique goes with --mines, --trust-flags, --local and --json only")
        return tell_board(source, read, solve, technique, as_json=form.kind == "json")
    outputs = plan_outputs([source], output)

    def work(name: str, place: Path | None) -> Report:
        analysis = take_position(name).analyse(read, solve)
        return deliver(analysis, None, place, form)

    return run_each([source], outputs, work, form)
