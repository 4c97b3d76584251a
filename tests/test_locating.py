"""Width, height and box against what is found; several boards; pictures that are none; the stages on disk."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import cv2
import numpy as np
import numpy.typing as npt
import pytest
from commandline import Run
from outside_data import SCREENS, needs
from paces import mostly_slow
from PIL import Image, ImageDraw, ImageFont
from places import find_grids

from visionsweeper.board import COVERED, FLAG, Board, Side
from visionsweeper.drawing.board import draw_board
from visionsweeper.errors import NoBoardFound, SeveralBoards
from visionsweeper.geometry import Grid
from visionsweeper.io.images import load_image, save_image
from visionsweeper.pipeline import read_board
from visionsweeper.report.as_json import to_dict
from visionsweeper.report.result import Report
from visionsweeper.synthetic.positions import random_position
from visionsweeper.synthetic.render import render_board
from visionsweeper.vision.detection import candidates
from visionsweeper.vision.detection import locate as locating
from visionsweeper.vision.detection import search as searching
from visionsweeper.vision.detection.candidates import BOX_SLACK, Candidate, Effort, Wanted
from visionsweeper.vision.detection.grid import fit_grid
from visionsweeper.vision.detection.locate import Location, locate
from visionsweeper.vision.detection.missed_tiles import Whole
from visionsweeper.vision.detection.search import search
from visionsweeper.vision.detection.tile_map import TileMap, likeliest_tile, map_tiles
from visionsweeper.vision.reading import Reading, read
from visionsweeper.vision.settling.reader import Reader
from visionsweeper.vision.settling.settle import settle
from visionsweeper.vision.tiles.knn import load_model

Picture = npt.NDArray[np.uint8]

SAMPLES = Path(__file__).parents[1] / "samples"


def played() -> Board:
    """9x9 with ten mines, the right part opened, one mine flagged."""
    mines = np.zeros((11, 11), np.uint8)
    for row, column in [(0, 1), (1, 4), (2, 0), (3, 3), (4, 6), (6, 2), (6, 7), (7, 5), (8, 0), (8, 8)]:
        mines[row + 1, column + 1] = 1
    around = sum(mines[r : r + 9, c : c + 9] for r in range(3) for c in range(3))
    seen = np.where(mines[1:-1, 1:-1] > 0, COVERED, around).astype(np.uint8)
    seen[:, :3] = COVERED
    seen[3, 3] = FLAG
    return Board(seen)


BOARD = played()


def page(*places: tuple[int, int], height: int = 560, width: int = 1000) -> Picture:
    """Drawn boards of 9x9 tiles of 40 px on a plain page, their first tiles at x, y."""
    picture = np.full((height, width, 3), 238, np.uint8)
    board = draw_board(BOARD)[0][10:-10, 10:-10]
    for x, y in places:
        picture[y : y + 360, x : x + 360] = board
    return picture


@pytest.fixture(scope="module")
def window() -> Picture:
    return page((90, 120))


@pytest.mark.parametrize("size", [(None, None), (9, None), (9, 9), (None, 9)])
def test_a_size_that_agrees(window: Picture, size: tuple[int | None, int | None]) -> None:
    place = locate(window, *size)
    assert place.convincing
    np.testing.assert_allclose(place.grid.box, (90, 120, 450, 480), atol=4)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("width", "height", "said"),
    [
        (8, None, "--width 8 was given"),
        (16, 16, "--width 16 --height 16 was given"),
        (None, 8, "--height 8 was given"),
    ],
)
def test_a_size_that_does_not_agree(window: Picture, width: int, height: int, said: str) -> None:
    with pytest.raises(NoBoardFound, match=r"9x9 tiles at 9.,1..,4..,4.. was found") as caught:
        read_board(window, width=width, height=height, themes=())
    assert said in str(caught.value)
    assert "--box" in str(caught.value)


@pytest.mark.slow
def test_a_row_above_that_looks_like_one_of_the_board_is_left_out_when_told(window: Picture) -> None:
    picture = window.copy()
    picture[80:120, 90:450] = np.tile(picture[120:160, 90:130], (1, 9, 1))
    assert read_board(picture, width=9).board.rows == 10
    reading = read_board(picture, width=9, height=9)
    assert reading.board == BOARD
    assert reading.grid.y[0] == pytest.approx(120, abs=1)
    # Without a column, what is left may be read, but never without doubt; without two it is another board.
    assert read_board(picture, width=8, height=9).uncertain.all()
    with pytest.raises(NoBoardFound, match="--width 7 --height 9 was given, but a board of 9x10 tiles"):
        read_board(picture, width=7, height=9)


def test_a_crop_that_fits_is_taken_at_its_word() -> None:
    image = load_image(SAMPLES / "expert.png")
    place = locate(image, 30)
    assert place.as_told
    np.testing.assert_array_equal(place.grid.x, fit_grid(image, 30).x)


def test_within_a_box(window: Picture) -> None:
    place = locate(page((90, 120), (550, 100)), box=(60, 90, 500, 520))
    assert (place.grid.columns, place.grid.rows) == (9, 9)
    np.testing.assert_allclose(place.grid.box, (90, 120, 450, 480), atol=4)
    exact = locate(window, 9, box=(90, 120, 450, 480))
    assert exact.as_told
    np.testing.assert_allclose(exact.grid.box, (90, 120, 450, 480), atol=4)
    with pytest.raises(NoBoardFound, match="outside"):
        locate(window, box=(4000, 120, 4500, 480))


@pytest.mark.parametrize("size", [(3, 3), (4, 4), (6, 6), (5, 5), (6, 9)])
def test_with_width_height_and_box_the_user_is_obeyed(window: Picture, size: tuple[int, int]) -> None:
    # As many of the 9x9 tiles there would make a board of that size, too.
    reading = read_board(window, *size, box=(90, 120, 450, 480), themes=())
    assert (reading.grid.columns, reading.grid.rows) == size
    slack = BOX_SLACK * np.array([reading.grid.pitch_x, reading.grid.pitch_y] * 2)
    assert (np.abs(np.subtract(reading.grid.box, (90, 120, 450, 480))) <= slack).all()


def test_a_told_box_may_be_off_where_the_picture_is_noisy(window: Picture) -> None:
    noise = np.random.default_rng(5).normal(0, 30, window.shape)
    noisy = np.clip(cv2.GaussianBlur(window, (0, 0), 2.5) + noise, 0, 255).astype(np.uint8)
    reading = read_board(noisy, 9, 9, box=(68, 98, 472, 502), themes=())
    np.testing.assert_allclose(reading.grid.box, (90, 120, 450, 480), atol=6)
    assert reading.board == BOARD


def test_the_even_division_of_a_told_box_is_read_too(window: Picture) -> None:
    box = (90.0, 120.0, 450.0, 480.0)
    place = locate(window, 4, 5, box)
    even = Grid.even(box, 4, 5)
    assert any((cut.x == even.x).all() and (cut.y == even.y).all() for cut in (place.grid, *place.rivals))


def test_where_all_is_told_what_is_read_surely_is_believed(window: Picture) -> None:
    true = Grid.even((90.0, 120.0, 450.0, 480.0), 9, 9)
    reader = Reader(lambda grid, sides: read(window, grid, load_model(), (), sides))
    told = Location(true, False, as_told=True, wanted=Wanted(9, 9, true.box))
    assert settle(window, told, reader).uncertain.mean() < 0.1
    for less in (Wanted(9, None, true.box), Wanted(9, 9)):
        assert settle(window, replace(told, wanted=less), reader).uncertain.all()


def test_a_cut_whose_covered_tiles_differ_is_taken_last(
    window: Picture, monkeypatch: pytest.MonkeyPatch
) -> None:
    true, other = (Grid.even((x, 120.0, x + 360, 480.0), 9, 9) for x in (90.0, 110.0))
    reader = Reader(lambda grid, sides: read(window, grid, load_model(), (), sides))
    place = Location(true, False, rivals=(other,), as_told=True, wanted=Wanted(9, 9))
    assert abs(settle(window, place, reader).grid.x[0] - 90) < 3
    monkeypatch.setattr(
        "visionsweeper.vision.settling.settle.covered_differ",
        lambda _, reading: abs(reading.grid.x[0] - 90) < 3,
    )
    assert abs(settle(window, place, reader).grid.x[0] - 110) < 3


@pytest.mark.slow
@pytest.mark.parametrize("other", [(550, 120), (480, 60), (600, 150)])
def test_two_boards(other: tuple[int, int]) -> None:
    picture = page((90, 120), other)
    assert len(find_grids(picture)) == 2
    with pytest.raises(
        SeveralBoards, match=r"2 boards, one of 9x9 tiles at .* and one of 9x9 .*--box"
    ) as caught:
        read_board(picture)
    assert caught.value.exit_status == 4
    assert [(columns, rows) for columns, rows, _ in caught.value.boards] == [(9, 9), (9, 9)]
    answer = to_dict(Report(error=caught.value))
    assert [board["width"] for board in answer["error"]["boards"]] == [9, 9]
    for number, (_, _, box) in enumerate(caught.value.boards, start=1):
        reading = read_board(picture, board=number)
        assert reading.board == BOARD
        np.testing.assert_allclose(reading.box, box, atol=1)
    with pytest.raises(NoBoardFound, match="board 3 was asked for, but only 2 boards"):
        read_board(picture, board=3)
    assert read_board(picture, box=(60, 50, 470, 520)).board == BOARD


@pytest.mark.parametrize(
    "places",
    [
        [(90, 120), (563, 127), (1030, 90)],  # each row of tiles at a height of its own
        [(90, 60), (313, 527)],  # one below the other, neither as far to the left
        [(40, 37), (700, 530)],  # askew
    ],
)
def test_boards_of_one_game_are_all_found(places: list[tuple[int, int]]) -> None:
    found = find_grids(page(*places, height=950, width=1450))
    corners = sorted((round(grid.x[0]), round(grid.y[0])) for grid in found)
    assert [(grid.columns, grid.rows) for grid in found] == [(9, 9)] * len(places)
    np.testing.assert_allclose(corners, sorted(places), atol=4)


@pytest.mark.parametrize("tile", [16, 30, 40.6], ids=str)
def test_the_tiles_of_another_board_may_be_smaller_or_a_little_larger(tile: float) -> None:
    picture = page((90, 120), width=1100)
    board = cv2.resize(picture[120:480, 90:450], (round(9 * tile),) * 2, interpolation=cv2.INTER_AREA)
    picture[150 : 150 + len(board), 600 : 600 + len(board)] = board
    first, second = sorted(find_grids(picture), key=lambda grid: grid.x[0])
    np.testing.assert_allclose(first.box, (90, 120, 450, 480), atol=4)
    end = round(9 * tile)
    np.testing.assert_allclose(second.box, (600, 150, 600 + end, 150 + end), atol=4)


def test_boards_are_numbered_in_reading_order() -> None:
    """One that stands a little higher than the one at its left is the second all the same."""
    places = [(60, 92), (560, 80), (60, 540)]
    with pytest.raises(SeveralBoards) as caught:
        read_board(page(*places, height=950))
    corners = [box[:2] for _, _, box in caught.value.boards]
    np.testing.assert_allclose(corners, places, atol=4)


def test_another_board_that_does_not_end_where_it_should_is_in_doubt() -> None:
    picture = page((90, 120), (560, 120))
    picture[:, 560 + 4 * 40 + 20 :] = 238
    assert any(not each.convincing for each in locate(picture).others)  # or this would test nothing
    with pytest.raises(SeveralBoards):
        read_board(picture)
    assert read_board(picture, board=2).uncertain.all()
    assert read_board(picture, board=1).uncertain.mean() < 0.1


def letters() -> Picture:
    """A table of tiles each of which is different."""
    rng = np.random.default_rng(5)
    picture = np.full((400, 400, 3), 250, np.uint8)
    picture[::40] = picture[:, ::40] = 120
    for row in range(10):
        for column in range(10):
            ink = rng.random((6, 6)) < 0.4
            part = picture[row * 40 + 8 : row * 40 + 32, column * 40 + 8 : column * 40 + 32]
            part[np.repeat(np.repeat(ink, 4, axis=0), 4, axis=1)] = 30
    return picture


def patchwork() -> Picture:
    colours = np.random.default_rng(6).choice([[235, 237, 240], [155, 233, 168], [33, 110, 57]], (8, 20))
    picture = np.repeat(np.repeat(colours, 20, axis=0), 20, axis=1).astype(np.uint8)
    picture[::20] = picture[:, ::20] = 255
    return np.pad(picture, ((20, 20), (20, 20), (0, 0)), constant_values=255)


def fields() -> Picture:
    """A form: wide empty fields under one another."""
    picture = np.full((600, 700, 3), 246, np.uint8)
    for top in range(40, 550, 52):
        picture[top : top + 30, 220:640] = 180
        picture[top + 1 : top + 29, 221:639] = 255
    return picture


@pytest.mark.parametrize(
    "picture", mostly_slow([patchwork(), letters(), fields()], fast=1), ids=["patchwork", "letters", "form"]
)
def test_what_is_no_board_is_refused_or_wholly_doubted(picture: Picture) -> None:
    refusal, doubt = "", 0.0
    try:
        doubt = float(read_board(picture).uncertain.mean())
    except NoBoardFound as error:
        refusal = str(error)
    assert "--width" in refusal or doubt == 1.0


@pytest.mark.slow
def test_the_stages_of_several_inputs(run: Run, tmp_path: Path, window: Picture) -> None:
    (tmp_path / "more").mkdir()
    names = [tmp_path / "a.png", tmp_path / "more" / "a.png"]
    for name in names:
        save_image(name, window)
    stages = tmp_path / "stages"
    assert run("parse", *names, "--debug", stages).status == 0
    written = {f"{path.parent.name}/{path.name}" for path in stages.rglob("*.*")}
    files = ["1-grid.png", "2-groups.png", "3-tiles.png", "4-nearest.txt", "5-reading.png", "5-reading.txt"]
    assert written == {f"{folder}/{name}" for folder in ("a", "a-2") for name in files}
    assert Board.from_text((stages / "a" / "5-reading.txt").read_text()) == BOARD
    assert load_image(stages / "a" / "1-grid.png").shape[1] == window.shape[1]
    assert "covered" in (stages / "a" / "4-nearest.txt").read_text()


@pytest.mark.slow
def test_where_no_board_or_too_many_were_found_the_search_is_drawn(
    run: Run, tmp_path: Path, window: Picture
) -> None:
    save_image(tmp_path / "blank.png", np.full((200, 300, 3), 250, np.uint8))
    save_image(tmp_path / "tiny.png", np.full((3, 5, 3), 250, np.uint8))
    save_image(tmp_path / "two.png", np.hstack([window, window]))
    for name in ("blank", "tiny", "two"):
        assert run("parse", tmp_path / f"{name}.png", "--debug", tmp_path / name).status == 4
        (drawn,) = (tmp_path / name).iterdir()
        assert drawn.name == "1-grid.png"
        assert load_image(drawn).shape[1] >= 640
    blocked = tmp_path / "two" / "1-grid.png"
    assert "is a file" in run("parse", tmp_path / "blank.png", "--debug", blocked).err


@pytest.mark.slow
def test_drawing_the_search_does_not_repeat_it(
    run: Run, tmp_path: Path, window: Picture, monkeypatch: pytest.MonkeyPatch
) -> None:
    searched: list[Wanted] = []

    def counted(image: Picture, wanted: Wanted) -> list[Candidate]:
        searched.append(wanted)
        return search(image, wanted)

    monkeypatch.setattr("visionsweeper.vision.detection.locate.search", counted)
    save_image(tmp_path / "two.png", np.hstack([window, window]))
    assert run("parse", tmp_path / "two.png", "--debug", tmp_path / "stages").status == 4
    assert (tmp_path / "stages" / "1-grid.png").exists()
    assert searched == [Wanted()]
    with pytest.raises(NoBoardFound) as refused:
        read_board(np.hstack([window, window]))
    assert len(refused.value.considered) >= 1


def test_stages_that_cannot_be_written(run: Run, tmp_path: Path, window: Picture) -> None:
    save_image(tmp_path / "a.png", window)
    assert run("parse", tmp_path / "a.png", "--debug", tmp_path / "a.png" / "x").status == 6
    assert not (tmp_path / "a.solved.png").exists(), "refused before the work"


@pytest.mark.slow
@needs(SCREENS)
def test_real_windows_with_a_width_right_or_wrong() -> None:
    records = sorted(SCREENS.glob("*/*.json"))[4::40]
    right = refused = 0
    for record in records:
        shot = json.loads(record.read_text())
        image = load_image(record.with_suffix(".full.png"))
        grid = locate(image, shot["width"]).grid
        quarter = (shot["box"][2] - shot["box"][0]) / shot["width"] / 4
        right += grid.rows == shot["height"] and np.abs(np.subtract(grid.box, shot["box"])).max() < quarter
        with pytest.raises(NoBoardFound, match="was found"):
            read_board(image, shot["width"] + 1, themes=())
        refused += 1
    assert right >= len(records) - 1
    assert refused == len(records)


@pytest.mark.parametrize("reason", [None, "it is drawn so"])
def test_where_nothing_convinces_the_likeliest_place_is_drawn_as_a_guess(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, reason: str | None
) -> None:
    board = Board.from_text("0000\n0111\n01??\n01??\n")
    shot = tmp_path / "shot.png"
    drawn = render_board(board, tile=24)
    save_image(shot, drawn)
    grid = Grid.even((0, 0, drawn.shape[1], drawn.shape[0]), 4, 4)
    monkeypatch.setattr("visionsweeper.vision.detection.locate.locate", lambda *_: Location(grid, False))
    monkeypatch.setattr("visionsweeper.vision.settling.settle.why_no_board", lambda *_: reason)
    done = run("parse", shot, "--json")
    found = json.loads(done.out)
    assert done.status == 4
    assert found["error"]["kind"] == "no_board"
    assert (found["safe"], found["mine"]) == ([], [])
    assert found["output"] == str(tmp_path / "shot.solved.png")
    assert "--width 4" in done.err
    # What is refused is drawn alone, with a line below that says that it is a guess.
    extra = load_image(tmp_path / "shot.solved.png").shape[0] - drawn.shape[0]
    assert extra >= (22 if reason else 0)
    assert len(found["uncertain"]) == (0 if reason else 16)


def test_what_convinces_only_blurred_is_believed_where_it_is_read_surely(window: Picture) -> None:
    place = replace(locate(window), convincing=False)
    reader = Reader(lambda grid, sides: read(window, grid, load_model(), (), sides))
    reading = settle(window, replace(place, blurred=True), reader)
    assert reading.board == BOARD
    assert not reading.guessed
    assert reading.uncertain.mean() < 0.1
    assert settle(window, place, reader).uncertain.all()
    # Another cut is read more surely: then the blurred picture misled.
    short = Grid(place.grid.x, place.grid.y[:-2])
    other = settle(window, replace(place, grid=short, rivals=(place.grid,), blurred=True), reader)
    assert other.board == BOARD
    assert other.guessed
    assert other.uncertain.all()


@pytest.mark.parametrize(
    ("certain", "score", "believed"),
    [(2.0, 150.0, False), (2.0, 90.0, True), (5.0, 150.0, True)],
    ids=["a larger one is likelier", "it is not", "the smaller one is beyond doubt"],
)
def test_a_part_of_a_likelier_board_is_not_believed(
    window: Picture, monkeypatch: pytest.MonkeyPatch, certain: float, score: float, believed: bool
) -> None:
    """As where covered tiles without any borders follow the opened ones."""
    whole = locate(window).grid
    part = Grid(whole.x[:-3], whole.y)
    smaller = Candidate(part, 100.0, certain, (certain,) * 4, np.full((9, 6), certain), 0.0)
    larger = Candidate(whole, score, 3.0, (5.0, 0.4, 5.0, 5.0), np.full((9, 9), 3.0), 0.0)
    shifted = [replace(smaller, grid=Grid(part.x + at, part.y), score=99.0 - at) for at in (1, 2, 3)]
    monkeypatch.setattr(locating, "search", lambda *_: [smaller, *shifted, larger])
    monkeypatch.setattr(locating, "with_missed_tiles", lambda _, grid, __: Whole(grid, 8.0))
    place = locate(window)
    assert place.grid is part
    assert place.convincing == believed
    assert (whole in place.rivals) == (not believed)
    reading = settle(window, place, Reader(lambda grid, sides: read(window, grid, load_model(), (), sides)))
    assert reading.guessed != believed
    if not believed:
        assert reading.board == BOARD
        assert reading.uncertain.all()
    told = locate(window, 6)  # of a size that was given there is no larger one
    assert told.convincing
    assert told.grid.columns == 6


@pytest.mark.parametrize(("certain", "rows"), [(5.0, 9), (2.0, 6)])
def test_of_the_told_width_a_board_beyond_doubt_is_taken_though_only_the_blurred_picture_shows_it(
    window: Picture, monkeypatch: pytest.MonkeyPatch, certain: float, rows: int
) -> None:
    """As where the first rows are covered tiles without lines between them."""
    whole = locate(window).grid
    part = Candidate(Grid(whole.x, whole.y[3:]), 90.0, 2.0, (2.0,) * 4, np.full((6, 9), 2.0), 0.0)
    larger = Candidate(whole, 150.0, certain, (certain,) * 4, np.full((9, 9), certain), 0.0, blurred=True)
    monkeypatch.setattr(locating, "search", lambda *_, **__: [larger, part])
    place = locate(window, 9)
    assert (place.grid.columns, place.grid.rows) == (9, rows)
    assert place.convincing == (rows == 6)


@pytest.mark.parametrize("told", [None, 9, 7])
def test_two_cuts_of_one_lattice_may_be_parts_of_a_board(
    window: Picture, monkeypatch: pytest.MonkeyPatch, told: int | None
) -> None:
    """Its first rows show in the one, its last columns in the other: they are joined, and read too."""
    whole = locate(window).grid
    wide, high = Grid(whole.x, whole.y[:-2]), Grid(whole.x[2:] + 0.4, whole.y + 0.4)
    sides = (0.5, 0.5, 0.5, -0.5)
    found = [
        Candidate(grid, score, 1.0, sides, np.ones((grid.rows, grid.columns)), 0.0)
        for grid, score in ((wide, 90.0), (high, 80.0))
    ]
    monkeypatch.setattr(locating, "search", lambda *_, **__: found)
    monkeypatch.setattr(locating, "_with_plain_cover", lambda *_: None)
    place = locate(window, told)
    joined = [grid for grid in place.rivals if np.abs(np.subtract(grid.box, whole.box)).max() < 1]
    assert len(joined) == (told != 7)
    reading = settle(window, place, Reader(lambda grid, sides: read(window, grid, load_model(), (), sides)))
    if told != 7:
        assert reading.board == BOARD
    if told is None:
        assert reading.uncertain.all()


@pytest.mark.parametrize("off", [(8, 0), (8, 8), (0, 0), (1, 0)])
def test_cuts_that_share_little_or_hold_each_other_are_not_joined(off: tuple[int, int]) -> None:
    one = Grid(20.0 * np.arange(10.0), 20.0 * np.arange(10.0))
    across, down = off
    other = Grid(20.0 * (np.arange(10.0 - (across == 1)) + across), 20.0 * (np.arange(10.0) + down))
    assert locating._joined(one, [other], Wanted()) == []


def test_neither_a_finer_lattice_nor_one_beside_a_board_puts_it_in_doubt(
    window: Picture, monkeypatch: pytest.MonkeyPatch
) -> None:
    whole = locate(window).grid
    board = Candidate(whole, 100.0, 2.0, (2.0,) * 4, np.full((9, 9), 2.0), 0.0)
    finer = Grid.even(whole.box, 18, 18)
    aside = Grid(whole.x[-2] + whole.pitch_x * np.arange(14), whole.y)
    others = [
        Candidate(grid, 900.0, 3.0, (5.0, 0.4, 5.0, 5.0), np.full((grid.rows, grid.columns), 3.0), 0.0)
        for grid in (finer, aside)
    ]
    monkeypatch.setattr(locating, "search", lambda *_: [board, *others])
    monkeypatch.setattr(locating, "with_missed_tiles", lambda _, grid, __: Whole(grid, 8.0))
    assert locate(window).convincing


def test_another_board_in_the_picture_is_not_taken_for_a_part(
    window: Picture, monkeypatch: pytest.MonkeyPatch
) -> None:
    whole = locate(window).grid
    part = Candidate(Grid(whole.x[:-3], whole.y), 100.0, 2.0, (2.0,) * 4, np.full((9, 6), 2.0), 0.0)
    larger = Candidate(whole, 150.0, 3.0, (5.0, 0.4, 5.0, 5.0), np.full((9, 9), 3.0), 0.0)
    second = replace(part, grid=Grid(whole.x[:-3] + 500, whole.y), score=90.0)
    monkeypatch.setattr(locating, "search", lambda *_: [part, second, larger])
    assert [each.grid.box for each in locate(window).others] == [second.grid.box]


def test_beside_a_board_smaller_covered_tiles_alone_are_no_second_one() -> None:
    untouched = draw_board(Board(np.full((9, 9), COVERED, np.uint8)))[0][10:-10, 10:-10]
    same = page((90, 120), (560, 120))
    same[120:480, 90:450] = untouched
    with pytest.raises(SeveralBoards):
        read_board(same, themes=())
    smaller = page((560, 120))
    smaller[120:390, 90:360] = cv2.resize(untouched, (270, 270), interpolation=cv2.INTER_AREA)
    assert len(locate(smaller).others) == 1  # or this would test nothing
    assert read_board(smaller, themes=()).board == BOARD


@pytest.mark.parametrize("borne_out", [True, False])
def test_without_a_header_a_board_is_in_doubt_only_where_it_is_not_read_surely(
    window: Picture, borne_out: bool
) -> None:
    place = locate(window)
    y = place.grid.y
    longer = Grid(place.grid.x, np.concatenate([[2 * y[0] - y[1]], y]))

    def reads(grid: Grid, sides: tuple[Side, ...]) -> Reading:
        reading = read(window, grid, load_model(), (), sides)
        cells, confidence = reading.board.cells.copy(), reading.confidence.copy()
        if grid.rows == longer.rows:
            cells[0], confidence[0] = 1, 0.1
        elif not borne_out:
            confidence[:] = 0.1
        return replace(reading, board=Board(cells), confidence=confidence)

    reading = settle(window, replace(place, grid=longer, considered=()), Reader(reads))
    assert reading.board == BOARD
    assert reading.grid.box == pytest.approx(place.grid.box)
    assert reading.uncertain.mean() < 0.1 if borne_out else reading.uncertain.all()


def test_a_cell_that_looks_like_no_tile_is_in_doubt(window: Picture) -> None:
    place = locate(window, 9)
    assert place.convincing
    best = place.considered[0]
    cells = best.cells.copy()
    assert (cells > 0).all()
    cells[2, 5] = -0.5
    theirs = replace(place, considered=(replace(best, cells=cells), *place.considered[1:]))
    reader = Reader(lambda grid, sides: read(window, grid, load_model(), (), sides))
    before, after = (settle(window, each, reader).uncertain for each in (place, theirs))
    assert np.argwhere(after & ~before).tolist() == [[2, 5]]


@pytest.mark.slow
def test_a_search_in_noise_ends(monkeypatch: pytest.MonkeyPatch) -> None:
    looked_at: list[int] = []
    sampled: list[int] = []

    def counted(image: Picture, lattice: Grid) -> TileMap:
        looked_at.append(lattice.rows * lattice.columns)
        return map_tiles(image, lattice)

    def counted_too(image: Picture, lattice: Grid) -> float:
        sampled.append(lattice.rows * lattice.columns)
        return likeliest_tile(image, lattice)

    monkeypatch.setattr(candidates, "map_tiles", counted)
    monkeypatch.setattr(candidates, "likeliest_tile", counted_too)
    monkeypatch.setattr(searching, "Effort", lambda *_: Effort(4000))
    monkeypatch.setattr(searching, "_LEAST_LATER", 1000)
    colours = np.random.default_rng(0).integers(0, 256, (60, 200, 3), dtype=np.uint8)
    search(colours.repeat(16, axis=0).repeat(16, axis=1), Wanted())
    assert len(looked_at) > 1
    # So many in the picture, where glyphs stand, in each of two copies, and while shifting; each ends with
    # the lattice it is at.
    assert sum(looked_at) > 4000
    assert sum(looked_at) + sum(sampled) <= 2 * 4000 + 3 * 1000 + 5 * max(looked_at)


def dithered(tile: int, seed: int) -> tuple[Picture, Grid]:
    """A 30x16 board in two colours, its covered tiles chequered pixel by pixel, within a gray page."""
    cells = random_position(np.random.default_rng(seed), size=(16, 30))
    closed = np.kron(cells > 8, np.ones((tile, tile), bool))
    chequered = np.indices(closed.shape).sum(axis=0) % 2 == 1
    board = np.full((16 * tile + 1, 30 * tile + 1, 3), 255, np.uint8)
    board[:-1, :-1][closed & chequered] = 0
    for (row, column), number in np.ndenumerate(cells):
        if 1 <= number <= 8:
            place = (column * tile + tile // 3, row * tile + tile - tile // 4)
            cv2.putText(board, str(number), place, cv2.FONT_HERSHEY_SIMPLEX, tile / 40, (0, 0, 0))
    board[::tile] = board[:, ::tile] = 0
    page = np.pad(board, ((30, 20), (20, 20), (0, 0)), constant_values=200)
    return page, Grid(np.arange(31.0) * tile + 20.0, np.arange(17.0) * tile + 30.0)


@pytest.mark.parametrize(("tile", "seed"), [(16, 1), (24, 2), (21, 4), (16, 5), (21, 7), (24, 8)])
def test_a_dithered_board_is_found_whole(tile: int, seed: int) -> None:
    """Blurred where need be; then the borders may be off by a pixel, and the reading has to bear it out."""
    picture, truth = dithered(tile, seed)
    found = locate(picture)
    assert not found.blurred or found.considered[0].beyond_doubt
    assert (found.grid.columns, found.grid.rows) == (30, 16)
    np.testing.assert_allclose(found.grid.box, truth.box, atol=tile / 4)
    assert found.convincing is not found.considered[0].blurred


@pytest.mark.slow
def test_a_board_is_found_on_a_dithered_desktop() -> None:
    """Many lattices fit the desktop's fine pattern; they leave enough to look without the grain."""
    window, truth = dithered(16, 1)
    left, top = 190, 170
    desktop = (np.indices((860, 1180)).sum(axis=0) % 2 * 255).astype(np.uint8)[..., None].repeat(3, axis=2)
    desktop[top : top + len(window), left : left + window.shape[1]] = window
    found = locate(desktop).grid
    assert (found.columns, found.rows) == (30, 16)
    x0, y0, x1, y1 = truth.box
    np.testing.assert_allclose(found.box, (x0 + left, y0 + top, x1 + left, y1 + top), atol=4)


