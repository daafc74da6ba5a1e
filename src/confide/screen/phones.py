"""Telephone numbers, checked against the numbering plans; dates, ISBNs and prices are none."""

import re
from collections.abc import Callable, Iterator

import phonenumbers
from stdnum import isbn

from confide.screen.findings import Finding

CANDIDATE = re.compile(
    r"(?<![\w.,:/#$€£-])(?:\+|\(\+?|00)?\d[\d\s()./-]{5,20}\d(?:\s?(?:x|ext\.?)\s?\d{1,6})?(?!\w|[-:]\d|[.,]\d)"
)
DATE = re.compile(
    r"(?:19|20)\d\d[-./ ]\d{1,2}[-./ ]\d{1,2}(?:\D.*)?|\d{1,2}[-./]\d{1,2}[-./](?:19|20)?\d\d(?:\D.*)?"
    r"|(?:19|20)\d\d\s*[-–/]\s*(?:19|20)\d\d|(?:19|20)\d{6}(?:\d{4}|\d{6})?"
)
# Where a number is written without country code it must fit one of these plans.
HOME_PLANS = (
    "US",
    "GB",
    "DE",
    "FR",
    "ES",
    "PT",
    "BR",
    "AT",
    "CH",
    "IT",
    "NL",
    "BE",
    "MX",
    "AU",
    "SE",
    "DK",
    "FI",
    "PL",
)
# Plans in which a national number starts with a trunk zero, so that other digits are no number.
TRUNK_ZERO = frozenset({"GB", "DE", "FR", "AT", "CH", "NL", "BE", "AU", "SE", "FI"})


def find_phones(text: str, *, is_announced: bool) -> Iterator[Finding]:
    """Numbers a plan knows. Where a word such as "call" announces one, the right length is enough."""
    for match in CANDIDATE.finditer(text):
        said = match.group().strip()
        if _is_something_else(said, text):
            continue
        if _is_phone(said, is_announced=is_announced):
            yield Finding(kind="phone", reason="a telephone number", span=match.span())


def _is_something_else(said: str, text: str) -> bool:
    is_book = isbn.is_valid(said) and (isbn.isbn_type(said) == "ISBN13" or "isbn" in text.lower())
    is_negative = re.search(r"\s-\d", said) is not None  # a place on a map
    return is_book or is_negative or DATE.fullmatch(said.strip("() ")) is not None


def _is_phone(said: str, *, is_announced: bool) -> bool:
    digits = re.sub(r"\D", "", said)
    if not 7 <= len(digits) <= 16:
        return False
    if said.lstrip("(").startswith(("+", "00")):
        return _fits_plan("+" + digits.removeprefix("00"), None, phonenumbers.is_possible_number)
    is_written_as_phone = bool(re.search(r"[().-]|\d \d", said)) and len(digits) >= 9
    if not (is_announced or is_written_as_phone):
        return False
    check = phonenumbers.is_possible_number if is_announced else phonenumbers.is_valid_number
    return any(
        _fits_plan(said, region, check)
        for region in HOME_PLANS
        if digits.startswith("0") or region not in TRUNK_ZERO
    )


def _fits_plan(
    said: str, region: str | None, check: Callable[[phonenumbers.PhoneNumber], bool]
) -> bool:
    try:
        number = phonenumbers.parse(said, region)
    except phonenumbers.NumberParseException:
        return False
    return check(number)
