"""Endless looks of Minesweeper boards, drawn by rule from a seed: synthetic training data.

fonts = find_fonts()
rng = np.random.default_rng(7)
drawing = draw(random_theme(rng, fonts), random_position(rng), rng)
"""

from visionsweeper.synthetic.draw import Drawing, draw
from visionsweeper.synthetic.fonts import FontSource, find_fonts
from visionsweeper.synthetic.positions import GameSnapshot, random_game, random_position
from visionsweeper.synthetic.random_themes import random_theme
from visionsweeper.synthetic.screenshots import Screenshot, screenshot
from visionsweeper.synthetic.theme import Degradation, RenderTheme

__all__ = [
    "Degradation",
    "Drawing",
    "FontSource",
    "GameSnapshot",
    "RenderTheme",
    "Screenshot",
    "draw",
    "find_fonts",
    "random_game",
    "random_position",
    "random_theme",
    "screenshot",
]
