"""`visionsweeper play`: a game in the terminal."""

from __future__ import annotations

import os
import re
import shutil
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING, Any, Final

import click

from visionsweeper.cli.options import FileName, first_click_option
from visionsweeper.cli.simulate import board_size, size_options
from visionsweeper.cli.terminal import say

if TYPE_CHECKING:
    from visionsweeper.play.session import Session

_KEYS: Final = {
    "\x1b[A": "up", "\x1b[B": "down", "\x1b[C": "right", "\x1b[D": "left",
    "\x1bOA": "up", "\x1bOB": "down", "\x1bOC": "right", "\x1bOD": "left",
    "\xe0H": "up", "\xe0P": "down", "\xe0M": "right", "\xe0K": "left",
    "\x00H": "up", "\x00P": "down", "\x00M": "right", "\x00K": "left",
    " ": "open", "\r": "open", "\n": "open", "\x1b": "q", "\x04": "q",
}  # fmt: skip

_KEY: Final = re.compile("\x1b[\\[O][A-Za-z~0-9]|.", re.DOTALL)
"""One key of what a terminal sends: arrow keys are several characters."""

_CTRL_C: Final = "\x03"
_ENTER: Final = "\r\n"
_ERASE: Final = "\x7f\b"
_LEAST_COLUMNS: Final = 20
_LEAST_LINES: Final = 6


@click.command(
    "play",
    short_help="Play a game in the terminal.",
    epilog="Example: visionsweeper play --preset beginner --no-guess",
)
@size_options
@first_click_option
@click.option("--no-guess", is_flag=True, help="Only boards that certain moves alone can win.")
@click.option("--seed", type=click.IntRange(min=0), metavar="S", help="The same games again.")
@click.option(
    "--save", type=FileName(), metavar="FILE", help="Write the last game there at the end, as text."
)
@click.option(
    "--replay", type=FileName(), metavar="FILE", help="Show a saved game move by move, and go on with it."
)
@click.option("--no-color", is_flag=True, help="No colours (nor where NO_COLOR is set).")
def command(
    preset: str | None,
    width: int | None,
    height: int | None,
    mines: int | None,
    first_click: Any,
    no_guess: bool,
    seed: int | None,
    save: str | None,
    replay: str | None,
    no_color: bool,
) -> int:
    """Play Minesweeper with the odds at hand.

    Arrow keys or R,C go to a tile; space opens it, f flags it; p shows the odds, l hides them, c opens what
    is certain, h gives a hint. Where input is no terminal, commands are read from it, one a line.
    """
    import numpy as np  # noqa: PLC0415 - --help needs none of it

    from visionsweeper.play.session import Session  # noqa: PLC0415
    from visionsweeper.play.simulation import Rules  # noqa: PLC0415

    if replay is not None:
        if (preset, width, height, mines) != (None,) * 4 or no_guess:
            raise click.UsageError("--replay brings its own board: leave out sizes and --no-guess")
        session = _replayed(replay, np.random.default_rng(seed))
    else:
        rules = Rules(*board_size(preset, width, height, mines), first_click=first_click)
        session = Session(rules, np.random.default_rng(seed), no_guess=no_guess)
        session.cursor = (rules.height // 2, rules.width // 2)
    colour = not no_color and not os.environ.get("NO_COLOR")
    try:
        if sys.stdin.isatty() and sys.stdout.isatty():
            _play_keys(session, colour=colour)
        else:
            _play_lines(session)
    finally:
        if save is not None and session.game is not None:
            from visionsweeper.files import write_atomically  # noqa: PLC0415
            from visionsweeper.play.saved import to_text  # noqa: PLC0415

            write_atomically(save, to_text(session.game).encode())
    return 0


def _replayed(name: str, random: Any) -> Session:
    """A session in the middle of a saved game; its moves are printed on the way."""
    from visionsweeper.cli.inputs import read_board_text  # noqa: PLC0415
    from visionsweeper.play.game import Game  # noqa: PLC0415
    from visionsweeper.play.saved import replay  # noqa: PLC0415
    from visionsweeper.play.session import Session  # noqa: PLC0415
    from visionsweeper.play.simulation import Rules  # noqa: PLC0415

    saved = replay(read_board_text(name))
    rows, columns = saved.field.mines.shape
    game = Game(saved.field)
    for action, tile in saved.moves:
        game.play(action, tile)
        say(f"{action} {tile[0]},{tile[1]}\n{game.board}" if action != "undo" else f"undo\n{game.board}")
    rules = Rules(columns, rows, saved.field.count, first_click="any")
    return Session(rules, random, game=game, message=f"replayed {len(saved.moves)} moves: {game.state}")


def _play_lines(session: Session) -> None:
    """Read commands line by line, and print the board after each."""
    from visionsweeper.play.terminal import draw  # noqa: PLC0415

    for line in sys.stdin:
        if not line.strip() or line.lstrip().startswith("#"):
            continue
        session.do(line)
        if session.finished:
            return
        drawn = draw(session, 10_000, 10_000, colour=False)[:-1]
        say("\n".join([*drawn, ""]))


def _play_keys(session: Session, *, colour: bool) -> None:
    """Read keys, and draw the game anew after each."""
    from visionsweeper.play.terminal import draw  # noqa: PLC0415

    typed = ""
    with _raw_keys() as keys, _screen() as show:
        while not session.finished:
            columns, lines = shutil.get_terminal_size()
            if columns < _LEAST_COLUMNS or lines < _LEAST_LINES:
                drawn = [f"at least {_LEAST_COLUMNS}x{_LEAST_LINES}"[: columns - 1]]
            else:
                drawn = draw(session, columns, lines - 1, colour=colour)
            show([*drawn, f"go to: {typed}"] if typed else drawn)
            key = next(keys)
            if typed or key.isdigit():
                typed = _type(session, typed, key)
            else:
                session.do(_KEYS.get(key, key))


def _type(session: Session, typed: str, key: str) -> str:
    """What is typed of a tile R,C after one more key; Enter goes there."""
    if key in _ERASE:
        return typed[:-1]
    if key in _ENTER:
        session.go_to(typed)
        return ""
    return typed + key if key.isdigit() or key == "," else ""


@contextmanager
def _raw_keys() -> Iterator[Iterator[str]]:
    """Keys one by one, none lost or echoed while the program works; the terminal is put back at the end."""
    try:
        import termios  # noqa: PLC0415 - POSIX alone
        import tty  # noqa: PLC0415
    except ImportError:
        yield iter(click.getchar, None)
        return
    terminal = sys.stdin.fileno()
    before = termios.tcgetattr(terminal)
    try:
        tty.setraw(terminal)
        yield _split_keys(terminal)
    finally:
        termios.tcsetattr(terminal, termios.TCSADRAIN, before)


def _split_keys(terminal: int) -> Iterator[str]:
    while data := os.read(terminal, 1024):
        for key in _KEY.findall(data.decode(errors="replace")):
            if key == _CTRL_C:
                raise KeyboardInterrupt
            yield key
    raise KeyboardInterrupt  # nobody is there any more


@contextmanager
def _screen() -> Iterator[Any]:
    """The terminal's second screen without a cursor; put back whatever happens."""

    def show(lines: list[str]) -> None:
        # Home, every line with its rest erased, and everything below.
        click.echo("\x1b[H" + "".join(f"{line}\x1b[K\r\n" for line in lines) + "\x1b[J", nl=False, color=True)

    click.echo("\x1b[?1049h\x1b[?25l", nl=False, color=True)
    try:
        yield show
    finally:
        with suppress(OSError):
            click.echo("\x1b[?25h\x1b[?1049l", nl=False, color=True)
