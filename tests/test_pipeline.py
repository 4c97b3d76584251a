"""The mine count's rules, problems as values, and what a person is warned of."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

import visionsweeper
from visionsweeper.board import COVERED, Board
from visionsweeper.errors import InconsistentBoard, NoBoardFound, TooFewMines, TooManyMines
from visionsweeper.pipeline import DrawnBoard, analyse, mine_count, picture, read_board

RING = Board.from_text("?????\n?????\n?111?\n?????\n?????\n")


def covered(width: int, height: int) -> Board:
    return Board(np.full((height, width), COVERED, dtype=np.uint8))


def reading_of(board: Board, mines: int | None = None) -> Any:
    """Stands for a Reading: only board and counter matter here."""
    unsure = np.zeros(board.cells.shape, bool)
    return SimpleNamespace(uncertain=unsure, board=board, mines=mines, counter=None)


@pytest.mark.parametrize(
    ("width", "height", "mines"),
    [(8, 8, 10), (9, 9, 10), (16, 16, 40), (30, 16, 99), (16, 30, 99)],
)
def test_standard_sizes_have_their_standard_count(width: int, height: int, mines: int) -> None:
    assert mine_count(covered(width, height), None, None) == (mines, "standard")


def test_the_given_count_wins_over_counter_and_standard() -> None:
    assert mine_count(covered(9, 9), 12, 11) == (12, "given")
    assert mine_count(covered(9, 9), 0, 11) == (0, "given")
    assert mine_count(covered(9, 9), None, 11) == (11, "counter")
    assert mine_count(covered(9, 9), None, 0) == (0, "counter")


def test_other_sizes_have_no_count() -> None:
    assert mine_count(covered(10, 9), None, None) == (None, "unknown")


def test_without_a_count_the_odds_are_local() -> None:
    analysis = analyse(RING)
    assert (analysis.mines, analysis.mines_source) == (None, "unknown")
    assert analysis.solution is not None
    assert analysis.solution.scope == "local"
    assert analysis.solution.count == 14
    assert analysis.reading is None


def test_the_counter_of_a_reading_is_taken() -> None:
    analysis = analyse(reading_of(RING, mines=2))
    assert (analysis.mines, analysis.mines_source) == (2, "counter")
    assert analysis.solution is not None
    assert analysis.solution.scope == "global"


def test_a_contradiction_is_a_finding() -> None:
    analysis = analyse(Board.from_text("1?3\n"))
    assert isinstance(analysis.problem, InconsistentBoard)
    assert analysis.solution is None
    assert analysis.conflict
    assert set(analysis.conflict) <= {(0, 0), (0, 2)}


def test_a_given_count_that_cannot_be_is_a_finding() -> None:
    few, many = analyse(RING, mines=0), analyse(RING, mines=25)
    assert isinstance(few.problem, TooFewMines)
    assert isinstance(many.problem, TooManyMines)
    assert few.conflict == many.conflict == ()
    assert (few.mines, few.mines_source) == (0, "given")


def test_a_standard_count_that_cannot_be_is_dropped_with_a_warning() -> None:
    board = Board.from_text("?1000000\n11000000\n" + "00000000\n" * 6)
    analysis = analyse(board)
    assert analysis.problem is None
    assert (analysis.mines, analysis.mines_source) == (None, "unknown")
    assert analysis.solution is not None
    assert analysis.solution.mine == [(0, 0)]
    (warning,) = analysis.warnings
    assert "mine count of 10" in warning
    assert "--mines" in warning


def test_a_contradiction_at_a_standard_size_stays_a_contradiction() -> None:
    board = Board.from_text("1?300000\n" + "00000000\n" * 7)
    assert isinstance(analyse(board).problem, InconsistentBoard)


def test_flags_are_claims_unless_trusted() -> None:
    board = Board.from_text("F1\n?1\n")
    doubtful = analyse(board)
    assert any("not certain" in warning and "row 0, column 0" in warning for warning in doubtful.warnings)
    trusted = analyse(board, trust_flags=True)
    assert trusted.warnings == ()
    assert trusted.solution is not None
    assert trusted.solution.safe == [(1, 0)]


def test_a_wrong_flag_is_named_once() -> None:
    analysis = analyse(Board.from_text("?1F0\n"))
    assert analysis.solution is not None
    assert analysis.solution.flags_wrong == [(0, 2)]
    (warning,) = analysis.warnings
    assert "certainly on a safe tile" in warning
    assert "row 0, column 2" in warning


def test_a_drawn_board_has_a_picture_even_when_it_contradicts_itself() -> None:
    plain, conflicting = picture(analyse(RING)), picture(analyse(Board.from_text("1?3\n")))
    for image in (plain, conflicting):
        assert image.dtype == np.uint8
        assert image.shape[2] == 3


def test_a_drawn_board_is_not_in_doubt() -> None:
    view = DrawnBoard(RING, None, None)  # type: ignore[arg-type]
    assert view.uncertain.shape == (5, 5)
    assert not view.uncertain.any()


def test_a_picture_without_a_board() -> None:
    with pytest.raises(NoBoardFound, match="--width"):
        read_board(np.zeros((100, 100, 3), dtype=np.uint8))


def test_public_names_all_load() -> None:
    for name in visionsweeper.__all__:
        assert getattr(visionsweeper, name) is not None
    assert set(visionsweeper.__all__) <= set(dir(visionsweeper))
    with pytest.raises(AttributeError, match="no attribute 'nothing'"):
        _ = visionsweeper.nothing


def test_the_package_and_its_commands_load_nothing_heavy() -> None:
    # `show` alone may: it is loaded once there is a board to draw.
    check = (
        "import pkgutil, sys; from importlib import import_module; import visionsweeper.cli as cli; "
        "names = {each.name for each in pkgutil.iter_modules(cli.__path__)} - {'show'}; "
        "[import_module(f'visionsweeper.cli.{name}') for name in names]; "
        "print([m for m in ('numpy', 'cv2', 'PIL', 'sklearn') if m in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", check], capture_output=True, text=True, check=True)
    assert done.stdout == "[]\n"


def test_help_loads_no_command() -> None:
    check = (
        "import sys; from visionsweeper.cli import COMMANDS, main\n"
        "try:\n    main(['--help'])\n"
        "finally:\n    print([name for name in COMMANDS if f'visionsweeper.cli.{name}' in sys.modules], "
        "'numpy' in sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", check], capture_output=True, text=True, check=True)
    assert done.stdout.endswith("[] False\n")


def test_solving_needs_no_learning_library() -> None:
    check = (
        "import sys; from visionsweeper import *; solve(Board.from_text('1?')); read_board; annotate; "
        "print([m for m in ('sklearn', 'scipy') if m in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", check], capture_output=True, text=True, check=True)
    assert done.stdout == "[]\n"


def test_a_picture_that_is_no_board_is_not_answered_for() -> None:
    reading = read_board(np.full((320, 320, 3), 255, np.uint8), width=16)
    assert reading.uncertain.all()
    assert any("not a Minesweeper board" in warning for warning in analyse(reading).warnings)


def test_a_reading_without_doubt_brings_no_warning_about_it() -> None:
    reading = read_board(Path(__file__).parents[1] / "samples" / "expert.png", width=30)
    assert not any("doubt" in warning for warning in analyse(reading).warnings)
