"""Bytes and devices: files, pictures, archives, the clipboard, the screen; knows no Minesweeper."""
