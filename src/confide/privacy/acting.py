"""Who may act. One table: what somebody wants to do, how they are known, and what the thing is to
them. It answers yes, only ask, or no, and no to everything it does not list.

Who may *hear* something is another question: `policy.py` answers that one.
"""

from __future__ import annotations

from collections.abc import Iterable
from enum import StrEnum
from typing import Final, NamedTuple


class CallerKind(StrEnum):
    """How whoever acts is known."""

    PLATFORM = "platform"  # a chat platform's key: it attests that its account did this
    PERSONAL = "personal"  # one person's key or connection; a model may hold it
    TOKEN = "token"  # an audience token for a model's tool calls
    AUDITOR = "auditor"  # a key that sees labels without words
    ADMIN = "admin"  # a key for configuration, without words
    OPERATOR = "operator"  # the command line of whoever holds the disk
    SIGNED_IN = "signed-in"  # a person in a browser session of their own
    CONSOLE = "console"  # the operator in a browser session: numbers, labels, review
    PROGRAM = "program"  # opens the store itself; attests people and places as a platform does
    AGENT = "agent"  # the agent's own connection
    BACKGROUND = "background"  # learning, merging and upkeep


class Relation(StrEnum):
    """What the thing that is acted upon is to whoever acts."""

    OWNER = "owner"  # theirs: the memory, the clause, the account, the connection, the erasure
    SPEAKER = "speaker"  # they said it
    SUBJECT = "subject"  # it is about them, and they may hear it
    GUARDIAN = "guardian"  # they confirm for the child whose it is
    REVIEWER = "reviewer"  # named in CONFIDE_REVIEWERS, and neither owner, speaker nor editor
    CHAT_ADMIN = "chat admin"  # runs the chat it was said in, would hear it, and wrote none of it
    NONE = "none"


class Verdict(StrEnum):
    YES = "yes"
    ASK = "only ask"  # a request is left, and the person answers it by an act of their own
    NO = "no"


class Act(StrEnum):
    """What somebody wants to do. The value completes "to …"."""

    # reading
    RECALL = "recall"
    READ_OWN = "read one's own memories, history, consents and requests"
    READ_HELD = "read words that wait for review"
    READ_LABELS = "see who can hear a memory, and what was done with it"
    READ_NUMBERS = "see reports, status and usage"
    # adding
    REMEMBER = "remember"
    CORRECT_HERE = "correct what was said through the same connection"
    CORRECT = "correct what was said elsewhere"
    LEARN = "learn from what was observed"
    PROPOSE = "propose an insight, a merge of accounts or a sharing"
    ASK_FOR_DATA = "ask about what others said of oneself"
    # narrowing
    FORGET = "forget with a way back"
    WITHDRAW = "withdraw a consent or a share, or say no to a request"
    NARROW = "narrow, edit or reject what waits for review"
    TAKE_BACK = "let a decision of one's own wait for review again"
    OPT_OUT = "opt out, go off the record or close connections"
    SPLIT = "say that two accounts are two people"
    # widening
    CONSENT = "consent, share, or say yes to a request"
    GRANT = "give others access while remembering"
    BROADCAST = "tell everyone without a review"
    EVERYWHERE = "let something be told everywhere, or be portable"
    OPEN_CONNECTION = "open connections for what was learned elsewhere"
    OPEN_INSIGHT = "let an insight go to those it is meant for"
    FREE_OWN = "free held words that only their owner would hear"
    FREE = "free held words that others would hear"
    CONFIRM_MERGE = "confirm that two accounts are one person"
    CONFIRM_CLAIM = "confirm that somebody in an imported chat is oneself"
    RESTORE = "restore what was forgotten or archived"
    OPT_IN = "opt in, or go back on the record"
    PROTECT = "protect from fading"
    # ending for good
    ERASE = "erase for good"
    ERASE_ANY = "erase a place, a source of many, or everything"
    # the world and the store
    NAME = "say what somebody is called"
    ATTEST = "say who is where, and which account is whose"
    OPEN_CONTEXT = "open a context"
    APPOINT_GUARDIAN = "say who confirms for a child"
    DECIDE_REQUEST = "decide on a request about personal data"
    REFUSE_INSIGHT = "keep an insight from everybody"
    REVOKE_KEY = "end a key or the signing of tokens"
    MAKE_KEY = "make a key"
    SIGN_IN = "make a link to sign in to the console"
    BREAK_GLASS = "read the words of one memory with a reason, which its owner is told"
    CHOOSE_MODEL = "choose to which model words are sent"
    TEND = "tidy up, repair and learn what is due"
    RUN = "back up, restore a backup, and accept the audit trail"


