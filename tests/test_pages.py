"""Drawn screens, and the lattices over them that the tile map is trained on."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
import pytest
from paces import mostly_slow

from visionsweeper.geometry import Grid
from visionsweeper.synthetic import FontSource, RenderTheme, find_fonts, pages
from visionsweeper.synthetic.draw import Drawing, draw
from visionsweeper.synthetic.pages import KINDS, PageKind, random_page
from visionsweeper.synthetic.terminal_screens import draw_terminal
from visionsweeper.training.lattice_samples import (
    IGNORED,
    WINDOW,
    axis_match,
    lattice_labels,
    lattice_samples,
    proposed,
    random_lattice,
    random_sample,
)
from visionsweeper.vision.detection.tile_map import CELL

BOARDS: tuple[PageKind, ...] = tuple(kind for kind in KINDS if kind != "none")
DRAWN: tuple[PageKind, ...] = tuple(kind for kind in BOARDS if kind != "terminal")


@pytest.fixture(scope="module")
def fonts() -> list[FontSource]:
    """The built-in shapes alone, so that the tests don't depend on the machine."""
    return find_fonts([])


def checkered(theme: RenderTheme, labels: npt.NDArray[np.uint8], rng: np.random.Generator) -> Drawing:
    """Black and white tiles where the board's would be."""
    drawing = draw(theme, labels, rng)
    height, width = drawing.image.shape[:2]
    columns = np.searchsorted(drawing.grid.x, np.arange(width) + 0.5)
    rows = np.searchsorted(drawing.grid.y, np.arange(height) + 0.5)
    white = (columns[None] + rows[:, None]) % 2 == 0
    image = np.repeat(np.where(white, 255, 0).astype(np.uint8)[..., None], 3, axis=2)
    return Drawing(image, drawing.grid)


def share_in_place(image: npt.NDArray[np.uint8], grid: Grid) -> float:
    """Share of places inside the grid's tiles, up to a sixth of a tile from the borders, coloured right."""
    height, width = image.shape[:2]
    inside = np.array([1 / 6, 1 / 2, 5 / 6])
    x = (grid.x[:-1, None] + np.diff(grid.x)[:, None] * inside).ravel()
    y = (grid.y[:-1, None] + np.diff(grid.y)[:, None] * inside).ravel()
    columns, rows = np.arange(len(x)) // 3, np.arange(len(y)) // 3
    seen_x, seen_y = (x >= 0) & (x < width), (y >= 0) & (y < height)
    x, y, columns, rows = x[seen_x].astype(int), y[seen_y].astype(int), columns[seen_x], rows[seen_y]
    light = image.mean(axis=2)[np.ix_(y, x)]
    white = (columns[None] + rows[:, None]) % 2 == 0
    share = float(((light > (light.min() + light.max()) / 2) == white).mean())
    return max(share, 1 - share)  # the picture may be inverted


