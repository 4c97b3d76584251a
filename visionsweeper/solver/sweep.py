"""A wide component -> its solutions by mine count and each group's share of mines, by arrays of states.

States are sorted numpy arrays, and the value of a state is a row over mine counts: of floats (all terms are
positive, so the relative error stays near rounding), or of residues, from which exact counts are put together
when asked for. A forward pass and its adjoint give every group's share. Only the mine counts that occur in a
step have a column in it. Between the passes, long components keep the rows of a few steps only and compute
those between again.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cached_property
from itertools import islice
from math import frexp, gcd, sqrt
from typing import Any, Final, NamedTuple

import numpy as np
import numpy.typing as npt

from visionsweeper.errors import TooWide
from visionsweeper.solver.constraints import Component
from visionsweeper.solver.counting import BINOMIALS, Polynomial, trimmed
from visionsweeper.solver.limits import Budget
from visionsweeper.solver.order_search import best_plan
from visionsweeper.solver.orders import Step
from visionsweeper.solver.states import Unpackable, layers

_UNSCALED_TILES: Final = 800
"""Up to this many tiles, floats hold every number of solutions and its reciprocal."""

_KEPT_CELLS: Final = 4_000_000
"""Up to so many cells, the rows of all steps are kept between the passes (8 bytes each)."""

_FIRST_MODULUS: Final = 2**45 - 1
"""Residues are of moduli from here on downwards: small enough for some steps before they must be reduced."""

_BYTES_A_CELL: Final = 8

_TRANSIENT_LAYERS: Final = 4
"""Arrays as large as the largest step's rows that a pass holds at once, beside those it keeps."""

Rows = npt.NDArray[Any]
"""(states, mine counts): floats, residues (int64) or whether there is any solution (bool)."""


class Move(NamedTuple):
    """All transitions of one step that place the same number of mines."""

    number: int
    """Mines placed on the group."""
    ways: int
    """Ways to choose the tiles."""
    source: npt.NDArray[np.int32] | slice
    """Rows of the states before; a slice where they are all."""
    target: npt.NDArray[np.int32]
    """Rows of the states after, each at most once."""
    columns: slice
    """Columns of the rows before that have one after."""
    into: slice
    """These columns in the rows after."""


