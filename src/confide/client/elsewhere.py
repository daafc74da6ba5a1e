"""The door of a memory on a server: requests go out, answers come back as the same values."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from confide.client import writing
from confide.client.group import not_offered
from confide.declare import UNSENT, Field, Group, Source, Verb, answer_of, fields_of
from confide.door.here import understood
from confide.wire.codec import reader, writer

if TYPE_CHECKING:
    from confide.client.door import Door
    from confide.means import Means

PAGE: Final = 1000


class Elsewhere:
    """Sends a verb to the server whose key is held. It decides nothing."""

    def __init__(self, wire: Door) -> None:
        self._wire = wire

    @property
    def means(self) -> Means:
        not_offered("what needs the database")

    async def call(self, verb: Verb, group: Group, given: dict[str, Any]) -> Any:
        known = understood(verb, given)
        many = next((one.name for one in fields_of(verb) if one.is_many), "")
        if len(known.get(many, ())) <= PAGE:
            return await self._asked(verb, known)
        # A room may hold more people than one request. Whether it is news, for any of them.
        pages = [known[many][at : at + PAGE] for at in range(0, len(known[many]), PAGE)]
        answers = [await self._asked(verb, known | {many: page}) for page in pages]
        return max(answers) if isinstance(answers[0], bool) else answers[-1]

    async def _asked(self, verb: Verb, known: dict[str, Any]) -> Any:
        names: dict[str, object] = {}
        query: dict[str, object] = {}
        body: dict[str, object] = {}
        for field in fields_of(verb):
            if field.name in known:
                value = known[field.name]
                if field.source is Source.AUDIENCE:
                    body |= await writing.asking(self._wire, value)
                elif field.source in UNSENT:
                    query |= _who(field, value)
                else:
                    where = _part(verb, field, names, query, body)
                    where[field.shown] = await self._written(field, value)
        told = await self._wire.call(
            verb.method,
            verb.path.replace(":path}", "}"),
            names=names,
            query=query,
            body=body if has_body(verb) else None,
            is_long=verb.is_long,
        )
        return read_answer(verb, told)

    async def _written(self, field: Field, value: Any) -> Any:
        if field.source is Source.CONTEXT:
            return value.id.removeprefix("ctx:")
        if field.source is Source.PLACE:
            return None if value is None else await writing.where(self._wire, value)
        return writer(field.hint)(value)


def read_answer(verb: Verb, told: Any) -> Any:
    """What a server said, as the value that the verb returns here."""
    if answer_of(verb) is type(None):
        return None
    return reader(answer_of(verb), True)(told[verb.answers] if verb.answers else told, "answer")


def has_body(verb: Verb) -> bool:
    """A request without a body is refused where one is expected, also an empty one."""
    return verb.method in ("POST", "PUT", "PATCH") and any(
        one.source not in UNSENT and not verb.names(one) for one in fields_of(verb)
    )


def _who(field: Field, value: Any) -> dict[str, object]:
    """In whose name; how that is proven is the key's, and a platform vouches as itself."""
    if value is None or field.source not in (Source.ACTOR, Source.ALONE, Source.SELF):
        return {}
    who = value.entity if field.source is Source.ACTOR else value
    return {} if who is None else {"as": str(who)}


def _part(
    verb: Verb,
    field: Field,
    names: dict[str, object],
    query: dict[str, object],
    body: dict[str, object],
) -> dict[str, object]:
    if verb.names(field):
        return names
    return body if verb.method in ("POST", "PUT", "PATCH") else query
