"""Reads Minesweeper screenshots and computes every covered tile's exact mine probability."""

__version__ = "0.1.0"
