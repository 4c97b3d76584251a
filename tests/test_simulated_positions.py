"""Games continued from a position: their mines, their results against brute force, and the command."""

from __future__ import annotations

import json
import math
import subprocess
import sys
from functools import cache
from itertools import combinations
from pathlib import Path

import numpy as np
import pytest
from commandline import Run

from visionsweeper.board import Board, count_around
from visionsweeper.errors import InconsistentBoard, InvalidInput
from visionsweeper.formats import StoredPosition, write_position
from visionsweeper.game.rules import Rules
from visionsweeper.simulation.results import load_outcomes, save_outcomes
from visionsweeper.simulation.run import Outcome, rules_of, simulate

pytestmark = pytest.mark.slow

GAMES = 6000
SIGMAS = 4.5
"""A right program strays further once in 150,000 runs; the seeds are fixed all the same."""

POSITIONS = {
    "nothing certain": ("????\n?2??\n?1??\n????\n", 3),
    "two pairs of corners": ("?1?\n?2?\n?1?\n", 2),
    "a flag at a wrong place": ("?F??\n1211\n0000\n", 2),
    "a flag that may be wrong": ("F1?\n?2?\n?1?\n", 2),
    "untouched": ("???\n???\n", 2),
}


def placements(board: Board, mines: int) -> list[frozenset[int]]:
    """Every placement that the numbers allow, tried one by one."""
    cells = board.cells
    covered = np.flatnonzero(cells.ravel() > 8)
    found = []
    for chosen in combinations(covered.tolist(), mines):
        laid = np.zeros(cells.size, np.bool_)
        laid[list(chosen)] = True
        around = count_around(laid.reshape(cells.shape))
        if (around[cells < 9] == cells[cells < 9]).all():
            found.append(frozenset(chosen))
    return found


def best_share(board: Board, mines: int) -> float:
    """The share of games that the best play wins, by trying every move on every set of placements."""
    rows, columns = board.cells.shape
    tiles = [(row, column) for row in range(rows) for column in range(columns)]

    def shown(tile: int, laid: frozenset[int]) -> int:
        row, column = tiles[tile]
        return sum(abs(row - tiles[mine][0]) <= 1 and abs(column - tiles[mine][1]) <= 1 for mine in laid)

    @cache
    def won(left: frozenset[frozenset[int]], opened: frozenset[int]) -> int:
        """Of the placements that are left, how many the best play wins."""
        if len(opened) == rows * columns - mines:
            return len(left)
        most = 0
        for tile in set(range(rows * columns)) - opened:
            alive: dict[int, set[frozenset[int]]] = {}
            for laid in left:
                if tile not in laid:
                    alive.setdefault(shown(tile, laid), set()).add(laid)
            most = max(most, sum(won(frozenset(each), opened | {tile}) for each in alive.values()))
            if most == len(left):
                break
        return most

    fitting = frozenset(placements(board, mines))
    opened = frozenset(np.flatnonzero(board.cells.ravel() < 9).tolist())
    return won(fitting, opened) / len(fitting)


def strays(outcome: Outcome, share: float) -> float:
    """By how many standard deviations the games won differ from a share."""
    spread = math.sqrt(share * (1 - share) / outcome.games)
    return abs(outcome.won / outcome.games - share) / spread


@pytest.mark.parametrize("name", POSITIONS)
def test_the_best_play_wins_what_brute_force_says(name: str) -> None:
    text, mines = POSITIONS[name]
    board = Board.from_text(text)
    share = best_share(board, mines)
    outcome = simulate(rules_of(board, mines), "best", GAMES, seed=5, position=board)
    assert outcome.games == outcome.won + outcome.lost == GAMES
    if share in (0, 1):
        assert outcome.won == share * GAMES
    else:
        assert strays(outcome, share) < SIGMAS, (outcome.won / GAMES, share)


def test_certain_moves_alone_win_where_no_guess_is_needed() -> None:
    solved, forced = Board.from_text("?10\n?20\n?10\n"), Board.from_text("?1?\n?1?\n")
    assert simulate(rules_of(solved, 2), "subset", 500, position=solved).won == 500
    assert simulate(rules_of(forced, 1), "exact", 500, position=forced).stuck == 500


def test_a_finished_board_is_won_at_once() -> None:
    board = Board.from_text("F1\n11\n")
    outcome = simulate(rules_of(board, 1), "best", 500, position=board)
    assert (outcome.won, outcome.guesses) == (500, 0)


