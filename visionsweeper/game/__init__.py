"""One game as a player sees it."""