class Sweep:
    """Forward and adjoint passes over one wide component."""

    def __init__(self, component: Component, budget: Budget) -> None:
        """Find order and states, and spend of the budget what the passes will take. Raises TooWide."""
        self.component = component
        steps = best_plan(component)
        self.order = [step.group for step in steps]
        self.moves: list[list[Move]] = []
        self.counts: list[int] = [1]
        """States before each step, and after the last."""
        self._ranges: list[tuple[int, int]] = [(0, 1)]
        """Before each step and after the last: the fewest mines, and how many mine counts have a column."""
        self.cells = 1
        """States times mine counts, all steps together."""
        self._find_states(steps, budget)
        self._kept = self._choose_kept()
        held = self._bytes_of_moves + _BYTES_A_CELL * sum(self._cells_of(step) for step in self._kept)
        transient = _TRANSIENT_LAYERS * max(map(self._cells_of, range(len(self.counts))))
        if self.cells > _KEPT_CELLS:
            transient += self._largest_stretch()
        if held + _BYTES_A_CELL * transient > budget.bytes:
            raise too_wide(component, budget, "memory")
        budget.spend(self.cells, held)

    def _find_states(self, steps: Sequence[Step], budget: Budget) -> None:
        component = self.component
        fewest = most = np.zeros(1, dtype=np.int32)
        self._bytes_of_moves = 0
        found = layers(component, steps)
        for step in steps:
            try:
                layer = next(found)
            except Unpackable:
                raise too_wide(component, budget, "numbers") from None
            states, before = len(layer.keys), len(fewest)
            targets = [np.searchsorted(layer.keys, new).astype(np.int32) for _, _, new in layer.moves]
            lowest = np.full(states, np.iinfo(np.int32).max, dtype=np.int32)
            highest = np.zeros(states, dtype=np.int32)
            for (number, rows, _), target in zip(layer.moves, targets, strict=True):
                lowest[target] = np.minimum(lowest[target], fewest[rows] + np.int32(number))
                highest[target] = np.maximum(highest[target], most[rows] + np.int32(number))
                self._bytes_of_moves += target.nbytes * (1 if len(rows) == before else 2)
            fewest, most = lowest, highest
            low = int(fewest.min()) if states else 0
            width = int(most.max()) - low + 1 if states else 1
            ways = BINOMIALS[component.sizes[step.group]]
            after = (low, width)
            self.moves.append(
                [
                    Move(
                        number,
                        ways[number],
                        slice(None) if len(rows) == before else rows.astype(np.int32),
                        target,
                        *_columns(self._ranges[-1], number, after),
                    )
                    for (number, rows, _), target in zip(layer.moves, targets, strict=True)
                ]
            )
            self.counts.append(states)
            self._ranges.append(after)
            self.cells += states * width
            if self.cells > budget.cells:
                raise too_wide(component, budget, "time")
            if self._bytes_of_moves > budget.bytes:
                raise too_wide(component, budget, "memory")
            if not states:  # nothing can hold: later steps have nothing to say
                return

    def _cells_of(self, step: int) -> int:
        return self.counts[step] * self._ranges[step][1]

    def _choose_kept(self) -> list[int]:
        """Choose the steps whose rows before are kept: all, or some with few cells amid equal stretches."""
        steps = len(self.counts)
        if self.cells <= _KEPT_CELLS:
            return list(range(steps))
        largest = max(map(self._cells_of, range(steps)))
        stretch = sqrt(self.cells * largest)
        kept = [0]
        cells = 0
        candidate = 0
        for step in range(1, steps):
            cells += self._cells_of(step)
            if cells > stretch / 2 and (not candidate or self._cells_of(step) < self._cells_of(candidate)):
                candidate = step
            if cells > stretch and candidate:
                kept.append(candidate)
                cells = sum(map(self._cells_of, range(candidate + 1, step + 1)))
                candidate = 0
        return kept

    def _largest_stretch(self) -> int:
        """Cells of the steps between two kept ones, at most."""
        ends = [*self._kept[1:], len(self.counts)]
        return max(
            sum(map(self._cells_of, range(start, end))) for start, end in zip(self._kept, ends, strict=True)
        )

    @property
    def possible(self) -> bool:
        """Whether there is any solution."""
        return self.counts[-1] > 0

    @cached_property
    def _checkpoints(self) -> dict[int, Rows]:
        """Kept step -> (states, mine counts) float64 solutions so far; and those after the last step."""
        return self._keep(np.float64)

    def _keep(self, kind: type) -> dict[int, Rows]:
        wanted = {*self._kept, len(self.moves)}
        return {step: rows for step, rows in self._forward(kind) if step in wanted}

    def _forward(self, kind: type, start: int = 0, rows: Rows | None = None) -> Iterator[tuple[int, Rows]]:
        """(step, ways to reach each state before it by mine count), from the rows of `start` on.

        Floats are scaled down by powers of two where they would overflow.
        """
        if rows is None:
            rows = np.ones((1, 1), dtype=kind)
        yield start, rows
        scaled = self._scaled and kind is np.float64
        for step in range(start, len(self.moves)):
            after: Rows = np.zeros((self.counts[step + 1], self._ranges[step + 1][1]), dtype=kind)
            for _, ways, source, target, columns, into in self.moves[step]:
                term = rows[source, columns]
                if kind is np.bool_:
                    after[target, into] |= term
                else:
                    after[target, into] += term * ways if ways != 1 else term
            if scaled:
                _scale_down(after)
            rows = after
            yield step + 1, rows

    def _backward(self, kept: dict[int, Rows], kind: type) -> Iterator[tuple[int, Rows]]:
        """(step, rows before it) from the last step to the first, computed again between those kept."""
        end = len(self.moves)
        for start in reversed(self._kept):
            stretch = dict(islice(self._forward(kind, start, kept[start]), end - start))
            for step in range(end - 1, start - 1, -1):
                yield step, stretch.pop(step)
            end = start

    def _residues(self, modulus: int, mined: int | None) -> Rows:
        """(mine counts,) int64: solutions by mine count, modulo `modulus`.

        With `mined`, only placements with a mine on a given tile of that group count.
        """
        rows: Rows = np.ones((1, 1), dtype=np.int64)
        bound = 1
        for step, group in enumerate(self.order):
            size = self.component.sizes[group]
            if bound << size >= 1 << 63:
                rows = rows % modulus
                bound = modulus
            bound <<= size
            after: Rows = np.zeros((self.counts[step + 1], self._ranges[step + 1][1]), dtype=np.int64)
            for number, ways, source, target, columns, into in self.moves[step]:
                factor = ways * number // size if group == mined else ways
                term = rows[source, columns]
                if factor:
                    after[target, into] += term * factor if factor != 1 else term
            rows = after
        result: Rows = rows[0] % modulus
        return result

    @cached_property
    def _scaled(self) -> bool:
        return sum(self.component.sizes) > _UNSCALED_TILES

    @cached_property
    def totals(self) -> tuple[int, npt.NDArray[np.float64]]:
        """(fewest mines, N(m) from there on as float64), up to a common power of two."""
        row = self._checkpoints[len(self.moves)][0]
        present = np.flatnonzero(self._existing if self._scaled else row)
        return self._ranges[-1][0] + int(present[0]), row[present[0] : present[-1] + 1]

    def weigh(self, share: npt.NDArray[np.float64]) -> tuple[npt.NDArray[np.float64], list[int], list[int]]:
        """Return each group's chance of a mine when m mines have probability share[m - low].

        `share` is as long as the totals, not negative, and 0 only for mine counts that are ruled out (a
        share too small for a float may be any tiny number). Returns (probability of a mine on a tile of each
        group (groups,) float64, the groups that are always empty, the groups that are always full); the
        lists rest on which solutions exist, not on rounding.
        """
        low, totals = self.totals
        offset = low - self._ranges[-1][0]
        # Raised to a floor, a share stays far below any rounding of the result, and every product stays
        # within the range of floats, so that a sum is 0 only where it has no terms.
        raised = np.maximum(share / share.max(), 2.0**-200)
        value: npt.NDArray[np.float64] = np.zeros((1, self._ranges[-1][1]))
        allowed = (share > 0) & (totals > 0)
        value[0, offset : offset + len(totals)][allowed] = raised[allowed] / totals[allowed]
        chance = np.zeros(len(self.order))
        empty: list[int] = []
        full: list[int] = []
        for step, rows in self._backward(self._checkpoints, np.float64):
            group = self.order[step]
            before: npt.NDArray[np.float64] = np.zeros(rows.shape)
            placed = total = 0.0
            size = self.component.sizes[group]
            some = some_not = False
            for number, ways, source, target, columns, into in self.moves[step]:
                term = value[target, into]
                if ways > 1:
                    term *= ways
                # Not vdot, which hands even small products to the threads of a BLAS library.
                part = float(np.einsum("ij,ij->", rows[source, columns], term))
                before[source, columns] += term
                placed += number * part
                total += part
                some |= part > 0 and number > 0
                some_not |= part > 0 and number < size
            value = before
            if self._scaled:
                _scale_down(value)
            chance[group] = placed / (size * total) if some and some_not else float(some)
            if not some:
                empty.append(group)
            elif not some_not:
                full.append(group)
        if self._scaled:
            mask = np.zeros(self._ranges[-1][1], dtype=np.bool_)
            mask[offset : offset + len(totals)] = share > 0
            empty, full = self._supports(mask)
            chance[empty] = 0.0
            chance[full] = 1.0
        return chance, empty, full

    @cached_property
    def _existing(self) -> npt.NDArray[np.bool_]:
        """(mine counts,) bool after the last step: which exist at all."""
        existing: npt.NDArray[np.bool_] = self._keep(np.bool_)[len(self.moves)][0]
        return existing

    def _supports(self, allowed: npt.NDArray[np.bool_]) -> tuple[list[int], list[int]]:
        """Which groups are always empty or always full under the mine counts `allowed`.

        The same two passes in booleans, for components whose floats had to be scaled.
        """
        kept = self._keep(np.bool_)
        value = (kept[len(self.moves)][0] & allowed)[np.newaxis, :]
        empty = []
        full = []
        for step, rows in self._backward(kept, np.bool_):
            before = np.zeros(rows.shape, dtype=np.bool_)
            numbers = set()
            for number, _, source, target, columns, into in self.moves[step]:
                term = value[target, into]
                before[source, columns] |= term
                if bool((rows[source, columns] & term).any()):
                    numbers.add(number)
            value = before
            group = self.order[step]
            if numbers == {0}:
                empty.append(group)
            elif numbers == {self.component.sizes[group]}:
                full.append(group)
        return empty, full

    @property
    def _bits(self) -> int:
        """Bits of a number of solutions, at most."""
        return sum(self.component.sizes) + 1

    @property
    def exact_cells(self) -> int:
        """Cells that `exact` counts, all its passes together."""
        return self.cells * (1 + self._bits // (_FIRST_MODULUS.bit_length() - 1))

    @cached_property
    def exact_totals(self) -> Polynomial:
        """N(m) exactly."""
        return self.exact(None)

    def exact(self, group: int | None) -> Polynomial:
        """Return N(m), or N_t(m) of the tiles of a group, put together from residues of enough moduli."""
        bits = self._bits
        modulus = 1
        result: list[int] = []
        for prime in _moduli():
            residues = self._residues(prime, group).tolist()
            if result:
                inverse = pow(modulus, -1, prime)
                residues = [
                    a + modulus * ((b - a) * inverse % prime) for a, b in zip(result, residues, strict=True)
                ]
            result = residues
            modulus *= prime
            if modulus.bit_length() > bits:
                break
        return trimmed(self._ranges[-1][0], result)


def too_wide(component: Component, budget: Budget, over: str) -> TooWide:
    """Return the error for a component that goes over the limit on `memory` or `time`.

    `numbers` is for one that leaves too many numbers open at once to be counted at all.
    """
    limit = budget.limit
    why, remedy = {
        "memory": (f"take more than {limit.memory:g} MB", ", or allow more with --limit-memory"),
        "time": (f"take more than {limit.seconds:g} s", ", or allow more with --limit-seconds"),
        "numbers": ("leave too many numbers open at once", ""),
    }[over]
    return TooWide(
        f"the frontier is too wide to count exactly: {len(component.owed)} numbers over "
        f"{sum(component.sizes)} covered tiles {why}; open more tiles first{remedy}"
    )


def _columns(before: tuple[int, int], number: int, after: tuple[int, int]) -> tuple[slice, slice]:
    """Return the columns of the rows before that have one after when so many mines are placed, and these."""
    first = before[0] + number - after[0]
    start, end = max(0, -first), min(before[1], after[1] - first)
    return slice(start, end), slice(start + first, end + first)


def _scale_down(values: npt.NDArray[np.float64]) -> None:
    """Multiply in place by a power of two where values grow large (the power is of no interest)."""
    peak = float(values.max())
    if peak > 2.0**400:
        values *= 2.0 ** -frexp(peak)[1]


def _moduli() -> Iterator[int]:
    """Numbers downwards from `_FIRST_MODULUS`, each without a common divisor with those before."""
    product = 1
    candidate = _FIRST_MODULUS
    while True:
        if gcd(candidate, product) == 1:
            product *= candidate
            yield candidate
        candidate -= 2
