"""What each tile is: features, classes, and names that agree with the rules of the game."""
