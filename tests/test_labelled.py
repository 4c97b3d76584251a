"""Labelled shots on disk: found with their themes, refused in words when something is wrong with them."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from labelled_shots import position, write_shot, write_shots

from visionsweeper import Board
from visionsweeper.board import COVERED
from visionsweeper.errors import InvalidInput
from visionsweeper.io.images import load_image, save_image
from visionsweeper.synthetic.render import render_board
from visionsweeper.training.dataset import Shot, divide, find_shots
from visionsweeper.vision.tiles.classes import QUESTION

BOARD = Board.from_text("0112?\n01F2?\n01122\n")


def test_shots_are_found_below_the_folder_with_the_folder_as_theme(tmp_path: Path) -> None:
    write_shots(tmp_path, ("flat", "dark"), 2)
    write_shot(tmp_path / "program" / "night", "a", BOARD, "dark")
    shots = find_shots(tmp_path)
    assert [(shot.theme, shot.name) for shot in shots] == [
        ("dark", "dark/00"),
        ("dark", "dark/01"),
        ("flat", "flat/00"),
        ("flat", "flat/01"),
        ("program/night", "program/night/a"),
    ]
    assert shots[0].board == position(0)
    assert shots[-1].board == BOARD
    assert [shot.theme for shot in find_shots(tmp_path / "flat")] == ["flat", "flat"]
    # A shot named twice is one shot.
    assert len(find_shots(tmp_path, tmp_path / "flat")) == 5


def test_shots_of_several_themes_in_one_folder_are_told_apart_by_their_json(tmp_path: Path) -> None:
    for name, theme in (("a", "dark"), ("b", "flat")):
        text = write_shot(tmp_path, name, BOARD, theme)
        text.with_suffix(".json").write_text(json.dumps({"theme": theme}))
    assert [shot.theme for shot in find_shots(tmp_path)] == ["dark", "flat"]
    (tmp_path / "b.json").unlink()
    assert {shot.theme for shot in find_shots(tmp_path)} == {tmp_path.name}


def test_texts_and_pictures_that_are_no_shots_are_left_out(tmp_path: Path) -> None:
    write_shot(tmp_path, "a", BOARD, "flat")
    (tmp_path / "README.txt").write_text("These are my shots.")
    save_image(tmp_path / "unlabelled.png", render_board(BOARD))
    save_image(tmp_path / "a.solved.png", render_board(BOARD))
    assert [shot.name for shot in find_shots(tmp_path)] == ["a"]


def test_question_marks_of_the_json_are_a_class_of_their_own(tmp_path: Path) -> None:
    text = write_shot(tmp_path, "a", BOARD, "flat")
    text.with_suffix(".json").write_text(json.dumps({"question_marks": [[1, 4]], "width": 5, "height": 3}))
    (shot,) = find_shots(tmp_path)
    assert shot.classes[1, 4] == QUESTION
    assert shot.classes[0, 4] == COVERED
    assert shot.board == BOARD
    example = shot.example()
    assert (example.grid.columns, example.grid.rows) == (5, 3)
    np.testing.assert_array_equal(example.classes, shot.classes.ravel())
    assert sorted(example.order) == list(range(15))


def test_uncropped_pictures(tmp_path: Path) -> None:
    text = write_shot(tmp_path, "a", BOARD, "flat")
    assert not find_shots(tmp_path)[0].has_uncropped
    board = load_image(tmp_path / "a.png")
    window = np.full((board.shape[0] + 60, board.shape[1] + 40, 3), 200, dtype=np.uint8)
    window[50:-10, 20:-20] = board
    save_image(tmp_path / "a.full.png", window)
    (shot,) = find_shots(tmp_path)
    assert shot.has_uncropped
    np.testing.assert_array_equal(shot.cropped(), board)
    np.testing.assert_array_equal(shot.uncropped(), window)
    # With the window alone the box says where the board is, whether it is called NAME.full.png or NAME.png.
    box = {"box": [20, 50, 20 + board.shape[1], 50 + board.shape[0]]}
    text.with_suffix(".json").write_text(json.dumps(box))
    (tmp_path / "a.png").unlink()
    np.testing.assert_array_equal(find_shots(tmp_path)[0].cropped(), board)
    (tmp_path / "a.full.png").rename(tmp_path / "a.png")
    np.testing.assert_array_equal(find_shots(tmp_path)[0].cropped(), board)
    np.testing.assert_array_equal(find_shots(tmp_path)[0].uncropped(), window)


def test_folders_without_shots_are_refused(tmp_path: Path) -> None:
    with pytest.raises(InvalidInput, match=r"no labelled shots in .*beside NAME\.txt"):
        find_shots(tmp_path)
    with pytest.raises(InvalidInput, match="missing: no such folder"):
        find_shots(tmp_path / "missing")
    text = write_shot(tmp_path, "a", BOARD, "flat")
    with pytest.raises(InvalidInput, match=r"a\.txt: is not a folder"):
        find_shots(text)


@pytest.mark.parametrize(
    ("data", "complaint"),
    [
        (b"0112\n01\n", r"a\.txt: line 2 of the board has 2 tiles, but the first row has 4"),
        (b"0112\n01Z2\n", r"a\.txt: line 2 of the board has an unknown character 'Z'"),
        (b"# nothing\n", r"a\.txt: the text holds no board"),
        (b"\xff\xfe\x00", r"a\.txt is not a text file"),
        (b"\x80\x81", r"a\.txt is not a text file"),
    ],
)
def test_texts_that_are_no_boards_are_refused(tmp_path: Path, data: bytes, complaint: str) -> None:
    write_shot(tmp_path, "a", BOARD, "flat").write_bytes(data)
    with pytest.raises(InvalidInput, match=complaint):
        find_shots(tmp_path)


@pytest.mark.parametrize(
    ("record", "complaint"),
    [
        ("{", "is not JSON"),
        ("[]", "does not hold a JSON object"),
        ('{"width": 9}', r"has 5x3 tiles, but a\.json says width 9"),
        ('{"question_marks": [[0, 0]]}', "row 0, column 0 is not on a covered tile"),
        ('{"question_marks": [[7, 0]]}', "row 7, column 0 is not on a covered tile"),
        ('{"question_marks": 3}', r"question_marks are \[row, column\] pairs"),
        ('{"box": [1, 2]}', r"a box is \[x0, y0, x1, y1\]"),
    ],
)
def test_records_that_contradict_the_text_are_refused(tmp_path: Path, record: str, complaint: str) -> None:
    write_shot(tmp_path, "a", BOARD, "flat").with_suffix(".json").write_text(record)
    with pytest.raises(InvalidInput, match=complaint):
        find_shots(tmp_path)


def test_a_text_that_does_not_fit_its_picture_is_refused(tmp_path: Path) -> None:
    text = write_shot(tmp_path, "a", position(0, 16, 30), "flat")
    text.write_text(str(position(0, 30, 16)))
    with pytest.raises(InvalidInput, match=r"16x30 tiles, which do not fit a\.png of 720x384 px"):
        find_shots(tmp_path)[0].cropped()


def test_a_damaged_picture_is_refused_by_name(tmp_path: Path) -> None:
    write_shot(tmp_path, "a", BOARD, "flat")
    (tmp_path / "a.png").write_bytes(b"no picture")
    with pytest.raises(InvalidInput, match=r"a\.png"):
        find_shots(tmp_path)[0].cropped()


def shots_of(themes: int, each: int) -> list[Shot]:
    return [
        Shot(
            f"{theme}/{number}", f"theme {theme}", BOARD, (), Path(f"{theme}/{number}.txt"), None, None, None
        )
        for theme in range(themes)
        for number in range(each)
    ]


@pytest.mark.parametrize(("themes", "each"), [(3, 5), (7, 8), (21, 7), (10, 1)])
@pytest.mark.parametrize("drawn", [True, False])
def test_no_theme_that_confidence_is_fitted_on_was_seen_before(themes: int, each: int, drawn: bool) -> None:
    shots = shots_of(themes, each)
    if themes * each < 15 and not drawn:
        with pytest.raises(InvalidInput, match=r"too few to train on alone.*--boards"):
            divide(shots[:9], drawn=False, seed=1)
        return
    division = divide(shots, drawn=drawn, seed=1)
    assert division == divide(shots, drawn=drawn, seed=1)
    kept_apart = {shot.theme for shot in division.calibration}
    assert kept_apart.isdisjoint(shot.theme for shot in (*division.embedding, *division.context))
    used = {*division.embedding, *division.context, *division.calibration}
    assert {shot.name for shot in used} == {shot.name for shot in shots}
    if not drawn or themes > 6:
        assert len(division.calibration) >= 5 or themes * each < 15
