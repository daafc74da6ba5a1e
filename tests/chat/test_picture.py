"""The picture in the documentation is what `confide chat` shows today."""

from __future__ import annotations

import html
import re
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from typing import Any

from confide.testing import temporary

ROOT = Path(__file__).parents[2]
KEPT = (ROOT / "docs" / "pictures" / "chat.svg").read_text("utf-8")


def tool() -> Any:
    spec = spec_from_file_location("picture", ROOT / "tools" / "picture.py")
    assert spec is not None
    assert spec.loader is not None
    module = module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def text(svg: str) -> list[str]:
    """Its words in order; how they are drawn is for the library that draws."""
    return [html.unescape(one).replace("\xa0", " ") for one in re.findall(r">([^<>]+)</text>", svg)]


async def test_the_picture_is_a_real_run(home: Path) -> None:
    picture = tool()
    async with temporary(home=home, clock=picture.clock, learn=False) as confide:
        fresh = text(await picture.drawn(confide))
    assert fresh == text(KEPT)
    assert any("hear[human:alice]" in line for line in fresh)
