"""Fuzzes the image reader; see README.md."""

from driver import run

if __name__ == "__main__":
    run("image")
