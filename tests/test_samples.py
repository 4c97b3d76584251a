"""The samples: truth and picture belong together, and the script still makes them."""

import importlib.util
import sys
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from visionsweeper import Board
from visionsweeper.board import COVERED, FLAG, MINE

SAMPLES = Path(__file__).parent.parent / "samples"
PITCH = {"expert": 24, "intermediate-dark": 33, "beginner-flat": 36.5, "lost": 20}
MINES = {"expert": 99, "intermediate-dark": 40, "beginner-flat": 10, "lost": 40}


@pytest.mark.parametrize("name", PITCH)
def test_picture_and_truth_are_of_one_size(name):
    board = Board.from_text((SAMPLES / f"{name}.txt").read_text())
    with Image.open(SAMPLES / f"{name}.png") as picture:
        assert picture.mode == "RGB"
        border = 5 if name == "beginner-flat" else 0
        assert abs(picture.width - board.columns * PITCH[name] - 2 * border) < 1
        assert abs(picture.height - board.rows * PITCH[name] - 2 * border) < 1


@pytest.mark.parametrize("path", sorted((SAMPLES / "boards").glob("*.txt")), ids=lambda path: path.stem)
def test_boards_are_readable(path):
    assert Board.from_text(path.read_text()).cells.size >= 15


@pytest.mark.parametrize("name", MINES)
def test_the_mines_fit_on_the_board(name):
    cells = Board.from_text((SAMPLES / f"{name}.txt").read_text()).cells
    claimed = np.isin(cells, (FLAG, MINE)).sum()
    assert claimed <= MINES[name] <= claimed + (cells == COVERED).sum()


@pytest.mark.slow
def test_the_script_makes_them_again(tmp_path, monkeypatch):
    spec = importlib.util.spec_from_file_location(
        "make_samples", SAMPLES.parent / "tools" / "make_samples.py"
    )
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    # dataclasses look their module up by name
    monkeypatch.setitem(sys.modules, "make_samples", module)
    spec.loader.exec_module(module)
    (tmp_path / "boards").mkdir()
    monkeypatch.setattr(module, "SAMPLES", tmp_path)
    module.main()
    made = sorted(path.relative_to(tmp_path) for path in tmp_path.rglob("*.*"))
    assert len(made) == 9
    for path in made:
        if path.suffix == ".txt":
            assert (tmp_path / path).read_text() == (SAMPLES / path).read_text()
        else:
            # another release of the font may shift a few letters
            with Image.open(tmp_path / path) as new, Image.open(SAMPLES / path) as old:
                assert new.size == old.size
                assert np.abs(np.asarray(new, float) - np.asarray(old, float)).mean() < 4