def round_tiles(left: int, top: int) -> Picture:
    """A 16x16 board of discs 38 px wide, 44 px apart, with a heading above; not one straight line."""
    page = np.full((1034, 864, 3), (255, 250, 235), np.uint8)
    cv2.putText(page, "Round tiles", (24, 70), cv2.FONT_HERSHEY_SIMPLEX, 1.2, (30, 30, 30), 2, cv2.LINE_AA)
    cv2.putText(page, "8 to find", (24, 110), cv2.FONT_HERSHEY_SIMPLEX, 0.6, (30, 30, 30), 1, cv2.LINE_AA)
    cells = random_position(np.random.default_rng(5), size=(16, 16))
    for (row, column), tile in np.ndenumerate(cells):
        centre = (left + 44 * column + 19, top + 44 * row + 19)
        disc = (240, 160, 10) if tile > 8 else (255, 240, 200)
        cv2.circle(page, centre, 19, disc, -1, cv2.LINE_AA)
        sign = str(tile) if 1 <= tile <= 8 else "F" if tile == FLAG else ""
        place = (centre[0] - 5, centre[1] + 6)
        cv2.putText(page, sign, place, cv2.FONT_HERSHEY_SIMPLEX, 0.5, (25, 80, 160), 1, cv2.LINE_AA)
    return page


