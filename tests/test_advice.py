"""Which tile next: the endgame against full game trees, the ranking against its definition."""

from fractions import Fraction
from functools import cache
from itertools import combinations

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from seen_boards import positions

from visionsweeper.board import COVERED, FLAG, MINE, Board
from visionsweeper.geometry import Position
from visionsweeper.solver import Solution, solve
from visionsweeper.solver.advice import advise
from visionsweeper.solver.endgame import all_placements, play_out
from visionsweeper.solver.parts import play_part

FEW = settings(max_examples=80, deadline=None, derandomize=True, suppress_health_check=[HealthCheck.too_slow])


POSITIONS = positions(8, (4, 4), "oo??Fx*", least_covered=2)


def placements(board: Board, mines: int) -> list[frozenset[Position]]:
    covered = [t for t in np.ndindex(board.rows, board.columns) if board[t] in (COVERED, FLAG)]
    shown = {t for t in np.ndindex(board.rows, board.columns) if board[t] == MINE}
    return [
        frozenset(chosen)
        for chosen in combinations(covered, mines - len(shown))
        if all(
            len((shown | set(chosen)) & set(board.neighbours(*n))) == board[n]
            for n in np.ndindex(board.rows, board.columns)
            if board[n] < COVERED
        )
    ]


def full_tree(board: Board, mines: int) -> tuple[Fraction, dict[Position, Fraction]]:
    """Chances to win, of the best play and by first tile: every order of opening, played by the rules."""
    shown = {t for t in np.ndindex(board.rows, board.columns) if board[t] == MINE}
    everything = placements(board, mines)
    covered = frozenset(t for t in np.ndindex(board.rows, board.columns) if board[t] in (COVERED, FLAG))

    @cache
    def by_tile(opened: frozenset[tuple[Position, int]]) -> dict[Position, int]:
        left = [one for one in everything if agrees(one, opened)]
        result = {}
        for tile in covered - {tile for tile, _ in opened}:
            numbers = {number(one, tile) for one in left if tile not in one}
            result[tile] = sum(wins(opened | {(tile, shows)}) for shows in numbers)
        return result

    def wins(opened: frozenset[tuple[Position, int]]) -> int:
        if len(covered) - len(opened) == mines - len(shown):  # only mines are left covered
            return sum(agrees(one, opened) for one in everything)
        return max(by_tile(opened).values(), default=0)

    def number(one: frozenset[Position], tile: Position) -> int:
        return len((one | shown) & set(board.neighbours(*tile)))

    def agrees(one: frozenset[Position], opened: frozenset[tuple[Position, int]]) -> bool:
        return all(tile not in one and number(one, tile) == shows for tile, shows in opened)

    total = len(everything)
    start: frozenset[tuple[Position, int]] = frozenset()
    return Fraction(wins(start), total), {t: Fraction(n, total) for t, n in by_tile(start).items()}


@pytest.mark.slow
@FEW
@given(POSITIONS)
def test_endgame_equals_the_full_game_tree(case: tuple[Board, int]) -> None:
    board, mines = case
    solution = solve(board, mines)
    found = play_out(solution)
    assert found is not None
    chance, by_tile = full_tree(board, mines)
    assert found.by_tile == by_tile
    assert found.chance == chance
    assert sorted(all_placements(solution), key=sorted) == sorted(placements(board, mines), key=sorted)
    advice = advise(solution)
    assert advice.win == chance
    if advice.best is not None:
        assert by_tile[advice.best] == chance
        assert {one.tile: one.win for one in advice.ranking}.items() <= by_tile.items()
        assert all(one.safety == 1 - solution.exact(*one.tile) for one in advice.ranking)


def test_the_least_likely_mine_is_not_always_the_best() -> None:
    board = Board.from_text("?2??\n????\n")
    solution = solve(board, 3)
    advice = advise(solution)
    assert not solution.safe
    best = advice.ranking[0]
    assert best.safety < max(one.safety for one in advice.ranking)
    assert advice.win == full_tree(board, 3)[0]
    assert "safer" in advice.reason


@pytest.mark.slow
@pytest.mark.parametrize(
    ("rows", "mines", "wins", "of", "best"),
    [
        # The tiles beside the corners begin best.
        ("????\n" * 4, 4, 961, 1820, {(0, 1), (0, 2), (1, 0), (1, 3), (2, 0), (2, 3), (3, 1), (3, 2)}),
        ("?????\n?1???\n?3???\n?????\n", 5, 285, 360, {(0, 2)}),
    ],
)
def test_the_best_play_of_small_boards_is_the_published_one(
    rows: str, mines: int, wins: int, of: int, best: set[tuple[int, int]]
) -> None:
    """Both boards of https://codegolf.stackexchange.com/questions/34276, the first click unprotected."""
    solution = solve(Board.from_text(rows), mines)
    found = play_out(solution)
    assert found is not None
    assert solution.count == of
    assert found.chance == Fraction(wins, of)
    assert {tile for tile, win in found.by_tile.items() if win == found.chance} == best


def test_limits_of_the_search() -> None:
    board = Board.from_text("?????\n12?21\n?????\n")
    mines = next(m for m in range(2, 8) if _count(board, m) > 3)
    solution = solve(board, mines)
    assert play_out(solution, solutions_limit=solution.count - 1) is None
    assert play_out(solution, nodes_limit=1) is None
    assert play_out(solve(board)) is None


