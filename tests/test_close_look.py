"""Groups of look-alikes are split where their glyphs differ."""

import cv2
import numpy as np
import pytest

from visionsweeper.vision.tiles.close_look import pull_apart
from visionsweeper.vision.tiles.features import FloatArray, to_lab


def tiles(digits: str, *, height: float = 0.35, noise: float = 0.0) -> FloatArray:
    """One 32 px tile a digit, drawn small and up to an eighth of a pixel off its place."""
    rng = np.random.default_rng(5)
    drawn = []
    for digit in digits:
        large = np.full((256, 256, 3), (50, 14, 8), np.uint8)
        dx, dy = rng.integers(-1, 2, 2)
        cv2.putText(
            large, digit, (95 + dx, 165 + dy), cv2.FONT_HERSHEY_SIMPLEX, height * 8, (255, 220, 210), 14
        )
        small = cv2.resize(large, (32, 32), interpolation=cv2.INTER_AREA).astype(float)
        drawn.append(np.clip(small + rng.normal(0, noise, small.shape), 0, 255).astype(np.uint8))
    return to_lab(np.stack(drawn))


@pytest.mark.parametrize("noise", [0.0, 2.0])
def test_small_digits_in_one_group_are_told_apart(noise: float) -> None:
    digits = "2222322232222322"
    apart = pull_apart(np.zeros(len(digits), np.intp), tiles(digits, noise=noise))
    assert [apart[0] if digit == "2" else apart[4] for digit in digits] == apart.tolist()
    assert apart[0] != apart[4]


@pytest.mark.parametrize("digits", ["2222222222", "3", "55", "11111111111111111111"])
@pytest.mark.parametrize("noise", [0.0, 2.0])
def test_alike_stay_together(digits: str, noise: float) -> None:
    groups = np.zeros(len(digits), np.intp)
    assert pull_apart(groups, tiles(digits, noise=noise)).tolist() == groups.tolist()


def test_groups_that_were_apart_stay_apart_and_keep_their_numbers() -> None:
    groups = np.array([0, 1, 0, 1, 2], np.intp)
    assert pull_apart(groups, tiles("22223")).tolist() == groups.tolist()
    assert groups.tolist() == [0, 1, 0, 1, 2]


def test_plain_tiles_with_noise_stay_together() -> None:
    rng = np.random.default_rng(1)
    plain = np.clip(128 + rng.normal(0, 2, (40, 32, 32, 3)), 0, 255).astype(np.uint8)
    assert not pull_apart(np.zeros(40, np.intp), to_lab(plain)).any()


def plates(digits: str, noise: float) -> FloatArray:
    """One 32 px tile a digit: thin and pale, on a plate whose dark surroundings have far more contrast."""
    rng = np.random.default_rng(7)
    drawn = []
    for digit in digits:
        tile = np.full((32, 32, 3), (54, 57, 66), np.uint8)
        tile[5:30, 6:29] = (137, 172, 190)
        tile[26:30, 6:29] = tile[5:30, 26:29] = (64, 110, 128)
        cv2.putText(tile, digit, (11, 22), cv2.FONT_HERSHEY_SIMPLEX, 0.45, (240, 244, 246), 1, cv2.LINE_AA)
        drawn.append(np.clip(tile + rng.normal(0, noise, tile.shape), 0, 255).astype(np.uint8))
    return to_lab(np.stack(drawn))


@pytest.mark.parametrize("noise", [0.0, 2.0])
def test_pale_digits_on_plates_are_told_apart(noise: float) -> None:
    digits = "222222222322"
    apart = pull_apart(np.zeros(len(digits), np.intp), plates(digits, noise))
    assert apart.tolist() == [0] * 9 + [1] + [0] * 2


@pytest.mark.parametrize("noise", [0.0, 2.0, 6.0])
def test_plates_that_are_alike_stay_together(noise: float) -> None:
    assert not pull_apart(np.zeros(12, np.intp), plates("2" * 12, noise)).any()