class Ruling(NamedTuple):
    verdict: Verdict
    reason: str


class Rule(NamedTuple):
    verdict: Verdict
    callers: frozenset[CallerKind]
    relations: frozenset[Relation]


PLATFORM, PERSONAL, TOKEN = CallerKind.PLATFORM, CallerKind.PERSONAL, CallerKind.TOKEN
AUDITOR, ADMIN, OPERATOR = CallerKind.AUDITOR, CallerKind.ADMIN, CallerKind.OPERATOR
CONSOLE = CallerKind.CONSOLE
AGENT, BACKGROUND = CallerKind.AGENT, CallerKind.BACKGROUND
OWNER, SPEAKER, SUBJECT = Relation.OWNER, Relation.SPEAKER, Relation.SUBJECT
GUARDIAN, REVIEWER, CHAT_ADMIN = Relation.GUARDIAN, Relation.REVIEWER, Relation.CHAT_ADMIN
NONE = Relation.NONE

#: The act of a person, with a proof that a model does not have (B12).
PEOPLE: Final = (PLATFORM, OPERATOR, CallerKind.SIGNED_IN, CallerKind.PROGRAM)
#: A model may hold these: they add, narrow and ask.
MODELS: Final = (PERSONAL, TOKEN, AGENT)
SPEAKS: Final = (*PEOPLE, *MODELS)
ANYTHING: Final = tuple(Relation)
FAMILY: Final = (OWNER, GUARDIAN)
CONCERNED: Final = (OWNER, SPEAKER, SUBJECT, GUARDIAN)


def _yes(callers: Iterable[CallerKind], *relations: Relation) -> Rule:
    return Rule(Verdict.YES, frozenset(callers), frozenset(relations))


def _ask(callers: Iterable[CallerKind], *relations: Relation) -> Rule:
    return Rule(Verdict.ASK, frozenset(callers), frozenset(relations))


def _widens(*relations: Relation) -> tuple[Rule, ...]:
    return _yes(PEOPLE, *relations), _ask(MODELS, *relations)


