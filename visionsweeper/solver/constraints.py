"""Board -> constraints over covered tiles, in components of groups; geometry ends here.

The board is held as whole-board bit masks (one Python integer each, bit `row * (columns + 1) + column`, the
extra column staying empty so that shifts never wrap), and what single numbers settle is computed for all
numbers at once by bit-sliced counting of neighbours.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache
from typing import Final, NamedTuple

import numpy as np
import numpy.typing as npt

from visionsweeper.board import COVERED, FLAG, MINE, Board
from visionsweeper.geometry import Position

Planes = tuple[int, int, int, int]
"""A number of 0 to 15 a tile, as masks of its bits 0 to 3."""


class Component(NamedTuple):
    """A connected component of constraints, over groups of tiles that share exactly the same ones."""

    sizes: tuple[int, ...]
    """Tiles in each group, 1 to 8."""
    owed: tuple[int, ...]
    """Mines each constraint still needs among its groups."""
    members: tuple[tuple[int, ...], ...]
    """Indices of the groups of each constraint, ascending."""


class System(NamedTuple):
    """All that a board says about its covered tiles; masks are whole-board bit masks."""

    rows: int
    columns: int
    covered: int
    """Covered tiles, flags included (trusted ones too)."""
    flags: int
    """Flagged tiles."""
    shown: int
    """Number of mines shown on the board (`*`)."""
    mines: int
    """Covered tiles that are mines by single numbers alone (or trusted flags)."""
    safe: int
    """Covered tiles that are safe by single numbers alone."""
    non_frontier: int
    """Covered tiles next to no number."""
    components: list[Component]
    tiles: list[list[list[int]]]
    """[component][group] -> bit indices of its tiles."""
    broken: int
    """Numbers found unsatisfiable while settling; when not 0, the components are empty."""
    unseen: int = 0
    """Tiles beyond the board in view that touch a number; their bits in `tiles` follow those of the board."""

    @property
    def bits(self) -> int:
        """Number of bits that stand for the board in view, the extra column's included."""
        return self.rows * (self.columns + 1)

    def in_view(self, tile: Position) -> bool:
        """Tell whether a position that `tile` returned is on the board in view."""
        return tile[0] < self.rows

    def tile(self, bit: int) -> Position:
        """Return the (row, column) of a bit index."""
        return divmod(bit, self.columns + 1)

    def grid(self, mask: int) -> npt.NDArray[np.bool_]:
        """Return a mask as a (rows, columns) bool array."""
        return self.flat(mask).reshape(self.rows, self.columns + 1)[:, : self.columns]

    def flat(self, mask: int) -> npt.NDArray[np.bool_]:
        """Return a mask as a (bits,) bool array, the extra column's included."""
        size = self.bits
        raw = np.frombuffer(mask.to_bytes((size + 7) // 8, "little"), np.uint8)
        return np.unpackbits(raw, None, size, "little").view(np.bool_)

    def list_tiles(self, mask: int) -> list[Position]:
        """Return the tiles of a mask as (row, column) in reading order."""
        stride = self.columns + 1
        return [divmod(bit, stride) for bit in bit_indices(mask)]


def _translation(codes: Iterable[int]) -> bytes:
    chosen = set(codes)
    return bytes(49 if code in chosen else 48 for code in range(256))


_NUMBERS: Final = _translation(range(9))
_BITS: Final = tuple(_translation(n for n in range(9) if n >> bit & 1) for bit in range(4))
_COVERED: Final = _translation((COVERED, FLAG))
_FLAG: Final = _translation((FLAG,))
_MINE: Final = _translation((MINE,))


def bit_indices(mask: int) -> list[int]:
    """Return the indices of the set bits, ascending."""
    if not mask:
        return []
    text = bin(mask)[:1:-1]
    found = []
    at = text.find("1")
    while at >= 0:
        found.append(at)
        at = text.find("1", at + 1)
    return found


def spread(mask: int, stride: int) -> int:
    """Dilate a mask by 3x3; bits may appear in the padding, which callers mask away."""
    row = mask | mask << 1 | mask >> 1
    return row | row << stride | row >> stride


def count_around(mask: int, stride: int) -> Planes:
    """Count, for every tile, the tiles of `mask` in the 3x3 block around it (itself included)."""
    left, right = mask << 1, mask >> 1
    both = mask ^ left
    one, two = both ^ right, mask & left | both & right  # sums of three across, as two bits
    up, down = one << stride, one >> stride
    both = one ^ up
    bit0, carry = both ^ down, one & up | both & down
    up, down = two << stride, two >> stride
    both = two ^ up
    twos, fours = both ^ down, two & up | both & down
    bit1, carry = twos ^ carry, twos & carry
    return bit0, bit1, fours ^ carry, fours & carry


def unequal(a: Planes, b: Planes) -> int:
    """Return the tiles where two numbers differ."""
    return a[0] ^ b[0] | a[1] ^ b[1] | a[2] ^ b[2] | a[3] ^ b[3]


def less(a: Planes, b: Planes) -> int:
    """Return the tiles where a < b."""
    result = b[0] & ~a[0]
    for bit in (1, 2, 3):
        result = b[bit] & ~a[bit] | result & ~(a[bit] ^ b[bit])
    return result


@lru_cache(maxsize=64)
def _window_offsets(stride: int) -> dict[int, tuple[int, ...]]:
    """3x3 window pattern -> its tiles' distances from the middle one, in bits; filled as patterns occur."""
    return {}


def build_system(
    board: Board, *, trust_flags: bool = False, known: dict[Position, bool] | None = None
) -> System:
    """Settle what single numbers settle and gather the rest into components.

    Shown mines count towards numbers; `x` tiles are opened tiles without a number. Flags are covered tiles
    unless `trust_flags`, which makes them mines. Of covered tiles in `known` it was proven whether they are
    mines. Where the board goes on beyond what is seen, covered tiles are taken to lie there. Raises nothing:
    a contradiction met while settling leaves the numbers at fault in `broken`.
    """
    if not board.continues:
        return _system(board.cells, trust_flags, known or {})
    down, right = (part.start for part in board.inner)
    moved = {(row + down, column + right): mine for (row, column), mine in (known or {}).items()}
    return _part_in_view(board, _system(board.padded(board.cells, COVERED), trust_flags, moved))


def _part_in_view(board: Board, whole: System) -> System:
    """Return the system of a padded board with the bits of the board in view; see `System.unseen`."""
    rows, columns = board.inner
    stride = board.columns + 1
    places: dict[int, int] = {}
    for bit in (bit for groups in whole.tiles for tiles in groups for bit in tiles):
        row, column = whole.tile(bit)
        row, column = row - rows.start, column - columns.start
        if 0 <= row < board.rows and 0 <= column < board.columns:
            places[bit] = row * stride + column
    bits = board.rows * stride
    unseen = 0
    tiles = [[[places.get(bit, -1) for bit in group] for group in groups] for groups in whole.tiles]
    for group in (group for groups in tiles for group in groups):
        for at, bit in enumerate(group):
            if bit < 0:
                group[at] = bits + unseen
                unseen += 1

    def in_view(mask: int) -> int:
        seen = np.zeros((board.rows, stride), dtype=np.uint8)
        seen[:, :-1] = whole.grid(mask)[rows, columns]
        return int.from_bytes(np.packbits(seen, bitorder="little").tobytes(), "little")

    return whole._replace(
        rows=board.rows,
        columns=board.columns,
        covered=in_view(whole.covered),
        flags=in_view(whole.flags),
        mines=in_view(whole.mines),
        safe=in_view(whole.safe),
        non_frontier=in_view(whole.non_frontier),
        tiles=tiles,
        broken=in_view(whole.broken),
        unseen=unseen,
    )


def _system(cells: npt.NDArray[np.uint8], trust_flags: bool, known: dict[Position, bool]) -> System:
    rows, columns = cells.shape
    stride = columns + 1
    padded = np.empty((rows, stride), dtype=np.uint8)
    padded[:, :columns] = cells
    padded[:, columns] = 255
    raw = padded.tobytes()[::-1]
    numbers = int(raw.translate(_NUMBERS), 2)
    low, middle, high, highest = _BITS
    value = (
        int(raw.translate(low), 2),
        int(raw.translate(middle), 2),
        int(raw.translate(high), 2),
        int(raw.translate(highest), 2) if 8 in raw else 0,
    )
    covered = int(raw.translate(_COVERED), 2)
    flags = int(raw.translate(_FLAG), 2) if FLAG in raw else 0
    shown = int(raw.translate(_MINE), 2) if MINE in raw else 0

    facts = shown | flags if trust_flags else shown
    possible = covered | facts
    for (row, column), mine in known.items():
        bit = 1 << row * stride + column
        facts |= bit if mine else 0
        possible &= ~0 if mine else ~bit
    mines, possible, broken = _settle(numbers, value, facts, possible, stride)
    unknown = 0 if broken else possible & ~mines
    near = spread(numbers, stride)
    frontier = unknown & near
    owed, touching = _gather(raw, numbers & spread(frontier, stride), frontier, mines, stride)
    components, tiles = _split(owed, touching)
    return System(
        rows=rows,
        columns=columns,
        covered=covered,
        flags=flags,
        shown=shown.bit_count(),
        mines=mines & covered,
        safe=covered & ~possible,
        non_frontier=unknown & ~near,
        components=components,
        tiles=tiles,
        broken=broken,
    )


def _settle(numbers: int, value: Planes, mines: int, possible: int, stride: int) -> tuple[int, int, int]:
    """Apply single numbers until nothing changes.

    A number met by known mines frees its other tiles; one that needs all it can get takes all. Returns
    (mines, possible mines, numbers that cannot be met).
    """
    open_numbers = numbers
    least = count_around(mines, stride) if mines else (0, 0, 0, 0)
    most = count_around(possible, stride)
    while True:
        short = unequal(least, value)
        full = open_numbers & ~unequal(most, value) & short
        met = open_numbers & ~short
        if not full and not met:
            break
        new_mines = mines | spread(full, stride) & possible
        new_possible = possible & (new_mines | ~spread(met, stride))
        open_numbers &= ~(full | met)
        if new_mines == mines and new_possible == possible:
            break
        if new_mines != mines:
            mines = new_mines
            least = count_around(mines, stride)
        if new_possible != possible:
            possible = new_possible
            most = count_around(possible, stride)
    broken = numbers & (less(value, least) | less(most, value))
    return mines, possible, broken


def _gather(
    raw: bytes, active: int, frontier: int, mines: int, stride: int
) -> tuple[list[int], dict[int, list[int]]]:
    """Return what the active numbers say: (mines owed by constraint, constraints by frontier tile)."""
    window = 7 | 7 << stride | 7 << 2 * stride
    offsets = _window_offsets(stride)
    pad = stride + 1  # shifting everything up once spares negative shifts at the top row
    frontier <<= pad
    mines <<= pad
    last = len(raw) - 1
    owed: list[int] = []
    touching: dict[int, list[int]] = {}  # tile -> its constraints
    said: dict[tuple[int, ...], int] = {}  # tiles -> what the last constraint over just these owes
    slab = (1 << 3 * stride + 2) - 1
    base = end = frontier_slab = mines_slab = 0
    for number in bit_indices(active):
        if number >= end:  # a new row: cut its three rows out, so that shifts stay short on large boards
            base = number - number % stride
            end = base + stride
            frontier_slab = frontier >> base & slab
            mines_slab = mines >> base & slab
        bit = number - base
        pattern = frontier_slab >> bit & window
        around = offsets.get(pattern)
        if around is None:
            around = offsets[pattern] = tuple(i - pad for i in bit_indices(pattern))
        tiles = tuple([number + offset for offset in around])
        need = raw[last - number] - (mines_slab >> bit & window).bit_count()
        if said.get(tiles) == need:  # one constraint says it
            continue
        said[tiles] = need
        index = len(owed)
        owed.append(need)
        for tile in tiles:
            constraints = touching.get(tile)
            if constraints is None:
                touching[tile] = [index]
            else:
                constraints.append(index)
    return owed, touching


def _split(owed: list[int], touching: dict[int, list[int]]) -> tuple[list[Component], list[list[list[int]]]]:
    """Merge tiles with the same constraints into groups and split into components, with their tiles."""
    group_of: dict[tuple[int, ...], int] = {}
    tiles_of: list[list[int]] = []
    for tile, constraints in touching.items():
        signature = tuple(constraints)
        group = group_of.get(signature)
        if group is None:
            group_of[signature] = len(tiles_of)
            tiles_of.append([tile])
        else:
            tiles_of[group].append(tile)

    signatures = list(group_of)
    groups_of: list[list[int]] = [[] for _ in owed]
    for group, signature in enumerate(signatures):
        for index in signature:
            groups_of[index].append(group)

    components: list[Component] = []
    placed: list[list[list[int]]] = []
    done = [False] * len(owed)
    number = [-1] * len(signatures)  # of each group within its component
    for start in range(len(owed)):
        if done[start]:
            continue
        done[start] = True
        queue = [start]
        found: list[list[int]] = []
        for index in queue:
            for group in groups_of[index]:
                if number[group] < 0:
                    number[group] = len(found)
                    found.append(tiles_of[group])
                    for other in signatures[group]:
                        if not done[other]:
                            done[other] = True
                            queue.append(other)
        components.append(
            Component(
                sizes=tuple([len(tiles) for tiles in found]),
                owed=tuple([owed[index] for index in queue]),
                members=tuple([tuple([number[group] for group in groups_of[index]]) for index in queue]),
            )
        )
        placed.append(found)
    return components, placed
