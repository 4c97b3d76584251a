"""Games by hand: opening, chording and flags; saved games; boards without guesses; the keyboard."""

from __future__ import annotations

import os
import re
import select
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from commandline import Run
from hypothesis import given, settings
from hypothesis import strategies as st
from paces import mostly_slow

from visionsweeper.board import COVERED, FLAG, MINE, SAFE, Board
from visionsweeper.errors import InconsistentBoard, InvalidInput
from visionsweeper.game.finishing import finish
from visionsweeper.game.first_click import share_of_games_won
from visionsweeper.game.game import Game
from visionsweeper.game.minefield import Minefield, lay
from visionsweeper.game.no_guess import lay_no_guess
from visionsweeper.game.rules import FIRST_CLICK_RULES, Rules
from visionsweeper.game.saved import replay, to_text
from visionsweeper.game.session import Session
from visionsweeper.game.terminal import draw
from visionsweeper.solver import solve

SMALL = Minefield.from_text("...*.\n.....\n.....\n*....\n")


@st.composite
def fields(draw: st.DrawFn) -> Minefield:
    rows, columns = draw(st.integers(1, 6)), draw(st.integers(1, 7))
    mines = draw(
        st.lists(
            st.sampled_from([False, False, False, True]), min_size=rows * columns, max_size=rows * columns
        )
    )
    return Minefield(np.array(mines).reshape(rows, columns))


def around(field: Minefield, tile: tuple[int, int]) -> set[tuple[int, int]]:
    rows, columns = field.mines.shape
    return {
        (r, c)
        for r in range(rows)
        for c in range(columns)
        if (r, c) != tile and max(abs(r - tile[0]), abs(c - tile[1])) == 1
    }


@given(fields())
def test_numbers_count_the_mines_around(field: Minefield) -> None:
    for tile in np.ndindex(*field.mines.shape):
        assert field.numbers[tile] == sum(bool(field.mines[other]) for other in around(field, tile))
    assert Minefield.from_text(str(field)) == field
    assert field.count == str(field).count("*")


@given(fields(), st.data())
def test_an_opening_is_all_that_hangs_together_by_zeros(field: Minefield, data: st.DataObject) -> None:
    free = [tile for tile in np.ndindex(*field.mines.shape) if not field.mines[tile]]
    if not free:
        return
    start = data.draw(st.sampled_from(free))
    # Grown by brute force until nothing is added.
    opened = {start}
    while True:
        more = {o for tile in opened if field.numbers[tile] == 0 for o in around(field, tile)} - opened
        if not more:
            break
        opened |= more
    game = Game(field)
    assert game.open(start)
    cells = game.board.cells
    if game.state == "won":
        assert opened == set(free)
        assert ((cells == FLAG) == field.mines).all()
    else:
        assert {tile for tile in np.ndindex(*cells.shape) if cells[tile] < COVERED} == opened
    assert all(cells[tile] == field.numbers[tile] for tile in opened)


@pytest.mark.slow
@given(fields(), st.data())
@settings(max_examples=200)
def test_any_moves_keep_to_the_truth_and_can_be_replayed(field: Minefield, data: st.DataObject) -> None:
    game = Game(field)
    rows, columns = field.mines.shape
    moves = st.tuples(
        st.sampled_from(["open", "chord", "flag", "flag", "undo"]),
        st.tuples(st.integers(0, rows - 1), st.integers(0, columns - 1)),
    )
    for action, tile in data.draw(st.lists(moves, max_size=25)):
        before = game.board
        done = game.play(action, tile)  # type: ignore[arg-type]
        assert done or game.board == before
    cells = game.board.cells
    opened = cells < COVERED
    assert not (opened & field.mines).any()
    assert (cells[opened] == field.numbers[opened]).all()
    assert (game.state == "lost") == bool((cells == MINE).any() or (cells == SAFE).any())
    complete = (opened | field.mines).all() and opened.any()
    assert (game.state == "won") == bool(complete and game.state != "lost")
    again = replay(to_text(game))
    assert (again.board, again.state, again.moves) == (game.board, game.state, game.moves)


def test_wrong_flags_break_nothing_but_a_chord() -> None:
    game = Game(SMALL)
    game.open((0, 0))
    assert game.board[1, 4] == 1
    game.flag((0, 3))
    game.flag((0, 4))  # a wrong one: no mine is there
    assert game.mines_left == 0
    assert not game.chord((1, 4))  # two flags around a 1
    game.undo_flag()
    assert game.chord((1, 4))
    assert game.board[0, 4] == 1
    wrong = Game(SMALL)
    wrong.open((0, 0))
    wrong.flag((0, 4))
    assert wrong.chord((1, 4))
    assert wrong.state == "lost"
    assert (wrong.board[0, 3], wrong.board[0, 4]) == (MINE, SAFE)
    assert not wrong.open((3, 3))