@pytest.mark.slow
@pytest.mark.parametrize(("left", "top"), [(24, 141), (29, 152), (35, 163), (40, 174)])
def test_round_tiles_are_found_wherever_they_lie(left: int, top: int) -> None:
    """Discs repeat, but tell nothing of where one tile ends: that is found by shifting the lattice."""
    found = locate(round_tiles(left, top)).grid
    assert (found.columns, found.rows) == (16, 16)
    np.testing.assert_allclose(found.box, (left - 3, top - 3, left + 701, top + 701), atol=44 / 8)


def inset_game() -> tuple[Board, Picture]:
    """A game whose covered tiles show no lines, with the page left and right of it."""
    board = Board.from_text("""
        ????10001???
        ????20001???
        ????20001???
        112110001???
        000000002???
        111000002???
        ??2111111???
        ????????????
    """)
    ground, field = np.array([12, 36, 30], np.uint8), np.array([31, 74, 64], np.uint8)
    picture = np.tile(ground, (8 * 30, 14 * 30, 1))
    picture[:, 30:-30] = field
    image = Image.fromarray(picture)
    drawing, font = ImageDraw.Draw(image), ImageFont.load_default(16)
    for (row, column), cell in np.ndenumerate(board.cells):
        left, top = 30 * (column + 1), 30 * row
        if cell != COVERED:
            drawing.rectangle((left + 1, top + 1, left + 28, top + 28), "#b8f0d8")
        if cell != COVERED and cell:
            colour = ("#1050c0", "#207020")[int(cell) - 1]
            drawing.text((left + 15, top + 15), str(cell), colour, font, anchor="mm")
    return board, np.asarray(image)


