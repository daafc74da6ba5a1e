"""Build sdist and wheel, install the wheel into an empty environment elsewhere, run the demo there."""

from __future__ import annotations

import subprocess
import sys
import tempfile
import venv
from pathlib import Path

ROOT = Path(__file__).parents[1]


def main() -> None:
    with tempfile.TemporaryDirectory(prefix="confide-wheel-") as made:
        folder = Path(made)
        run(sys.executable, "-m", "build", "--outdir", str(folder / "dist"), str(ROOT))
        (wheel,) = (folder / "dist").glob("*.whl")
        assert list((folder / "dist").glob("*.tar.gz")), "no sdist was built"
        venv.create(folder / "env", with_pip=True)
        python = folder / "env" / "bin" / "python"
        pinned = ("--constraint", str(ROOT / "requirements.lock"))
        run(python, "-m", "pip", "install", "--quiet", *pinned, str(wheel), cwd=folder)
        run(folder / "env" / "bin" / "confide", "demo", cwd=folder)


def run(*command: str | Path, cwd: Path = ROOT) -> None:
    print("$", *(Path(str(part)).name for part in command[:3]), "…", flush=True)
    subprocess.run([str(part) for part in command], cwd=cwd, check=True, stdin=subprocess.DEVNULL)


if __name__ == "__main__":
    main()