def test_flags_are_not_opened_and_can_be_undone_one_by_one() -> None:
    game = Game(SMALL)
    game.flag((0, 0))
    game.flag((3, 0))
    assert not game.open((0, 0))
    assert game.undo_flag()
    assert game.board[3, 0] == COVERED
    assert game.undo_flag()
    assert not game.undo_flag()
    with pytest.raises(InvalidInput, match="rows 0 to 3"):
        game.open((4, 0))


def test_a_first_tile_that_may_be_a_mine_wins_what_simulated_games_did() -> None:
    # Played by that rule, 100,000, 40,000 and 20,000 games: within 0.003, 0.005 and 0.006 (95 %).
    for preset, played, error in (
        ("beginner", 0.805, 0.003),
        ("intermediate", 0.662, 0.005),
        ("expert", 0.324, 0.006),
    ):
        assert abs(share_of_games_won(preset, "any")["corner"] - played) < error


@pytest.mark.parametrize("first_click", FIRST_CLICK_RULES)
def test_the_first_click_keeps_its_promise(first_click: str) -> None:
    rules = Rules(8, 6, 14, first_click=first_click)  # type: ignore[arg-type]
    random = np.random.default_rng(1)
    hits = 0
    for _ in range(300):
        field = lay(rules, (0, 4), random)
        assert field.count == 14
        hits += field.mines[0, 4]
        if first_click == "opening":
            assert field.numbers[0, 4] == 0
    assert (hits > 50) if first_click == "any" else (hits == 0)


@pytest.mark.parametrize(
    "rules",
    mostly_slow(
        [Rules(9, 9, 10), Rules(9, 9, 20, first_click="safe"), Rules(16, 16, 40), Rules(30, 16, 99)], fast=2
    ),
)
def test_boards_without_guesses_are_won_by_certain_moves_alone(rules: Rules) -> None:
    random = np.random.default_rng(7)
    for _ in range(4):
        start = (int(random.integers(rules.height)), int(random.integers(rules.width)))
        field = lay_no_guess(rules, start, random)
        assert field.count == rules.mines
        game = Game(field)
        game.open(start)
        # An independent loop: the game's own opening and the solver's certainties.
        while game.state == "playing":
            safe = solve(game.board, mines=rules.mines).safe
            assert safe, "a guess would be needed"
            for tile in safe:
                game.open(tile)
        assert game.state == "won"


def test_the_search_for_a_hopeless_board_is_given_up() -> None:
    with pytest.raises(InvalidInput, match="try fewer mines"):
        lay_no_guess(Rules(12, 12, 100, first_click="safe"), (5, 5), np.random.default_rng(1), patience=0.3)


def test_finishing_opens_only_what_is_certain() -> None:
    random = np.random.default_rng(3)
    finished = 0
    for _ in range(120):
        field = lay(Rules(8, 8, 10), (3, 3), random)
        opened: list[tuple[int, int]] = []

        def open_tile(
            row: int, column: int, field: Minefield = field, opened: list[tuple[int, int]] = opened
        ) -> int:
            assert not field.mines[row, column]
            assert (row, column) not in opened
            opened.append((row, column))
            return int(field.numbers[row, column])

        begun = np.full((8, 8), COVERED, np.uint8)
        begun[3, 3] = 0
        done = finish(str(Board(begun)), 10, open_tile)
        assert not solve(done, mines=10).safe
        assert all(field.mines[tile] for tile in zip(*np.nonzero(done.cells == FLAG), strict=True))
        complete = not (done.cells == COVERED).any()
        assert complete == (len(opened) == 64 - 10 - 1)
        finished += complete
    assert 60 < finished < 120