TABLE: Final[dict[Act, tuple[Rule, ...]]] = {
    Act.RECALL: (_yes(SPEAKS, *ANYTHING),),
    Act.READ_OWN: (_yes(SPEAKS, *FAMILY),),
    Act.READ_HELD: (_yes(PEOPLE, OWNER, REVIEWER, CHAT_ADMIN), _yes(MODELS, OWNER)),
    Act.READ_LABELS: (_yes(SPEAKS, *CONCERNED), _yes((OPERATOR, CONSOLE, AUDITOR), NONE)),
    Act.READ_NUMBERS: (_yes((OPERATOR, CONSOLE, ADMIN, AUDITOR), NONE), _yes(SPEAKS, OWNER)),
    Act.REMEMBER: (_yes(SPEAKS, OWNER, SPEAKER),),
    Act.CORRECT_HERE: (_yes(SPEAKS, OWNER),),
    Act.CORRECT: _widens(OWNER),
    Act.LEARN: (_yes((BACKGROUND,), NONE),),
    Act.PROPOSE: (_yes(SPEAKS, OWNER, SPEAKER), _yes((OPERATOR,), NONE)),
    Act.ASK_FOR_DATA: (_yes(SPEAKS, *FAMILY),),
    Act.FORGET: (
        _yes(SPEAKS, *CONCERNED),
        _yes(PEOPLE, CHAT_ADMIN),
        _yes((OPERATOR, ADMIN), NONE),
    ),
    Act.WITHDRAW: (_yes(SPEAKS, *FAMILY), _yes((BACKGROUND,), NONE)),
    Act.NARROW: (
        _yes(SPEAKS, OWNER),
        _yes(PEOPLE, REVIEWER, CHAT_ADMIN),
        _yes((OPERATOR, CONSOLE, BACKGROUND), NONE),
    ),
    # What was rejected could be approved again: that is not for a model.
    Act.TAKE_BACK: (_yes(PEOPLE, OWNER, REVIEWER, CHAT_ADMIN), _yes((OPERATOR, CONSOLE), NONE)),
    Act.OPT_OUT: (_yes(SPEAKS, *FAMILY),),
    Act.SPLIT: (_yes(SPEAKS, *FAMILY), _yes((OPERATOR,), NONE)),
    Act.CONSENT: (_yes(PEOPLE, *FAMILY), _ask((PERSONAL, TOKEN), *FAMILY)),
    Act.GRANT: _widens(OWNER, SPEAKER),
    Act.BROADCAST: (
        _yes((OPERATOR,), OWNER, SPEAKER, NONE),
        _ask(SPEAKS, OWNER, SPEAKER),
    ),
    Act.EVERYWHERE: _widens(OWNER),
    Act.OPEN_CONNECTION: _widens(OWNER),
    Act.OPEN_INSIGHT: (
        _yes(PEOPLE, OWNER, GUARDIAN, REVIEWER),
        _yes((OPERATOR,), NONE),
        _ask(MODELS, OWNER),
    ),
    Act.FREE_OWN: _widens(OWNER),
    Act.FREE: (_yes(PEOPLE, REVIEWER, CHAT_ADMIN), _ask(SPEAKS, OWNER)),
    Act.CONFIRM_MERGE: _widens(*FAMILY),
    Act.CONFIRM_CLAIM: _widens(*FAMILY),
    Act.RESTORE: (*_widens(OWNER), _yes((ADMIN,), OWNER)),
    Act.OPT_IN: _widens(OWNER),
    Act.PROTECT: _widens(OWNER),
    Act.ERASE: (
        _yes(PEOPLE, *CONCERNED, CHAT_ADMIN),
        _yes((OPERATOR,), NONE),
        _ask(MODELS, *CONCERNED),
    ),
    Act.ERASE_ANY: (_yes((OPERATOR,), NONE),),
    Act.NAME: (_yes(SPEAKS, OWNER), _yes((PLATFORM, OPERATOR, CallerKind.PROGRAM), NONE)),
    Act.ATTEST: (_yes((PLATFORM, OPERATOR, CallerKind.PROGRAM), NONE),),
    # A context decides who hears what is said in it, so a model opens none.
    Act.OPEN_CONTEXT: (
        _yes(PEOPLE, OWNER),
        _yes((PLATFORM, OPERATOR, CallerKind.PROGRAM), NONE),
    ),
    Act.APPOINT_GUARDIAN: (_yes((PLATFORM, OPERATOR, CallerKind.PROGRAM), NONE),),
    Act.DECIDE_REQUEST: (_yes((OPERATOR, CONSOLE, ADMIN), NONE),),
    Act.REFUSE_INSIGHT: (_yes((OPERATOR, CONSOLE, ADMIN), NONE), _yes(PEOPLE, REVIEWER)),
    Act.REVOKE_KEY: (_yes((OPERATOR, ADMIN), NONE),),
    Act.MAKE_KEY: (_yes((OPERATOR,), NONE),),
    # At their own request, as their platform attests; never by a browser session for another.
    Act.SIGN_IN: (
        _yes((PLATFORM, OPERATOR, CallerKind.PROGRAM), OWNER),
        _yes((OPERATOR,), NONE),
    ),
    Act.BREAK_GLASS: (_yes((OPERATOR, CONSOLE), NONE),),
    Act.CHOOSE_MODEL: (_yes((OPERATOR,), NONE),),
    Act.TEND: (_yes((OPERATOR, CONSOLE, ADMIN), NONE), _yes((BACKGROUND,), NONE)),
    Act.RUN: (_yes((OPERATOR,), NONE),),
}

