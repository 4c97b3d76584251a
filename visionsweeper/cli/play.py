"""`visionsweeper play`: a game in the terminal."""

from __future__ import annotations

import os
import re
import select
import shutil
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING, Any, Final

import click

from visionsweeper.cli.options import FileName, WholeNumber, first_click_option
from visionsweeper.cli.simulate import board_size, size_options
from visionsweeper.cli.terminal import say
from visionsweeper.io.files import check_place, write_atomically

if TYPE_CHECKING:
    from visionsweeper.game.game import Game
    from visionsweeper.game.rules import Rules
    from visionsweeper.game.session import Session

_KEYS: Final = {
    "\x1b[A": "up", "\x1b[B": "down", "\x1b[C": "right", "\x1b[D": "left",
    "\x1bOA": "up", "\x1bOB": "down", "\x1bOC": "right", "\x1bOD": "left",
    "\xe0H": "up", "\xe0P": "down", "\xe0M": "right", "\xe0K": "left",
    "\x00H": "up", "\x00P": "down", "\x00M": "right", "\x00K": "left",
    " ": "open", "\r": "open", "\n": "open", "\x04": "q",
}  # fmt: skip

_KEY: Final = re.compile("\x1b[\\[O][A-Za-z~0-9]|.", re.DOTALL)
"""One key of what a terminal sends: arrow keys are several characters."""

_CTRL_C: Final = "\x03"
_ENTER: Final = "\r\n"
_ERASE: Final = "\x7f\b"
_GAP: Final = 0.1
"""Seconds that the characters of one key may be apart."""

_LEAST_COLUMNS: Final = 20
_LEAST_LINES: Final = 6


