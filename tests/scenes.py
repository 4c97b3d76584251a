"""What the reader sees of a board, made without a picture: only what naming groups goes by."""

from __future__ import annotations

import numpy as np

from visionsweeper.board import Board
from visionsweeper.vision.tiles.context import Scene


def scene_of(board: Board, probability: np.ndarray, groups: np.ndarray) -> Scene:
    n = board.rows * board.columns
    return Scene(
        rows=board.rows,
        columns=board.columns,
        groups=groups,
        probability=probability.astype(np.float32),
        background=np.zeros((n, 3), np.float32),
        frame=np.zeros((n, 24), np.float32),
        contrast=np.zeros(n, np.float32),
        vectors=np.zeros((n, 722), np.float32),
    )