class TestPages:
    def test_same_seed_same_picture(self, fonts: list[FontSource]) -> None:
        one, other = (random_page(np.random.default_rng(7), fonts) for _ in range(2))
        assert one.kind == other.kind
        assert np.array_equal(one.image, other.image)
        another = random_page(np.random.default_rng(8), fonts)
        assert not np.array_equal(one.image, another.image)

    @pytest.mark.parametrize("kind", mostly_slow(KINDS, fast=3))
    def test_every_kind_is_drawn(self, kind: PageKind, fonts: list[FontSource]) -> None:
        page = random_page(np.random.default_rng(3), fonts, kind)
        assert page.kind == kind
        assert page.image.ndim == 3
        assert page.image.dtype == np.uint8
        assert not page.image.flags.writeable
        assert np.ptp(page.image) > 20
        if page.grid is None or page.labels is None:
            assert kind == "none"
            assert page.grid is None
            assert page.labels is None
            return
        assert page.labels.shape == (page.grid.rows, page.grid.columns)
        assert not page.labels.flags.writeable
        height, width = page.image.shape[:2]
        x0, y0, x1, y1 = page.grid.box
        assert x0 >= -0.25 * page.grid.pitch_x
        assert y0 >= -0.25 * page.grid.pitch_y
        assert x1 <= width + 0.25 * page.grid.pitch_x
        assert y1 <= height + 0.25 * page.grid.pitch_y

    @pytest.mark.slow
    @pytest.mark.parametrize("kind", DRAWN)
    def test_the_grid_lies_where_the_board_was_drawn(
        self, kind: PageKind, fonts: list[FontSource], monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(pages, "draw", checkered)
        shares = []
        for seed in range(12):
            page = random_page(np.random.default_rng(seed), fonts, kind)
            assert page.grid is not None
            shares.append(share_in_place(page.image, page.grid))
        # One in twelve has something lying over a part of the board.
        assert np.median(shares) == 1.0
        assert min(shares) > 0.75

    @pytest.mark.parametrize("seed", range(30))
    def test_the_signs_of_a_terminal_lie_in_their_tiles(self, seed: int, fonts: list[FontSource]) -> None:
        alone = np.full((6, 7), 0, np.uint8)
        blank, rng = draw_terminal(alone, np.random.default_rng(seed), fonts), np.random.default_rng(seed)
        alone[2, 4] = 8
        marked = draw_terminal(alone, rng, fonts)
        assert np.array_equal(marked.grid.x, blank.grid.x)
        changed = np.argwhere((marked.image != blank.image).any(axis=2)) + 0.5
        x0, y0, x1, y1 = marked.grid.tile_box(2, 4)
        slack = 0.26 * (x1 - x0)  # a sign on a ground of its own stands beside the middle
        assert len(changed)
        assert (changed[:, 0] > y0).all()
        assert (changed[:, 0] < y1).all()
        assert (changed[:, 1] > x0 - slack).all()
        assert (changed[:, 1] < x1 + slack).all()

    def test_a_moved_grid_would_be_noticed(
        self, fonts: list[FontSource], monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(pages, "draw", checkered)
        page = random_page(np.random.default_rng(0), fonts, "window")
        assert page.grid is not None
        assert share_in_place(page.image, Grid(page.grid.x + page.grid.pitch_x / 4, page.grid.y)) < 0.75


class TestLabels:
    board = Grid.even((100, 50, 260, 170), columns=8, rows=6)
    """Of 20 px tiles."""
    x = np.arange(0, 401, 20.0)
    y = np.arange(-10, 251, 20.0)
    """A lattice of 20 x 13 cells of which 8 x 6 are the board's."""

    def test_the_right_lattice_has_ones_on_the_board_alone(self) -> None:
        expected = np.zeros((13, 20), np.int8)
        expected[3:9, 5:13] = 1
        assert np.array_equal(lattice_labels(self.board, self.x, self.y), expected)

    @pytest.mark.parametrize("shift", [10.0, -10.0, 6.0])
    def test_half_a_tile_aside_nothing_is_a_tile(self, shift: float) -> None:
        assert not lattice_labels(self.board, self.x + shift, self.y).any()
        assert not lattice_labels(self.board, self.x, self.y + shift).any()

    @pytest.mark.parametrize("shift", [4.0, -4.0])
    def test_a_fifth_of_a_tile_aside_is_ignored(self, shift: float) -> None:
        labels = lattice_labels(self.board, self.x + shift, self.y)
        assert set(np.unique(labels)) == {0, IGNORED}
        assert (labels == IGNORED).sum() == 8 * 6

    def test_double_cells_are_no_tiles(self) -> None:
        assert not lattice_labels(self.board, self.x[::2], self.y[::2]).any()

    def test_without_a_board_nothing_is_a_tile(self) -> None:
        assert not lattice_labels(None, self.x, self.y).any()

    def test_how_far_off_borders_are(self) -> None:
        on_board, off = axis_match(np.array([95.0, 122.0, 140.0, 270.0, 290.0]), self.board.x)
        assert on_board.tolist() == [True, True, True, False]
        assert off[:2] == pytest.approx([5 / 20, 2 / 20])


class TestSamples:
    def test_same_seed_same_samples(self, fonts: list[FontSource]) -> None:
        few, more = (list(lattice_samples(5, fonts, count, untouched=0.2)) for count in (3, 5))
        assert [len(few), len(more)] == [3, 5]
        for one, other in zip(few, more, strict=False):
            assert np.array_equal(one.sheet, other.sheet)
            assert np.array_equal(one.labels, other.labels)

    def test_samples_are_as_they_say(self, fonts: list[FontSource]) -> None:
        tiles = 0
        for sample in lattice_samples(6, fonts, 12, untouched=0.2):
            side = WINDOW * CELL
            assert sample.sheet.shape == (side, side, 3)
            assert sample.shown_y.shape == sample.shown_x.shape == (side,)
            assert set(np.unique(sample.labels)) <= {0, 1, IGNORED}
            # No cell that lies outside the picture is a tile.
            hidden_y = ~sample.shown_y.reshape(WINDOW, CELL).any(axis=1)
            hidden_x = ~sample.shown_x.reshape(WINDOW, CELL).any(axis=1)
            assert not sample.labels[hidden_y].any()
            assert not sample.labels[:, hidden_x].any()
            tiles += int((sample.labels == 1).sum())
        assert tiles > WINDOW * WINDOW

    def test_about_half_of_the_lattices_are_right(self, fonts: list[FontSource]) -> None:
        rng = np.random.default_rng(1)
        page = random_page(rng, fonts, "window")
        assert page.grid is not None
        right = wrong = 0
        for _ in range(200):
            labels = lattice_labels(page.grid, *random_lattice(page, rng))
            right += int((labels == 1).sum() == page.grid.rows * page.grid.columns)
            wrong += int(not (labels == 1).any())
        assert 90 < right < 140
        assert wrong > 40

    def test_what_is_proposed_is_labelled_by_the_boards_own_tiles(self, fonts: list[FontSource]) -> None:
        page = random_page(np.random.default_rng(1), fonts, "window")
        assert page.grid is not None
        half = page.grid.pitch_x / 2
        tiles = {}
        for name, proposal in (("right", page.grid), ("shifted", Grid(page.grid.x + half, page.grid.y))):
            samples = [random_sample(page, np.random.default_rng(seed), proposal) for seed in range(20)]
            tiles[name] = [int((sample.labels == 1).sum()) for sample in samples if sample is not None]
        assert len(tiles["right"]) == len(tiles["shifted"]) == 20
        assert min(tiles["right"]) > 0
        assert max(tiles["shifted"]) == 0

    def test_other_lattices_on_a_screen_are_proposed(self, fonts: list[FontSource]) -> None:
        rng = np.random.default_rng(3)
        pages = [random_page(rng, fonts, kind) for kind in ("window", "none", "web", "none")]
        found = [proposed(page, rng) for page in pages]
        assert all(found[index] for index in (0, 2))
        assert found[1] or found[3]
