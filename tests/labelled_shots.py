"""Folders of labelled shots for tests, drawn in the named looks."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from visionsweeper.board import Board
from visionsweeper.io.images import save_image
from visionsweeper.synthetic import random_position
from visionsweeper.synthetic.render import render_board
from visionsweeper.vision.tiles.classes import tiles_of_classes


def position(seed: int, rows: int = 8, columns: int = 9) -> Board:
    """A position of a game in play or just over, with all kinds of tiles."""
    classes = random_position(np.random.default_rng([seed, 71]), size=(rows, columns), rare=0.5)
    return Board(tiles_of_classes(classes))


def write_shot(folder: Path, name: str, board: Board, theme: str, tile: int = 24) -> Path:
    """Draw NAME.png and write NAME.txt; returns the latter."""
    folder.mkdir(parents=True, exist_ok=True)
    save_image(folder / f"{name}.png", render_board(board, theme, tile=tile))
    text = folder / f"{name}.txt"
    text.write_text(str(board))
    return text


def write_shots(folder: Path, themes: tuple[str, ...], each: int) -> None:
    """So many shots of each theme, in a folder of its name."""
    for theme in themes:
        for number in range(each):
            write_shot(folder / theme, f"{number:02}", position(number), theme)