CUT_OFF = [
    # Of eleven tiles on the left, and of three on the right, nothing else tells anything but the mine count.
    ("?1??1000\n????4210\n??????31\n???44???\n", 10, 11),
    # Four tiles on the left, and two on the right that are a 50/50.
    ("?210122\n??312??\n??3?23?\n?22111?\n", 8, 4),
]


@pytest.mark.parametrize(("rows", "mines", "tiles"), CUT_OFF)
def test_an_isolated_part_is_won_as_its_game_tree_says(rows: str, mines: int, tiles: int) -> None:
    """By every order of opening its tiles, over the mine placements of the whole board."""
    board = Board.from_text(rows)
    everything = placements(board, mines)
    found = play_part(solve(board, mines), (0, 0))
    assert found is not None
    part = set(found.by_tile)
    assert len(part) == tiles
    outside = {tile for tile in np.ndindex(board.rows, board.columns) if board[tile] == COVERED} - part
    certain = frozenset.intersection(*everything)
    assert not any(part & set(board.neighbours(*tile)) for tile in outside - certain)

    def by_tile(left: frozenset[int]) -> dict[Position, int]:
        result = {}
        for tile in part:
            shown: dict[int, set[int]] = {}
            for at in left:
                if tile not in everything[at]:
                    number = len(everything[at] & set(board.neighbours(*tile)))
                    shown.setdefault(number, set()).add(at)
            if any(len(sub) < len(left) for sub in shown.values()):
                result[tile] = sum(wins(frozenset(sub)) for sub in shown.values())
        return result

    @cache
    def wins(left: frozenset[int]) -> int:
        if len({everything[at] & part for at in left}) == 1:
            return len(left)
        return max(by_tile(left).values(), default=0)

    expected = by_tile(frozenset(range(len(everything))))
    assert found.by_tile == {tile: Fraction(count, len(everything)) for tile, count in expected.items()}
    assert found.chance == max(found.by_tile.values())


def test_no_part_where_everything_hangs_together() -> None:
    solution = middle()
    assert play_part(solution, (0, 0)) is None
    board = Board.from_text(CUT_OFF[0][0])
    assert play_part(solve(board), (0, 0)) is None  # without the mine count


def test_a_guess_in_an_isolated_part_is_the_one_that_wins_it(monkeypatch: pytest.MonkeyPatch) -> None:
    # So few solutions would be played out as a whole.
    monkeypatch.setattr("visionsweeper.solver.advice.play_out", lambda odds: None)
    for rows, mines, _ in CUT_OFF:
        solution = solve(Board.from_text(rows), mines)
        advice = advise(solution)
        assert advice.best is not None
        part = play_part(solution, advice.best)
        assert part is not None
        assert part.by_tile[advice.best] == part.chance
        assert "a game of their own" in advice.reason
        assert len({one.tile for one in advice.ranking}) == len(advice.ranking)


def _count(board: Board, mines: int) -> int:
    return len(placements(board, mines))


MIDDLE = """
??????????
??????????
??????????
???????3??
????????21
??????4210
??????2000
??????1000
"""


def middle() -> Solution:
    solution = solve(Board.from_text(MIDDLE), 14)
    assert solution.count > 10**6
    return solution


def test_weighed_ranking_follows_its_definition() -> None:
    solution = middle()
    advice = advise(solution)
    assert advice.win is None
    assert not solution.safe
    scores: list[float] = []
    for one in advice.ranking:
        assert one.safety == 1 - solution.exact(*one.tile)
        if one.progress is None or one.survival is None:
            assert float(one.safety) <= max(scores)
            continue
        progress = survival = 0.0
        for number in range(9):
            cells = solution.board.cells.copy()
            cells[one.tile] = number
            chance = float(solution.outcomes(*one.tile).numbers[number])
            if chance:
                after = solve(Board(cells), solution.mines)
                progress += chance * bool(after.safe)
                survival += chance * (1 - float(np.nanmin(after.probability)))
        assert one.progress == pytest.approx(progress, abs=1e-9)
        assert one.survival == pytest.approx(survival, abs=1e-9)
        scores.append(0.9 * survival + 0.1 * progress)
    assert len(scores) >= 4
    assert scores == sorted(scores, reverse=True)
    assert advice.reason.startswith("No tile is certain; row 7, column 5 is safe with ")


def test_certain_tiles_come_first() -> None:
    board = Board.from_text("??????\n112???\n001???\n001???\n")
    solution = solve(board, 4)
    assert solution.safe
    advice = advise(solution)
    assert advice.best == solution.best
    assert {one.tile for one in advice.ranking} == set(solution.safe)
    assert all(one.safety == 1 for one in advice.ranking)


def test_without_the_mine_count() -> None:
    board = Board.from_text("??????\n?2112?\n??????\n")
    advice = advise(solve(board))
    assert advice.win is None
    assert advice.best is not None
    blank = advise(solve(Board.from_text("??\n??\n")))
    assert blank.best is None
    assert "mine count" in blank.reason


def test_nothing_to_open() -> None:
    assert advise(solve(Board.from_text("1F\n11\n"), 1)).ranking == ()
    assert advise(solve(Board.from_text("00\n00\n"), 0)).best is None
