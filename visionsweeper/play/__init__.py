"""Whole games: dealing, playing by a technique, many of them at once, and by hand."""
