"""Tables in docs/research/screening.md that come from the screen's lists, not from measuring."""

from confide.language.lists import OWN
from confide.screen.languages import LANGUAGES
from confide.screen.lists import table

Table = tuple[tuple[str, ...], list[tuple[str, ...]]]


def tables() -> dict[str, Table]:
    """Each table of lists with its head."""
    return {
        "issuers": (("issuers whose formats are known",), [(", ".join(_issuers()),)]),
        "topics": (("topic", "sensitivity", *LANGUAGES), _topics()),
        "attributes": (("attribute", "sentences"), _attributes()),
        "pii_kinds": (("kind", "what", "weight", "sensitivity"), _pii_kinds()),
        "instruction_groups": (("group", "reason given", "patterns"), _instruction_groups()),
    }


def _issuers() -> list[str]:
    return list(table("secret_formats")["formats"])


def _topics() -> list[tuple[str, ...]]:
    """How many terms each language has for each topic."""
    rows: list[tuple[str, ...]] = []
    for topic, level in table("sensitivity_kinds").items():
        counts = [
            sum(len(table(f"lexicon_{name}")[part].get(topic, [])) for part in ("strong", "weak"))
            for name in LANGUAGES
        ]
        if any(counts):
            rows.append((topic.replace("_", " "), level, *map(str, counts)))
    return rows


def _attributes() -> list[tuple[str, ...]]:
    listed = OWN.table("attributes")["attributes"]
    return [(name, str(len(listed[name]["sentences"]))) for name in listed]


def _pii_kinds() -> list[tuple[str, ...]]:
    return [
        (name, kind["says"], str(kind["weight"]), kind["sensitivity"])
        for name, kind in table("pii")["kinds"].items()
    ]


def _instruction_groups() -> list[tuple[str, ...]]:
    return [
        (name, group["says"], str(len(group["anywhere"]) + len(group["orders"])))
        for name, group in table("instructions").items()
        if name != "parts"
    ]
