"""Payment card numbers: an issuer's prefix and length, and the Luhn checksum."""

import re
from collections.abc import Iterator

from stdnum import luhn

from confide.screen.findings import Finding

DIGITS = re.compile(r"(?<![\w.,-])\d(?:[ -]?\d){11,18}(?![\w-]|[.,]\d)")
ISSUED = re.compile(
    r"""4(?:\d{12}|\d{15}|\d{18})                                # Visa
    | (?:5[1-5]\d\d|222[1-9]|22[3-9]\d|2[3-6]\d\d|27[01]\d|2720)\d{12}  # Mastercard
    | 3[47]\d{13}                                                # American Express
    | 3(?:0[0-5]|[689]\d)\d{11}                                  # Diners
    | 6(?:011|4[4-9]\d|5\d\d)\d{12,15}                           # Discover
    | 62\d{14,17} | 35\d{14} | (?:2131|1800)\d{11}  # UnionPay, JCB
    | (?:5018|5020|5038|5893|6304|6759|676[1-3])\d{8,15}         # Maestro""",
    re.VERBOSE,
)


def find_cards(text: str) -> Iterator[Finding]:
    """Card numbers with a right checksum, with or without spaces."""
    for match in DIGITS.finditer(text):
        digits = re.sub(r"[ -]", "", match.group())
        if ISSUED.fullmatch(digits) and luhn.is_valid(digits) and len(set(digits)) > 1:
            yield Finding(kind="card", reason="a payment card number", span=match.span())
