"""How far a memory's source is to be believed (design, section 3)."""

from enum import StrEnum

from confide.model import Trust


class Voice(StrEnum):
    """How a text reached the agent."""

    SPOKEN = "spoken"  # a person wrote it to or before the agent
    SEEN = "seen"  # the agent noticed it in a place
    BROUGHT = "brought"  # import, quotation, tool output


def trust_of(voice: Voice, *, about_speaker: bool, said_outright: bool) -> Trust:
    """The trust of a fact by how it came, and by whether its speaker knows it first-hand."""
    if voice is Voice.BROUGHT:
        return Trust.UNTRUSTED
    if not said_outright:
        return Trust.INFERRED
    if voice is Voice.SEEN:
        return Trust.OBSERVED
    return Trust.SAID if about_speaker else Trust.HEARSAY
