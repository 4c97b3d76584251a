"""Teaching the look of one game."""
