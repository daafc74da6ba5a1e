"""Discord's way of writing is read before anything is learned; long answers are split."""

from __future__ import annotations

import random

import pytest

from confide.surfaces.discord.splitting import MOST, split
from confide.surfaces.discord.text import read, shown

ME = 99
NAMES = {("role", 7): "mods", ("channel", 8): "general"}


@pytest.mark.parametrize(
    ("written", "own"),
    [
        ("<@99> my ign is `CodeGuy`", "my ign is CodeGuy"),
        ("<@!99>, hello", "hello"),
        ("<@4711> likes tea", "@4711 likes tea"),
        ("ask in <#8> or <@&7>", "ask in #general or @mods"),
        ("gone <#5>", "gone #channel"),
        ("nice <:wave:123> <a:party:5>", "nice :wave: :party:"),
        ("meet <t:1767225600:R>", "meet 2026-01-01 00:00 UTC"),
        ("broken <t:99999999999999:R>", "broken <t:99999999999999:R>"),
        ("the answer is ||42||", "the answer is 42"),
        ("I **love** __tea__ and ~~coffee~~ *now*", "I love tea and coffee now"),
        ("my_var_name stays", "my_var_name stays"),
        ("```py\nx = 1\n> y\n```", "x = 1\n> y"),
        ("``a`b``", "a`b"),
        ("use </memories list:55>", "use /memories list"),
        ("2 * 3 * 4", "2 * 3 * 4"),
    ],
)
def test_own_words(written: str, own: str) -> None:
    assert read(written, ME, names=lambda kind, id: NAMES.get((kind, id))).own == own


def test_quotes_and_forwards_are_not_own_words() -> None:
    said = read("> I hate tea\nreally?", ME, forwarded=["I am Bob"])
    assert said.own == "really?"
    assert said.beside == "> I hate tea\n> I am Bob"
    assert read("look\n>>> I quit\nmy job", ME) == ("look", "> I quit\n> my job")
    assert read("", ME, forwarded=["secret plans"]).own == ""


def test_names_of_files() -> None:
    assert read("my cat", ME, attached=["coco.png"]).own == "my cat (attached: coco.png)"
    assert read("", ME, attached=["coco.png"]) == ("", "> (attached: coco.png)")


def test_stored_mentions_show_todays_name() -> None:
    assert shown("@123456789012345678 likes tea") == "<@123456789012345678> likes tea"
    assert shown("mail a@123456789012345678 or @bob") == "mail a@123456789012345678 or @bob"


def test_nothing_is_lost_in_splitting() -> None:
    draw = random.Random(3)
    for _ in range(200):
        blocks = []
        for _ in range(draw.randint(1, 12)):
            words = " ".join("w" * draw.randint(1, 30) for _ in range(draw.randint(1, 90)))
            code = "\n".join("c" * draw.randint(1, 200) for _ in range(draw.randint(1, 30)))
            blocks.append(draw.choice([words, f"```py\n{code}\n```", "x" * draw.randint(1, 5000)]))
        text = "\n\n".join(blocks)
        parts = split(text)
        assert all(0 < len(part) <= MOST for part in parts)
        assert all(part.count("```") % 2 == 0 for part in parts)
        bare = "".join(parts).replace("```py", "").replace("```", "")
        assert "".join(bare.split()) == "".join(
            text.replace("```py", "").replace("```", "").split()
        )


def test_split_between_paragraphs() -> None:
    first, second = "a" * 1500, "b" * 1500
    assert split(f"{first}\n\n{second}") == [first, second]
    assert split("short") == ["short"]
    assert split("  \n ") == []
