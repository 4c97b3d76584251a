"""`python -m visionsweeper`."""

from visionsweeper.cli import main

if __name__ == "__main__":
    main()
