"""Whole games by the thousand: the former name of `simulation.run`."""

from visionsweeper.game.rules import FIRST_CLICK_RULES, PRESETS, FirstClick, Rules
from visionsweeper.game.rules import MOST_TILES_PLAYED as MOST_TILES
from visionsweeper.simulation.run import (
    BLOCK,
    Bin,
    Interval,
    Outcome,
    as_dict,
    from_dict,
    play_block,
    simulate,
    wilson,
)
from visionsweeper.simulation.techniques import GUESSING, TECHNIQUES, Technique

__all__ = [
    "BLOCK",
    "FIRST_CLICK_RULES",
    "GUESSING",
    "MOST_TILES",
    "PRESETS",
    "TECHNIQUES",
    "Bin",
    "FirstClick",
    "Interval",
    "Outcome",
    "Rules",
    "Technique",
    "as_dict",
    "from_dict",
    "play_block",
    "simulate",
    "wilson",
]