def test_the_same_games_whoever_plays_them(tmp_path: Path) -> None:
    board = Board.from_text(POSITIONS["nothing certain"][0])
    rules = rules_of(board, 3)
    whole = simulate(rules, "lowest", 1300, seed=2, position=board)
    begun = simulate(rules, "lowest", 730, seed=2, position=board)
    save_outcomes(tmp_path / "kept", [begun])
    [kept] = load_outcomes(tmp_path / "kept")
    assert kept == begun
    again = simulate(rules, "lowest", 1300, seed=2, position=board, begun=kept)
    spread = simulate(rules, "lowest", 1300, seed=2, position=board, workers=2)
    counted = [(one.won, one.lost, one.guesses, one.said) for one in (whole, again, spread)]
    assert counted[0] == counted[1] == counted[2]
    with pytest.raises(InvalidInput, match="another board"):
        simulate(rules, "lowest", 1300, seed=2, begun=kept)


def test_positions_that_no_game_can_be_continued_from() -> None:
    shown = Board.from_text("*1\n11\n")
    with pytest.raises(InvalidInput, match="the game is over"):
        simulate(rules_of(shown, 1), "best", 10, position=shown)
    wrong = Board.from_text("?3\n")
    with pytest.raises(InconsistentBoard):
        simulate(rules_of(wrong, 1), "best", 10, position=wrong)
    board = Board.from_text("?1\n")
    with pytest.raises(InvalidInput, match="9x9"):
        simulate(Rules(9, 9, 10), "best", 10, position=board)


def test_interpreted_it_plays_the_same_games() -> None:
    board = Board.from_text(POSITIONS["nothing certain"][0])
    script = (
        "from visionsweeper.board import Board; from visionsweeper.simulation.run import rules_of, simulate; "
        f"b = Board.from_text({str(board)!r}); o = simulate(rules_of(b, 3), 'lowest', 200, position=b); "
        "print(o.won, o.lost)"
    )
    told = subprocess.run(
        [sys.executable, "-c", script],
        env={"NUMBA_DISABLE_JIT": "1", "PATH": ""},
        capture_output=True,
        text=True,
        check=True,
    )
    here = simulate(rules_of(board, 3), "lowest", 200, position=board)
    assert told.stdout.split() == [str(here.won), str(here.lost)]


@pytest.mark.parametrize("kind", ["text", "jsminesweeper", "emoji", "jsminesweeper-link"])
def test_the_command_takes_any_format(run: Run, tmp_path: Path, kind: str) -> None:
    board = Board.from_text("?10\n?20\n?10\n")
    (tmp_path / "position").write_bytes(write_position(StoredPosition(board, 2), kind))
    told = run(
        "simulate", "--board", tmp_path / "position", "--mines", "2", "--games", "500",
        "--technique", "subset", "--json", "--jobs", "1",
    )  # fmt: skip
    assert told.status == 0, told.err
    found = json.loads(told.out)
    assert (found["games"], found["won"]) == (500, 500)
    assert found["position"] == ["?10", "?20", "?10"]


def test_the_command_continues_its_own_position_only(run: Run, tmp_path: Path) -> None:
    place, kept = tmp_path / "position.txt", tmp_path / "kept.jsonl"
    arguments = ("simulate", "--board", place, "--technique", "subset", "--jobs", "1", "--resume", kept)
    place.write_text("# mines: 2\n?10\n?20\n?10\n")
    assert run(*arguments, "--games", "300").status == 0
    told = run(*arguments, "--games", "600")
    assert told.out.splitlines()[0] == "3x3 with 2 mines, continued from a position"
    place.write_text("# mines: 2\n?1?\n?2?\n?1?\n")
    assert run(*arguments, "--games", "100").status == 0
    assert [(one.games, one.won) for one in load_outcomes(kept)] == [(600, 600), (100, 0)]


@pytest.mark.parametrize(
    ("text", "arguments", "status", "said"),
    [
        ("?1\n11\n", [], 3, "give --mines"),
        ("?3\n", ["--mines", "1"], 5, "3"),
        ("*1\n11\n", ["--mines", "1"], 3, "the game is over"),
        ("# mines: 1\n?1\n11\n", ["--preset", "expert"], 2, "--board sets the game"),
        ("# mines: 1\n?1\n11\n", ["--start", "corner"], 2, "omit --start"),
        ("?1x\n", ["--mines", "1"], 3, "the game is over"),
        ("hello\n", [], 3, "unknown character"),
    ],
)
def test_the_command_refuses_with_one_line(
    run: Run, tmp_path: Path, text: str, arguments: list[str], status: int, said: str
) -> None:
    (tmp_path / "position.txt").write_text(text)
    told = run("simulate", "--board", tmp_path / "position.txt", "--games", "10", *arguments)
    assert told.status == status
    assert len(told.complaints) == 1
    assert said in told.complaints[0]