#: Said of anybody, whoever says so. Whatever else nobody in particular may do is not done in the name
#: of somebody to whom the thing is nothing (K17).
OF_ANYBODY: Final = frozenset({Act.RECALL, Act.NAME, Act.ATTEST})

#: What these callers see instead of words.
NUMBERS_AND_LABELS: Final[dict[CallerKind, tuple[str, ...]]] = {
    OPERATOR: (
        "how many memories, messages, sessions and people there are, by level and day",
        "of a memory: id, owner, kind, scope, sensitivity, status, times, and who can hear it",
        "of what waits for review: the same, and why it waits",
        "of a request: who asks, for what, and until when; the words of a correction it decides on",
        "places with their kind and number of members, keys without secrets, usage and cost",
        "the audit trail: who did what to which memory, when, and hashes of before and after",
    ),
    AUDITOR: (
        "of a memory: id, kind, sensitivity, status, times, and who can hear it",
        "the audit trail: who did what to which memory, when, and hashes of before and after",
        "how many memories there are, by level and day",
    ),
    ADMIN: (
        "how many memories, messages, sessions and people there are, by level and day",
        "of a request: who asks, for what, and until when",
        "of an insight that waits: for whom it is meant and how many sources it has",
        "places with their kind and number of members, keys without secrets, usage and cost",
    ),
}


def may(act: Act, caller: CallerKind, relation: Relation) -> Ruling:
    """Whether `caller`, to whom the thing is `relation`, may do this by themselves."""
    for rule in TABLE.get(act, ()):
        if caller in rule.callers and relation in rule.relations:
            return Ruling(rule.verdict, _why(rule.verdict, act, caller))
    return Ruling(Verdict.NO, _why_not(act, caller))


def can_ever(act: Act, caller: CallerKind) -> bool:
    """Whether such a caller may do this by themselves, whatever the thing is to them."""
    return any(
        rule.verdict is Verdict.YES and caller in rule.callers for rule in TABLE.get(act, ())
    )


def callers_of(act: Act) -> frozenset[CallerKind]:
    """Who may do this at all, whatever it is to them."""
    return frozenset(one for rule in TABLE.get(act, ()) for one in rule.callers)


def _why(verdict: Verdict, act: Act, caller: CallerKind) -> str:
    if verdict is Verdict.YES:
        return f"{SAYS[caller]} may {act.value}"
    if caller in MODELS:
        return (
            f"a model may hold {SAYS[caller]}, so it only asks to {act.value}; the person answers"
            " on their platform, on the operator's command line, or signed in"
        )
    return f"somebody else has to agree before one may {act.value}"


def _why_not(act: Act, caller: CallerKind) -> str:
    if caller not in callers_of(act):
        return f"{SAYS[caller]} may not {act.value}"
    whose = sorted(
        {
            relation.value
            for rule in TABLE[act]
            if caller in rule.callers
            for relation in rule.relations - {NONE}
        }
    )
    if not whose:
        return f"only nobody in particular may {act.value}; leave out in whose name"
    return f"only {_listed(whose)} may {act.value}"


def _listed(names: list[str]) -> str:
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} or {names[-1]}"


SAYS: Final[dict[CallerKind, str]] = {
    PLATFORM: "a platform key",
    PERSONAL: "a personal key",
    TOKEN: "an audience token",
    AUDITOR: "an auditor key",
    ADMIN: "an admin key",
    OPERATOR: "the operator's command line",
    CallerKind.SIGNED_IN: "a signed-in person",
    CONSOLE: "the operator's browser session",
    CallerKind.PROGRAM: "a program that opens the store",
    AGENT: "the agent's own connection",
    BACKGROUND: "background work",
}