@click.command(
    "play",
    epilog="Example: visionsweeper play --preset beginner --no-guess",
)
@size_options
@first_click_option
@click.option("--no-guess", is_flag=True, help="Only boards that certain moves alone can win.")
@click.option("--seed", type=WholeNumber(min=0), metavar="S", help="The same seed gives the same games.")
@click.option(
    "--save", type=FileName(), metavar="FILE", help="Write the last game there at the end, as text."
)
@click.option(
    "--replay", type=FileName(), metavar="FILE", help="Show a saved game move by move, and continue it."
)
@click.option(
    "--board",
    type=FileName(),
    metavar="FILE",
    help="Continue from this position, in any format of `solve`; mines are placed at random among "
    "those that fit.",
)
@click.option("--no-color", is_flag=True, help="No colours (also if NO_COLOR is set).")
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
    board: str | None,
    no_color: bool,
) -> int:
    """Play Minesweeper in the terminal, with the odds on request.

    Arrow keys or R,C go to a tile; space opens it, f flags it; p shows the odds, l hides them, c opens
    what is certain, h gives a hint. If input is not a terminal, commands are read from it, one on each
    line.
    """
    import numpy as np

    from visionsweeper.errors import InvalidInput
    from visionsweeper.game.rules import Rules
    from visionsweeper.game.session import Session

    if sys.stdin is None or sys.stdout is None:
        raise InvalidInput("standard input or output is closed: play in a terminal, or send commands to it")
    if save is not None:
        check_place(save)
    moves: list[tuple[Any, tuple[int, int]]] = []
    if board is not None:
        if (preset, width, height, replay) != (None,) * 4 or no_guess:
            raise click.UsageError("--board sets the game: omit sizes, --replay and --no-guess")
        session = _taken_up(board, mines, np.random.default_rng(seed), first_click)
    elif replay is not None:
        if (preset, width, height, mines) != (None,) * 4 or no_guess:
            raise click.UsageError("--replay sets the board: omit sizes and --no-guess")
        session, moves = _replayed(replay, np.random.default_rng(seed), first_click)
    else:
        rules = Rules(*board_size(preset, width, height, mines), first_click=first_click)
        session = Session(rules, np.random.default_rng(seed), no_guess=no_guess)
        session.cursor = (rules.height // 2, rules.width // 2)
    colour = not no_color and not os.environ.get("NO_COLOR")
    try:
        if sys.stdin.isatty() and sys.stdout.isatty():
            _play_keys(session, moves, colour=colour)
        else:
            _play_lines(session, moves)
    finally:
        game = session.game or session.last
        if save is not None and game is not None:
            from visionsweeper.game.saved import to_text

            write_atomically(save, to_text(game).encode())
    return 0


def _replayed(name: str, random: Any, first_click: Any) -> tuple[Session, list[tuple[Any, tuple[int, int]]]]:
    """Return a session at the beginning of a saved game, and the game's moves."""
    from visionsweeper.cli.inputs import read_board_text
    from visionsweeper.game.game import Game
    from visionsweeper.game.saved import replay
    from visionsweeper.game.session import Session

    saved = replay(read_board_text(name))
    game = Game(saved.field)
    return Session(_rules_of(game, first_click), random, game=game), list(saved.moves)


def _taken_up(name: str, mines: int | None, random: Any, first_click: Any) -> Session:
    """Return a session that goes on from a position, its mines laid at random among all ways that fit.

    Raises InvalidInput for a position without a mine count, and ImpossibleBoard.
    """
    from visionsweeper.cli.inputs import take_solved
    from visionsweeper.game.finishing import take_up
    from visionsweeper.game.session import Session

    solution, _ = take_solved(name, mines)
    game = take_up(solution, random)
    return Session(_rules_of(game, first_click), random, game=game)


def _rules_of(game: Game, first_click: Any) -> Rules:
    """Return the rules of the next games: such a board, with what the first click promises if it can."""
    from visionsweeper.errors import VisionsweeperError
    from visionsweeper.game.rules import Rules

    rows, columns = game.field.mines.shape
    with suppress(VisionsweeperError):
        return Rules(columns, rows, game.field.count, first_click=first_click)
    return Rules(columns, rows, game.field.count, first_click="any")


def _play_lines(session: Session, moves: list[tuple[Any, tuple[int, int]]]) -> None:
    """Read commands line by line, and print the board after each; a saved game's moves come first."""
    from visionsweeper.game.terminal import draw

    for action, tile in moves:
        session.replay(action, tile)
        say(f"{session.message}\n{session.board}")
    if moves:
        say(f"replayed {len(moves)} moves: {session.state}")
    for line in sys.stdin:
        if not line.strip() or line.lstrip().startswith("#"):
            continue
        session.do(line)
        if session.finished:
            return
        drawn = draw(session, 10_000, 10_000, colour=False)[:-1]
        say("\n".join([*drawn, ""]))


def _play_keys(session: Session, moves: list[tuple[Any, tuple[int, int]]], *, colour: bool) -> None:
    """Read keys, and draw the game anew after each; a saved game is gone through first."""
    from visionsweeper.game.terminal import draw

    def shown(typed: str = "") -> None:
        columns, lines = shutil.get_terminal_size()
        if columns < _LEAST_COLUMNS or lines < _LEAST_LINES:
            drawn = [f"at least {_LEAST_COLUMNS}x{_LEAST_LINES}"[: columns - 1]]
        else:
            drawn = draw(session, columns, lines - 1, colour=colour)
        show([*drawn, f"go to: {typed}"] if typed else drawn)

    typed, hurried = "", False
    with _raw_keys() as keys, _screen() as show:
        for at, (action, tile) in enumerate(moves, start=1):
            session.replay(action, tile)
            session.message += f", move {at} of {len(moves)} (any key: next; e: to the end)"
            if not hurried:
                shown()
                hurried = next(keys) == "e"
        while not session.finished:
            shown(typed)
            key = next(keys)
            if typed or key.isdigit():
                typed = _type(session, typed, key)
                continue
            command = _KEYS.get(key, key)
            if command == "open" and session.no_guess and session.game is None:
                session.message = "looking for a board that needs no guess (Ctrl-C leaves) ..."
                shown()
            session.do(command)


def _type(session: Session, typed: str, key: str) -> str:
    """Return what is typed of a tile R,C after one more key; Enter goes there."""
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
        import termios  # POSIX alone
        import tty
    except ImportError:
        yield iter(click.getchar, None)
        return
    terminal = sys.stdin.fileno()
    before = termios.tcgetattr(terminal)
    try:
        # Not raw: Ctrl-C has to work while the program thinks.
        tty.setcbreak(terminal)
        yield _split_keys(terminal)
    finally:
        termios.tcsetattr(terminal, termios.TCSADRAIN, before)


def _split_keys(terminal: int) -> Iterator[str]:
    while data := os.read(terminal, 1024):
        # The characters of one arrow key may come one after the other over a slow line.
        while data.endswith((b"\x1b", b"\x1b[", b"\x1bO")) and select.select([terminal], [], [], _GAP)[0]:
            data += os.read(terminal, 1024)
        for key in _KEY.findall(data.decode(errors="replace")):
            if key == _CTRL_C:
                raise KeyboardInterrupt
            if key != "\x1b":  # alone it is likelier half of a key than a wish to leave
                yield key
    raise KeyboardInterrupt  # nobody is there any more


@contextmanager
def _screen() -> Iterator[Any]:
    """Show the terminal's second screen without a cursor, and put the first back whatever happens."""

    def show(lines: list[str]) -> None:
        # Home, every line with its rest erased, and everything below.
        click.echo("\x1b[H" + "".join(f"{line}\x1b[K\r\n" for line in lines) + "\x1b[J", nl=False, color=True)

    click.echo("\x1b[?1049h\x1b[?25l", nl=False, color=True)
    try:
        yield show
    finally:
        with suppress(OSError):
            click.echo("\x1b[?25h\x1b[?1049l", nl=False, color=True)
