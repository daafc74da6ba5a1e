"""The nouns. Frozen values that every other module speaks of; no behaviour beyond being well-formed."""

from __future__ import annotations

import re
import unicodedata
import uuid
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import Final, NamedTuple, Self

from confide.errors import InvalidEntity, InvalidInput, NotFound

#: Namespaces that come registered; settings may add more (K2).
NAMESPACES: Final = frozenset(
    {"human", "si", "app", "dog", "cat", "pet", "group", "org", "role", "ctx"}
)
#: People whom only one speaker knows. Their ids are random, and no request can name one.
SOMEONE: Final = "someone"
#: An id `discord.1234` is always an account there. Other names count once they are registered.
KNOWN_PLATFORMS: Final = frozenset({"discord", "matrix", "slack", "teams", "telegram", "whatsapp"})
#: The platform of ids that name none, such as human:alice and public:general@guild.
LOCAL: Final = "local"
#: Namespaces whose entities are sets of others, not individuals who can listen.
COLLECTIVE: Final = frozenset({"group", "org", "role"})
MAX_TEXT_BYTES: Final = 32 * 1024
MAX_PURPOSE: Final = 256

_NAMESPACE = re.compile(r"[a-z]{2,16}")
_extra_namespaces: set[str] = set()


def register_namespaces(names: frozenset[str]) -> None:
    """Accept more entity namespaces, for instance `cow` for a farm."""
    for name in names:
        if not _NAMESPACE.fullmatch(name):
            raise InvalidEntity("namespace", f"{name!r} must be 2 to 16 letters a-z")
        if name == SOMEONE:
            raise InvalidEntity("namespace", f"{name!r} is reserved; choose another word")
    _extra_namespaces.update(names)


@dataclass(frozen=True, slots=True, order=True)
class Entity:
    """Someone or something with a stable identity, written `namespace:id`."""

    namespace: str
    id: str

    @classmethod
    def parse(cls, text: str, field: str = "entity") -> Self:
        namespace, colon, rest = text.partition(":")
        if not colon or not rest:
            raise InvalidEntity(field, f"{text!r} is not namespace:id, for example human:alice")
        known = NAMESPACES | _extra_namespaces
        if namespace not in known:
            raise InvalidEntity(
                field,
                f"unknown namespace {namespace!r}; use one of {', '.join(sorted(known))}"
                " or add yours to CONFIDE_NAMESPACES",
            )
        return cls(namespace, clean_id(rest, field))

    def __str__(self) -> str:
        return f"{self.namespace}:{self.id}"


def is_someone(entity: Entity) -> bool:
    """Whether only one speaker knows who that is."""
    return entity.namespace == SOMEONE


def shown(entity: Entity) -> str:
    """An entity as anybody may see it. An id that only its speaker knows is shown to nobody."""
    return "somebody" if is_someone(entity) else str(entity)


def clean_id(text: str, field: str) -> str:
    """An identifier in NFC; look-alike letters stay different, spelling variants of one letter do not."""
    try:
        text.encode()
    except UnicodeEncodeError:
        raise InvalidEntity(field, "the id holds a lone surrogate; pass valid Unicode") from None
    clean = unicodedata.normalize("NFC", text)
    if not 1 <= len(clean) <= 128:
        raise InvalidEntity(field, "the id must have 1 to 128 characters")
    if any(c in "*@" or c.isspace() or unicodedata.category(c)[0] == "C" for c in clean):
        raise InvalidEntity(field, "the id must have no white space, control characters, * or @")
    return clean


class Kind(StrEnum):
    """What sort of thing is remembered; decides how long it lasts."""

    PREFERENCE = "preference"
    IDENTITY = "identity"
    RELATIONSHIP = "relationship"
    KNOWLEDGE = "knowledge"
    CONTEXT = "context"
    EVENT = "event"
    TASK = "task"
    OBSERVATION = "observation"


class MemoryType(StrEnum):
    """The coarser view of a kind."""

    EPISODIC = "episodic"
    SEMANTIC = "semantic"
    PROCEDURAL = "procedural"


LASTING: Final = frozenset({Kind.PREFERENCE, Kind.IDENTITY, Kind.RELATIONSHIP, Kind.KNOWLEDGE})


def type_of(kind: Kind | None, *, is_about_answering: bool = False) -> MemoryType:
    """S10: a missing kind is episodic, which can never become global."""
    if kind is Kind.PREFERENCE and is_about_answering:
        return MemoryType.PROCEDURAL
    return MemoryType.SEMANTIC if kind in LASTING else MemoryType.EPISODIC


class Sensitivity(StrEnum):
    """How careful to be. A second axis beside scope, which can only narrow."""

    PUBLIC = "public"
    PERSONAL = "personal"
    SENSITIVE = "sensitive"

    @property
    def rank(self) -> int:
        return list(Sensitivity).index(self)


class Scope(StrEnum):
    """Where a memory may be told, before sensitivity, subjects and consent are heard."""

    SELF_ONLY = "self_only"
    DM = "dm"
    CHANNEL_RESTRICTED = "channel_restricted"
    GROUP = "group"
    GUILD_PUBLIC = "guild_public"
    GLOBAL = "global"
    PUBLIC = "public"
    GRANTED = "granted"


class Status(StrEnum):
    """Where a memory stands in its life. Only approved ones are told."""

    PENDING = "pending"
    APPROVED = "approved"
    REJECTED = "rejected"
    SUPERSEDED = "superseded"
    ARCHIVED = "archived"
    DELETED = "deleted"