@pytest.mark.parametrize(
    ("other", "told"),
    [((9, 1, 7), (12, 1)), ((12, 1, 8), (11, 1)), ((12, 1, 8), (13, 1)), ((12, 1, 8), (13, 0))],
    ids=["the opened part", "a column less", "a column of page on the right", "and on the left"],
)
def test_a_told_width_is_believed_where_its_cut_is_read_as_surely(
    other: tuple[int, int, int], told: tuple[int, int]
) -> None:
    """As the opened part of the board, which contradicts itself, but not instead of the board itself."""
    board, picture = inset_game()

    def cut(columns: int, first: int, rows: int) -> Grid:
        return Grid.even((30.0 * first, 0.0, 30.0 * (first + columns), 30.0 * rows), columns, rows)

    error = NoBoardFound("of another size")
    place = Location(
        cut(*other), False, rivals=(cut(*told, 8),), contrary=error, wanted=Wanted(told[0]), as_told=True
    )
    reader = Reader(lambda grid, sides: read(picture, grid, load_model(), (), sides))
    if told[0] == board.columns:
        reading = settle(picture, place, reader)
        assert reading.board == board
        assert not reading.uncertain.any()
    else:
        with pytest.raises(NoBoardFound, match="of another size"):
            settle(picture, place, reader)


