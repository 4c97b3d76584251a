"""The solver's tables as JSON can hold them: whole numbers as decimal strings, fractions as num/den."""

from __future__ import annotations

from dataclasses import fields, is_dataclass
from fractions import Fraction
from typing import Any

import numpy as np
import numpy.typing as npt

from visionsweeper.report.analysis import decimal_text, fraction_text
from visionsweeper.solver import Solution
from visionsweeper.solver.advice import Advice
from visionsweeper.solver.outcomes import Outcomes
from visionsweeper.solver.tables import MineCount, Tables
from visionsweeper.solver.techniques import SystemMatrix

_COUNTS = {"solutions", "weight", "with_mine"}
"""Fields whose whole numbers can outgrow what readers of JSON take; they become strings."""


def tables_to_json(tables: Tables) -> dict[str, Any]:
    """The tables with the same names as their fields, tiles as [row, column].

    Numbers of solutions and weights are decimal strings, probabilities `num/den` strings; each mine count
    also has its probability as a float, `share`.
    """
    result: dict[str, Any] = _plain(tables)
    return result


def outcomes_to_json(outcomes: Outcomes) -> dict[str, str]:
    """`mine` and "0" to "8", each as `num/den`."""
    numbers = {str(number): fraction_text(chance) for number, chance in enumerate(outcomes.numbers)}
    return {"mine": fraction_text(outcomes.mine), **numbers}


def advice_to_json(advice: Advice) -> dict[str, Any]:
    """`tile`, `reason`, `win` and `ranking`: exact chances as `num/den`, estimates as floats, else null."""

    def exact(chance: Fraction | None) -> str | None:
        return None if chance is None else fraction_text(chance)

    return {
        "tile": None if advice.best is None else list(advice.best),
        "reason": advice.reason,
        "win": exact(advice.win),
        "ranking": [
            {
                "tile": list(one.tile),
                "safety": exact(one.safety),
                "progress": one.progress,
                "survival": one.survival,
                "win": exact(one.win),
            }
            for one in advice.ranking
        ],
    }


def flags_to_json(solution: Solution) -> dict[str, list[list[int]]]:
    """`right`, `wrong` and `uncertain`: every flag as [row, column] in one of them."""
    wrong = set(solution.flags_wrong)
    return {
        "right": [list(tile) for tile in solution.flags_right],
        "wrong": [list(tile) for tile in solution.flags_wrong],
        "uncertain": [list(tile) for tile in solution.flags_uncertain if tile not in wrong],
    }


def matrix_to_json(matrix: SystemMatrix) -> dict[str, Any]:
    """The equations: `tiles` (columns), `numbers` (rows of `before`), `before` and `after`.

    A row is {"terms": [[index into tiles, coefficient], ...], "sum": right side}, zeros left out; on large
    boards nearly all are.
    """

    def rows(array: npt.NDArray[np.object_]) -> list[dict[str, Any]]:
        return [
            {"terms": [[at, entry] for at, entry in enumerate(row[:-1]) if entry], "sum": row[-1]}
            for row in array.tolist()
        ]

    return {
        "tiles": [list(tile) for tile in matrix.tiles],
        "numbers": [list(tile) for tile in matrix.numbers],
        "before": rows(matrix.before),
        "after": rows(matrix.after),
    }


def _plain(value: Any, *, count: bool = False) -> Any:
    if is_dataclass(value):
        row = {
            part.name: _plain(getattr(value, part.name), count=part.name in _COUNTS) for part in fields(value)
        }
        if isinstance(value, MineCount):
            row["share"] = float(value.probability)
        return row
    if isinstance(value, Fraction):
        return fraction_text(value)
    if isinstance(value, tuple):
        return [_plain(part, count=count) for part in value]
    if count and isinstance(value, int):
        return decimal_text(value)
    return value
