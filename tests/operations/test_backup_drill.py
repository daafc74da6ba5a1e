"""The backup script and the restore drill of the page, with the real `age`."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from confide.store import embedded

ROOT = Path(__file__).parents[2]
DRILL = """
set -e
age-keygen -o key.txt 2>/dev/null && age-keygen -y key.txt > backup.pub
confide remember "I keep bees" --by human:bob --in dm
export BACKUP_FOLDER=$PWD/backups BACKUP_RECIPIENTS=$PWD/backup.pub
mkdir -p backups && touch -d '20 days ago' backups/confide-old.age && touch backups/mine.txt
newest=$("$SCRIPT")
confide db stop >/dev/null
age -d -i key.txt "$newest" | CONFIDE_HOME=$PWD/drill confide restore -
export CONFIDE_HOME=$PWD/drill
confide recall "what does Bob keep?" --as human:bob --in dm
confide doctor >/dev/null
confide db stop >/dev/null
ls -l backups
"""


@pytest.mark.req("B5")
def test_a_backup_is_encrypted_kept_for_a_while_and_restored_in_a_drill(tmp_path: Path) -> None:
    if shutil.which("age") is None:
        pytest.fail("age is not installed: `apt-get install age`", pytrace=False)
    env = {name: value for name, value in os.environ.items() if not name.startswith("CONFIDE_")}
    env |= {
        "PATH": f"{Path(sys.executable).parent}{os.pathsep}{env['PATH']}",
        "CONFIDE_HOME": str(tmp_path / "home"),
        "CONFIDE_LEARN": "false",
        "SCRIPT": str(ROOT / "deploy" / "backup.sh"),
    }
    try:
        done = subprocess.run(
            ["bash", "-c", DRILL], cwd=tmp_path, env=env, text=True, capture_output=True,
            check=False, timeout=240,
        )  # fmt: skip
    finally:
        for home in ("home", "drill"):
            embedded.discard(tmp_path / home)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "I keep bees" in done.stdout
    kept = sorted(path.name for path in (tmp_path / "backups").iterdir())
    assert len(kept) == 2, kept  # the old one is gone, and what is no backup stays
    assert kept[1] == "mine.txt"
    made = (tmp_path / "backups" / kept[0]).read_bytes()
    assert made.startswith(b"age-encryption.org/")
    assert b"bees" not in made
    assert (tmp_path / "backups" / kept[0]).stat().st_mode & 0o077 == 0
