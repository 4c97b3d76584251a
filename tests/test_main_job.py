"""The main job on the samples, from the picture to the summary, with the model that ships."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from visionsweeper import Board, analyse, annotate, read_board
from visionsweeper.io.images import load_image

SAMPLES = Path(__file__).parent.parent / "samples"
WIDTHS = {"expert": 30, "intermediate-dark": 16, "beginner-flat": 9, "lost": 16}


@pytest.mark.parametrize("name", WIDTHS)
def test_samples_are_read_to_the_last_tile(name: str) -> None:
    truth = Board.from_text((SAMPLES / f"{name}.txt").read_text(encoding="utf-8"))
    reading = read_board(SAMPLES / f"{name}.png", width=WIDTHS[name])
    assert str(reading.board) == str(truth)
    assert reading.confidence.shape == truth.cells.shape


@pytest.mark.slow
def test_path_bytes_and_array_read_alike() -> None:
    path = SAMPLES / "beginner-flat.png"
    readings = [
        read_board(source, width=9) for source in (path, str(path), path.read_bytes(), load_image(path))
    ]
    assert len({reading.board for reading in readings}) == 1
    assert len({reading.box for reading in readings}) == 1


def test_the_picture_is_left_as_it_was() -> None:
    image = np.array(load_image(SAMPLES / "lost.png"))
    before = image.copy()
    reading = read_board(image, width=16)
    analysis = analyse(reading)
    annotated = annotate(image, reading, analysis.solution)
    assert np.array_equal(image, before)
    assert not np.array_equal(annotated[: image.shape[0], : image.shape[1]], image)


def test_the_main_job(tmp_path: Path) -> None:
    shot = tmp_path / "shot.png"
    shot.write_bytes((SAMPLES / "expert.png").read_bytes())
    command = [sys.executable, "-m", "visionsweeper", "parse", str(shot), "--width", "30", "--json"]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    answer = json.loads(done.stdout)
    assert (answer["width"], answer["height"], answer["mines"]) == (30, 16, 99)
    assert answer["mines_source"] == "standard"
    odds = [value for row in answer["probability"] for value in row if value is not None]
    assert sum(odds) == pytest.approx(99)
    with Image.open(answer["output"]) as picture:
        assert picture.width >= 720
        assert picture.height >= 384


@pytest.mark.slow
def test_parsing_imports_no_learning_library(tmp_path: Path) -> None:
    arguments = ["parse", str(SAMPLES / "lost.png"), "--width", "16", "-o", str(tmp_path)]
    check = (
        "import sys\nfrom visionsweeper.cli import main\n"
        f"try:\n    main({arguments!r})\n"
        "finally:\n    print([m for m in ('sklearn', 'scipy', 'joblib') if m in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", check], capture_output=True, text=True, check=True)
    assert done.stdout.endswith("[]\n")
