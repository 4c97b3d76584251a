"""The annotated picture, judged by its pixels."""

import time
from itertools import pairwise
from types import SimpleNamespace

import cv2
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from visionsweeper import Board, InvalidInput, solve
from visionsweeper.drawing import marks
from visionsweeper.drawing.annotate import LEGIBLE, annotate, enlargement
from visionsweeper.drawing.board import draw_board
from visionsweeper.drawing.colours import ramp
from visionsweeper.drawing.layers import Layers
from visionsweeper.drawing.text import fitting_size, text_mask
from visionsweeper.geometry import Grid

# Row 0: a mine, then a safe tile; row 4: two tiles of even odds, one of them flagged.
POSITION = Board.from_text(
    """
    1?1?2*
    111111
    000000
    011100
    01F100
    12?100
    """
)


def view(board, grid, image, uncertain=()):
    doubt = np.zeros(board.cells.shape, bool)
    for tile in uncertain:
        doubt[tile] = True
    return SimpleNamespace(board=board, grid=grid, image=image, straightened=False, uncertain=doubt)


def odds(board, chances, best=None, **lists):
    """A solution as the solver would hand it over: {(row, column): chance}, 0 and 1 certain."""
    probability = np.full(board.cells.shape, np.nan)
    for tile, chance in chances.items():
        probability[tile] = chance
    return SimpleNamespace(
        probability=probability,
        safe=[tile for tile, chance in chances.items() if chance == 0],
        mine=[tile for tile, chance in chances.items() if chance == 1],
        best=best,
        limit=None,
        flags_uncertain=lists.get("flags_uncertain", []),
        flags_wrong=lists.get("flags_wrong", []),
    )


def plain(board, pitch, shade=190):
    """A picture of one shade with a grid of the given pitch, which may be fractional."""
    height, width = round(board.rows * pitch), round(board.columns * pitch)
    image = np.full((height, width, 3), shade, np.uint8)
    return image, Grid.even((0, 0, board.columns * pitch, board.rows * pitch), board.columns, board.rows)


def tile_of(picture, grid, tile, factor=1):
    x0, y0, x1, y1 = (round(edge * factor) for edge in grid.tile_box(*tile))
    return picture[y0:y1, x0:x1].astype(float)


def changed(before, after):
    return np.abs(before.astype(int) - after.astype(int)).max(axis=2) > 0


COVERED_ROW = Board.from_text("?????\n11111\n")


def test_only_covered_tiles_and_marks_change():
    image, grid = draw_board(POSITION)
    solution = odds(POSITION, {(0, 1): 1.0, (0, 3): 0.0, (4, 2): 0.5, (5, 2): 0.5})
    where = changed(image, annotate(image, view(POSITION, grid, image), solution, legend=False))
    for row in range(POSITION.rows):
        for column in range(POSITION.columns):
            touched = tile_of(where[:, :, None], grid, (row, column)).any()
            assert touched == (POSITION[row, column] in (9, 10)), (row, column)


def test_tiles_without_odds_stay_as_they_are():
    image, grid = draw_board(POSITION)
    out = annotate(image, view(POSITION, grid, image), odds(POSITION, {}), legend=False)
    np.testing.assert_array_equal(out, image)


def test_the_input_is_left_alone():
    image, grid = draw_board(POSITION)
    image.setflags(write=False)
    before = image.copy()
    out = annotate(
        image, view(POSITION, grid, image, [(3, 3)]), odds(POSITION, {(0, 1): 1.0}), conflict=[(1, 1)]
    )
    np.testing.assert_array_equal(image, before)
    assert not np.shares_memory(out, image)


