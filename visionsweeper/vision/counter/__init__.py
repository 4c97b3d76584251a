"""The mine counter beside the board."""
