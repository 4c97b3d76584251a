"""Boards that go on beyond what is seen: the odds take what is not in view as covered tiles."""

from __future__ import annotations

import itertools
import json
import random
from pathlib import Path

import numpy as np
import numpy.typing as npt
import pytest
from commandline import Run

from visionsweeper import Board, read_board, solve
from visionsweeper.board import COVERED, SIDES, Side
from visionsweeper.errors import InconsistentBoard, InvalidInput
from visionsweeper.formats import StoredPosition, read_position, write_position
from visionsweeper.geometry import Grid
from visionsweeper.io.images import load_image, save_image
from visionsweeper.solver.doubt import Certainty
from visionsweeper.solver.tables import tables
from visionsweeper.solver.techniques import explain, follow, steps_to
from visionsweeper.vision.part_tiles import cut_sides

SAMPLES = Path(__file__).parents[1] / "samples"


_SIDES = [sides for count in range(1, 5) for sides in itertools.combinations(SIDES, count)]


def _part_of_a_game(seed: int, sides: tuple[Side, ...]) -> Board:
    """A 3x3 part of a game on a larger board, some of its safe tiles open, that goes on at these sides."""
    rng = np.random.default_rng(seed)
    mines = np.zeros((5, 5), dtype=np.uint8)
    top, left = int("top" in sides), int("left" in sides)
    bottom, right = top + 3 + int("bottom" in sides), left + 3 + int("right" in sides)
    mines[:bottom, :right] = rng.random((bottom, right)) < 0.25
    padded = np.pad(mines, 1)
    around = sum(padded[r : r + 5, c : c + 5] for r in range(3) for c in range(3))
    cells = np.where((mines == 0) & (rng.random((5, 5)) < 0.6), around, COVERED)
    return Board(cells[top : top + 3, left : left + 3].astype(np.uint8), sides)


def _by_brute_force(board: Board) -> tuple[int, dict[tuple[int, int], int]]:
    """Placements of mines on covered tiles beside numbers, in view or not, and how many have each tile."""
    (top, bottom), (left, right) = board.margins
    places = itertools.product(range(-top, board.rows + bottom), range(-left, board.columns + right))
    numbers = [(int(r), int(c)) for r, c in np.argwhere(board.numbers)]
    beside = [
        (r, c)
        for r, c in places
        if (not (0 <= r < board.rows and 0 <= c < board.columns) or board[r, c] == COVERED)
        and any(max(abs(r - i), abs(c - j)) == 1 for i, j in numbers)
    ]
    total, having = 0, dict.fromkeys(beside, 0)
    for chosen in itertools.product((0, 1), repeat=len(beside)):
        mined = {tile for tile, mine in zip(beside, chosen, strict=True) if mine}
        if all(sum(max(abs(r - i), abs(c - j)) == 1 for r, c in mined) == board[i, j] for i, j in numbers):
            total += 1
            for tile in mined:
                having[tile] += 1
    return total, having


@pytest.mark.parametrize("sides", _SIDES[:10])
@pytest.mark.parametrize("seed", range(3))
def test_odds_are_those_of_all_placements_within_and_beyond_the_view(
    sides: tuple[Side, ...], seed: int
) -> None:
    board = _part_of_a_game(seed, sides)
    total, having = _by_brute_force(board)
    solution = solve(board, mines=5)
    assert solution.mines is None
    assert solution.count == total
    for (row, column), mined in having.items():
        if 0 <= row < 3 and 0 <= column < 3:
            assert solution.exact(row, column) * total == mined
            assert solution.probability[row, column] == pytest.approx(mined / total)
    inside = [tile for tile in having if 0 <= tile[0] < 3 and 0 <= tile[1] < 3]
    assert solution.safe == sorted(tile for tile in inside if having[tile] == 0)
    assert solution.mine == sorted(tile for tile in inside if having[tile] == total)


