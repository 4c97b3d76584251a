"""What a game on the page goes by."""

from __future__ import annotations

from dataclasses import dataclass

from visionsweeper.game.rules import FirstClick


@dataclass(frozen=True)
class Played:
    """What is played, and how its mines are laid."""

    width: int
    height: int
    mines: int
    first_click: FirstClick = "opening"
    no_guess: bool = False
    hardcore: bool = False
    """Whether a risk loses the game while something is certainly safe."""
    seed: int | None = None
    """The same one with the same first tile lays the same mines; None: at random."""
