"""Board and mine count to odds; knows no pixels."""
