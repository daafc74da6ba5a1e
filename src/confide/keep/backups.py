"""Backups: the whole store in one file, and back. What was erased meanwhile stays erased."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from importlib.metadata import version
from pathlib import Path
from typing import IO, TYPE_CHECKING

from confide.actor import in_person, require
from confide.keep import opting
from confide.means import Part
from confide.model import Entity
from confide.privacy.acting import Act
from confide.store import ledger, ledger_file, trail
from confide.store.backup import Step, agents_of, back_up, no_step, speak_for
from confide.store.backup_file import Manifest, opened
from confide.store.contributions import Withdrawing, again, hold_place
from confide.store.ledger import Erasure
from confide.store.queries import query
from confide.store.relabel import relabel_by_consent
from confide.store.renewing import renew_ids
from confide.store.replaying import Replaying
from confide.store.replicas import narrowed
from confide.store.restoring import Later, Restoring, require_known

if TYPE_CHECKING:
    from confide.actor import Actor
    from confide.store.connection import Connection
    from confide.store.database import Database


@dataclass(frozen=True, slots=True, kw_only=True)
class Restored:
    """What a restore brought back. Counts only."""

    agents: list[str]
    rows: int
    replayed: int  # erasures that were done after the backup was made, and were done again
    made_at: datetime


class Backups(Part):
    """For whoever runs the agent: all agents of the store at once."""

    async def make(self, path: Path | IO[bytes], *, actor: Actor, step: Step = no_step) -> Manifest:
        """All that is kept, at one moment: a new file that its owner alone can read, or a stream."""
        _require_operator(actor)
        for agent in await agents_of(self.database):
            async with self.database.of(agent).keep() as connection:
                await trail.record(
                    connection, agent, actor=actor, action="backed up", now=self.clock(),
                    doing="backup", what="store",
                )  # fmt: skip
        return await back_up(self.database, path, version("confide"), self.clock(), step)

    async def restore(
        self,
        path: Path | IO[bytes],
        *,
        actor: Actor,
        replaces: bool = False,
        fingerprint: str | None = None,
        step: Step = no_step,
    ) -> Restored:
        """All of a backup or nothing. `replaces`: what its agents keep here makes way."""
        _require_operator(actor)
        replayed = 0
        with opened(path, fingerprint) as (archive, manifest):
            require_known(manifest)
            async with self.database.tend() as connection:
                restoring = Restoring(connection, archive, manifest)
                later = await restoring.load(replaces=replaces, step=step)
                for agent, since in later.items():
                    await speak_for(connection, agent)
                    database = self.database.of(agent)
                    await renew_ids(connection, database, self.clock())
                    replayed += await self._catch_up(connection, database, since)
                    await narrowed(connection)
                    await trail.record(
                        connection, agent, actor=actor, action="restored from a backup",
                        now=self.clock(), doing="restore", what="store",
                    )  # fmt: skip
        await self.database.refresh_statistics()
        return Restored(
            agents=manifest.agents,
            rows=sum(part.rows for part in manifest.parts),
            replayed=replayed,
            made_at=datetime.fromisoformat(manifest.made_at),
        )

    async def _catch_up(self, connection: Connection, database: Database, since: Later) -> int:
        """People's decisions after the backup was made hold: they were not the store's to undo."""
        now, agent = self.clock(), database.agent
        embed = self.embedder.embed_documents
        replaying = Replaying(connection, database, embed, self.settings.history_messages, now)
        erasures = [*since.erasures, *await self._from_file(connection, agent)]
        for erasure in erasures:
            await replaying.replay(erasure)
        withdrawing = Withdrawing(connection, database, embed, now)
        for row in await connection.fetch(query("restoring", "gone"), agent):
            await hold_place(connection, agent, row["place"])
            await withdrawing.learn_again(await withdrawing.message(row["id"]))
            await connection.execute(query("messages", "erase"), agent, row["id"])
            await again(connection, agent, row["session_id"], now)
        for id, at in since.withdrawn.items():
            if (
                await connection.execute(query("restoring", "withdraw"), agent, id, at)
                != "UPDATE 0"
            ):
                rows = await connection.fetch(query("consents", "touched"), agent, id)
                await relabel_by_consent(connection, database, [row["id"] for row in rows], now)
        for row in await connection.fetch(query("restoring", "objectors"), agent):
            await opting.hold_objections(connection, database, Entity.parse(row["asker"]), now)
        history = self.settings.history_messages
        for who, is_global_only in since.opted_out:
            await connection.execute(
                query("opting", "silence"), agent, who, True, is_global_only, now
            )
            if not is_global_only:
                await opting.silence(connection, database, Entity.parse(who), now, history)
        return len(erasures)

    async def _from_file(self, connection: Connection, agent: str) -> list[Erasure]:
        """What a store that is lost has erased: its ledger lies beside it, without the key."""
        known = {one.id for one in await ledger.every(connection, agent)}
        keys = {key.id for key in await ledger.every_key(connection, agent)}
        found = [
            one
            for one in ledger_file.read(self.settings.home, agent)
            if one.id not in known and one.key_id in keys
        ]
        for one in found:
            await ledger.enter(connection, agent, one)
        return found


def _require_operator(actor: Actor) -> None:
    require(Act.RUN, actor, in_person(actor))
