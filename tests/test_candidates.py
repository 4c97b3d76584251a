"""Proposed lattices judged: which are looked at as a whole, and in which order they are shifted."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
import pytest

from visionsweeper.board import Board
from visionsweeper.geometry import Grid
from visionsweeper.synthetic.positions import random_position
from visionsweeper.synthetic.render import render_board
from visionsweeper.vision.detection import candidates, search
from visionsweeper.vision.detection.candidates import Effort, Tried, Wanted, judge
from visionsweeper.vision.detection.tile_map import TileMap, map_tiles
from visionsweeper.vision.tiles.classes import tiles_of_classes

Picture = npt.NDArray[np.uint8]

TILE = 30


@pytest.fixture(scope="module")
def board() -> Picture:
    """12x9 tiles."""
    classes = random_position(np.random.default_rng(3), size=(9, 12))
    return render_board(Board(tiles_of_classes(classes)), tile=TILE)


def lattice(columns: int, rows: int, pitch: float = TILE, *, left: float = 0.0, top: float = 0.0) -> Grid:
    return Grid(left + pitch * np.arange(columns + 1.0), top + pitch * np.arange(rows + 1.0))


def on_page(board: Picture, left: int, top: int, *, width: int = 1600, height: int = 1200) -> Picture:
    page = np.full((height, width, 3), 230, np.uint8)
    page[top : top + board.shape[0], left : left + board.shape[1]] = board
    return page


def test_a_lattice_without_a_tile_is_not_looked_at_as_a_whole(
    board: Picture, monkeypatch: pytest.MonkeyPatch
) -> None:
    looked_at: list[Grid] = []

    def seen(image: Picture, grid: Grid) -> TileMap:
        looked_at.append(grid)
        return map_tiles(image, grid)

    monkeypatch.setattr(candidates, "map_tiles", seen)
    page = on_page(board, 600, 450)
    effort = Effort()
    wrong = lattice(28, 20, 0.62 * TILE, left=605, top=457)
    assert judge(page, wrong, Wanted(), effort) is None
    assert looked_at == []
    # Six samples of 8x8 cells are less than the lattice, and much less than what lies around it too.
    assert 0 < Effort().cells - effort.cells <= 28 * 20
    right = judge(page, lattice(12, 9, left=600, top=450), Wanted(), effort)
    assert right is not None
    assert right.convincing
    assert looked_at


@pytest.mark.parametrize("at", [(1, 1), (39, 1), (20, 29), (1, 30), (40, 29)])
def test_a_board_anywhere_on_a_large_lattice_is_found(board: Picture, at: tuple[int, int]) -> None:
    left, top = TILE * at[0], TILE * at[1]
    page = on_page(board, left, top)
    found = judge(page, lattice(53, 40), Wanted(), Effort())
    assert found is not None
    np.testing.assert_allclose(found.grid.box, (left, top, left + 12 * TILE, top + 9 * TILE), atol=1)


@pytest.mark.parametrize("at", [8, 11, 12, 15, 24])
def test_a_small_board_between_the_samples_is_found(at: int) -> None:
    """Of 8x8 tiles, on a lattice of 32x32."""
    classes = random_position(np.random.default_rng(1), size=(8, 8))
    small = render_board(Board(tiles_of_classes(classes)), tile=TILE)
    page = on_page(small, TILE * at, TILE * at, width=960, height=960)
    found = judge(page, lattice(32, 32), Wanted(), Effort())
    assert found is not None
    assert found.convincing
    assert (found.grid.columns, found.grid.rows) == (8, 8)


def test_a_lattice_too_large_to_be_judged_costs_nothing() -> None:
    effort = Effort()
    plain = np.full((1200, 1600, 3), 200, np.uint8)
    assert judge(plain, lattice(100, 100, 8.0), Wanted(), effort) is None
    assert effort == Effort()


def test_a_part_of_a_lattice_is_tried_again_only_where_samples_ended_it(board: Picture) -> None:
    whole, part = lattice(12, 9, left=600, top=450), lattice(5, 5, left=600, top=450)
    tried = Tried()
    tried.add(whole, None)
    assert part not in tried
    assert whole in tried
    assert lattice(20, 9, left=600, top=450) in tried
    assert lattice(5, 5, left=615, top=450) not in tried
    tried.add(whole, judge(on_page(board, 600, 450), whole, Wanted(), Effort()))
    assert part in tried


def test_a_single_cell_tells_of_the_board_around_it(board: Picture) -> None:
    page = on_page(board, 600, 450)
    found = judge(page, lattice(1, 1, left=600 + 5 * TILE, top=450 + 4 * TILE), Wanted(), Effort())
    assert found is not None
    assert (found.grid.columns, found.grid.rows) == (12, 9)


def test_what_most_proposals_agree_on_is_shifted_first(monkeypatch: pytest.MonkeyPatch) -> None:
    shifted: list[float] = []

    def none_there(_image: Picture, grid: Grid, _wanted: Wanted, _effort: Effort) -> None:
        shifted.append(grid.pitch_x)

    monkeypatch.setattr(search, "judge", none_there)
    agreed = [(lattice(9, 9, 24.0, left=offset), -np.inf) for offset in (3.0, 8.0, 15.0)]
    alone = (lattice(8, 8, 40.0), 3.0)
    search._shifted(np.zeros((400, 400, 3), np.uint8), Wanted(), [alone, *agreed], Effort())
    # 15 shifts of each size of tile; it counts, too, what was proposed and has no tile.
    assert np.round(shifted).tolist() == [24] * 15 + [40] * 15
