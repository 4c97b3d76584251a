"""Whole readings with the shipped model: drawn boards it never saw, real screenshots where there are any."""

from __future__ import annotations

from collections import defaultdict

import numpy as np
import pytest
from outside_data import SCREENS, needs

from visionsweeper import Board, read_board
from visionsweeper.board import COVERED
from visionsweeper.synthetic import draw, find_fonts, random_position, random_theme
from visionsweeper.synthetic.render import render_board
from visionsweeper.vision.detection.grid import fit_grid
from visionsweeper.vision.reading import UNCERTAIN_BELOW, Reading, read
from visionsweeper.vision.tiles import evidence
from visionsweeper.vision.tiles.classes import CLASS_NAMES, EXPLODED, tiles_of_classes
from visionsweeper.vision.tiles.knn import load_model

ORDINARY = ("areasoft-winmine", "google-julian", "jsminesweeper-hill", "kmines-classic", "sgt-default")


def drawn_readings(count: int) -> list[tuple[Reading, np.ndarray]]:
    """Boards in looks drawn from seeds far from those of training, without any font file."""
    fonts = find_fonts([])
    model = load_model()
    readings = []
    for seed in range(count):
        rng = np.random.default_rng([seed, 20260101])
        theme = random_theme(rng, fonts)
        position = random_position(rng)
        drawing = draw(theme, position, rng)
        readings.append((read(drawing.image, drawing.grid, model), tiles_of_classes(position)))
    return readings


@pytest.fixture(scope="module")
def drawn() -> list[tuple[Reading, np.ndarray]]:
    return drawn_readings(60)


@pytest.mark.slow
def test_drawn_boards_are_mostly_read_right(drawn: list[tuple[Reading, np.ndarray]]) -> None:
    right = np.concatenate([(reading.board.cells == truth).ravel() for reading, truth in drawn])
    assert right.mean() > 0.88
    perfect = [np.array_equal(reading.board.cells, truth) for reading, truth in drawn]
    assert np.mean(perfect) > 0.4


@pytest.mark.slow
def test_confidence_means_what_it_says(drawn: list[tuple[Reading, np.ndarray]]) -> None:
    confidence = np.concatenate([reading.confidence.ravel() for reading, _ in drawn])
    right = np.concatenate([(reading.board.cells == truth).ravel() for reading, truth in drawn])
    assert confidence.min() >= 0.0
    assert confidence.max() <= 1.0
    sure, unsure = confidence >= 0.98, confidence < 0.8
    assert sure.mean() > 0.3
    assert right[sure].mean() > 0.97
    assert right[unsure].mean() < right[sure].mean() - 0.1


def test_a_tile_on_which_nothing_is_drawn_shows_no_sign(monkeypatch: pytest.MonkeyPatch) -> None:
    """Whatever networks expect there: a number, of the last covered tile of a few boards."""
    board = Board.from_text("0001F1\n001121\n0011?1\n001F21\n001110\n")
    image = render_board(board, "flat").copy()
    grid = fit_grid(image, board.columns, board.rows)
    x0, y0, x1, y1 = (round(edge) for edge in grid.tile_box(2, 4))
    image[y0 + 1 : y1 - 1, x0 + 1 : x1 - 1] = image[(y0 + y1) // 2, (x0 + x1) // 2]
    expected = np.full(len(CLASS_NAMES), -9.0, np.float32)
    expected[1] = -0.1
    monkeypatch.setattr(
        evidence, "class_logs", lambda groups: np.tile(expected, (len(groups.size), 1)), raising=True
    )
    gathered = evidence.gather(image, grid, load_model())
    groups = gathered.scene.groups.reshape(board.cells.shape)
    opinions = evidence.form_opinions(gathered, load_model())
    likeliest = opinions.combined.argmax(axis=1)[groups]
    assert likeliest[2, 4] in (0, COVERED)
    assert (likeliest[board.cells == 1] == 1).all()


def test_a_reading_is_immutable_and_whole() -> None:
    for reading, truth in drawn_readings(2):
        shape = truth.shape
        for array in (reading.classes, reading.groups, reading.confidence, reading.nearest):
            assert array.shape == shape
            with pytest.raises(ValueError, match="read-only"):
                array[0, 0] = 0
        np.testing.assert_array_equal(tiles_of_classes(reading.classes), reading.board.cells)
        assert reading.classes.max() < EXPLODED
        assert np.array_equal(reading.uncertain, reading.confidence < UNCERTAIN_BELOW)


@pytest.mark.slow
def test_look_alikes_get_one_name(drawn: list[tuple[Reading, np.ndarray]]) -> None:
    for reading, _ in drawn[:10]:
        for group in np.unique(reading.groups):
            assert len(np.unique(reading.classes[reading.groups == group])) == 1


@pytest.mark.slow
def test_reading_twice_gives_the_same() -> None:
    first, second = drawn_readings(2), drawn_readings(2)
    for (a, _), (b, _) in zip(first, second, strict=True):
        assert a.board == b.board
        np.testing.assert_array_equal(a.confidence, b.confidence)


@pytest.mark.slow
@needs(SCREENS)
def test_real_screenshots_of_themes_never_trained_on() -> None:
    right: dict[str, int] = defaultdict(int)
    tiles: dict[str, int] = defaultdict(int)
    for text in sorted(SCREENS.glob("*/*.txt"))[::3]:
        truth = Board.from_text(text.read_text())
        reading = read_board(text.with_suffix(".png"), width=truth.columns, height=truth.rows)
        right[text.parent.name] += int((reading.board.cells == truth.cells).sum())
        tiles[text.parent.name] += truth.cells.size
    assert sum(right.values()) / sum(tiles.values()) >= 0.90
    shares = {game: right[game] / tiles[game] for game in ORDINARY}
    assert min(shares.values()) >= 0.99, shares
