"""`python -m confide`."""

from confide.surfaces.cli import main

main()
