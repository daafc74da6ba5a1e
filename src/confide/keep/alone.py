"""A reply that only one person can see."""

from __future__ import annotations

from typing import Final

from confide.model import Entity, Namespace, Place, PlaceKind
from confide.privacy.policy import Audience

NO_WORKSPACE: Final = Namespace()


def alone(who: Entity, namespace: Namespace = NO_WORKSPACE) -> Audience:
    """A reply that only `who` can see."""
    place = Place(id=f"reply:{who}", kind=PlaceKind.EPHEMERAL)
    return Audience(asker=who, place=place, viewers=frozenset({who}), namespace=namespace)
