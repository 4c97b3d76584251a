"""Gaussian elimination with bounds, compiled: all numbers as one matrix, and one pass up its echelon form.

The method that R. Massaioli described ("Solving Minesweeper with matrices", 2013): one row a number, one
column an unknown tile beside any, forward elimination with the largest pivot; then from the last row up, what
is known already is put in, and a row whose right side is the least (or the most) that its tiles can add up to
settles them all. The mine count is not used. Which rows come out depends on the order of the columns: here,
as there, tiles are numbered as the numbers are read row by row, those around each clockwise from top left.
"""

from __future__ import annotations

from typing import Final, NamedTuple

import numpy as np
import numpy.typing as npt

from visionsweeper.engine.compiling import compiled
from visionsweeper.engine.position import OPENED, UNKNOWN, PositionArrays, mark_mine, mark_safe
from visionsweeper.engine.structures import by_reference

_CLOCKWISE: Final = ((-1, -1), (-1, 0), (-1, 1), (0, 1), (1, 1), (1, 0), (1, -1), (0, -1))

_TINY: Final = 1e-9
"""Smaller entries are rounding errors: true ones are fractions of small numbers."""


@by_reference
class Matrix(NamedTuple):
    """Room for the equations of a position with T tiles: at most T rows and columns."""

    entries: npt.NDArray[np.float64]
    """(R, T)."""
    right: npt.NDArray[np.float64]
    """(R,) right sides."""
    first: npt.NDArray[np.int32]
    """(R,) first column that is not 0; the number of columns where all are."""
    last: npt.NDArray[np.int32]
    """(R,) last column that is not 0."""
    order: npt.NDArray[np.int32]
    """(R,) rows in their order after swaps."""
    clockwise: npt.NDArray[np.int32]
    """(T, 8) the tiles around each, the first `degree` of them."""
    column: npt.NDArray[np.int32]
    """(T,) column of each tile, or -1."""
    tile: npt.NDArray[np.int32]
    """(T,) and back."""
    found: npt.NDArray[np.int8]
    """(T,) by column: -1 unknown, 0 safe, 1 mine."""


def new_matrix(rows: int, columns: int) -> Matrix:
    """Return arrays for boards of this size."""
    tiles = rows * columns
    clockwise = np.zeros((tiles, 8), np.int32)
    for row in range(rows):
        for column in range(columns):
            around = [
                (row + down) * columns + column + right
                for down, right in _CLOCKWISE
                if 0 <= row + down < rows and 0 <= column + right < columns
            ]
            clockwise[row * columns + column, : len(around)] = around
    return Matrix(
        entries=np.zeros((tiles, tiles)),
        right=np.zeros(tiles),
        first=np.zeros(tiles, np.int32),
        last=np.zeros(tiles, np.int32),
        order=np.zeros(tiles, np.int32),
        clockwise=clockwise,
        column=np.zeros(tiles, np.int32),
        tile=np.zeros(tiles, np.int32),
        found=np.zeros(tiles, np.int8),
    )


@compiled
def eliminate(p: PositionArrays, m: Matrix) -> bool:
    """Mark what one pass settles; True when that is anything."""
    rows, columns = _write_equations(p, m)
    rows = _to_echelon_form(m, rows, columns)
    _pass_up(m, rows, columns)
    settled = False
    for column in range(columns):
        if m.found[column] == 0:
            mark_safe(p, m.tile[column])
            settled = True
        elif m.found[column] == 1:
            mark_mine(p, m.tile[column])
            settled = True
    return settled


@compiled
def _write_equations(p: PositionArrays, m: Matrix) -> tuple[int, int]:
    rows, columns = 0, 0
    m.column[:] = -1
    for number in range(p.state.size):
        if p.state[number] != OPENED or p.unknown[number] == 0:
            continue
        for i in range(p.degree[number]):
            tile = m.clockwise[number, i]
            if p.state[tile] == UNKNOWN and m.column[tile] < 0:
                m.column[tile] = columns
                m.tile[columns] = tile
                columns += 1
    for number in range(p.state.size):
        if p.state[number] != OPENED or p.unknown[number] == 0:
            continue
        m.entries[rows, :columns] = 0.0
        m.first[rows], m.last[rows] = columns, -1
        for i in range(p.degree[number]):
            tile = p.around[number, i]
            if p.state[tile] == UNKNOWN:
                column = m.column[tile]
                m.entries[rows, column] = 1.0
                m.first[rows] = min(m.first[rows], column)
                m.last[rows] = max(m.last[rows], column)
        m.right[rows] = p.owed[number]
        m.order[rows] = rows
        rows += 1
    return rows, columns


@compiled
def _to_echelon_form(m: Matrix, rows: int, columns: int) -> int:
    """Forward elimination; the number of rows that are left."""
    done = 0
    for column in range(columns):
        pivot, largest = -1, _TINY
        for i in range(done, rows):
            row = m.order[i]
            if m.first[row] == column and abs(m.entries[row, column]) > largest + _TINY:
                pivot, largest = i, abs(m.entries[row, column])
        if pivot < 0:
            continue
        chosen = m.order[pivot]
        m.order[pivot] = m.order[done]
        m.order[done] = chosen
        done += 1
        scale = 1.0 / m.entries[chosen, column]
        for i in range(column, m.last[chosen] + 1):
            m.entries[chosen, i] *= scale
        m.right[chosen] *= scale
        for i in range(done, rows):
            row = m.order[i]
            if m.first[row] == column:
                _subtract(m, row, chosen, m.entries[row, column], columns)
    return done


@compiled
def _subtract(m: Matrix, row: int, other: int, factor: float, columns: int) -> None:
    """Take a multiple of another row, that begins where this one does, from it."""
    m.last[row] = max(m.last[row], m.last[other])
    for column in range(m.first[row], m.last[other] + 1):
        value = m.entries[row, column] - factor * m.entries[other, column]
        m.entries[row, column] = value if abs(value) > _TINY else 0.0
    m.right[row] -= factor * m.right[other]
    while m.last[row] >= m.first[row] and m.entries[row, m.last[row]] == 0.0:
        m.last[row] -= 1
    while m.first[row] <= m.last[row] and m.entries[row, m.first[row]] == 0.0:
        m.first[row] += 1
    if m.first[row] > m.last[row]:
        m.first[row] = columns


@compiled
def _pass_up(m: Matrix, rows: int, columns: int) -> None:
    """From the last row up: put in what is known, and settle the rows that are at a bound."""
    m.found[:columns] = -1
    for i in range(rows - 1, -1, -1):
        row = m.order[i]
        least, most, right = 0.0, 0.0, m.right[row]
        for column in range(m.first[row], m.last[row] + 1):
            value = m.entries[row, column]
            if m.found[column] >= 0:
                right -= value * m.found[column]
            elif value > 0:
                most += value
            else:
                least += value
        if least == most:
            continue
        at_least = abs(right - least) < _TINY * 1000
        if not at_least and abs(right - most) >= _TINY * 1000:
            continue
        for column in range(m.first[row], m.last[row] + 1):
            value = m.entries[row, column]
            if value != 0.0 and m.found[column] < 0:
                m.found[column] = 0 if (value > 0) == at_least else 1
