"""Advice checked by games played on: against exact chances to win, and when it changes the advice."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest
from commandline import Run

from visionsweeper.board import Board
from visionsweeper.simulation.playing_on import play_on
from visionsweeper.simulation.run import games_won
from visionsweeper.solver import Solution, solve

pytestmark = pytest.mark.slow

ENDING = "?????\n?1???\n?3???\n?????\n"
MIDDLE = "??????????\n" * 3 + "???????3??\n????????21\n??????4210\n??????2000\n??????1000\n"


def ending() -> Solution:
    return solve(Board.from_text(ENDING), 5)


def test_the_shares_won_are_the_exact_chances() -> None:
    advice = ending().advice
    tiles = [one.tile for one in advice.ranking]
    games = 2_000
    won = games_won(Board.from_text(ENDING), 5, tiles, games, 3)
    assert won.shape == (len(tiles), games)
    for one, share in zip(advice.ranking, won.mean(axis=1).tolist(), strict=True):
        assert one.win is not None
        expected = float(one.win)
        assert abs(share - expected) <= 4.5 * (expected * (1 - expected) / games) ** 0.5


def test_a_tile_that_wins_clearly_more_comes_first() -> None:
    solution = ending()
    ranking = solution.advice.ranking
    best, worst = ranking[0], ranking[-1]
    assert best.win is not None
    assert worst.win is not None
    assert best.win > worst.win
    wrong = replace(solution.advice, ranking=(worst, best, *ranking[1:-1]), win=None)
    put_right = play_on(solution, wrong, 400)
    assert put_right.ranking[0].win == best.win
    assert set(put_right.ranking) == set(ranking)
    assert "of 400 games played on from here" in put_right.reason
    right = replace(solution.advice, win=None)
    assert play_on(solution, right, 400).ranking == right.ranking  # no other is clearly better


def test_what_is_certain_or_exact_stays() -> None:
    solution = ending()
    assert play_on(solution, solution.advice, 10) is solution.advice
    safe = solve(Board.from_text("??????\n112???\n001???\n001???\n"), 4)
    assert play_on(safe, safe.advice, 10) is safe.advice
    local = solve(Board.from_text("??????\n?2112?\n??????\n"))
    assert play_on(local, local.advice, 10) is local.advice


def test_the_command_plays_on(run: Run) -> None:
    told = [
        run("advise", "-", "--mines", "14", "--games", "40", "--json", stdin=MIDDLE.encode())
        for _ in range(2)
    ]
    assert told[0].status == 0
    assert told[0].out == told[1].out
    found = json.loads(told[0].out)
    assert "of 40 games played on from here" in found["advice"]["reason"]
    assert found["best"]["tile"] == found["advice"]["tile"]
    blank = ("?" * 9 + "\n") * 9
    assert "Simulated games" in run("advise", "-", "--games", "40", stdin=blank.encode()).out