def test_finishing_refuses_nonsense() -> None:
    with pytest.raises(InvalidInput, match="row 1, column 0 gave 9"):
        finish("0?\n??\n", 0, lambda row, column: 9 if (row, column) == (1, 0) else 0)
    for answer in (True, "1", None, 1.5, -1):
        with pytest.raises(InvalidInput, match="not a number from 0 to 8"):
            finish("0?\n", 0, lambda *_, answer=answer: answer)
    with pytest.raises(InconsistentBoard):
        finish("0???\n", 1, lambda row, column: 3)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "begins with rows"),
        ("hello", "begins with rows"),
        ("..\n.\n", "row 2"),
        ("..\n..\nrun 0,0\n", "line 3"),
        ("..\n..\nopen 0\n", "line 3"),
        ("..\n*.\n\nopen 2,0\n", "line 4.*rows 0 to 1"),
        ("..\n*.\nopen 0,0\nopen 0,0\n", "line 4.*changes nothing"),
        ("*.\nopen 0,0\nopen 0,1\n", "line 3.*changes nothing"),
        ("..\nopen 0,99999999999999999999\n", "line 2.*outside"),
        ("..\nundo\n", "line 2"),
    ],
)
def test_bad_saved_games_get_one_clear_line(run: Run, tmp_path: Path, text: str, message: str) -> None:
    path = tmp_path / "game.txt"
    path.write_text(text)
    told = run("play", "--replay", path)
    assert told.status == 3
    [complaint] = told.complaints
    assert re.search(message, complaint)


def test_commands_can_be_typed_line_by_line(run: Run, tmp_path: Path) -> None:
    saved = tmp_path / "game.txt"
    script = b"# a script\n4,4\np\nc\nnonsense\n99,0\nh\nq\nf 0,0\n"
    told = run("play", "--preset", "beginner", "--seed", "3", "--no-guess", "--save", saved, stdin=script)
    assert told.status == 0
    assert "won" in told.out
    assert "'nonsense' is not a command" in told.out
    assert "rows are 0 to 8" in told.out
    game = replay(saved.read_text())
    assert game.state == "won"
    assert game.moves[0] == ("open", (4, 4))
    again = run("play", "--replay", saved)
    assert again.status == 0
    assert str(game.board) in again.out


def test_the_odds_on_the_screen_are_the_solver_s() -> None:
    session = Session(Rules(9, 9, 10), np.random.default_rng(3), cursor=(4, 4))
    session.do("open")
    session.do("p")
    session.do("up")
    assert session.cursor == (3, 4)
    rows = [line[:36].replace("<", " ") for line in draw(session, 80, 24, colour=False)[1:10]]
    solution = solve(session.board, mines=10)
    for row, line in enumerate(rows):
        for column in range(9):
            cell = line.ljust(36)[4 * column : 4 * column + 4].strip()
            tile = (row, column)
            if tile in solution.safe:
                assert cell == "ok"
            elif tile in solution.mine:
                assert cell == "!!"
            elif session.board[tile] == COVERED:
                assert abs(int(cell) - 100 * solution.probability[tile]) <= 1
            else:
                assert cell == str(session.board[tile])
    session.do("l")
    assert "ok" not in "".join(draw(session, 80, 24, colour=False)[1:10])


def test_a_hint_gives_its_reason_and_goes_there() -> None:
    session = Session(Rules(9, 9, 10), np.random.default_rng(3), cursor=(4, 4))
    session.do("h")
    assert "Simulated games" in session.message
    session.do("4,4")
    session.do("h")
    assert session.cursor == solve(session.board, mines=10).best
    assert session.message.startswith(f"Row {session.cursor[0]}, column {session.cursor[1]}")


@pytest.mark.parametrize("size", [(20, 6), (40, 10), (80, 24)])
def test_every_screen_fits(size: tuple[int, int]) -> None:
    session = Session(Rules(30, 16, 99), np.random.default_rng(3), cursor=(15, 29))
    for command in ("h", "open", "p", "?", "flag"):
        session.do(command)
        drawn = draw(session, *size, colour=False)
        assert len(drawn) <= size[1]
        assert max(map(len, drawn)) < size[0]
        assert sum("<" in line for line in drawn) == 1


class Terminal:
    """A real terminal with the program in it."""

    def __init__(self, *arguments: str) -> None:
        import fcntl  # Windows has none of these
        import pty
        import termios

        self.master, slave = pty.openpty()
        self.process = subprocess.Popen(
            [sys.executable, "-m", "visionsweeper", *arguments],
            stdin=slave,
            stdout=slave,
            stderr=slave,
            env=os.environ | {"TERM": "xterm", "COLUMNS": "80", "LINES": "24"},
            start_new_session=True,
            # The terminal has to be the session's own, so that Ctrl-C on it is a signal.
            preexec_fn=lambda: fcntl.ioctl(0, termios.TIOCSCTTY, 0),  # noqa: PLW1509
        )
        os.close(slave)
        self.seen = ""

    def until(self, text: str, seconds: float = 30) -> None:
        end = time.monotonic() + seconds
        while text not in self.seen:
            ready, _, _ = select.select([self.master], [], [], max(end - time.monotonic(), 0))
            assert ready, f"{text!r} did not come, but {self.seen[-2000:]!r}"
            try:
                self.seen += os.read(self.master, 65536).decode()
            except OSError:  # the program is gone
                break
        assert text in self.seen

    def type(self, keys: str, then: str) -> None:
        self.seen = ""
        os.write(self.master, keys.encode())
        self.until(then)

    def end(self) -> int:
        status = self.process.wait(60)
        os.close(self.master)
        return status


