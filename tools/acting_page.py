"""Write docs/acting.md from the table in `confide.privacy.acting`.

python tools/acting_page.py docs/acting.md
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path

from confide.privacy.acting import (
    MODELS,
    NUMBERS_AND_LABELS,
    PEOPLE,
    SAYS,
    Act,
    CallerKind,
    Relation,
    Verdict,
    may,
)

GROUPS = (
    ("Reading", Act.RECALL),
    ("Adding", Act.REMEMBER),
    ("Narrowing", Act.FORGET),
    ("Widening", Act.CONSENT),
    ("Ending for good", Act.ERASE),
    ("The world and the store", Act.ATTEST),
)
ABOVE = """# Who may act

`privacy/acting.py` decides who may *do* something; who may *hear* something is [the policy](privacy.md). This page is written
from its table by `tools/acting_page.py`, and a test compares them.

The answer depends on three things: the act, how the caller is known, and what the thing is to them. It is *yes*, *only ask*, or
*no*; whatever the table does not list is *no*. *Only ask* leaves a request. The person answers it on their platform, on the
operator's command line (`confide consent answer`), or signed in.

**A model may hold a personal key, an audience token or the agent's own connection.** These add, narrow and ask. Widening, and
erasing for good, need the act of a person with a proof that a model does not have.

**A coding agent with a shell under your account holds the operator's proof.** It can run `confide` like you. Run it under another
account of the machine, without rights on `CONFIDE_HOME`, and give it a personal key: see [keys](keys.md).
"""


def page() -> str:
    return "\n".join((ABOVE, *_callers(), *_relations(), *_acts(), *_instead_of_words()))


def _callers() -> Iterator[str]:
    yield "## How a caller is known\n"
    yield "| caller | what it is |\n|---|---|"
    for kind in CallerKind:
        group = "a person's own act" if kind in PEOPLE else "a model may hold it"
        said = group if kind in (*PEOPLE, *MODELS) else "neither adds nor widens people's memories"
        yield f"| {kind.value} | {SAYS[kind]}; {said} |"
    yield ""


def _relations() -> Iterator[str]:
    yield "## What the thing is to them\n"
    yield "| relation | meaning |\n|---|---|"
    yield "| owner | theirs: the memory, the clause, the account, the connection, the erasure |"
    yield "| speaker | they said it |"
    yield "| subject | it is about them, and they may hear it |"
    yield "| guardian | they confirm for the child whose it is |"
    yield "| reviewer | named in `CONFIDE_REVIEWERS`; neither owner, speaker nor editor of it |"
    yield "| chat admin | runs the chat it was said in, would hear it, and wrote none of it |"
    yield "| none | nobody in particular, or none of these |\n"


def _acts() -> Iterator[str]:
    starts = {first: title for title, first in GROUPS}
    for act in Act:
        if act in starts:
            yield f"## {starts[act]}\n"
            yield "| act | yes | only ask |\n|---|---|---|"
        yield f"| {act.value} | {_who(act, Verdict.YES)} | {_who(act, Verdict.ASK)} |"
        if act in _lasts():
            yield ""


def _lasts() -> set[Act]:
    acts, starts = list(Act), {first for _, first in GROUPS}
    return {one for one, after in pairwise(acts) if after in starts} | {acts[-1]}


def _who(act: Act, verdict: Verdict) -> str:
    """Callers that have the same relations stand together."""
    alike: dict[tuple[Relation, ...], list[str]] = {}
    for caller in CallerKind:
        theirs = tuple(one for one in Relation if may(act, caller, one).verdict is verdict)
        if theirs:
            alike.setdefault(theirs, []).append(caller.value)
    return "; ".join(
        f"{', '.join(callers)} (*{_relation_names(relations)}*)"
        for relations, callers in alike.items()
    )


def _relation_names(relations: tuple[Relation, ...]) -> str:
    return "any" if len(relations) == len(Relation) else ", ".join(one.value for one in relations)


def _instead_of_words() -> Iterator[str]:
    yield "## What is seen instead of words\n"
    yield "As nobody in particular, these callers see numbers and labels:\n"
    for kind, seen in NUMBERS_AND_LABELS.items():
        yield f"- **{SAYS[kind]}**: {'; '.join(seen)}."
    yield ""


if __name__ == "__main__":
    Path(sys.argv[1]).write_text(page())
