"""`visionsweeper solve`: a board as text in, odds and a picture out."""

from __future__ import annotations

import sys
from contextlib import AbstractContextManager, nullcontext
from itertools import chain, islice
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO, get_args

import click

from visionsweeper.cli.delivery import Form, deliver, run_each
from visionsweeper.cli.explain import technique_option, tell_board
from visionsweeper.cli.inputs import STDIN, one_source, take_position
from visionsweeper.cli.options import FileName, jobs_option, read_options, result_options, solve_options
from visionsweeper.cli.outputs import plan_outputs
from visionsweeper.cli.terminal import complain, send
from visionsweeper.engine import Engine
from visionsweeper.errors import InvalidInput

if TYPE_CHECKING:
    from visionsweeper.options import ReadOptions, SolveOptions
    from visionsweeper.report.result import Report


@click.command(
    "solve",
    epilog="Example: visionsweeper solve board.txt --mines 99 (writes board.solved.png)",
)
@click.argument("board", metavar="BOARD", required=False, type=FileName())
@click.option("--clipboard", is_flag=True, help="Take the board on the clipboard, such as emoji from a chat.")
@read_options(
    "continues",
    continues="Sides where the board goes on beyond its text: some of left,right,top,bottom, or none. "
    "Default: what the file says, else none.",
)
@solve_options
@result_options()
@technique_option
@click.option(
    "--batch",
    is_flag=True,
    help='Solve a position a line: JSON Lines as {"board": [...], "mines": N} in, JSON Lines out.',
)
@jobs_option("With --batch: number of processes.")
@click.option("--scheduler", metavar="ADDRESS", help="With --batch: the Dask scheduler whose workers solve.")
@click.option(
    "--engine",
    type=click.Choice(get_args(Engine)),
    help="With --batch: count exactly, or by compiled code: within 1e-9, and many times faster. "
    "Default: compiled from a thousand lines on, if numba is installed.",
)
def command(
    board: str | None,
    clipboard: bool,
    read: ReadOptions,
    solve: SolveOptions,
    output: str | None,
    form: Form,
    technique: str | None,
    batch: bool,
    jobs: int | None,
    scheduler: str | None,
    engine: Engine | None,
) -> int:
    """Compute every covered tile's mine probability on a board from a file, and draw it.

    BOARD is a text, one line for each row and one character for each tile: 0 to 8 opened, ? covered, F a
    flag, * a mine that is shown, x no mine; a line `# mines: 99` gives the mine count. Files of
    JSMinesweeper (.mine), minefields (.mbf, .abf), this program's JSON, emoji and spreadsheet cells are
    read too. Use - for standard input; its picture is written only with -o.
    """
    if not batch and (jobs, scheduler, engine) != (None, None, None):
        raise click.UsageError("--jobs, --scheduler and --engine go with --batch")
    if jobs is not None and scheduler is not None:
        raise click.UsageError("--jobs is for this machine, --scheduler for a cluster: give one of them")
    source = one_source(board, clipboard=clipboard)
    if batch:
        if any((output, technique, form.exact, clipboard, read.continues is not None)):
            raise click.UsageError(
                "--batch prints JSON Lines only: combine it with the options of the odds alone"
            )
        return _solve_batch(source, solve, engine or "auto", jobs or 1, scheduler)
    if technique is not None:
        if output is not None or form.kind == "board" or form.exact:
            raise click.UsageError("--technique goes with --mines, --trust-flags, --local and --json only")
        return tell_board(source, read, solve, technique, as_json=form.kind == "json")
    outputs = plan_outputs([source], output)

    def work(name: str, place: Path | None) -> Report:
        analysis = take_position(name).analyse(read, solve)
        return deliver(analysis, None, place, form)

    return run_each([source], outputs, work, form)


def _solve_batch(source: str, solve: SolveOptions, engine: Engine, jobs: int, scheduler: str | None) -> int:
    """Print an answer for every line of a file, or of stdin; returns the highest exit status."""
    from visionsweeper.batch.positions import solve_lines
    from visionsweeper.solver.many import AT_ONCE, has_to_compile

    status = 0
    with _lines(source) as lines:
        first = list(islice(lines, AT_ONCE))
        if scheduler is None and has_to_compile(engine, len(first)):
            complain("compiling the count, once on this machine: it takes up to a minute")
        for answers in solve_lines(chain(first, lines), solve, engine=engine, jobs=jobs, scheduler=scheduler):
            send(answers.text.encode())
            status = max(status, answers.status)
    if status:
        complain("some lines have no answer: their `error` says why", source if source != STDIN else None)
    return status


def _lines(source: str) -> AbstractContextManager[BinaryIO]:
    """Open a file, or stdin. Raises InvalidInput."""
    if source == STDIN:
        return nullcontext(sys.stdin.buffer)
    try:
        return Path(source).open("rb")
    except OSError as error:
        raise InvalidInput(f"cannot read {source}: {error.strerror or error}") from error