@pytest.fixture
def terminal() -> Callable[..., Terminal]:
    return Terminal


@pytest.mark.slow
def test_keys_in_a_real_terminal(terminal: Callable[..., Terminal], tmp_path: Path) -> None:
    saved = tmp_path / "game.txt"
    screen = terminal("play", "--preset", "beginner", "--seed", "5", "--no-guess", "--save", str(saved))
    screen.until("? help")
    assert "\x1b[?1049h" in screen.seen
    screen.type("\x1b[A", "at 3,4")
    screen.type("\x1b[D", "at 3,3")
    screen.type(" ", "playing, at 3,3")
    screen.type("p", "ok")
    screen.type("0,7\r", "at 0,7")
    screen.type("c", "won: every safe tile is open")
    screen.type("q", "\x1b[?1049l")
    assert screen.end() == 0
    assert replay(saved.read_text()).state == "won"


@pytest.mark.slow
def test_ctrl_c_puts_the_terminal_back(terminal: Callable[..., Terminal]) -> None:
    screen = terminal("play", "--preset", "beginner")
    screen.until("? help")
    screen.type("\x03", "\x1b[?25h\x1b[?1049l")
    assert screen.end() == 130


@pytest.mark.parametrize(
    ("arguments", "status", "message"),
    [
        (["--width", "9"], 2, "--height"),
        (["--width", "3", "--height", "3", "--mines", "4"], 5, "at most 0"),
        (["--replay", "nowhere.txt"], 3, "nowhere.txt"),
        (["--replay", "nowhere.txt", "--preset", "expert"], 2, "omit sizes"),
    ],
)
def test_bad_options(run: Run, arguments: list[str], status: int, message: str) -> None:
    told = run("play", *arguments)
    assert told.status == status
    [complaint] = told.complaints
    assert message in complaint


def test_the_game_before_a_new_one_is_saved_and_bad_places_are_told_first(run: Run, tmp_path: Path) -> None:
    told = run(
        "play", "--preset", "beginner", "--seed", "1", "--save", tmp_path / "a.txt", stdin=b"4,4\nn\nq\n"
    )
    assert told.status == 0
    assert "open 4,4" in (tmp_path / "a.txt").read_text()
    told = run("play", "--preset", "beginner", "--save", tmp_path / "new" / "b.txt", stdin=b"4,4\n")
    assert told.status == 0
    assert "open 4,4" in (tmp_path / "new" / "b.txt").read_text()
    for place in ("a.txt/c.txt", "new"):
        told = run("play", "--preset", "beginner", "--save", tmp_path / place, stdin=b"4,4\n")
        assert (told.status, told.out, len(told.complaints)) == (6, "", 1)


@pytest.mark.slow
def test_a_saved_game_is_gone_through_on_a_terminal(tmp_path: Path) -> None:
    saved = tmp_path / "game.txt"
    saved.write_text("# visionsweeper game\n*..\n...\n...\n\nopen 0,1\nflag 0,0\nopen 1,0\n")
    screen = Terminal("play", "--replay", str(saved))
    try:
        screen.until("move 1 of 3")
        screen.type(" ", "move 2 of 3")
        screen.type("e", "at 1,0")
        screen.type("q", "\x1b[?25h")
        assert screen.process.wait(60) == 0
    finally:
        screen.process.kill()
        screen.process.wait()
        os.close(screen.master)


@pytest.mark.slow
def test_half_an_arrow_key_ends_no_game() -> None:
    screen = Terminal("play", "--preset", "beginner", "--seed", "1")
    try:
        screen.until("at 4,4")
        os.write(screen.master, b"\x1b")
        time.sleep(0.05)  # a slow line: its parts come apart, by less than the program waits for
        os.write(screen.master, b"[A")
        screen.until("at 3,4")
        os.write(screen.master, b"\x1b")
        with pytest.raises(subprocess.TimeoutExpired):
            screen.process.wait(0.5)
        screen.type("q", "\x1b[?25h")
        assert screen.process.wait(60) == 0
    finally:
        screen.process.kill()
        screen.process.wait()
        os.close(screen.master)
