"""Former names of documented modules; they stand in `game` and `simulation` now."""
