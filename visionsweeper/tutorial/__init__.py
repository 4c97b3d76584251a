"""The Learn page: patterns and formulas."""
