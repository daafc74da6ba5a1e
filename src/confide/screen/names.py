"""Finds people's names in a text that should name nobody: inflected, initialled, in other scripts."""

import re
import unicodedata
from collections.abc import Iterable, Iterator
from functools import cache
from typing import Final

from confide.language.words import WORD, fold, plain, words
from confide.screen.lists import lines

_PARTS: Final = re.compile(r"[^\W\d_]+")
_ENDINGS: Final = ("'s", "'", "s", "es", "s'")
_INITIALS: Final = re.compile(r"(?<![\w'])(?:[^\W\d_]\.\s?)+|(?<![\w'])[^\W\d_](?![\w'.])")
_SHORTEST: Final = 3
#: Sounds as Latin writes them. Cyrillic and Greek have vowels, so the whole word can be compared.
_SOUNDS: Final = dict(
    zip(
        "абвгдеёжзийклмнопрстуфхцчшщъыьэюяіїєґ",
        [
            "a",
            "b",
            "v",
            "g",
            "d",
            "e",
            "e",
            "zh",
            "z",
            "i",
            "i",
            "k",
            "l",
            "m",
            "n",
            "o",
            "p",
            "r",
            "s",
            "t",
            "u",
            "f",
            "h",
            "ts",
            "ch",
            "sh",
            "sch",
            "",
            "y",
            "",
            "e",
            "yu",
            "ya",
            "i",
            "i",
            "e",
            "g",
        ],
        strict=True,
    )
) | dict(
    zip(
        "αβγδεζηθικλμνξοπρσςτυφχψω",
        [
            "a",
            "v",
            "g",
            "d",
            "e",
            "z",
            "i",
            "th",
            "i",
            "k",
            "l",
            "m",
            "n",
            "x",
            "o",
            "p",
            "r",
            "s",
            "s",
            "t",
            "u",
            "f",
            "h",
            "ps",
            "o",
        ],
        strict=True,
    )
)
#: Letters that look like Latin ones; whoever means to deceive uses these.
_LOOKS: Final = str.maketrans("авеекмнорстухіјѕԁԛɡαενορτυικ", "abeekmhopctyxijsdqgaevoptuik")
_ALIKE: Final = str.maketrans("vfcqzrj", "bpkkslg")
_MUTE: Final = frozenset("aeiouyhw")


def find_names(text: str, names: Iterable[str]) -> tuple[str, ...]:
    """Those of `names` that somebody would recognise in `text`."""
    known = list(dict.fromkeys(name for name in names if name.strip()))
    clean = plain(text)
    return tuple(name for name in known if _is_named(clean, name))


def _is_named(text: str, name: str) -> bool:
    said = [word.folded.replace("’", "'") for word in words(text)]
    wanted = [fold(part) for part in _PARTS.findall(plain(name))]
    if not wanted:  # a handle of digits only
        return name.casefold() in text.casefold()
    if len(wanted) > 1 and _runs(wanted, [_bare(one) for one in said]):
        return True
    telling = [part for part in wanted if part not in _role_words()]
    if any(_is_form_of(word, part) for part in telling for word in said):
        return True
    if any(_sounds_like(word, part) for part in telling for word in _raw_words(text)):
        return True
    return any(found in _initials(wanted, telling) for found in _initials_in(text))


def _is_form_of(word: str, name: str) -> bool:
    if len(name) < _SHORTEST:
        return _bare(word) == name
    if word == name or any(word == name + ending for ending in _ENDINGS):
        return True
    return _collapsed(word.translate(_LOOKS)) in {
        _collapsed(name + ending) for ending in ("", *_ENDINGS)
    }


def _sounds_like(word: str, name: str) -> bool:
    """The same name in another script."""
    script, other = _script(word), _script(name)
    if script == other or len(name) < _SHORTEST:
        return False
    if {script, other} <= {"LATIN", "CYRILLIC", "GREEK"}:
        return _is_close(_collapsed(_spelled(word)), _collapsed(_spelled(name)))
    sound = _consonants(word)
    return len(sound) > 1 and sound == _consonants(name)


def _is_close(one: str, other: str) -> bool:
    """Equal, or in longer names one letter off: no two people transliterate alike."""
    if one == other or min(len(one), len(other)) < _SHORTEST:
        return one == other
    if abs(len(one) - len(other)) > 1:
        return False
    short, long = sorted((one, other), key=len)
    for at in range(len(long)):
        if long[:at] + long[at + 1 :] == short:
            return True
        if len(short) == len(long) and short[:at] + short[at + 1 :] == long[:at] + long[at + 1 :]:
            return True
    return False


def _spelled(word: str) -> str:
    return "".join(_SOUNDS.get(letter, letter) for letter in word.casefold())


def _consonants(word: str) -> str:
    """What is left of a name where scripts differ in how they write vowels."""
    letters = "".join(_letter(one) for one in word.casefold())
    kept = "".join(one for one in letters.translate(_ALIKE) if one not in _MUTE)
    return _collapsed(kept)


@cache
def _letter(one: str) -> str:
    """The sound of a letter by its name: HEBREW LETTER BET is b, KATAKANA LETTER BE is be."""
    if one.isascii():
        return one
    if one in _SOUNDS:
        return _SOUNDS[one]
    named = unicodedata.name(one, "").lower()
    _, _, called = named.partition(" letter ")
    called = called.removeprefix("small ").partition(" ")[0]
    if named.startswith(("katakana", "hiragana", "hangul")):
        return "n" if called == "n" else called
    return called[:1]


def _collapsed(word: str) -> str:
    return re.sub(r"(.)\1+", r"\1", word)


@cache
def _script(word: str) -> str:
    for letter in word:
        if letter.isalpha():
            script = unicodedata.name(letter, "?").split(" ")[0]
            return "KANA" if script in ("KATAKANA", "HIRAGANA") else script
    return "?"


def _raw_words(text: str) -> Iterator[str]:
    for found in WORD.finditer(text):
        yield _bare(found[0].replace("’", "'"))


def _bare(word: str) -> str:
    return word.removesuffix("'s").rstrip("'")


def _runs(wanted: list[str], said: list[str]) -> bool:
    return any(said[at : at + len(wanted)] == wanted for at in range(len(said)))


def _initials(wanted: list[str], telling: list[str]) -> frozenset[str]:
    together = "".join(part[0] for part in wanted)
    return frozenset({part[0] for part in telling} | ({together} if len(wanted) > 1 else set()))


def _initials_in(text: str) -> Iterator[str]:
    """`B.`, `S. K.`, `B`, and capitals in a row; not the words A and I."""
    for found in _INITIALS.finditer(text):
        letters = "".join(one for one in found[0] if one.isalpha())
        if letters.isupper() and found[0] not in ("A", "I"):
            yield fold(letters)
    for found in re.finditer(r"(?<!\w)[A-Z]{2,3}(?!\w)", text):
        yield fold(found[0])


@cache
def _role_words() -> frozenset[str]:
    return frozenset(lines("role_words"))
