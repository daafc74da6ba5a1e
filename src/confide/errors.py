"""The error tree. Every message names the field and says what to do next; none repeats stored text.

ConfideError
├── InvalidInput            something that was passed in is wrong; nothing was changed
│   ├── InvalidEntity       an entity, place or atom is malformed, or its namespace is unknown
│   ├── SecretRefused       the text holds a credential, which is never stored
│   └── ConsentMissing      a grant needs somebody's consent that is not there
├── NotFound                no such memory for this actor; hidden and absent are the same
├── NotRecognized           the key or token is unknown, expired or revoked; which one is not said
├── NotAllowed              this kind of key never does this, whatever is stored
│   └── OnlyAsked           a request was left, and the person answers it by an act of their own
├── TooMany                 the key asked more often than it may
├── SwitchedOff             the memory is disabled by configuration
├── ModelUnavailable        a language model or embedder does not answer; nothing is lost meanwhile
├── UnusableAnswer          a language model answered, but nothing that can be used
└── StoreError              the database could not do it
    ├── StoreUnavailable    no server answers, or it could not be started
    ├── StoreTooOld         PostgreSQL, pgvector or the data folder is older than the program needs
    ├── StoreTooNew         the schema or data folder was written by a newer program
    ├── StorageProblem      the disk or folder cannot be used: read-only, full, or somebody else's
    └── UnsafeStore         the database would not enforce the rule, so nothing is told
"""

import uuid


class ConfideError(Exception):
    """Anything this library raises on purpose."""


class InvalidInput(ConfideError):
    """`field` is wrong; the message says how to mend it."""

    def __init__(self, field: str, problem: str) -> None:
        super().__init__(f"{field}: {problem}")
        self.field = field
        self.problem = problem


class InvalidEntity(InvalidInput):
    """An entity, place or atom is malformed, or its namespace is unknown."""


class SecretRefused(InvalidInput):
    """The text holds a credential, which is never stored."""


class ConsentMissing(InvalidInput):
    """A grant needs the consent of people who have not given it."""


class NotFound(ConfideError):
    """No such memory for this actor. Hidden and absent give the same error."""


class NotRecognized(ConfideError):
    """The key or token is unknown, expired or revoked. Which of these is not said."""


class NotAllowed(ConfideError):
    """This kind of caller never does this, whatever is stored."""


class OnlyAsked(NotAllowed):
    """A model may hold this key, so it only asks: `request` waits for the person's own answer."""

    def __init__(self, message: str, request: uuid.UUID) -> None:
        super().__init__(message)
        self.request = request


class TooMany(ConfideError):
    """The key asked more often than it may; `wait` says for how many seconds to pause."""

    def __init__(self, message: str, wait: float) -> None:
        super().__init__(message)
        self.wait = wait


class SwitchedOff(ConfideError):
    """The memory is disabled by configuration."""


class ModelUnavailable(ConfideError):
    """A language model or embedder does not answer. Nothing is lost; it is tried again.

    `retry_after`: for how many seconds it asked not to be asked.
    """

    def __init__(self, problem: str, *, retry_after: float = 0.0) -> None:
        super().__init__(problem)
        self.retry_after = retry_after


class UnusableAnswer(ConfideError):
    """A language model answered, but malformed, cut off, or not at all what was asked for."""


class StoreError(ConfideError):
    """The database could not do it. `field`: the setting that names it, where one is to blame."""

    def __init__(self, message: str, *, field: str | None = None) -> None:
        super().__init__(message)
        self.field = field


class StoreUnavailable(StoreError):
    """No server answers, or it could not be started."""


class StoreTooOld(StoreError):
    """PostgreSQL, pgvector or the data folder is older than the program needs."""


class StoreTooNew(StoreError):
    """The schema or the data folder was written by a newer program."""


class StorageProblem(StoreError):
    """What is kept cannot be written or read: a full or read-only disk, somebody else's folder."""


class UnsafeStore(StoreError):
    """The database would not enforce the rule, so nothing is told."""
