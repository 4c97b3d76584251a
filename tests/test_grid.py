"""Grids on drawings whose edges are known: gaps, fractional and uneven pitch, crops that are off."""

from __future__ import annotations

import json
import time
from collections.abc import Callable
from typing import Any

import cv2
import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from outside_data import SCREENS, needs

from visionsweeper import read_board
from visionsweeper.board import COVERED, Board
from visionsweeper.errors import InvalidInput, NoBoardFound
from visionsweeper.geometry import Grid
from visionsweeper.io.images import load_image
from visionsweeper.synthetic import random_game
from visionsweeper.synthetic.render import render_board
from visionsweeper.vision.cutting import cut_some, cut_tiles
from visionsweeper.vision.detection.grid import fit_grid
from visionsweeper.vision.detection.locate import locate
from visionsweeper.vision.tiles.classes import EXPLODED, QUESTION, WRONG_FLAG

Picture = npt.NDArray[np.uint8]
Edges = npt.NDArray[np.float64]


def digit(picture: Picture, box: tuple[int, int, int, int], text: str, colour: tuple[int, int, int]) -> None:
    x0, y0, x1, y1 = box
    scale = (y1 - y0) / 40
    (width, height), _ = cv2.getTextSize(text, cv2.FONT_HERSHEY_SIMPLEX, scale, max(1, round(2 * scale)))
    origin = (round((x0 + x1 - width) / 2), round((y0 + y1 + height) / 2))
    thickness = max(1, round(2 * scale))
    cv2.putText(picture, text, origin, cv2.FONT_HERSHEY_SIMPLEX, scale, colour, thickness, cv2.LINE_AA)


