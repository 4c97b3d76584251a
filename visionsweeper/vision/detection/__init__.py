"""Where the board is: its tile grid within a picture."""
