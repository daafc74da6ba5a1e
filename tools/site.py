"""Build the documentation site offline: `make docs`, or `python tools/site.py FOLDER`.

The pages of docs/ are copied to FOLDER/pages with the reference pages that are made from the code,
then zensical builds them. It checks links and anchors; a warning fails the build. Beside the HTML
stand the Markdown pages and `llms.txt`, for readers that are programs.
"""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parent))
import reference

ROOT = Path(__file__).parents[1]
FENCE = re.compile(r"^(`{3,})([\w-]+) [^\n`]+$", re.MULTILINE)
OUTSIDE = re.compile(r"\[([^\]\n]*)\]\(((?:\.\./)+[^)\s]*)\)")


def main(folder: Path) -> None:
    pages, site = folder / "pages", folder / "site"
    prepare(pages)
    settings = folder / "zensical.toml"
    shutil.copy(ROOT / "zensical.toml", settings)
    command = [Path(sys.executable).with_name("zensical"), "build", "--strict", "--clean"]
    done = subprocess.run([*command, "--config-file", settings], check=False)
    if done.returncode:
        raise SystemExit("the site has warnings; see above")
    for name, text in for_programs(pages).items():
        (site / name).write_text(text, encoding="utf-8")
    for page in pages.rglob("*.md"):
        shutil.copy(page, site / page.relative_to(pages))


def prepare(pages: Path) -> None:
    """What zensical reads: docs/ and the generated pages."""
    shutil.rmtree(pages, ignore_errors=True)
    shutil.copytree(ROOT / "docs", pages)
    for name, text in reference.pages().items():
        (pages / "reference" / name).write_text(text, encoding="utf-8")
    for path in pages.rglob("*.md"):
        path.write_text(for_site(path.read_text("utf-8"), path, pages), encoding="utf-8")


def for_site(text: str, path: Path, pages: Path) -> str:
    """Without the words that only the tests read, and without links to files the site has not."""

    def inside(found: re.Match[str]) -> str:
        target = (path.parent / found[2].partition("#")[0]).resolve()
        return found[0] if target.is_relative_to(pages) else f"`{found[1].strip('`')}`"

    return OUTSIDE.sub(inside, FENCE.sub(r"\1\2", text))


def for_programs(pages: Path) -> dict[str, str]:
    """`llms.txt`: one line a page; `llms-full.txt`: every page, one after the other."""
    config = tomllib.loads((ROOT / "zensical.toml").read_text("utf-8"))["project"]
    short = [f"# {config['site_name']}", "", f"> {config['site_description']}"]
    whole: list[str] = []
    for group, entries in listed(config["nav"]):
        short += ["", f"## {group}", ""]
        for title, name in entries:
            text = (pages / name).read_text("utf-8")
            short.append(f"- [{title}]({name}): {first_sentence(text)}")
            whole.append(f"<!-- {name} -->\n{text.strip()}\n")
    return {"llms.txt": "\n".join(short) + "\n", "llms-full.txt": "\n".join(whole)}


def listed(nav: list[Any]) -> Iterator[tuple[str, list[tuple[str, str]]]]:
    for entry in nav:
        for group, pages in entry.items():
            yield group, [pair for page in pages for pair in page.items()]


def first_sentence(text: str) -> str:
    """The first sentence of a page below its heading, in one line."""
    body = re.sub(r"(?ms)^(`{3,}).*?^\1$|^[#|<!\-].*?$", "", text)
    paragraph = next((part for part in re.split(r"\n\s*\n", body) if part.strip()), "")
    plain = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", " ".join(paragraph.split()))
    return re.split(r"(?<=[.:])\s", plain, maxsplit=1)[0].rstrip(":")


if __name__ == "__main__":
    main(Path(sys.argv[1] if len(sys.argv) > 1 else ROOT / "build").resolve())
