"""Recordings of games: the board followed from frame to frame, its moves and what they risked."""
