"""Personal data by validated detectors, and the risk that follows from them (P5)."""

import ipaddress
import re
from collections.abc import Callable, Iterator
from functools import cache

from stdnum import iban
from stdnum.br import cpf
from stdnum.de import idnr
from stdnum.es import dni, nie
from stdnum.exceptions import ValidationError
from stdnum.fr import nir
from stdnum.gb import nhs
from stdnum.pt import nif
from stdnum.us import ssn

from confide.language.words import Word, fold
from confide.screen.addresses import find_addresses
from confide.screen.cards import find_cards
from confide.screen.findings import Finding
from confide.screen.lists import table
from confide.screen.phones import find_phones

EMAIL = re.compile(r"[\w.+%-]{1,64}@(?:[\w-]{1,63}\.)+[^\W\d_]{2,24}")
IBAN = re.compile(r"\b[A-Za-z]{2}\d{2}(?: ?[A-Za-z0-9]){11,30}\b")
IP = re.compile(
    r"(?<![\w.])(?:\d{1,3}(?:\.\d{1,3}){3}|[0-9a-fA-F]{1,4}(?::[0-9a-fA-F]{0,4}){4,7})(?![\w:]|\.\d)"
)
COORDINATES = re.compile(r"(?<![\d.])-?\d{1,2}\.\d{4,}°?\s*[,;]\s*-?\d{1,3}\.\d{4,}")
NUMBER = re.compile(r"(?<![\w.])[A-Za-z]?\d[\d .-]{6,18}\d?[A-Za-z]?(?!\w)")
SSN = re.compile(r"(?<![\w-])\d{3}-\d{2}-\d{4}(?![\w-])")
CODE = re.compile(r"(?<![\w/:.-])(?=(?:[A-Z-]*\d){4})[A-Z]{0,3}-?\d[A-Z0-9-]{4,16}(?![\w/:])")
FULL_DATE = re.compile(
    r"\b(?:\d{4}-\d{1,2}-\d{1,2}|\d{1,2}[./-]\d{1,2}[./-]\d{2,4}"
    r"|\d{1,2}\.? (?:de )?[^\W\d]{3,10}\.? (?:de )?\d{4}"
    r"|[^\W\d]{3,10} \d{1,2}(?:st|nd|rd|th)?,? \d{4})\b"
)
# Checksums of one digit pass one number in ten, so these need a word that announces them.
ANNOUNCED: tuple[Callable[[str], str], ...] = (
    ssn.validate,
    idnr.validate,
    nir.validate,
    cpf.validate,
    nhs.validate,
    nif.validate,
)
SPEAKING: tuple[Callable[[str], str], ...] = (dni.validate, nie.validate)


def find_pii(text: str, words: list[Word]) -> tuple[Finding, ...]:
    """All personal data in the text, whatever the text claims about itself."""
    return tuple(_found(text, words))


def risk(findings: tuple[Finding, ...]) -> int:
    """0 none, 1 a lead, 2 identifies or reaches somebody (P5)."""
    kinds = table("pii")["kinds"]
    return min(2, sum(kinds[kind]["weight"] for kind in {f.kind for f in findings}))


def _found(text: str, words: list[Word]) -> Iterator[Finding]:
    if "@" in text:
        yield from (_finding("email", m) for m in EMAIL.finditer(text))
    yield from find_addresses(text)
    if not any(map(str.isdigit, text)):
        return
    taken: list[tuple[int, int]] = []
    for finding in _numbers(text, words):
        if all(finding.span[1] <= start or end <= finding.span[0] for start, end in taken):
            taken.append(finding.span)
            yield finding


def _numbers(text: str, words: list[Word]) -> Iterator[Finding]:
    said = {word.folded for word in words}
    yield from find_cards(text)
    yield from (_finding("bank_account", m) for m in IBAN.finditer(text) if _is_iban(m.group()))
    if not said & _announcing("version"):
        yield from (_finding("ip", m) for m in IP.finditer(text) if _is_ip(m.group()))
    yield from (_finding("coordinates", m) for m in COORDINATES.finditer(text))
    yield from _national_ids(text, said)
    if said & _announcing("birth"):
        yield from (_finding("birth_date", m) for m in FULL_DATE.finditer(text))
    if said & _announcing("document"):
        yield from (_finding("document", m) for m in CODE.finditer(text))
    yield from find_phones(text, is_announced=bool(said & _announcing("phone")))


def _national_ids(text: str, said: set[str]) -> Iterator[Finding]:
    is_announced = bool(said & _announcing("national"))
    for match in SSN.finditer(text):
        if is_announced or _passes(ssn.validate, match):
            yield _finding("national_id", match)
    checks = SPEAKING + (ANNOUNCED if is_announced else ())
    for match in NUMBER.finditer(text):
        if any(_passes(check, match) for check in checks):
            yield _finding("national_id", match)


def _passes(check: Callable[[str], str], match: re.Match[str]) -> bool:
    try:
        check(match.group().strip())
    except ValidationError:
        return False
    return True


def _is_iban(number: str) -> bool:
    return iban.is_valid(number) or iban.is_valid(number.split(" ")[0])


def _is_ip(number: str) -> bool:
    try:
        address = ipaddress.ip_address(number)
    except ValueError:
        return False
    is_version = "." in number and all(len(part) == 1 for part in number.split("."))
    return not (address.is_loopback or address.is_unspecified or is_version)


@cache
def _announcing(name: str) -> frozenset[str]:
    return frozenset(fold(word) for word in table("pii")["words"][name])


def _finding(kind: str, match: re.Match[str]) -> Finding:
    return Finding(kind=kind, reason=table("pii")["kinds"][kind]["says"], span=match.span())
