"""Which harmless attributes somebody asks for of themselves: "what's my ign?", "wo wohne ich?"."""

from __future__ import annotations

from typing import Final

from confide.language.stating import HANDLE, Rule, Token, read_words, rules, sites, tokens_of

#: Longer ones ask for something particular.
LONGEST: Final = 10
_NAMES: Final = ("in game name", "user name")
_NAME: Final = frozenset({"name", "nom", "nombre", "nome", "namen"})
_BY_VALUE: Final = frozenset({"expertise", "game_edition", "platform"})


def attributes_asked(question: str) -> tuple[str, ...]:
    """What their memories begin with, since the question may share no word with them."""
    said = question.replace("?", " ").replace("¿", " ")
    tokens = tokens_of(said)
    if not tokens or len(tokens) > LONGEST:
        return ()
    found = [
        label
        for rule in rules(asking=True)
        if any(token.word in rule.own for token in tokens) and _asks(said, tokens, rule)
        for label in _labels(rule)
    ]
    return tuple(dict.fromkeys(found))


def _asks(said: str, tokens: list[Token], rule: Rule) -> bool:
    reading = read_words(said, tokens, rule)
    if reading is None or reading.name is not None:
        return False
    if any(cue <= reading.said for cue in rule.cues):
        return rule.attribute != HANDLE or bool((sites() | rule.places | _NAME) & reading.said)
    if rule.attribute == HANDLE:
        is_somewhere = bool((sites() | rule.places) & reading.said)
        return bool(rule.nouns & reading.said) or (
            is_somewhere and any(cue <= reading.said for cue in rule.weak)
        )
    # "How good am I at redstone?", "am I on java or bedrock?"
    return rule.attribute in _BY_VALUE and bool(reading.values)


def _labels(rule: Rule) -> tuple[str, ...]:
    return _NAMES if rule.attribute == HANDLE else (rule.attribute.replace("_", " "),)
