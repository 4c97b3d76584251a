"""Small random boards as a player might see them, for comparing with brute force."""

from __future__ import annotations

import numpy as np
from hypothesis import assume
from hypothesis import strategies as st

from visionsweeper.board import COVERED, FLAG, MINE, SAFE, Board


@st.composite
def positions(
    draw: st.DrawFn, most_covered: int, sides: tuple[int, int], looks: str, least_covered: int = 0
) -> tuple[Board, int]:
    """A board seen from a random placement, and its mine count.

    `sides`: the most rows and columns; `looks`: what a tile may look like, drawn evenly (o opened, ? covered,
    F flagged, x known to be safe, * its mine shown).
    """
    rows, columns = draw(st.integers(1, sides[0])), draw(st.integers(2, sides[1]))
    size = rows * columns
    mine = draw(st.lists(st.sampled_from([False, False, True]), min_size=size, max_size=size))
    chosen = draw(st.lists(st.sampled_from(looks), min_size=size, max_size=size))
    truth = np.array(mine).reshape(rows, columns)
    blank = Board(np.full((rows, columns), COVERED, dtype=np.uint8))
    cells = np.zeros((rows, columns), dtype=np.uint8)
    for tile, look in zip(np.ndindex(rows, columns), chosen, strict=True):
        if truth[tile]:
            cells[tile] = {"*": MINE, "F": FLAG}.get(look, COVERED)
        elif look == "x":
            cells[tile] = SAFE
        elif look in "F?":
            cells[tile] = FLAG if look == "F" else COVERED
        else:
            cells[tile] = sum(truth[n] for n in blank.neighbours(*tile))
    assume(least_covered <= ((cells == COVERED) | (cells == FLAG)).sum() <= most_covered)
    return Board(cells), int(truth.sum())
