"""Where to click first: from simulated games, since on an untouched board all odds are equal."""

from __future__ import annotations

from fractions import Fraction
from typing import Final

from visionsweeper.game.rules import PRESETS, FirstClick, Rules
from visionsweeper.geometry import Position
from visionsweeper.solver.advice import Advice, Candidate

MEASURED: Final[dict[tuple[str, str], dict[str, float]]] = {
    ("beginner", "safe"): {"corner": 0.917, "edge": 0.895, "3,3": 0.865, "centre": 0.865},
    ("beginner", "opening"): {"2,2": 0.972, "3,3": 0.97, "edge": 0.966, "centre": 0.964, "corner": 0.963},
    ("intermediate", "safe"): {"corner": 0.783, "edge": 0.755, "3,3": 0.718, "centre": 0.716},
    ("intermediate", "opening"): {
        "2,2": 0.891,
        "3,3": 0.889,
        "edge": 0.876,
        "centre": 0.876,
        "corner": 0.857,
    },
    ("expert", "safe"): {"corner": 0.407, "edge": 0.385, "3,3": 0.375, "centre": 0.369},
    ("expert", "opening"): {"3,3": 0.539, "centre": 0.524, "edge": 0.515, "corner": 0.478},
}
"""(preset, first-click rule) -> first tile -> share of games won by `best` play (docs/playing.md)."""


def share_of_games_won(preset: str, rule: FirstClick) -> dict[str, float]:
    """Return by first tile what `best` play wins on a standard board.

    Where the first tile may hold a mine, games in which it holds none are those of the rule "safe".
    """
    if rule != "any":
        return MEASURED[preset, rule]
    survived = 1 - _density(*PRESETS[preset])
    return {place: survived * share for place, share in MEASURED[preset, "safe"].items()}


def advise_first_click(rules: Rules) -> Advice:
    """Return the first tiles of an untouched board that were tried, best first.

    Measured on the standard boards; another one gets the advice of the standard board nearest in density.
    """
    density = _density(rules.width, rules.height, rules.mines)
    nearest = min(PRESETS, key=lambda name: abs(_density(*PRESETS[name]) - density))
    shares = share_of_games_won(nearest, rules.first_click)
    places = sorted(shares, key=lambda name: -shares[name])
    exactly = PRESETS[nearest] == (rules.width, rules.height, rules.mines)
    board = nearest if exactly else f"{nearest}, the standard board nearest in density"
    told = "(" + ", ".join(f"{name} {100 * shares[name]:.1f} %" for name in places) + ")"
    if not exactly and not _is_alike(rules, nearest):
        told = "(no figures: this board is too different from it)"
    row, column = _tile(places[0], rules)
    safety = Fraction(1) if rules.first_click != "any" else 1 - Fraction(density).limit_denominator(10**6)
    return Advice(
        tuple(Candidate(tile, safety) for tile in dict.fromkeys(_tile(name, rules) for name in places)),
        f"Nothing is open yet: begin at row {row}, column {column}. Simulated games of {board} were won most "
        f"often from there {told}.",
        None,
    )


def _is_alike(rules: Rules, preset: str) -> bool:
    """Whether a board is so near to a standard one that its shares of games won say something."""
    density = _density(rules.width, rules.height, rules.mines)
    other = _density(*PRESETS[preset])
    tiles, others = rules.width * rules.height, PRESETS[preset][0] * PRESETS[preset][1]
    return abs(density / other - 1) < _DENSITY_OFF and 0.5 < tiles / others < 2


_DENSITY_OFF: Final = 0.15
"""Share by which the density of mines may differ: a tenth more costs an expert a third of his wins."""


def _density(width: int, height: int, mines: int) -> float:
    return mines / (width * height)


def _tile(place: str, rules: Rules) -> Position:
    middle = (rules.height // 2, rules.width // 2)
    if "," in place:
        row, column = map(int, place.split(","))
        return min(row, middle[0]), min(column, middle[1])
    return {"corner": (0, 0), "edge": (0, middle[1]), "centre": middle}[place]