@pytest.mark.parametrize("sides", _SIDES)
@pytest.mark.parametrize("seed", range(20, 25))
def test_every_certain_tile_is_explained_and_no_other(sides: tuple[Side, ...], seed: int) -> None:
    board = _part_of_a_game(seed, sides)
    solution = solve(board)
    certain = dict.fromkeys(solution.safe, False) | dict.fromkeys(solution.mine, True)
    for steps in (explain(board), follow(board, "exact")):
        told = {tile: False for step in steps for tile in step.safe}
        assert told | {tile: True for step in steps for tile in step.mine} == certain
    for technique in ("single", "subset", "gauss", "contradiction"):
        for step in follow(board, technique):
            assert all(certain.get(tile) is False for tile in step.safe)
            assert all(certain.get(tile) is True for tile in step.mine)


@pytest.mark.parametrize("sides", _SIDES)
def test_tables_solutions_and_advice_tell_of_nothing_that_is_not_in_view(sides: tuple[Side, ...]) -> None:
    for seed in range(40, 44):
        board = _part_of_a_game(seed, sides)
        solution = solve(board)
        found = tables(solution)
        tiles = {row.tile for row in found.tiles}
        tiles |= {tile for part in found.components for tile in part.tiles}
        tiles |= {tile for part in found.components for one in part.constraints for tile in one.tiles}
        tiles |= set(solution.random(random.Random(seed)))
        tiles |= {one.tile for one in solution.advice.ranking}
        assert all(board.covered[tile] for tile in tiles)


def test_a_number_too_large_for_what_is_seen_holds_where_the_board_goes_on() -> None:
    text = "3?\n??\n"
    with pytest.raises(InconsistentBoard):
        solve(Board.from_text("4?\n??\n"))
    assert solve(Board.from_text(text)).mine == [(0, 1), (1, 0), (1, 1)]
    cells = Board.from_text("4?\n??\n").cells
    open_ended = solve(Board(cells, ("left",)))
    assert open_ended.mine == []
    assert open_ended.count == 5  # one of the five neighbours is free
    with pytest.raises(InconsistentBoard):
        solve(Board(Board.from_text("6?\n??\n").cells, ("left",)))


def test_doubted_tiles_leave_a_board_open() -> None:
    board = Board(Board.from_text("0?\n0?\n0?\n").cells, ("bottom",))
    doubted = np.array([[False, False], [False, False], [True, False]])
    certain = Certainty.of(solve(board), doubted, board)
    assert certain.safe == ((0, 1), (1, 1), (2, 1))
    closed = Board.from_text("1?\n1?\n")
    assert solve(Board(closed.cells, ("bottom",))).safe == []


def test_sides_are_named_in_one_order_and_checked() -> None:
    cells = np.full((2, 2), COVERED, np.uint8)
    board = Board(cells, ("bottom", "left"))
    assert board.continues == ("left", "bottom")
    assert board == Board(cells, ("left", "bottom")) != Board(cells)
    assert board.unseen_around.tolist() == [[2, 0], [5, 2]]
    with pytest.raises(InvalidInput, match="is not a side"):
        Board(cells, ("below",))  # type: ignore[arg-type]


def test_a_step_for_one_tile_may_rest_on_numbers_at_the_open_side() -> None:
    board = Board(Board.from_text("1?\n1?\n0?\n").cells, ("left",))
    steps = explain(board)
    for tile in solve(board).safe:
        assert any(tile in step.safe for step in steps_to(board, steps, tile))


def test_the_sides_go_with_a_board_into_a_file_and_back() -> None:
    board = Board(Board.from_text("1?\n??\n").cells, ("right", "top"))
    assert read_position(write_position(StoredPosition(board, None), "text")).board == board
    printed = json.dumps({"board": board.to_rows(), "continues": ["top", "right"]})
    assert read_position(printed).board == board
    assert read_position(json.dumps({"board": board.to_rows()})).board.continues == ()