class Manner(StrEnum):
    """How a recall answers."""

    HELPFUL = "helpful"  # what may help a model, with what fits weakly marked as such
    CERTAIN = "certain"  # only what is really known: for words that people read without a model


class Trust(StrEnum):
    """Who vouches for a memory, best first. Derived text has the lowest of its sources."""

    SAID = "said"
    OBSERVED = "observed"
    INFERRED = "inferred"
    HEARSAY = "hearsay"
    UNTRUSTED = "untrusted"

    @property
    def rank(self) -> int:
        return list(Trust).index(self)


class PlaceKind(StrEnum):
    """Every kind of place an answer can appear in. `privacy/places.py` says what each means."""

    DIRECT = "direct"
    EPHEMERAL = "ephemeral"
    GUEST = "guest"
    GROUP = "group"
    PUBLIC = "public"
    RESTRICTED = "restricted"
    AGE_GATED = "age_gated"
    ANNOUNCEMENT = "announcement"
    THREAD = "thread"
    FORUM_POST = "forum_post"
    PRIVATE_THREAD = "private_thread"
    VOICE = "voice"
    STAGE = "stage"
    CONTEXT = "context"
    CONNECTION = "connection"
    THOUGHT = "thought"
    UNKNOWN = "unknown"


@dataclass(frozen=True, slots=True, kw_only=True)
class Place:
    """Somewhere people talk. `id` is the platform's immutable id, never a name."""

    id: str
    kind: PlaceKind
    space: str | None = None  # `guild`, or `guild/role` for a space inside it
    parent: str | None = None
    parent_place: Place | None = None  # the parent itself, where it was named with its kind


class Account(NamedTuple):
    """An account on a chat platform, which the platform vouches for; written `discord:1234`."""

    platform: str
    id: str

    def __str__(self) -> str:
        return f"{self.platform}:{self.id}"


class Namespace(NamedTuple):
    """P1: a workspace and a scope inside one person's memory; both empty is their global level."""

    workspace: str | None = None
    scope: str | None = None

    def and_ancestors(self) -> tuple[Namespace, ...]:
        """P2: itself, its workspace's global level, and the person's global level."""
        return tuple(dict.fromkeys((self, Namespace(self.workspace), Namespace())))


def require_message(given: object) -> None:
    if not isinstance(given, Message):
        raise InvalidInput(
            "message",
            f"is {type(given).__name__} instead of a Message; make one with"
            " confide.Message(id=…, place=…, speaker=…, text=…, said_at=…)",
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Message:
    """One thing said in a place, before anything was learned from it."""

    id: str
    place: Place
    speaker: Entity
    text: str
    said_at: datetime
    platform: str = "local"
    present: frozenset[Entity] = frozenset()
    is_to_agent: bool = True
    is_from_agent: bool = False
    is_confidential: bool = False  # between those who are there, and nobody else
    only_for: frozenset[Entity] = frozenset()  # people and roles there who may know, if not all
    namespace: Namespace | None = None  # the speaker's own workspace that it belongs to


@dataclass(frozen=True, slots=True, kw_only=True)
class Fact:
    """What an extractor found, not yet stored. The defaults claim as little as possible."""

    text: str
    snippet: str  # the exact words that support it; a snippet not in the messages voids the fact
    message_id: str
    speaker: Entity
    kind: Kind = Kind.EVENT
    confidence: float = 0.0
    subjects: tuple[str, ...] = ()  # names as said; resolving them is a later step
    sensitivity: Sensitivity | None = None
    is_global_safe: bool = False
    is_portable: bool = False
    is_about_answering: bool = False
    attribute: tuple[str, str] | None = None  # name and value of a typed attribute (S5)
    happened_on: str | None = None  # ISO date that "last Tuesday" was
    # Further messages whose words are in the text ("What's her name?" – "Coco"): without their ids
    # the words would escape their label, and stay when their message is deleted.
    also_from: tuple[str, ...] = ()


def clean_text(text: str | None, field: str = "text") -> str:
    """Text that may be stored: not empty, not huge, no bytes PostgreSQL or a reader chokes on."""
    if not isinstance(text, str):
        raise InvalidInput(field, "is no text; pass a str")
    if "\x00" in text:
        raise InvalidInput(field, "has a NUL byte; remove it")
    try:
        size = len(text.encode())
    except UnicodeEncodeError:
        raise InvalidInput(field, "holds a lone surrogate; pass valid Unicode") from None
    if not text.strip():
        raise InvalidInput(field, "is empty; say what to remember or ask")
    if size > MAX_TEXT_BYTES:
        raise InvalidInput(
            field, f"has {size} bytes, at most {MAX_TEXT_BYTES} are stored; shorten it"
        )
    return unicodedata.normalize("NFC", text.strip())


def clean_purpose(text: str) -> str:
    """What an answer or a consent is for. It is compared, so each spelling of it is one."""
    clean = clean_text(text, "purpose")
    if len(clean) > MAX_PURPOSE:
        raise InvalidInput(
            "purpose", f"has {len(clean)} characters, at most {MAX_PURPOSE} are read"
        )
    if any(unicodedata.category(c)[0] == "C" for c in clean):
        raise InvalidInput("purpose", "has a control character; remove it")
    return clean


def memory_id_of(value: object) -> uuid.UUID:
    """A malformed id names nothing, and is answered like one that does not exist."""
    try:
        return value if isinstance(value, uuid.UUID) else uuid.UUID(str(value))
    except ValueError:
        raise NotFound("there is no such memory") from None
