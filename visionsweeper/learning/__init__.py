"""Teaching the theme of one game."""
