"""Pictures out: a board with its odds, its marks and their legend."""
