"""Pixels to board."""