@pytest.mark.parametrize("shade", [30, 128, 240])
@pytest.mark.parametrize("pitch", [14, 16.7, 24, 40, 64])
def test_colours_run_from_green_to_red_and_darken(shade, pitch):
    image, grid = plain(COVERED_ROW, pitch, shade)
    chances = [0.02, 0.25, 0.5, 0.75, 0.98]
    solution = odds(COVERED_ROW, {(0, c): chance for c, chance in enumerate(chances)})
    out = annotate(image, view(COVERED_ROW, grid, image), solution, legend=False)
    factor = enlargement(grid, image.shape)
    # a spot below the text, within the veil
    spots = []
    for column in range(5):
        tile = tile_of(out, grid, (0, column), factor)
        side = tile.shape[0]
        spots.append(tile[round(0.86 * side) : round(0.92 * side), side // 3 : -side // 3].mean(axis=(0, 1)))
    redness = [r - g for r, g, _ in spots]
    assert redness == sorted(redness)
    assert redness[0] < -30
    assert redness[-1] > 60
    light = [0.2126 * r + 0.7152 * g + 0.0722 * b for r, g, b in spots]
    assert light == sorted(light, reverse=True)


@pytest.mark.parametrize("shade", [30, 128, 240])
@pytest.mark.parametrize("side", [30, 41, 64])
def test_certain_tiles_differ_in_gray(shade, side):
    def gray(stamp):
        canvas = np.full((side, side, 3), shade, np.uint8)
        stamp.lay(canvas, 0, 0)
        return cv2.cvtColor(canvas, cv2.COLOR_RGB2GRAY).astype(float)

    safe = gray(marks.certainly_safe(side, side, "0%"))
    mined = gray(marks.certainly_mined(side, side, "100%"))
    nearly_safe = gray(marks.odds(side, side, "<0.1%", 0))
    nearly_mined = gray(marks.odds(side, side, ">99.9%", 1000))
    assert np.median(safe) - np.median(mined) > 60, "safe ones are much lighter than mines"
    # the same letters everywhere would leave only the veil: the shapes must differ over much of the tile
    for certain, open_odds in ((safe, nearly_safe), (mined, nearly_mined)):
        assert (np.abs(certain - open_odds) > 40).mean() > 0.12


@pytest.mark.parametrize("pitch", [9, 14, 16, 20, 24.43, 29.9, 30, 33.3, 64])
def test_small_tiles_are_enlarged_and_large_ones_not(pitch):
    image, grid = plain(POSITION, pitch)
    out = annotate(image, view(POSITION, grid, image), odds(POSITION, {(0, 1): 0.3}), legend=False)
    factor = out.shape[0] / image.shape[0]
    assert factor == out.shape[1] / image.shape[1] == round(factor)
    assert pitch * factor >= LEGIBLE
    assert factor == 1 or pitch * (factor - 1) < LEGIBLE


def test_a_huge_picture_is_not_blown_up():
    grid = Grid.even((0, 0, 10_000, 10_000), 1000, 1000)
    assert enlargement(grid, (10_000, 10_000)) == 1


@pytest.mark.parametrize("pitch", [14, 20, 40, 64])
def test_the_original_shows_beneath(pitch):
    board = Board.from_text("FF\nF?\n")
    image, grid = plain(board, pitch, 200)
    bars = image.copy()
    bars[:, ::4] = 40
    solution = odds(board, {(0, 0): 0.0, (0, 1): 1.0, (1, 0): 0.5, (1, 1): 0.5})
    with_bars, without = (annotate(i, view(board, grid, i), solution, legend=False) for i in (bars, image))
    factor = enlargement(grid, image.shape)
    for tile in (0, 0), (0, 1), (1, 0), (1, 1):
        a, b = (tile_of(out, grid, tile, factor) for out in (with_bars, without))
        assert (np.abs(a - b).max(axis=2) > 20).mean() > 0.08, tile


def test_text_is_centred():
    for text in ("0%", "14%", "99.7%", ">99.9%", "100%"):
        for side in (30, 37, 48, 64):
            layers = Layers(side, side)
            layers.write(text, (255, 255, 255), None, 0.9, 0.36)
            ink = np.argwhere(layers.colour[:, :, 0] > 100)
            assert len(ink) > 0, (text, side)
            middle = (ink.min(axis=0) + ink.max(axis=0)) / 2
            np.testing.assert_allclose(middle, (side - 1) / 2, atol=max(1.5, 0.05 * side))


def test_text_fits_its_tile():
    for text in ("0%", "<0.1%", ">99.9%"):
        size = fitting_size(text, 40, 15)
        assert text_mask(text, size).shape[1] <= 40 + 4


def test_best_is_outlined_around_its_tile():
    image, grid = draw_board(POSITION)
    without = odds(POSITION, {(4, 2): 0.5})
    plain_out = annotate(image, view(POSITION, grid, image), without, legend=False)
    without.best = (4, 2)
    out = annotate(image, view(POSITION, grid, image), without, legend=False)
    ys, xs = np.nonzero(changed(plain_out, out))
    x0, y0, x1, y1 = grid.tile_box(4, 2)
    assert x0 - 6 <= xs.min() <= x0
    assert x1 <= xs.max() + 1 <= x1 + 6
    assert y0 - 6 <= ys.min() <= y0
    assert y1 <= ys.max() + 1 <= y1 + 6
    middle = tile_of(changed(plain_out, out)[:, :, None], grid, (4, 2))[10:-10, 10:-10]
    assert not middle.any(), "the percentage stays free"


def test_every_mark_has_a_look_of_its_own():
    looks = []
    for make in (marks.best, marks.uncertain, marks.conflict, marks.doubted_flag, marks.wrong_flag):
        canvas = np.full((40, 40, 3), 190, np.uint8)
        make(40, 40).lay(canvas, 0, 0)
        looks.append(canvas.astype(int))
    for i, a in enumerate(looks):
        assert (np.abs(a - 190).max(axis=2) > 40).mean() > 0.03
        for b in looks[:i]:
            assert (np.abs(a - b).max(axis=2) > 40).mean() > 0.03


def test_a_contradiction_is_drawn_without_a_solution():
    image, grid = draw_board(POSITION)
    out = annotate(image, view(POSITION, grid, image, [(0, 0)]), None, conflict=[(3, 3)], legend=False)
    where = changed(image, out)[:, :, None]
    marked = [(r, c) for r in range(6) for c in range(6) if tile_of(where, grid, (r, c)).any()]
    assert marked == [(0, 0), (3, 3)]


def test_the_legend_is_optional_and_below():
    image, grid = draw_board(POSITION)
    solution = odds(POSITION, {(4, 2): 0.5}, best=(4, 2))
    bare = annotate(image, view(POSITION, grid, image), solution, legend=False)
    told = annotate(image, view(POSITION, grid, image), solution)
    assert bare.shape == image.shape
    assert told.shape[0] > bare.shape[0]
    np.testing.assert_array_equal(told[: bare.shape[0]], bare)
    assert told.dtype == np.uint8


def test_a_narrow_picture_has_no_room_for_a_legend():
    board = Board.from_text("?1")
    image, grid = draw_board(board)
    assert annotate(image, view(board, grid, image), odds(board, {(0, 0): 1.0})).shape == image.shape


def test_uneven_grids_and_edges_outside_the_picture():
    board = Board.from_text("???\n?1?\n???\n")
    image = np.full((120, 125, 3), 180, np.uint8)
    grid = Grid(np.array([-3.0, 39.5, 84.2, 131.0]), np.array([-2.0, 40, 79, 124.0]))
    solution = odds(
        board, {(r, c): 0.125 for r in range(3) for c in range(3) if (r, c) != (1, 1)}, best=(0, 0)
    )
    out = annotate(image, view(board, grid, image, [(2, 2)]), solution, legend=False)
    assert out.shape == image.shape
    assert changed(image, out)[0:30, 0:30].any()
    assert changed(image, out)[90:, 90:].any()


@given(st.integers(-50, 70), st.integers(-50, 70))
def test_a_stamp_is_clipped_at_the_border(x, y):
    stamp = marks.conflict(31, 33)
    wide = np.full((200, 200, 3), 90, np.uint8)
    stamp.lay(wide, 60 + x, 60 + y)
    small = np.full((64, 60, 3), 90, np.uint8)
    stamp.lay(small, x, y)
    np.testing.assert_array_equal(small, wide[60:124, 60:120])


def test_what_does_not_belong_together_is_refused():
    image, grid = draw_board(POSITION)
    other = Board.from_text("??\n11\n")
    with pytest.raises(InvalidInput, match="differ in size"):
        annotate(image, view(other, grid, image), None)
    with pytest.raises(InvalidInput, match="uint8 RGB"):
        annotate(image[:, :, 0], view(POSITION, grid, image), None)


def test_the_ramp_never_brightens_towards_the_mine():
    light = [float(np.dot(np.array(ramp(p)) / 255, [0.2126, 0.7152, 0.0722])) for p in np.linspace(0, 1, 101)]
    assert all(b <= a + 0.02 for a, b in pairwise(light))
    assert light[0] - light[-1] > 0.4


def test_the_solver_s_answer_is_drawn():
    board = Board.from_text("1?1??\n")
    image, grid = draw_board(board)
    solution = solve(board)
    out = annotate(image, view(board, grid, image), solution, legend=False)
    side = 40
    mine, safe = image.copy(), image.copy()
    x, y = round(grid.x[1]), round(grid.y[0])
    marks.certainly_mined(side, side, "100%").lay(mine, x, y)
    np.testing.assert_array_equal(out[y : y + side, x : x + side], mine[y : y + side, x : x + side])
    assert solution.best == (0, 3)
    x = round(grid.x[3])
    marks.certainly_safe(side, side, "0%").lay(safe, x, y)
    inner = np.s_[y + 10 : y + side - 10, x + 10 : x + side - 10]
    np.testing.assert_array_equal(out[inner], safe[inner])
    last = np.s_[y : y + side, round(grid.x[4]) + 6 : round(grid.x[5])]
    np.testing.assert_array_equal(out[last], image[last])


@pytest.mark.slow
def test_an_expert_board_is_quick():
    rng = np.random.default_rng(5)
    cells = np.where(rng.random((16, 30)) < 0.6, 9, rng.integers(0, 5, (16, 30)))
    board = Board(cells)
    image, grid = plain(board, 24)
    chances = {
        tuple(t): float(p) for t, p in zip(np.argwhere(cells == 9).tolist(), rng.random(480), strict=False)
    }
    solution = odds(board, chances)
    annotate(image, view(board, grid, image), solution)
    best = min(_timed(lambda: annotate(image, view(board, grid, image), solution)) for _ in range(3))
    assert best < 0.2, "0.01 s on an ordinary machine; far above means that the stamps are drawn anew"


def _timed(work):
    start = time.process_time()
    work()
    return time.process_time() - start
