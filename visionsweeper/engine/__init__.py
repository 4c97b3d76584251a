"""The compiled code: positions counted and games played, on flat arrays and without classes."""

from __future__ import annotations

from typing import Literal, TypeAlias

Engine: TypeAlias = Literal["auto", "exact", "compiled"]
"""How positions are counted: see `solve` and `solve_many`."""
