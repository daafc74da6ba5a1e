"""Draws random credentials from published formats and puts them into chat sentences."""

import random
import re
import string
import tomllib
import uuid
from pathlib import Path

LISTED = tomllib.loads((Path(__file__).parent / "issuers.toml").read_text(encoding="utf-8"))
ALPHABETS = {
    "h": "0123456789abcdef",
    "d": string.digits,
    "a": string.ascii_letters + string.digits,
    "A": string.ascii_uppercase + string.digits,
    "l": string.ascii_lowercase + string.digits,
    "w": string.ascii_letters + string.digits + "-_",
    "b": string.ascii_letters + string.digits + "+/",
    "z": string.ascii_letters,
    "Q": "QPZRY9X8GF2TVDW0S3JN54KHCE6MUA7L",
    "T": string.ascii_uppercase + "234567",
}
SLOT = re.compile(r"\{(\w)(?::(\d+))?\}")


def credentials(each: int, seed: int) -> list[tuple[str, str]]:
    """`each` fresh instances of every issuer's format, each in a sentence: (issuer, text)."""
    rng = random.Random(seed)
    return [
        (issuer, _sentence(rng, issuer, _instance(rng, template)))
        for issuer, template in LISTED["issuers"].items()
        for _ in range(each)
    ]


def _instance(rng: random.Random, template: str) -> str:
    def fill(slot: re.Match[str]) -> str:
        if slot[1] == "u":
            return str(uuid.UUID(int=rng.getrandbits(128), version=4))
        return "".join(rng.choices(ALPHABETS[slot[1]], k=int(slot[2])))

    return SLOT.sub(fill, template)


def _sentence(rng: random.Random, issuer: str, token: str) -> str:
    sentences = [text for said in LISTED["sentences"].values() for text in said]
    if issuer in LISTED["unmarked"]:
        sentences = [text for text in sentences if "{issuer}" in text]
    return rng.choice(sentences).format(issuer=issuer, token=token)
