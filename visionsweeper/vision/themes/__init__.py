"""Endless looks of Minesweeper boards, drawn by rule from a seed: synthetic training data.

fonts = find_fonts()
rng = np.random.default_rng(7)
drawing = draw(random_theme(rng, fonts), random_position(rng), rng)
"""

from visionsweeper.vision.themes.choose import random_theme
from visionsweeper.vision.themes.draw import Drawing, draw
from visionsweeper.vision.themes.fonts import FontSource, find_fonts
from visionsweeper.vision.themes.positions import Position, random_game, random_position
from visionsweeper.vision.themes.screenshots import Screenshot, screenshot
from visionsweeper.vision.themes.theme import Theme, Wear

__all__ = [
    "Drawing",
    "FontSource",
    "Position",
    "Screenshot",
    "Theme",
    "Wear",
    "draw",
    "find_fonts",
    "random_game",
    "random_position",
    "random_theme",
    "screenshot",
]
