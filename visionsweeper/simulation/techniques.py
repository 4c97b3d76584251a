"""The techniques that games are played by; light, so that the command line can list them."""

from __future__ import annotations

from typing import Final, Literal, TypeAlias, get_args

Technique: TypeAlias = Literal["single", "subset", "gauss", "contradiction", "exact", "lowest", "best"]
"""`single` numbers; the `subset` rule with them; `gauss`: elimination with bounds; single numbers with search
for `contradiction`; `exact` counting. These make certain moves only. `lowest` and `best` guess where none is
left: the least likely mine, or what promises most."""

TECHNIQUES: Final[tuple[Technique, ...]] = get_args(Technique)
"""From weak to strong, by and large; the compiled engine knows each by its place here."""

GUESSING: Final = ("lowest", "best")
