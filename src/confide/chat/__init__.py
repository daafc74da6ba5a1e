"""The agent's own loop: recall → answer → observe, for whoever is listening."""

from confide.chat.answering import NO_ANSWER, Answer
from confide.chat.talk import Chat

__all__ = ["NO_ANSWER", "Answer", "Chat"]
