"""What is measured: each function returns the rows of one table in docs/research/screening.md."""

import time
from collections import Counter

from benchmarks.screening import datasets
from benchmarks.screening.datasets import LANGUAGES, OWN, Pair
from benchmarks.screening.issuers import LISTED, credentials
from confide.model import Kind, Sensitivity
from confide.screen import Screen, Screening, may_be_global

Rows = list[tuple[str, ...]]
EACH = 3
SEED = 4


def share(part: int, whole: int) -> str:
    """`part` of `whole`, as a percentage with one decimal."""
    return f"{100 * part / whole:.1f} %" if whole else "none"


def above_public(seen: Screening) -> bool:
    return seen.sensitivity is not Sensitivity.PUBLIC


def secrets(screen: Screen) -> Rows:
    drawn = credentials(EACH, SEED)
    refused = sum(seen.secret is not None for seen in screen.look_all([text for _, text in drawn]))
    alarms = sum(seen.secret is not None for seen in screen.look_all(datasets.locomo_turns()))
    said, unsaid = own("spoken_secrets"), own("spoken_harmless")
    heard = sum(seen.secret is not None for seen in screen.look_all(said))
    misheard = sum(seen.secret is not None for seen in screen.look_all(unsaid))
    return [
        ("issuers", str(len(LISTED["issuers"]))),
        (f"random instances refused, {EACH} of each issuer", share(refused, len(drawn))),
        ("passwords, PINs, cards and seeds said in sentences, refused", f"{heard} of {len(said)}"),
        ("harmless sentences in the same words, refused", f"{misheard} of {len(unsaid)}"),
        ("false alarms in LoCoMo's 5,882 turns", str(alarms)),
    ]


def sensitivity(screen: Screen) -> Rows:
    rows: Rows = []
    for name, held_out in (("tuning", False), ("held out", True)):
        every = datasets.pairs(held_out=held_out)
        for language in (*LANGUAGES, "all"):
            chosen = [pair for pair in every if language in (pair.language, "all")]
            found, alarms = _count(screen, chosen)
            size = str(len(chosen))
            rows.append(
                (name, language, size, share(found, len(chosen)), share(alarms, len(chosen)))
            )
    return rows


def _count(screen: Screen, pairs: list[Pair]) -> tuple[int, int]:
    """Sensitive sentences found at their level or above, and harmless ones above public."""
    sensitive = screen.look_all([pair.sensitive for pair in pairs])
    harmless = screen.look_all([pair.harmless for pair in pairs])
    found = sum(
        seen.sensitivity.rank >= Sensitivity(pair.level).rank
        for pair, seen in zip(pairs, sensitive, strict=True)
    )
    return found, sum(map(above_public, harmless))


def judged(screen: Screen) -> list[tuple[str, int, float, str]]:
    """Of statements of each level: number, share above public in percent, and its 95 % interval."""
    said = datasets.statements()
    seen = [above_public(one) for one in screen.look_all([text for _, text in said])]
    above = [(level, one) for (level, _), one in zip(said, seen, strict=True)]
    rows: list[tuple[str, int, float, str]] = []
    for name in ("personal or sensitive", "sensitive", "personal", "public"):
        chosen = [one for level, one in above if level in name.split(" or ")]
        share = sum(chosen) / len(chosen)
        spread = 1.96 * (share * (1 - share) / len(chosen)) ** 0.5
        between = f"{100 * (share - spread):.0f} to {100 * (share + spread):.0f} %"
        rows.append((name, len(chosen), 100 * share, between))
    return rows


def elsewhere(_: Screen) -> Rows:
    rows: Rows = []
    careful = [Screen(caution) for caution in ("low", "usual", "high")]
    for name, texts in (
        ("LoCoMo turns above public", datasets.locomo_turns()),
        ("PrivacyLens items above public", datasets.privacylens_items()),
    ):
        above = [sum(map(above_public, one.look_all(texts))) for one in careful]
        rows.append((name, str(len(texts)), *(share(count, len(texts)) for count in above)))
    return rows


def promotion(screen: Screen) -> Rows:
    true = [row.split("\t") for row in own_rows("attributes_true")]
    false = own("attributes_false")
    right = 0
    for _, name, value, text in true:
        attribute = _promoted(screen, text)
        right += attribute == (name, value)
    wrong = sum(_promoted(screen, text.replace("\\n", "\n")) is not None for text in false)
    return [
        ("true attributes promoted with the right value", f"{right} of {len(true)}"),
        ("adversarial sentences promoted", f"{wrong} of {len(false)}"),
    ]


def _promoted(screen: Screen, text: str) -> tuple[str, str] | None:
    seen = screen.look(text)
    made = may_be_global(seen, kind=Kind.IDENTITY, confidence=1.0, global_safe=True).attribute
    return (made.name, made.value) if made else None


def pii(screen: Screen) -> Rows:
    kinds = {
        "EMAIL_ADDRESS": "email",
        "IP_ADDRESS": "ip",
        "PHONE_NUMBER": "phone",
        "CREDIT_CARD": "card",
        "IBAN_CODE": "bank_account",
        "US_SSN": "national_id",
        "US_DRIVER_LICENSE": "document",
        "STREET_ADDRESS": "address",
    }
    there, found, alarms = Counter[str](), Counter[str](), Counter[str]()
    rows = datasets.presidio()
    for row, seen in zip(rows, screen.look_all([r["full_text"] for r in rows]), strict=True):
        spans = [(kinds.get(s["entity_type"]), s) for s in row["spans"]]
        for kind, span in spans:
            if kind:
                there[kind] += 1
                found[kind] += any(f.kind == kind and _meets(f.span, span) for f in seen.pii)
        for f in seen.pii:
            alarms[f.kind] += not any(kind == f.kind and _meets(f.span, s) for kind, s in spans)
    return [
        (name, str(there[kind]), share(found[kind], there[kind]), str(alarms[kind]))
        for name, kind in kinds.items()
    ]


def _meets(found: tuple[int, int], span: dict[str, int]) -> bool:
    return found[0] < span["end_position"] and span["start_position"] < found[1]


def instructions(screen: Screen) -> Rows:
    sets = {"NotInject, harmless requests": datasets.notinject()}
    sets["LoCoMo, harmless turns"] = datasets.locomo_turns()
    sets |= {f"BIPIA, {kind} attacks": texts for kind, texts in datasets.bipia().items()}
    sets |= {f"InjecAgent, {kind}": texts for kind, texts in datasets.injecagent().items()}
    rows: Rows = []
    for name, texts in sets.items():
        held = sum(seen.instruction is not None for seen in screen.look_all(texts))
        rows.append((name, str(len(texts)), share(held, len(texts))))
    return rows


def speed(screen: Screen) -> Rows:
    """Processor time, so that other work on the machine does not count."""
    turns = datasets.locomo_turns()
    rows: Rows = []
    screen.look_all(turns[:500])
    started = time.process_time()
    for first in range(0, len(turns), 500):
        screen.look_all(turns[first : first + 500])
    rows.append(("LoCoMo's turns", f"{len(turns) / (time.process_time() - started):,.0f}"))
    return rows


def own(name: str) -> list[str]:
    """The last column of one of our own lists."""
    return [row.split("\t")[-1] for row in own_rows(name)]


def own_rows(name: str) -> list[str]:
    return (OWN / f"{name}.tsv").read_text(encoding="utf-8").splitlines()


def new_screen() -> Screen:
    return Screen()
