"""One drawing on two backgrounds, on tiles that are drawn here."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
import pytest
from outside_data import SCREENS, needs
from PIL import Image, ImageDraw

from visionsweeper import read_board
from visionsweeper.board import COVERED, FLAG, MINE
from visionsweeper.vision.tiles.classes import CLASS_NAMES, QUESTION, WRONG_FLAG
from visionsweeper.vision.tiles.features import to_lab
from visionsweeper.vision.tiles.pixels import pictures_of
from visionsweeper.vision.tiles.same_drawing import one_drawing, share_kinds

GRAY, RED, BLUE = (192, 192, 192), (200, 20, 20), (40, 60, 160)


def flag(
    background: tuple[int, int, int], cloth: tuple[int, int, int] = (230, 60, 40)
) -> npt.NDArray[np.uint8]:
    """A (32, 32, 3) uint8 RGB tile with soft edges."""
    tile = Image.new("RGB", (128, 128), background)
    draw = ImageDraw.Draw(tile)
    draw.rectangle((64, 24, 72, 104), fill="black")
    draw.polygon([(64, 24), (64, 64), (24, 44)], fill=cloth, outline="black")
    draw.rectangle((40, 96, 96, 104), fill="black")
    return np.asarray(tile.resize((32, 32), Image.Resampling.BOX))


def mine(background: tuple[int, int, int]) -> npt.NDArray[np.uint8]:
    """A (32, 32, 3) uint8 RGB tile with soft edges."""
    tile = Image.new("RGB", (128, 128), background)
    draw = ImageDraw.Draw(tile)
    draw.ellipse((32, 32, 96, 96), fill="black")
    draw.line((64, 16, 64, 112), fill="black", width=8)
    draw.line((16, 64, 112, 64), fill="black", width=8)
    return np.asarray(tile.resize((32, 32), Image.Resampling.BOX))


def plain(background: tuple[int, int, int]) -> npt.NDArray[np.uint8]:
    return np.full((32, 32, 3), background, np.uint8)


def lab_and_background(
    *tiles: npt.NDArray[np.uint8],
) -> tuple[npt.NDArray[np.float32], npt.NDArray[np.float32]]:
    """(n, 32, 32, 3) CIE Lab of the tiles and (n, 3) of their top left pixels."""
    lab = to_lab(np.stack(tiles))
    return lab, lab[:, 0, 0]


def pictures(*tiles: npt.NDArray[np.uint8]) -> npt.NDArray[np.float32]:
    """The tiles as pictures of groups, each one tile."""
    logs = np.zeros((len(tiles), len(CLASS_NAMES)), np.float32)
    return pictures_of(np.stack(tiles), np.arange(len(tiles)), logs)


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        (flag(GRAY), flag(RED), True),
        (flag(GRAY), flag(BLUE), True),
        (mine(GRAY), mine(RED), True),
        (flag(GRAY), flag(GRAY), False),  # one background, not two
        (flag(GRAY), mine(RED), False),
        (flag(GRAY), plain(RED), False),
        (plain(GRAY), plain(RED), False),  # nothing is drawn there
        (flag(GRAY, cloth=BLUE), flag(RED), False),
        (flag(GRAY, cloth=RED), plain(RED), False),
        (flag(GRAY), np.ascontiguousarray(flag(RED)[:, ::-1]), False),
    ],
)
def test_a_drawing_is_the_same_on_another_background(
    one: npt.NDArray[np.uint8], other: npt.NDArray[np.uint8], *, same: bool
) -> None:
    first, second = one_drawing(*lab_and_background(one, other))
    assert (first.tolist(), second.tolist()) == (([0], [1]) if same else ([], []))


def test_what_is_no_mine_on_one_ground_is_none_on_another() -> None:
    """A flag that is red on red looks like a mine that exploded, until it is seen beside the other flags."""
    likelihood = np.full((3, len(CLASS_NAMES)), 0.002, np.float32)
    likelihood[0, FLAG] = 0.97
    likelihood[1, [MINE, WRONG_FLAG]] = 0.7, 0.2
    likelihood[2, MINE] = 0.97
    logs = np.log(likelihood)
    tiles = flag(GRAY), flag(RED), mine(BLUE)
    shared = share_kinds(logs, pictures(*tiles), lab_and_background(*tiles)[1], np.array([9, 1, 5]))
    assert shared.argmax(axis=1).tolist() == [FLAG, WRONG_FLAG, MINE]
    np.testing.assert_array_equal(shared[2], logs[2])


@pytest.mark.parametrize("tiles", [1, 49])
def test_one_tile_does_not_tell_many_with_its_drawing_what_they_are(tiles: int) -> None:
    """It is the surer one, but of another opinion; a group as small as itself it would tell."""
    likelihood = np.full((2, len(CLASS_NAMES)), 0.002, np.float32)
    likelihood[0, [MINE, QUESTION]] = 0.8, 0.15
    likelihood[1, QUESTION] = 0.97
    drawn = mine(GRAY), mine(BLUE)
    background = lab_and_background(*drawn)[1]
    shared = share_kinds(np.log(likelihood), pictures(*drawn), background, np.array([tiles, 1]))
    assert shared[0].argmax() == (QUESTION if tiles == 1 else MINE)


def test_a_frame_is_no_drawing_by_which_a_blank_tells_what_others_are() -> None:
    """A number read surely enough stays one, though the frame around it is that of the covered tiles."""
    likelihood = np.full((2, len(CLASS_NAMES)), 0.002, np.float32)
    likelihood[0, COVERED] = 0.97
    likelihood[1, [4, COVERED]] = 0.6, 0.3
    framed = [np.pad(plain(background)[8:24, 8:24], ((8, 8), (8, 8), (0, 0))) for background in (GRAY, BLUE)]
    lab, background = lab_and_background(*framed)
    background = lab[:, 16, 16]
    assert one_drawing(lab, background)[0].tolist() == [0]
    logs = np.log(likelihood)
    seen = pictures(*framed)
    np.testing.assert_array_equal(share_kinds(logs, seen, background, np.ones(2, int)), logs)
    for which in ([], [0, 0, 0]):
        shared = share_kinds(logs[which], seen[which], background[which], np.ones(len(which), int))
        np.testing.assert_array_equal(shared, logs[which])


def test_without_a_second_ground_nothing_is_shared() -> None:
    logs = np.log(np.random.default_rng(1).dirichlet(np.ones(len(CLASS_NAMES)), 2)).astype(np.float32)
    tiles = flag(GRAY), mine(RED)
    shared = share_kinds(logs, pictures(*tiles), lab_and_background(*tiles)[1], np.array([4, 2]))
    np.testing.assert_array_equal(shared, logs)


@needs(SCREENS)
@pytest.mark.parametrize("size", ["07_small_lost", "08_custom_lost_dense"])
def test_a_flag_on_red_ground_is_a_wrong_flag(size: str) -> None:
    """A game lost in GNOME Mines: its flags are red, and the wrong ones stand on red."""
    shot = SCREENS / "gnome-mines-classic" / f"{size}.png"
    truth = shot.with_suffix(".txt").read_text().split()
    reading = read_board(shot, len(truth[0]), len(truth), themes=())
    assert "".join(str(reading.board).split()) == "".join(truth)