def test_a_mine_count_is_left_out_and_the_user_is_told(run: Run, tmp_path: Path) -> None:
    place = tmp_path / "part.txt"
    place.write_text("1?\n??\n")
    done = run("solve", place, "--continues", "left,bottom", "--mines", "3", "--no-show")
    assert "2x2, goes on to the left and below (local probabilities only)" in done.out
    assert "the mine count 3 is not used" in done.out
    found = json.loads(run("solve", place, "--continues", "left", "--mines", "3", "--json").out)
    assert (found["continues"], found["mines"], found["scope"]) == (["left"], None, "local")
    assert found["probability"][0][1] == pytest.approx(1 / 5)  # five neighbours, two of them not in view
    assert json.loads(run("solve", place, "--mines", "1", "--json").out)["continues"] == []
    wrong = run("solve", place, "--continues", "below")
    assert wrong.status == 2
    assert "give some of left,right,top,bottom, or none" in wrong.err


def test_a_picture_of_a_part_is_read_with_what_is_said_of_it(run: Run, tmp_path: Path) -> None:
    truth = Board.from_text((SAMPLES / "expert.txt").read_text()).to_rows()
    shot = tmp_path / "part.png"
    whole = load_image(SAMPLES / "expert.png")
    # Three numbers in column 8 have more mines than are covered to the right of them.
    save_image(shot, whole[:, 8 * whole.shape[1] // 30 :])
    size = ("--width", "22", "--height", "16", "--json", "--no-picture")
    found = json.loads(run("parse", shot, *size, "--continues", "left").out)
    assert found["board"] == [row[8:] for row in truth]
    assert (found["continues"], found["mines"], found["uncertain"]) == (["left"], None, [])
    assert found["consistent"] is True


def _expert() -> tuple[npt.NDArray[np.uint8], Grid]:
    picture = load_image(SAMPLES / "expert.png")
    return picture, Grid.even((0, 0, picture.shape[1], picture.shape[0]), 30, 16)


@pytest.mark.parametrize("shown", [0.3, 0.6, 0.9])
def test_part_tiles_at_the_edge_of_the_picture_are_seen(shown: float) -> None:
    picture, grid = _expert()
    left, bottom = round(grid.x[3] - shown * grid.pitch_x), round(grid.y[-3] + shown * grid.pitch_y)
    inner = Grid(grid.x[3:] - left, grid.y[:-2])
    assert cut_sides(picture[:bottom, left:], inner) == ("left", "bottom")


@pytest.mark.parametrize("margin", [0.0, 0.2, 0.5, 0.9])
def test_a_frame_or_a_page_beside_a_board_is_no_part_of_it(margin: float) -> None:
    picture, grid = _expert()
    px = round(margin * grid.pitch_x)
    moved = Grid(grid.x + px, grid.y + px)
    page = np.full((picture.shape[0] + 2 * px, picture.shape[1] + 2 * px, 3), 192, np.uint8)
    page[px : px + picture.shape[0], px : px + picture.shape[1]] = picture
    frame = page.copy()
    frame[:, : px // 2] = frame[: px // 2] = 128
    assert cut_sides(page, moved) == cut_sides(frame, moved) == ()


@pytest.mark.slow
def test_a_board_cut_by_the_edge_of_the_picture_is_told_to_go_on() -> None:
    picture, grid = _expert()
    left = round(grid.x[3] - 0.35 * grid.pitch_x)
    truth = Board.from_text((SAMPLES / "expert.txt").read_text()).cells[:, 3:]
    reading = read_board(np.ascontiguousarray(picture[:, left:]), themes=())
    assert reading.board == Board(truth, ("left",))
    assert reading.mines is None


@pytest.mark.slow
def test_a_board_cut_between_two_tiles_is_known_by_its_numbers() -> None:
    picture, grid = _expert()
    truth = Board.from_text((SAMPLES / "expert.txt").read_text()).cells[:, 8:]
    part = np.ascontiguousarray(picture[:, round(grid.x[8]) :])
    reading = read_board(part, themes=())
    assert reading.board == Board(truth, ("left",))
    assert not reading.uncertain.any()
    assert read_board(part, themes=(), continues=()).board.continues == ()


@pytest.mark.slow
def test_an_exact_crop_and_a_rough_one_of_a_standard_board_end_where_they_do() -> None:
    picture, grid = _expert()
    assert read_board(picture, themes=()).board.continues == ()
    rough = np.ascontiguousarray(picture[:, round(0.3 * grid.pitch_x) :])
    assert read_board(rough, themes=()).board.continues == ()
