"""The mine counter: read on windows drawn for the purpose, and on real screenshots where there are any."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from counter_windows import STYLES, Style, Window, display, draw_window
from outside_data import SCREENS, needs
from paces import mostly_slow
from train_counter import CounterTraining, draw_characters, train_characters

from visionsweeper import Board, analyse
from visionsweeper.errors import BadModel
from visionsweeper.geometry import Grid
from visionsweeper.io.images import load_image
from visionsweeper.report.as_json import to_dict
from visionsweeper.report.as_text import to_summary
from visionsweeper.report.result import Report
from visionsweeper.synthetic import FontSource, draw, random_game, random_theme
from visionsweeper.synthetic.render import render_board
from visionsweeper.vision.counter.counter import Counter, is_on_tiles, read_counter
from visionsweeper.vision.counter.glyphs import (
    SIGNS,
    as_digits,
    as_letters,
    load_characters,
    save_characters,
)
from visionsweeper.vision.counter.seven_segment import find_displays
from visionsweeper.vision.tiles.classes import tiles_of_classes

PILLOW = [FontSource("pillow", "built-in pillow")]
BOARD = Board.from_text("\n".join(["?" * 9] * 7 + ["F?F1111?F", "111000111"]))


def panel(*texts: str, hue: tuple[int, int, int] = (255, 0, 0), unlit: float = 0.3) -> np.ndarray:
    """A grey strip with displays from left to right, 60 px high."""
    strip = np.full((60, 340, 3), 192, np.uint8)
    for place, text in enumerate(texts):
        x = 10 + place * 250
        strip[10:46, x : x + 20 * len(text)] = display(text, 20 * len(text), 36, hue, unlit, 0.12)
    return strip


def window(strip: np.ndarray) -> tuple[np.ndarray, Grid]:
    """A bare 9x9 board of 30 px tiles below the strip."""
    image = np.full((len(strip) + 290, 340, 3), 192, np.uint8)
    image[: len(strip)] = strip
    top = len(strip)
    return image, Grid.even((20, top, 290, top + 270), 9, 9)


def drawn(seed: int, style: Style) -> tuple[Window, Board]:
    rng = np.random.default_rng(seed)
    position = random_game(rng)
    result = draw_window(draw(random_theme(rng, PILLOW), position.labels, rng), position, PILLOW, rng, style)
    return result, Board(tiles_of_classes(position.labels))


@pytest.mark.parametrize(
    "text", mostly_slow(["456", "-12", "1000", "007", "010", "099", "123", "789", "-01", "888"], fast=3)
)
@pytest.mark.parametrize("unlit", [0.0, 0.4])
def test_every_display_is_read(text: str, unlit: float) -> None:
    for hue in ((255, 0, 0), (0, 255, 0), (255, 170, 0), (80, 80, 80)):
        found = find_displays(panel(text, hue=hue, unlit=unlit))
        assert [each.value for each in found] == [int(text)], hue


def test_a_dark_rectangle_without_digits_is_no_display() -> None:
    strip = np.full((60, 340, 3), 192, np.uint8)
    strip[10:46, 10:70] = 0
    strip[20:36, 20:60] = (255, 0, 0)
    strip[10:46, 200:260] = 0
    assert find_displays(strip) == []


def test_of_two_displays_the_left_one_counts_mines() -> None:
    image, grid = window(panel("007", "034"))
    counter = read_counter(image, grid, BOARD)
    assert counter is not None
    assert (counter.mines, counter.shown, counter.kind) == (10, "7", "left")
    x0, y0, x1, y1 = counter.box
    assert (x0, y0, x1, y1) == pytest.approx((10, 10, 70, 46), abs=1)
    assert 0.9 < counter.confidence <= 1


def test_negative_display_with_too_many_flags() -> None:
    image, grid = window(panel("-01", "034"))
    counter = read_counter(image, grid, BOARD)
    assert counter is not None
    assert counter.mines == 2


def test_a_lone_display_on_the_right_may_be_the_time() -> None:
    strip = panel()
    strip[10:46, 270:330] = display("034", 60, 36, (255, 0, 0), 0.3, 0.12)
    assert read_counter(*window(strip), BOARD) is None


def test_a_count_that_does_not_fit_the_board_is_not_believed() -> None:
    assert read_counter(*window(panel("200", "034")), BOARD) is None


def test_a_crop_to_the_board_has_no_counter() -> None:
    image, grid = window(panel("007", "034"))
    x0, y0, x1, y1 = (round(edge) for edge in grid.box)
    cropped = image[y0:y1, x0:x1]
    assert read_counter(cropped, Grid(grid.x - x0, grid.y - y0), BOARD) is None


@pytest.mark.parametrize("side", ["left", "top", "right", "bottom"])
def test_a_board_that_reaches_past_the_picture(side: str) -> None:
    """Room for a counter on the other sides; a board cut off at the top made OpenCV fail."""
    image, grid = window(panel("007", "034"))
    image = np.pad(image, ((120, 120), (120, 120), (0, 0)), constant_values=192)
    grid = Grid(grid.x + 120, grid.y + 120)
    x0, y0, x1, y1 = (round(edge) for edge in grid.box)
    left, top = x0 + 4 if side == "left" else 0, y0 + 4 if side == "top" else 0
    cut = image[top : y1 - 4 if side == "bottom" else None, left : x1 - 4 if side == "right" else None]
    counter = read_counter(cut, Grid(grid.x - left, grid.y - top), BOARD)
    if side == "bottom":
        assert counter is not None
        assert counter.mines == 10
    if side == "top":
        assert counter is None


def test_flags_in_doubt_leave_the_count_in_doubt() -> None:
    image, grid = window(panel("009", "034"))
    unsure = BOARD.cells == 10
    sure = read_counter(image, grid, BOARD)
    assert sure is not None
    assert sure.mines == 12
    assert read_counter(image, grid, BOARD, unsure) is None


@pytest.mark.slow
@pytest.mark.parametrize("style", STYLES)
def test_drawn_windows_are_read_right_or_not_at_all(style: Style) -> None:
    read = 0
    for seed in range(12):
        shown, board = drawn(seed, style)
        counter = read_counter(shown.image, shown.grid, board)
        if counter is not None:
            assert counter.mines == shown.mines, seed
            read += 1
    assert read >= (0 if style == "none" else 6)


def test_drawn_windows_are_repeatable() -> None:
    first, second = drawn(3, "line")[0], drawn(3, "line")[0]
    assert np.array_equal(first.image, second.image)
    assert not first.image.flags.writeable
    assert first.mines == second.mines


@pytest.mark.slow
@needs(SCREENS)
def test_real_counters() -> None:
    looks = ("areasoft-winmine", "gnome-mines-default", "google-julian", "kmines-green", "sgt-default")
    right = 0
    for shot in sorted(path for look in looks for path in (SCREENS / look).glob("0[1-5]*.full.png")):
        record = json.loads(shot.with_name(shot.name.replace(".full.png", ".json")).read_text())
        board = Board.from_text(shot.with_name(shot.name.replace(".full.png", ".txt")).read_text())
        grid = Grid.even(tuple(record["box"]), board.columns, board.rows)
        counter = read_counter(load_image(shot), grid, board)
        if counter is not None:
            assert counter.mines == record["mines"], shot.name
            right += 1
    assert right >= 23


def test_report_tells_where_the_count_comes_from() -> None:
    counter = Counter(12, "9", "left", (1, 2, 30, 40), 0.97)
    reading = _reading(counter)
    analysis = analyse(reading)
    assert (analysis.mines, analysis.mines_source) == (12, "counter")
    assert any("counter shows 9" in warning and "10" in warning for warning in analysis.warnings)
    report = Report(image="shot.png", analysis=analysis)
    assert "12 mines (read from the counter, which shows 9; 97" in to_summary(report)
    assert to_dict(report)["counter"] == {
        "shown": "9",
        "kind": "left",
        "box": [1, 2, 30, 40],
        "confidence": 0.97,
    }
    given = analyse(reading, mines=11)
    assert (given.mines, given.mines_source) == (11, "given")
    assert not any("counter" in warning for warning in given.warnings)
    none = analyse(_reading(None))
    assert (none.mines, none.mines_source) == (10, "standard")
    assert to_dict(Report(analysis=none))["counter"] is None


def _reading(counter: Counter | None):  # type: ignore[no-untyped-def]
    from visionsweeper.vision.reading import Reading

    shape = BOARD.cells.shape
    reading = Reading(
        board=BOARD,
        image=np.zeros((90, 90, 3), np.uint8),
        grid=Grid.even((0, 0, 90, 90), 9, 9),
        classes=BOARD.cells,
        groups=np.zeros(shape, dtype=np.intp),
        confidence=np.ones(shape),
        mines=None,
        nearest=np.zeros(shape, dtype=np.int64),
        distance=np.zeros(1, np.float32),
        votes=np.zeros((1, 14), np.float32),
    )
    return reading if counter is None else replace(reading, mines=counter.mines, counter=counter)


def test_characters_twins() -> None:
    shares = np.zeros((2, len(SIGNS)), np.float32)
    shares[0, SIGNS.index("o")] = 1
    shares[1, 1] = 1
    assert as_digits(shares)[0].argmax() == 0
    assert as_letters(shares)[1, ord("i") - ord("a")] == 1


@pytest.mark.slow
def test_training_is_repeatable_and_its_file_plain(tmp_path: Path) -> None:
    options = CounterTraining(samples=300, seed=5)
    model, again = (train_characters(options, PILLOW) for _ in range(2))
    glyphs, _ = draw_characters(20, PILLOW, np.random.default_rng(0))
    assert np.array_equal(model.shares(glyphs), again.shares(glyphs))
    path = tmp_path / "counter.npz"
    save_characters(model, path)
    loaded = load_characters(path)
    assert np.allclose(loaded.shares(glyphs), model.shares(glyphs), atol=0.02)
    assert loaded.record["samples"] == 300


def test_shipped_model_is_small_and_reads_digits() -> None:
    model = load_characters()
    glyphs, signs = draw_characters(400, PILLOW, np.random.default_rng(9))
    digits = signs < 10
    assert (as_digits(model.shares(glyphs[digits])).argmax(axis=1) == signs[digits]).mean() > 0.95
    assert (Path(__file__).resolve().parents[1] / "models" / "counter.npz").stat().st_size < 200_000


@pytest.mark.parametrize("content", [b"", b"PK\x03\x04 nothing", b"not a model"])
def test_damaged_model_is_refused(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "counter.npz"
    path.write_bytes(content)
    with pytest.raises(BadModel):
        load_characters(path)


def test_hostile_model_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "counter.npz"
    np.savez(path, record=np.array([{"a": 1}], dtype=object))
    with pytest.raises(BadModel):
        load_characters(path)
    with pytest.raises(BadModel):
        load_characters(tmp_path / "absent.npz")


def test_a_number_on_tiles_beyond_a_given_box_is_no_counter() -> None:
    """A box around a part of a board: tiles with numbers lie right of it, a counter above the board."""
    board = Board.from_text("1112\n1?12\n1112\n????\n")
    drawn = render_board(board, "classic", tile=24)
    picture = np.full((160, 140, 3), 192, np.uint8)
    picture[40:136, 20:116] = drawn
    part = Grid.even((20, 40, 68, 136), 2, 4)

    def counter(shown: str, x0: int, y0: int, x1: int, y1: int) -> Counter:
        return Counter(10, shown, "left", (x0, y0, x1, y1), 0.9)

    assert is_on_tiles(counter("1", 75, 44, 85, 60), picture, part)
    assert is_on_tiles(counter("12", 75, 44, 109, 60), picture, part)
    picture[5:35, 20:80] = 0
    assert not is_on_tiles(counter("010", 24, 8, 60, 32), picture, part)
    assert not is_on_tiles(counter("1", 75, 20, 85, 36), picture, part)