def test_a_told_width_is_believed_where_a_row_of_displays_lies_on_its_lattice() -> None:
    """A few tiles of the board seemed to be one: the rows of the wide cut are read without the displays."""
    board, side = BOARD, 32
    tiles = render_board(board, tile=side)
    head = np.zeros((side, 9 * side, 3), np.uint8)
    for column, sign in enumerate("042<+>167"):
        left = column * side
        cv2.rectangle(head, (left + 1, 1), (left + side - 2, side - 2), (30 + 20 * column, 0, 40), -1)
        cv2.putText(head, sign, (left + 8, 24), 0, 0.8, (255, 60, 40 + 20 * column), 2, cv2.LINE_AA)
    picture = np.concatenate([head, tiles])
    whole = Grid(side * np.arange(10.0), side * np.arange(board.rows + 2.0))
    part = Grid(whole.x[2:5], whole.y)
    error = NoBoardFound("of another size")
    place = Location(part, False, rivals=(whole,), contrary=error, wanted=Wanted(9), as_told=True)
    reader = Reader(lambda grid, sides: read(picture, grid, load_model(), (), sides))
    reading = settle(picture, place, reader)
    assert reading.board == board
    assert reading.uncertain.mean() < 0.05


@pytest.mark.parametrize(("first", "last"), [(0, 8), (1, 9)], ids=["the last column", "the first column"])
def test_a_told_width_is_believed_where_a_column_shows_beside_the_board(
    window: Picture, first: int, last: int
) -> None:
    """The columns that the cut has are a board by themselves; nothing else of the told width is proposed."""
    part = Grid(90 + 40 * np.arange(first, last + 1.0), 120 + 40 * np.arange(10.0))
    seen = Candidate(part, 600.0, 5.0, (2.0, 2.0, 5.0, 5.0), np.full((9, 8), 5.0), 0.0)
    reader = Reader(lambda grid, sides: read(window, grid, load_model(), (), sides))
    error = NoBoardFound("of another size")
    for told in (9, 10):
        place = Location(part, False, contrary=error, wanted=Wanted(told), as_told=True, considered=(seen,))
        if told == 9:
            reading = settle(window, place, reader)
            assert reading.board == BOARD
            assert reading.uncertain.mean() < 0.05
        else:
            with pytest.raises(NoBoardFound, match="of another size"):
                settle(window, place, reader)


def test_an_error_names_each_board_once() -> None:
    """Though the search has several cuts of it."""
    cuts = [
        Candidate(
            Grid(x + 40 * np.arange(10.0), 40 * np.arange(10.0)), score, 5.0, (5.0,) * 4, np.ones((9, 9)), 0.0
        )
        for x, score in ((100.0, 700.0), (101.0, 650.0), (600.0, 500.0))
    ]
    error = locating._another_size(cuts, Wanted(12))
    assert "2 boards, one of 9x9 tiles at 100,0,460,360 and one of 9x9 tiles at 600,0,960,360" in str(error)
