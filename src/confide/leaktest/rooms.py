"""The rooms of the town: every kind there is, two of some, in two spaces that use the same names."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import Final

from confide.model import PlaceKind


class ReadBy(StrEnum):
    """Who sees an answer that appears in a room, sooner or later."""

    ASKER = "the asker alone"
    ASKER_AND_CLIENT = "the asker, and the client of the connection"
    LISTED = "its listed participants"
    ANYONE_IN_IT = "whoever is in it, and whoever joins later and reads back"
    ANYONE = "whoever is in it, and people who are not"
    NOBODY_KNOWN = "nobody can say"


#: S3 and design section 2, "Audience".
READ_BY: Final[dict[PlaceKind, ReadBy]] = {
    PlaceKind.DIRECT: ReadBy.ASKER,
    PlaceKind.EPHEMERAL: ReadBy.ASKER,
    PlaceKind.THOUGHT: ReadBy.ASKER,
    PlaceKind.CONNECTION: ReadBy.ASKER_AND_CLIENT,
    PlaceKind.CONTEXT: ReadBy.LISTED,
    PlaceKind.GROUP: ReadBy.ANYONE_IN_IT,
    PlaceKind.PUBLIC: ReadBy.ANYONE_IN_IT,
    PlaceKind.ANNOUNCEMENT: ReadBy.ANYONE,
    PlaceKind.GUEST: ReadBy.ANYONE,
    PlaceKind.RESTRICTED: ReadBy.ANYONE_IN_IT,
    PlaceKind.AGE_GATED: ReadBy.ANYONE_IN_IT,
    PlaceKind.VOICE: ReadBy.ANYONE_IN_IT,
    PlaceKind.STAGE: ReadBy.ANYONE_IN_IT,
    PlaceKind.THREAD: ReadBy.ANYONE_IN_IT,
    PlaceKind.FORUM_POST: ReadBy.ANYONE_IN_IT,
    PlaceKind.PRIVATE_THREAD: ReadBy.ANYONE_IN_IT,
    PlaceKind.UNKNOWN: ReadBy.NOBODY_KNOWN,
}
HAVE_MEMBERS: Final = frozenset({ReadBy.LISTED, ReadBy.ANYONE_IN_IT, ReadBy.ANYONE})


class Level(StrEnum):
    """How far a canary goes before anybody narrows it (S1, A3, K3)."""

    OWNER = "its owner, alone"
    OWNER_IN_ROOM = "its owner, in that room or alone"
    ROOM = "everyone in that room"
    SPACE = "everyone in that space"
    OWNER_ANYWHERE = "its owner, anywhere"
    GRANTED = "those it was granted to"


#: S1, S3, S4. A thread or forum post is as its parent.
SAID_IN: Final[dict[PlaceKind, Level]] = {
    PlaceKind.DIRECT: Level.OWNER,
    PlaceKind.GUEST: Level.OWNER,
    PlaceKind.CONNECTION: Level.OWNER,
    PlaceKind.UNKNOWN: Level.OWNER,
    PlaceKind.GROUP: Level.ROOM,
    PlaceKind.CONTEXT: Level.ROOM,
    PlaceKind.PUBLIC: Level.SPACE,
    PlaceKind.ANNOUNCEMENT: Level.SPACE,
    PlaceKind.RESTRICTED: Level.OWNER_IN_ROOM,
    PlaceKind.AGE_GATED: Level.OWNER_IN_ROOM,
    PlaceKind.VOICE: Level.OWNER_IN_ROOM,
    PlaceKind.STAGE: Level.OWNER_IN_ROOM,
    PlaceKind.PRIVATE_THREAD: Level.OWNER_IN_ROOM,
}


@dataclass(frozen=True, slots=True)
class Room:
    """A room as the town's platforms know it. `title` is its row and column in the matrix."""

    key: str
    title: str
    kind: PlaceKind
    written: str  # as in design section 5
    space: str | None = None
    parent: str | None = None  # the key of the room it lies in
    of: str | None = None  # whose connection or direct chat it is


HARBOR, ORCHARD = "harbor", "orchard"
VERIFIED = "harbor/verified"  # those of the harbor who hold a role

