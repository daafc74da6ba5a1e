"""Every way to write a place, as help texts and errors show it."""

from __future__ import annotations

from typing import Final

#: Every way to write a place, for the help of every surface.
FORMS: Final[dict[str, str]] = {
    "dm": "one person alone with the agent",
    "reply": "an answer only the asker sees; reply@SPACE: asked for in a space",
    "guest": "the agent was called in from outside: anyone may read along",
    "group:ID": "a group chat; whoever joins later reads it too",
    "public:ID@SPACE": "a channel that everyone in the space can read",
    "announcement:ID@SPACE": "a channel that people outside the space read too",
    "restricted:ID@SPACE": "a channel that only some can read",
    "age-gated:ID@SPACE": "a channel for adults",
    "voice:ID@SPACE": "the chat of a voice channel",
    "stage:ID@SPACE": "the chat of a stage",
    "thread:ID@PARENT": "a thread inside one of those",
    "forum-post:ID@PARENT": "a post of a forum channel",
    "private-thread:ID@PARENT": "a thread that only its own members can read",
    "ctx:ID": "a context with listed participants, such as care",
    "connection:ID": "somebody's own key or tool, whose model reads along",
    "unknown:ID": "nothing is known about it, so nothing is told there",
}
EXAMPLES: Final = ", ".join(FORMS)
PARTS: Final = (
    "PARENT is the id of a known place, or a whole place: thread:9@public:general@guild."
    " SPACE is guild, or guild/verified for the channels of a role inside it."
)