def draw_board(  # one drawing routine for all looks, as a game would have
    x: Edges, y: Edges, look: str, seed: int = 0, margin: int = 40, gap: int = 0
) -> Picture:
    """A board with tile edges at these (rounded) positions plus `margin` on each side, digits and all."""
    rng = np.random.default_rng(seed)
    ground = {
        "bevel": (150, 150, 150),
        "flat": (235, 235, 235),
        "gaps": (250, 250, 250),
        "dark": (20, 20, 24),
    }
    covered = {
        "bevel": (192, 192, 192),
        "flat": (170, 200, 90),
        "gaps": (200, 205, 210),
        "dark": (60, 60, 70),
    }
    opened = {
        "bevel": (192, 192, 192),
        "flat": (225, 200, 160),
        "gaps": (232, 234, 236),
        "dark": (34, 34, 38),
    }
    width, height = int(np.ceil(x[-1])) + 2 * margin, int(np.ceil(y[-1])) + 2 * margin
    picture = np.full((height, width, 3), ground[look], np.uint8)
    for r in range(len(y) - 1):
        for c in range(len(x) - 1):
            x0, x1 = round(x[c]) + margin, round(x[c + 1]) + margin
            y0, y1 = round(y[r]) + margin, round(y[r + 1]) + margin
            hidden = rng.random() < 0.5
            colour = np.array((covered if hidden else opened)[look])
            if look == "flat" and (r + c) % 2:
                colour = colour - 12
            lower, upper = gap // 2, gap - gap // 2
            picture[y0 + lower : y1 - upper, x0 + lower : x1 - upper] = colour
            if look == "bevel" and hidden:
                b = max(1, (x1 - x0) // 12)
                picture[y0 : y0 + b, x0:x1] = picture[y0:y1, x0 : x0 + b] = 255
                picture[y1 - b : y1, x0:x1] = picture[y0:y1, x1 - b : x1] = 128
            elif look in {"bevel", "dark"}:
                picture[y0, x0:x1] = picture[y0:y1, x0] = 110 if look == "bevel" else 60
            if not hidden and rng.random() < 0.7:
                digit(picture, (x0, y0, x1, y1), str(rng.integers(1, 5)), (0, 60, 200))
    return picture


def crop(
    picture: Picture, x: Edges, y: Edges, margin: int, off: tuple[float, float, float, float]
) -> tuple[Picture, Edges, Edges]:
    """The board cut out with each side off by a share of a tile (positive: to the right or downwards)."""
    px, py = (x[-1] - x[0]) / (len(x) - 1), (y[-1] - y[0]) / (len(y) - 1)
    x0, x1 = round(margin + off[0] * px), round(margin + x[-1] + off[2] * px)
    y0, y1 = round(margin + off[1] * py), round(margin + y[-1] + off[3] * py)
    return picture[y0:y1, x0:x1], x + margin - x0, y + margin - y0


def worst(grid: Grid, x: Edges, y: Edges) -> float:
    """Largest distance of a border from the truth, tiles."""
    assert (grid.columns, grid.rows) == (len(x) - 1, len(y) - 1)
    return max(
        float(np.abs(grid.x - x).max() / (x[-1] - x[0])) * grid.columns,
        float(np.abs(grid.y - y).max() / (y[-1] - y[0])) * grid.rows,
    )


def even(tiles: int, pitch: float) -> Edges:
    return np.arange(tiles + 1, dtype=np.float64) * pitch


class TestGrid:
    def test_properties(self) -> None:
        grid = Grid(np.array([1.0, 11, 22]), np.array([5.0, 15, 25, 36]))
        assert (grid.columns, grid.rows) == (2, 3)
        assert grid.pitch_x == 10.5
        assert grid.pitch_y == pytest.approx(31 / 3)
        assert grid.box == (1, 5, 22, 36)
        assert grid.tile_box(2, 1) == (11, 25, 22, 36)

    def test_edges_cannot_be_changed(self) -> None:
        mine = np.array([0.0, 1])
        grid = Grid(mine, mine)
        with pytest.raises(ValueError, match="read-only"):
            grid.x[0] = 3
        mine[0] = 0.5
        assert grid.x[0] == 0

    @pytest.mark.parametrize("edges", [[0.0], [0.0, 0.0], [3.0, 2.0], [0.0, np.nan], [[0.0, 1.0]]])
    def test_impossible_edges(self, edges: list[float]) -> None:
        with pytest.raises(InvalidInput, match="edges"):
            Grid(np.array(edges), np.array([0.0, 1.0]))

    def test_even(self) -> None:
        grid = Grid.even((10, 20, 40, 60), 3, 2)
        assert grid.x.tolist() == [10, 20, 30, 40]
        assert grid.y.tolist() == [20, 40, 60]
        with pytest.raises(InvalidInput, match="0x2"):
            Grid.even((0, 0, 1, 1), 0, 2)


class TestCutTiles:
    def test_tiles_of_the_wanted_size_are_cut_out_unchanged(self) -> None:
        picture = np.random.default_rng(1).integers(0, 256, (64, 96, 3)).astype(np.uint8)
        tiles = cut_tiles(picture, Grid.even((0, 0, 96, 64), 3, 2))
        assert tiles.shape == (6, 32, 32, 3)
        assert tiles.dtype == np.uint8
        for r in range(2):
            for c in range(3):
                expected = picture[32 * r : 32 * r + 32, 32 * c : 32 * c + 32]
                assert np.array_equal(tiles[3 * r + c], expected)

    @pytest.mark.parametrize("factor", [2, 3, 4])
    def test_shrinking_averages_areas(self, factor: int) -> None:
        size = 16 * factor
        picture = np.random.default_rng(2).integers(0, 256, (2 * size, size, 3)).astype(np.uint8)
        tiles = cut_tiles(picture, Grid.even((0, 0, size, 2 * size), 1, 2), size=16)
        mean = picture.reshape(2, 16, factor, 16, factor, 3).astype(float).mean(axis=(2, 4))
        assert np.abs(tiles - mean).max() <= 1

    @pytest.mark.parametrize("pitch", [12.3, 34.33, 47.9, 77.7, 128.5])
    def test_fractional_edges_cut_alike_tiles_alike(self, pitch: float) -> None:
        # A smooth pattern of exactly that period has to look the same in every tile.
        place = (np.arange(int(6 * pitch)) + 0.5) / pitch
        wave = 127 + 100 * np.cos(2 * np.pi * place)
        picture = np.repeat((wave[:, None] / 2 + wave[None, :] / 2)[..., None], 3, axis=2).astype(np.uint8)
        tiles = cut_tiles(picture, Grid.even((0, 0, 5 * pitch, 5 * pitch), 5, 5)).astype(int)
        assert np.abs(tiles - tiles[12]).max() <= 12

    def test_no_aliasing(self) -> None:
        # Lines one pixel wide, two apart: sampling points would give black or white, the area is gray.
        picture = np.zeros((200, 200, 3), np.uint8)
        picture[:, ::2] = 255
        inner = cut_tiles(picture, Grid.even((0, 0, 200, 200), 2, 2), size=32)[:, :, 1:-1].astype(int)
        assert np.abs(inner - 127).max() < 45

    def test_beyond_the_picture_its_border_is_repeated(self) -> None:
        picture = np.full((20, 20, 3), 90, np.uint8)
        assert (
            cut_tiles(picture, Grid.even((-5, -5, 25, 25), 3, 3)).tolist()
            == np.full((9, 32, 32, 3), 90).tolist()
        )

    def test_colours_and_order(self) -> None:
        picture = np.zeros((10, 20, 3), np.uint8)
        picture[:, 10:] = (255, 128, 7)
        tiles = cut_tiles(picture, Grid.even((0, 0, 20, 10), 2, 1), size=8)
        assert tiles[0, 4, 2].tolist() == [0, 0, 0]
        assert tiles[1, 4, 5].tolist() == [255, 128, 7]

    @pytest.mark.parametrize(
        ("box", "columns", "rows"),
        [((-3.3, 2.2, 151.7, 94.9), 12, 7), ((0, 0, 900, 700), 3, 5), ((0, 0, 33000, 60), 1100, 2)],
        ids=["beyond the picture", "shrunk", "too wide for one remap"],
    )
    def test_some_tiles_are_cut_as_all_are(
        self, box: tuple[float, float, float, float], columns: int, rows: int
    ) -> None:
        size = (round(box[3]) + 1, round(box[2]) + 1, 3)
        picture = np.random.default_rng(5).integers(0, 256, size, dtype=np.uint8)
        grid = Grid.even(box, columns, rows)
        chosen = np.array([0, columns - 1, columns, rows * columns - 1])
        assert (cut_some(picture, grid, 32, chosen) == cut_tiles(picture, grid, 32)[chosen]).all()

    def test_very_large_boards_are_cut_in_blocks(self) -> None:
        picture = np.zeros((8, 4 * 1100, 3), np.uint8)
        picture[:, ::4] = 200
        tiles = cut_tiles(picture, Grid.even((0, 0, 4400, 8), 1100, 2))
        assert tiles.shape == (2200, 32, 32, 3)
        assert np.array_equal(tiles[1], tiles[1098])


LOOKS: list[tuple[str, int]] = [("bevel", 0), ("flat", 0), ("gaps", 4), ("dark", 0)]


class TestFitGrid:
    @pytest.mark.parametrize(("look", "gap"), LOOKS)
    @pytest.mark.parametrize(("columns", "rows", "pitch"), [(9, 9, 24.0), (30, 16, 24.43), (16, 16, 41.6)])
    def test_exact_crops(self, look: str, gap: int, columns: int, rows: int, pitch: float) -> None:
        x, y = even(columns, pitch), even(rows, pitch)
        picture, x, y = crop(draw_board(x, y, look, gap=gap), x, y, 40, (0, 0, 0, 0))
        assert worst(fit_grid(picture, columns), x, y) < 0.07

    def test_an_exact_even_crop_is_divided_evenly(self) -> None:
        x, y = even(16, 24.0), even(9, 24.0)
        picture, _, _ = crop(draw_board(x, y, "bevel"), x, y, 40, (0, 0, 0, 0))
        grid = fit_grid(picture, 16)
        assert np.array_equal(grid.x, x)
        assert np.array_equal(grid.y, y)

    @pytest.mark.slow
    @settings(max_examples=40, deadline=None)
    @given(
        look=st.sampled_from(LOOKS),
        columns=st.integers(8, 30),
        rows=st.integers(7, 20),
        pitch=st.floats(14, 60),
        off=st.tuples(*[st.floats(-0.25, 0.25)] * 4),
        seed=st.integers(0, 1000),
    )
    def test_crops_that_are_off_by_up_to_a_quarter_tile(
        self,
        look: tuple[str, int],
        columns: int,
        rows: int,
        pitch: float,
        off: tuple[float, float, float, float],
        seed: int,
    ) -> None:
        x, y = even(columns, pitch), even(rows, pitch)
        gap = max(1, round(pitch / 10)) if look[1] else 0
        board = draw_board(x, y, look[0], seed, gap=gap)
        picture, x, y = crop(board, x, y, 40, off)
        grid = fit_grid(picture, columns)
        inner = Grid(grid.x, grid.y)
        assert worst(inner, x, y) < 0.15

    @pytest.mark.parametrize("off", [(0.0, 0.0, 0.0, 0.0), (0.2, -0.15, -0.1, 0.2)])
    @pytest.mark.parametrize(("look", "gap"), LOOKS)
    def test_uneven_spacing(self, look: str, gap: int, off: tuple[float, float, float, float]) -> None:
        # Ten tiles of 35 px, the rest of 34: up to 7 px off an even grid.
        x = np.concatenate([[0.0], np.cumsum([35] * 10 + [34] * 20)])
        y = np.concatenate([[0.0], np.cumsum([34] * 9 + [35] * 7)])
        picture, x, y = crop(draw_board(x, y, look, gap=gap), x, y, 40, off)
        assert worst(fit_grid(picture, 30), x, y) < 0.13

    @pytest.mark.parametrize("ratio", [0.93, 0.96, 1.04, 1.07])
    def test_tiles_that_are_not_quite_square(self, ratio: float) -> None:
        x, y = even(30, 28.0), even(16, 28.0 * ratio)
        picture, x, y = crop(draw_board(x, y, "bevel"), x, y, 40, (0.1, -0.1, 0.1, 0.1))
        assert worst(fit_grid(picture, 30), x, y) < 0.1

    def test_given_height_is_kept(self) -> None:
        x, y = even(12, 30.0), even(10, 24.0)
        picture, x, y = crop(draw_board(x, y, "flat"), x, y, 40, (0, 0, 0, 0))
        assert worst(fit_grid(picture, 12, 10), x, y) < 0.05

    def test_box_within_a_larger_picture(self) -> None:
        x, y = even(16, 25.5), even(12, 25.5)
        board = draw_board(x, y, "bevel")
        grid = fit_grid(board, 16, box=(40 + 5, 40 - 4, 40 + x[-1] + 4, 40 + y[-1] - 6))
        assert worst(grid, x + 40, y + 40) < 0.1

    @pytest.mark.parametrize("box", [(-9, 0, -1, 10), (5, 5, 5, 9), (100, 0, 120, 50), (0, 0, 10, np.nan)])
    def test_impossible_box(self, box: tuple[float, float, float, float]) -> None:
        with pytest.raises((InvalidInput, NoBoardFound), match="box"):
            fit_grid(np.zeros((100, 100, 3), np.uint8), 3, box=box)

    def test_a_blank_picture_is_divided_evenly(self) -> None:
        grid = fit_grid(np.full((80, 120, 3), 200, np.uint8), 6)
        assert grid.x.tolist() == even(6, 20).tolist()
        assert grid.rows == 4

    @pytest.mark.parametrize(("columns", "rows"), [(1, 1), (1, 5), (5, 1), (2, 2)])
    def test_tiny_boards(self, columns: int, rows: int) -> None:
        x, y = even(columns, 30.0), even(rows, 30.0)
        picture, _, _ = crop(draw_board(x, y, "flat"), x, y, 40, (0, 0, 0, 0))
        grid = fit_grid(picture, columns)
        assert (grid.columns, grid.rows) == (columns, rows)

    @pytest.mark.slow
    @pytest.mark.parametrize("width", [15, 29, 31, 20, 60, 16, 9, 10, 300])
    def test_a_width_that_does_not_fit_is_refused_with_the_one_that_does(self, width: int) -> None:
        x, y = even(30, 24.43), even(16, 24.43)
        picture, _, _ = crop(draw_board(x, y, "bevel"), x, y, 40, (0, 0, 0, 0))
        message = rf"^--width {width} was given, but a board of 30x16 tiles at .* was found: omit --width"
        with pytest.raises(NoBoardFound, match=message):
            read_board(picture, width=width, themes=())

    @pytest.mark.slow
    def test_a_height_that_does_not_fit_is_refused(self) -> None:
        x, y = even(30, 24.0), even(16, 24.0)
        picture, _, _ = crop(draw_board(x, y, "bevel"), x, y, 40, (0, 0, 0, 0))
        with pytest.raises(NoBoardFound, match=r"--width 30 --height 20 .* 30x16 tiles"):
            read_board(picture, 30, 20, themes=())

    @pytest.mark.parametrize(("width", "height"), [(0, None), (-3, None), (5, 0), (50, None), (9, 60)])
    def test_impossible_sizes(self, width: int, height: int | None) -> None:
        with pytest.raises(NoBoardFound):
            fit_grid(np.full((90, 90, 3), 7, np.uint8), width, height)

    def test_quick(self) -> None:
        x, y = even(30, 32.0), even(16, 32.0)
        picture, _, _ = crop(draw_board(x, y, "bevel"), x, y, 40, (0.1, 0.1, 0.1, 0.1))
        assert best_time(lambda: fit_grid(picture, 30)) < 0.05
        grid = fit_grid(picture, 30)
        assert best_time(lambda: cut_tiles(picture, grid)) < 0.03


def best_time(action: Callable[[], object]) -> float:
    """Seconds of processor time of the quickest of several runs: the machine may be busy."""
    times = []
    for _ in range(7):
        start = time.process_time()
        action()
        times.append(time.process_time() - start)
    return min(times)


@pytest.mark.slow
@needs(SCREENS)
@pytest.mark.parametrize("off", [0.0, 0.25])
def test_borders_on_real_screenshots(off: float) -> None:
    good = total = 0
    rng = np.random.default_rng(3)
    for record in sorted(SCREENS.glob("*/*.json"))[::4]:
        shot = json.loads(record.read_text())
        x0, y0, x1, y1 = shot["box"]
        full = load_image(record.with_suffix(".full.png"))
        x = real_edges(shot, "col_edges", "width", 0) + x0
        y = real_edges(shot, "row_edges", "height", 1) + y0
        px, py = (x1 - x0) / shot["width"], (y1 - y0) / shot["height"]
        a, b, c, d = np.rint(rng.uniform(-off, off, 4) * [px, py, px, py]).astype(int)
        left, top = max(0, x0 + a), max(0, y0 + b)
        grid = fit_grid(full[top : y1 + d, left : x1 + c], shot["width"])
        assert grid.rows == shot["height"], record
        good += int(
            (np.abs(grid.x + left - x) < 0.15 * px).sum() + (np.abs(grid.y + top - y) < 0.15 * py).sum()
        )
        total += len(x) + len(y)
    assert good / total > 0.97


def real_edges(shot: dict[str, Any], known: str, size: str, axis: int) -> Edges:
    """Borders in the middle of the gaps, outer ones at the outer edges of the tiles."""
    length = shot["box"][axis + 2] - shot["box"][axis]
    if shot.get(known):
        tiles = np.array(shot[known], dtype=float)
        return np.concatenate([[tiles[0, 0]], (tiles[:-1, 1] + tiles[1:, 0]) / 2, [tiles[-1, 1]]])
    gap = shot.get("gap_px") or 0
    gap = gap[axis] if isinstance(gap, list) else gap
    edges: Edges = np.arange(shot[size] + 1) * (length + gap) / shot[size] - gap / 2
    edges[0], edges[-1] = 0, length
    return edges


@pytest.mark.parametrize("box", [None, (0.2, 0.2, 0.4, 0.4)])
def test_a_picture_of_one_pixel_is_refused(box: tuple[float, float, float, float] | None) -> None:
    with pytest.raises(NoBoardFound, match="do not fit"):
        fit_grid(np.full((1, 1, 3), 255, np.uint8), 30, box=box)


@pytest.mark.slow
@pytest.mark.parametrize(
    "off", [(0.45, 0, 0, 0), (0, 0.45, 0, 0), (0, 0, -0.45, 0), (0, 0, 0, -0.45), (0.4, 0.4, -0.4, -0.4)]
)
@pytest.mark.parametrize("theme", ["classic", "dark"])
def test_a_crop_that_cuts_into_the_outermost_tiles(theme: str, off: tuple[float, ...]) -> None:
    """With the width known, the part tiles are tiles of the board."""
    rng = np.random.default_rng(5)
    labels = random_game(rng, size=(16, 30), rare=0.0).labels
    codes = np.where(np.isin(labels, (QUESTION, WRONG_FLAG, EXPLODED)), COVERED, labels).astype(np.uint8)
    picture = render_board(Board(codes), theme, tile=24)
    left, top, right, bottom = (round(24 * shift) for shift in off)
    cropped = np.ascontiguousarray(picture[top : 384 + bottom, left : 720 + right])
    place = locate(cropped, 30)
    assert place.convincing
    assert (place.grid.columns, place.grid.rows) == (30, 16)
    assert np.abs(place.grid.x + left - 24 * np.arange(31)).max() < 0.15 * 24
    assert np.abs(place.grid.y + top - 24 * np.arange(17)).max() < 0.15 * 24
