"""Finishes a board without ever guessing: the former name of `game.finishing`."""

from visionsweeper.game.finishing import finish

__all__ = ["finish"]
