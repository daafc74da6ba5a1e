"""A person's rights over what is remembered of them."""

from __future__ import annotations

from confide.actor import Actor
from confide.keep import opting
from confide.means import Part
from confide.model import Entity


class Rights(Part):
    """Every person has them, whoever runs the agent."""

    async def opt_out(self, who: Entity, *, actor: Actor, is_global_only: bool = False) -> None:
        """Stop keeping and telling what is theirs, or only what follows them everywhere."""
        await opting.opt_out(self.database, who, actor, self.clock(), is_global_only=is_global_only)

    async def opt_in(self, who: Entity, *, actor: Actor) -> None:
        await opting.opt_in(self.database, who, actor, self.clock())

    async def state(self, who: Entity) -> opting.PrivacyState:
        return await opting.state(self.database, who)
