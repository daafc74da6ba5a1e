"""The command line. Each command is a file with `register(app)`; `commands.py` lists them."""


def main() -> None:
    """The `confide` program."""
    import sys

    if sys.argv[1:] == ["--version"]:  # asked by scripts, so nothing is loaded for it
        from confide import __version__

        print(f"confide {__version__}")
        return
    try:
        from confide.surfaces.cli.app import build

        build()()
    except KeyboardInterrupt:  # also while something is still being imported
        sys.exit(130)
