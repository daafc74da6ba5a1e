"""Step 1 of remembering: what of a statement its caller may say so by themselves.

A key or token that a model may hold shares nothing and promotes nothing: that is kept aside, and the
person is asked. What is for everyone waits until somebody else has looked at it.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final

from confide.actor import Actor, require, ruling
from confide.model import Scope, Status
from confide.privacy import atoms
from confide.privacy.acting import Act, CallerKind, Relation, Verdict
from confide.privacy.atoms import ANYONE, Atom
from confide.remember.statement import require_statement

if TYPE_CHECKING:
    from confide.remember.keep import Draft
    from confide.remember.statement import Statement

FOR_EVERYONE: Final = "it is for everyone, and somebody else has to look at it first"


@dataclass(frozen=True, slots=True)
class Permitted:
    """What is kept at once, and what is only asked for."""

    statement: Statement
    grants: frozenset[Atom] = frozenset()
    is_everywhere: bool = False


def program_as(statement: Statement) -> Actor:
    """Whoever opens the store attests who spoke, as a platform does."""
    require_statement(statement)
    return Actor(statement.by, CallerKind.PROGRAM)


def permitted(statement: Statement, actor: Actor) -> Permitted:
    require_statement(statement)
    relation = _relation(statement, actor)
    kept = statement
    others = statement.access - {atoms.entity(statement.by)}
    asks_to_grant = bool(others) and not _may(Act.GRANT, actor, relation)
    if asks_to_grant:
        kept = replace(kept, access=frozenset(), consent=frozenset())
    is_everywhere = statement.scope is Scope.GLOBAL and not _may(Act.EVERYWHERE, actor, relation)
    if is_everywhere:
        kept = replace(kept, scope=None)
    if statement.is_portable and not _may(Act.EVERYWHERE, actor, relation):
        kept = replace(kept, is_portable=False, is_portable_confirmed=False)
    return Permitted(kept, others if asks_to_grant else frozenset(), is_everywhere)


def looked_at_first(draft: Draft, actor: Actor) -> Draft:
    """What is for everyone waits for review, unless the operator's command line made it."""
    is_for_everyone = ANYONE in draft.statement.access
    if not is_for_everyone or _may(Act.BROADCAST, actor, _relation(draft.statement, actor)):
        return draft
    waits = draft.screened.waits_because or FOR_EVERYONE
    return replace(
        draft, screened=replace(draft.screened, status=Status.PENDING, waits_because=waits)
    )


def _relation(statement: Statement, actor: Actor) -> Relation:
    return Relation.OWNER if actor.entity in (None, statement.by) else Relation.SPEAKER


def _may(act: Act, actor: Actor, relation: Relation) -> bool:
    verdict = ruling(act, actor, relation).verdict
    if verdict is Verdict.NO:
        require(act, actor, relation)
    return verdict is Verdict.YES
