"""The compiled part of simulation: flat arrays, and no classes."""
