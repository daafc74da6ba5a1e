"""Pin the newest versions that fit, for every Python we support, into requirements.lock."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[1]
HEAD = "# What was tested. Made by `make lock`; installed as constraints by the Makefile.\n"


def main() -> None:
    command = [
        sys.executable, "-m", "uv", "pip", "compile", "pyproject.toml", "--group", "dev",
        "--all-extras", "--universal", "--python-version", "3.11", "--no-header", "--no-annotate",
        "--no-emit-index-url", "--upgrade", "--quiet",
    ]  # fmt: skip
    pinned = subprocess.run(command, cwd=ROOT, check=True, capture_output=True, text=True).stdout
    (ROOT / "requirements.lock").write_text(HEAD + pinned)


if __name__ == "__main__":
    main()