#: Direct chats, replies and the agent's thought exist for everyone; they are made when needed.
DIRECT: Final = Room("direct", "direct chat", PlaceKind.DIRECT, "dm")
REPLY: Final = Room("reply", "reply to one", PlaceKind.EPHEMERAL, "reply")
ASIDE: Final = Room("whisper", "reply in a space", PlaceKind.EPHEMERAL, "reply@harbor", HARBOR)
GUEST: Final = Room("guest", "guest", PlaceKind.GUEST, "guest")
THOUGHT: Final = Room("thought", "agent alone", PlaceKind.THOUGHT, "")

ROOMS: Final = (
    Room("friends", "group", PlaceKind.GROUP, "group:friends"),
    Room("club", "group 2", PlaceKind.GROUP, "group:club"),
    Room("general", "public", PlaceKind.PUBLIC, "public:general@harbor", HARBOR),
    Room("lounge", "public 2", PlaceKind.PUBLIC, "public:lounge@harbor", HARBOR),
    Room("news", "announcement", PlaceKind.ANNOUNCEMENT, "announcement:news@harbor", HARBOR),
    Room("mods", "restricted", PlaceKind.RESTRICTED, "restricted:mods@harbor", HARBOR),
    Room("crew", "restricted 2", PlaceKind.RESTRICTED, "restricted:crew@harbor", HARBOR),
    Room("late", "age-gated", PlaceKind.AGE_GATED, "age-gated:late@harbor", HARBOR),
    Room("voice", "voice", PlaceKind.VOICE, "voice:voice@harbor", HARBOR),
    Room("stage", "stage", PlaceKind.STAGE, "stage:stage@harbor", HARBOR),
    Room(
        "chat", "thread of public", PlaceKind.THREAD, "thread:t1@general@harbor", HARBOR, "general"
    ),
    Room(
        "post", "forum post", PlaceKind.FORUM_POST, "forum-post:t2@lounge@harbor", HARBOR, "lounge"
    ),
    Room("case", "thread of restricted", PlaceKind.THREAD, "thread:t3@mods@harbor", HARBOR, "mods"),
    Room(
        "aside",
        "private thread",
        PlaceKind.PRIVATE_THREAD,
        "private-thread:t4@general@harbor",
        HARBOR,
        "general",
    ),
    Room(
        "huddle",
        "private thread of restricted",
        PlaceKind.PRIVATE_THREAD,
        "private-thread:t5@mods@harbor",
        HARBOR,
        "mods",
    ),
    Room("plan", "thread of group", PlaceKind.THREAD, "thread:t6@group:friends", None, "friends"),
    Room("deck", "public for a role", PlaceKind.PUBLIC, f"public:deck@{VERIFIED}", VERIFIED),
    Room(
        "desk", "closed for a role", PlaceKind.RESTRICTED, f"restricted:desk@{VERIFIED}", VERIFIED
    ),
    Room("o-general", "public elsewhere", PlaceKind.PUBLIC, "public:general@orchard", ORCHARD),
    Room(
        "o-mods", "restricted elsewhere", PlaceKind.RESTRICTED, "restricted:mods@orchard", ORCHARD
    ),
    Room("care", "context", PlaceKind.CONTEXT, "ctx:care"),
    Room("park", "context 2", PlaceKind.CONTEXT, "ctx:park"),
    Room("laptop", "connection", PlaceKind.CONNECTION, "connection:laptop", of="human:ann"),
    Room("editor", "connection 2", PlaceKind.CONNECTION, "connection:editor", of="human:ben"),
    Room("fog", "unknown", PlaceKind.UNKNOWN, "unknown:fog"),
    Room("adrift", "thread of unknown", PlaceKind.UNKNOWN, "thread:t9@nowhere"),
)
OF_ONE: Final = (DIRECT, REPLY, ASIDE, GUEST)
BY_KEY: Final = {room.key: room for room in (*ROOMS, *OF_ONE, THOUGHT)}
#: The order of rows and columns.
TITLES: Final = tuple(room.title for room in (DIRECT, *ROOMS, *OF_ONE[1:], THOUGHT))


def spaces_around(space: str | None) -> frozenset[str]:
    """A space and those it lies in."""
    parts = space.split("/") if space else []
    return frozenset("/".join(parts[:n]) for n in range(1, len(parts) + 1))
