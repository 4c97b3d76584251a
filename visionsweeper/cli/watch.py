"""`visionsweeper watch`: annotated pictures of whatever screenshots arrive in a folder."""

from __future__ import annotations

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from visionsweeper.cli.options import FileName, jobs_option, read_options, solve_options
from visionsweeper.cli.terminal import discard_output, finish_output, say

if TYPE_CHECKING:
    from visionsweeper.options import ReadOptions, SolveOptions
    from visionsweeper.watch.service import Event, Options


@click.command(
    "watch",
    epilog="Example: visionsweeper watch ~/Pictures/Screenshots --mines 99",
)
@click.argument("folders", nargs=-1, required=True, metavar="DIR...", type=FileName())
@click.option("--output-dir", type=FileName(), metavar="DIR", help="Where pictures go. Default: DIR/solved.")
@click.option("--state", type=FileName(), metavar="FILE", help="The journal. Default: in the output folder.")
@click.option("--status", "show_status", is_flag=True, help="Print the journal, and exit.")
@click.option("--recursive", is_flag=True, help="Watch subfolders too.")
@click.option(
    "--include",
    multiple=True,
    metavar="PATTERN",
    help="Only files of such names, as in 'mine*.png'.",
)
@click.option("--existing", is_flag=True, help="Also the pictures that were there before the first watch.")
@click.option(
    "--polling",
    is_flag=True,
    help="Look for changes at intervals, for network drives that do not report them.",
)
@jobs_option("Number of processes that read pictures.", default=1)
@read_options()
@solve_options
@click.option("--json", "as_json", is_flag=True, help="Write NAME.solved.json beside every picture.")
@click.option("--open", "show", is_flag=True, help="Show every picture with the system's viewer.")
@click.option(
    "--command",
    "command_line",
    metavar="CMD",
    help="Run this for every picture; {input} and {output} stand for the files, which the variables "
    "VISIONSWEEPER_INPUT and VISIONSWEEPER_OUTPUT name too. No shell is used.",
)
@click.option(
    "--clipboard", type=click.Choice(("picture", "text")), help="Copy the picture, or the board as text."
)
@click.option("--log-file", type=FileName(), metavar="FILE", help="Also write all messages to this file.")
@click.option("-q", "--quiet", is_flag=True, help="Print only errors.")
@click.option("-v", "--verbose", is_flag=True, help="Also print why pictures were passed over.")
def command(
    folders: tuple[str, ...],
    output_dir: str | None,
    state: str | None,
    show_status: bool,
    recursive: bool,
    include: tuple[str, ...],
    existing: bool,
    polling: bool,
    jobs: int,
    read: ReadOptions,
    solve: SolveOptions,
    as_json: bool,
    show: bool,
    command_line: str | None,
    clipboard: Any,
    log_file: str | None,
    quiet: bool,
    verbose: bool,
) -> int:
    """Read, solve and annotate every new picture in the folders, until Ctrl-C.

    A picture is read when its file is complete. A journal records what was done: after a restart,
    whatever ended the last run, the watch goes on where it stopped.
    """
    if quiet and verbose:
        raise click.UsageError("--quiet and --verbose exclude each other: choose one")
    named = {"DIR": folders, "--output-dir": (output_dir,), "--state": (state,), "--include": include}
    for option, values in (named | {"--command": (command_line,), "--log-file": (log_file,)}).items():
        if any(value is not None and not value.strip() for value in values):
            raise click.UsageError(f"{option} is empty")
    from visionsweeper.vision.themes.store import chosen_model
    from visionsweeper.watch.afterwards import Afterwards, split_command
    from visionsweeper.watch.folder import PATTERNS
    from visionsweeper.watch.processing import Wanted
    from visionsweeper.watch.service import Options

    options = Options(
        tuple(Path(folder) for folder in folders),
        None if output_dir is None else Path(output_dir),
        None if state is None else Path(state),
        include or PATTERNS,
        recursive=recursive,
        polling=polling,
        existing=existing,
        workers=jobs,
        log_file=None if log_file is None else Path(log_file),
        wanted=Wanted(read, solve, as_json),
    )
    if show_status:
        return _tell_status(options)
    chosen_model(read.model)  # one that cannot be used is told now, not for every picture
    afterwards = Afterwards(show, () if command_line is None else split_command(command_line), clipboard)
    _watch(options, afterwards, -1 if quiet else int(verbose), None if log_file is None else Path(log_file))
    return 0


def _watch(options: Options, afterwards: Any, verbosity: int, log_file: Path | None) -> None:
    from visionsweeper.watch.reporting import Reporter
    from visionsweeper.watch.service import Event, Watcher

    with Reporter(len(options.folders), _say_now, verbosity=verbosity, log_file=log_file) as reporter:

        def tell(event: Event) -> None:
            reporter(event)
            afterwards(event, lambda text: reporter(Event("trouble", text)))

        with _stopped_by_signals() as stop:
            Watcher(options, tell).run(stop)


def _say_now(line: str) -> None:
    """Write a line of a log that is read meanwhile; when nobody reads it any more, the watch goes on."""
    try:
        say(line)
        finish_output()
    except BrokenPipeError:
        discard_output()


@contextmanager
def _stopped_by_signals() -> Iterator[threading.Event]:
    """Yield an event that SIGINT and SIGTERM set; the second such signal interrupts at once."""
    stop = threading.Event()

    def ask(_number: int, _frame: object) -> None:
        if stop.is_set():
            raise KeyboardInterrupt
        stop.set()

    before = {number: signal.signal(number, ask) for number in (signal.SIGINT, signal.SIGTERM)}
    try:
        yield stop
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def _tell_status(options: Options) -> int:
    from visionsweeper.errors import InvalidInput
    from visionsweeper.watch.journal import Journal
    from visionsweeper.watch.reporting import status_text
    from visionsweeper.watch.service import journal_place

    for place in dict.fromkeys(journal_place(options, folder.resolve()) for folder in options.folders):
        if not place.is_file():
            raise InvalidInput(f"there is no journal {place}: no watch has used this output folder yet")
        with Journal(place, read_only=True) as journal:
            say(status_text(journal))
    return 0
