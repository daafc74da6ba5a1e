"""The command line. Each command is a file with `register(app)`; `commands.py` lists them."""


def main() -> None:
    """The `confide` program."""
    import sys

    words = sys.argv[1:]
    if words == ["--version"]:  # asked by scripts, so nothing is loaded for it
        from confide import __version__

        print(f"confide {__version__}")
        return
    try:
        if sys.platform == "linux":
            from confide.surfaces.cli.resident.asking import ask

            code = ask(words)
            if code is not None:
                sys.exit(code)
        _load_and_run(words)
    except KeyboardInterrupt:  # also while something is still being imported
        sys.exit(130)


def _load_and_run(words: list[str]) -> None:
    import sys

    from confide.surfaces.cli.app import build

    try:
        build()()
    finally:
        if sys.platform == "linux":
            from confide.surfaces.cli.resident.staying import stay_for_next

            stay_for_next(words)
