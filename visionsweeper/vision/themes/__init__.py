"""Themes that were learned from the user's own screenshots."""
