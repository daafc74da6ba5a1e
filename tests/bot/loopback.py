"""Discord's REST API and gateway on loopback, for the real `confide bot` process.

The world behind it is simcord's: its permissions, its messages, its routes. What simcord leaves
out is here: a real websocket with sequence numbers, resuming and invalid sessions, rate limits,
commands that a person brought along, and kinds of channels that nobody knows.
"""

from __future__ import annotations

import asyncio
import fnmatch
import io
import json
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import Any

import discord
from aiohttp import WSMsgType, web
from simcord import interactions
from simcord._clock import Clock
from simcord.backend import Backend, serializers
from simcord.backend.errors import BackendError
from simcord.gateway import FakeGateway
from simcord.http import router
from simcord.http import routes as _routes

TOKEN = "loopback-token"
PREFIX = "/api/v10"
DISPATCH, HEARTBEAT, IDENTIFY, RESUME, RECONNECT, INVALID, HELLO, ACK = 0, 1, 2, 6, 7, 9, 10, 11
PRIVILEGED = discord.Intents(members=True, message_content=True, presences=True).value
assert _routes, "importing it registers simcord's routes"


class RealTime(Clock):
    """Another process has its own clock: so time passes by itself, and can be moved on."""

    def now(self) -> datetime:
        return datetime.now(UTC) + timedelta(seconds=self.elapsed)


class _Parsers:
    """simcord gives each event that the bot subscribed to, censored, to its parser; here the parser
    is the wire."""

    def __init__(self, send: Callable[[str, dict[str, Any]], None]) -> None:
        self._send = send

    def __getitem__(self, event: str) -> Callable[[dict[str, Any]], None]:
        return lambda payload: self._send(event, payload)

    get = __getitem__


@dataclass
class _State:
    intents: discord.Intents
    parsers: _Parsers


@dataclass
class Session:
    """One gateway session. It outlives its websocket, as Discord's do."""

    id: str
    gateway: FakeGateway
    events: list[dict[str, Any]] = field(default_factory=list)
    socket: web.WebSocketResponse | None = None
    sending: asyncio.Lock = field(default_factory=asyncio.Lock)
    is_valid: bool = True
    sent: int = 0  # the last event that was sent: each goes out once, in order


@dataclass
class Limit:
    method: str
    path: str
    seconds: float
    times: int
    meanwhile: Callable[[], object] | None = None


class Loopback:
    """`async with Loopback() as discord:`, then point CONFIDE_DISCORD_URL at `discord.url`."""

    def __init__(self) -> None:
        self.backend = Backend(clock=RealTime())
        self.sessions: list[Session] = []
        self.identified = self.resumed = 0
        self.refused_intents = 0
        self.limits: list[Limit] = []
        self.requests: list[tuple[str, str, int]] = []
        self.kinds: dict[str, int] = {}  # channels that are of a kind that simcord does not know
        self._changed = asyncio.Event()
        self._tasks: set[asyncio.Task[None]] = set()

    async def __aenter__(self) -> Loopback:
        app = web.Application(client_max_size=32 << 20)
        app.router.add_get("/gateway", self._gateway)
        app.router.add_get(f"{PREFIX}/gateway/bot", self._where)
        app.router.add_get(f"{PREFIX}/gateway", self._where)
        app.router.add_route("*", PREFIX + "/{path:.*}", self._rest)
        self._runner = web.AppRunner(app, access_log=None, shutdown_timeout=0.2)
        await self._runner.setup()
        site = web.TCPSite(self._runner, "127.0.0.1", 0)
        await site.start()
        self.port = self._runner.addresses[0][1]
        self.url = f"http://127.0.0.1:{self.port}{PREFIX}"
        return self

    async def __aexit__(self, *raised: object) -> None:
        for session in self.sessions:
            if session.socket is not None:
                with suppress(ConnectionError):
                    await session.socket.close()
        await self._runner.cleanup()

    # --- REST

    async def _where(self, request: web.Request) -> web.Response:
        limits = {"total": 1000, "remaining": 999, "reset_after": 0, "max_concurrency": 1}
        url = f"ws://127.0.0.1:{self.port}/gateway"
        told = {"url": url, "shards": 1, "session_start_limit": limits}
        return self._done(request, "/gateway", 200, told)

    async def _rest(self, request: web.Request) -> web.Response:
        path = "/" + request.match_info["path"]
        if request.headers.get("Authorization") not in (f"Bot {TOKEN}", None):
            return self._done(request, path, 401, {"message": "401: Unauthorized", "code": 0})
        limit = self._limit(request.method, path)
        if limit is not None:
            if limit.meanwhile is not None:
                limit.meanwhile()
            told = {"message": "slower", "retry_after": limit.seconds, "global": False}
            headers = {"Retry-After": str(limit.seconds), "Via": "loopback"}
            return self._done(request, path, 429, told, headers)
        body, files = await _body(request)
        try:
            told = router.dispatch(
                self.backend, request.method, path, json=body, params=dict(request.query),
                files=files, message_content_access=False,
            )  # fmt: skip
        except BackendError as refused:
            return self._done(request, path, refused.status, refused.to_json())
        return self._done(request, path, 204 if told is None else 200, told)

    def _done(
        self,
        request: web.Request,
        path: str,
        status: int,
        told: Any,
        headers: dict[str, str] | None = None,
    ) -> web.Response:
        self.requests.append((request.method, path, status))
        self._changed.set()
        if status == 204:
            return web.Response(status=204)
        # Discord names no charset, and discord.py takes anything else for text.
        plain = {"Content-Type": "application/json"} | (headers or {})
        return web.Response(body=json.dumps(told).encode(), status=status, headers=plain)

    def _limit(self, method: str, path: str) -> Limit | None:
        for one in self.limits:
            if one.times and one.method == method and fnmatch.fnmatch(path, one.path):
                one.times -= 1
                return one
        return None

    # --- gateway

    async def _gateway(self, request: web.Request) -> web.WebSocketResponse:
        socket = web.WebSocketResponse(max_msg_size=0)
        await socket.prepare(request)
        await socket.send_json({"op": HELLO, "d": {"heartbeat_interval": 41250}})
        async for message in socket:
            if message.type is not WSMsgType.TEXT:
                continue
            said = json.loads(message.data)
            match said["op"]:
                case 1:
                    await socket.send_json({"op": ACK})
                case 2:
                    await self._identify(socket, said["d"])
                case 6:
                    await self._resume(socket, said["d"])
                case _:
                    pass
        for session in self.sessions:
            if session.socket is socket:
                session.socket = None
        return socket

    async def _identify(self, socket: web.WebSocketResponse, said: dict[str, Any]) -> None:
        if said["token"] != TOKEN:
            await socket.close(code=4004)
            return
        if said["intents"] & self.refused_intents:
            await socket.close(code=4014)
            return
        self.identified += 1
        for old in self.sessions:
            self.backend.subscribers = [
                one for one in self.backend.subscribers if one != old.gateway.feed
            ]
        state = _State(discord.Intents._from_value(said["intents"]), _Parsers(self._deliver))
        gateway = FakeGateway(self.backend, state)
        session = Session(f"session-{self.identified}", gateway, socket=socket)
        self.sessions.append(session)
        self.backend.subscribers.append(gateway.feed)
        self._deliver("READY", {
            "v": 10, "user": dict(serializers.user_payload(self.backend.bot_user)),
            "guilds": [{"id": str(id), "unavailable": True} for id in self.backend.guilds],
            "session_id": session.id, "shard": [0, 1],
            "resume_gateway_url": f"ws://127.0.0.1:{self.port}/gateway",
            "application": {"id": str(self.backend.application_id), "flags": 0},
        })  # fmt: skip
        for guild in list(self.backend.guilds.values()):
            gateway.feed("GUILD_CREATE", serializers.guild_create_payload(self.backend, guild))

    async def _resume(self, socket: web.WebSocketResponse, said: dict[str, Any]) -> None:
        found = [one for one in self.sessions if one.id == said["session_id"] and one.is_valid]
        if not found:
            await socket.send_json({"op": INVALID, "d": False})
            return
        (session,) = found
        self.resumed += 1
        async with session.sending:
            session.socket = socket
            for event in session.events:
                if event["s"] > said["seq"]:
                    await socket.send_json(event)
                    session.sent = event["s"]
        self._deliver("RESUMED", {})

    def _deliver(self, event: str, payload: dict[str, Any]) -> None:
        session = self.sessions[-1]
        payload = self._retyped(payload)
        made = {"op": DISPATCH, "t": event, "s": len(session.events) + 1, "d": payload}
        session.events.append(made)
        task = asyncio.ensure_future(self._sent(session, made))
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    def _retyped(self, value: Any) -> Any:
        if isinstance(value, list):
            return [self._retyped(one) for one in value]
        if not isinstance(value, dict):
            return value
        inner = {name: self._retyped(one) for name, one in value.items()}
        is_channel = "type" in inner and "name" in inner
        return inner | (
            {"type": self.kinds[inner["id"]]}
            if is_channel and inner.get("id") in self.kinds
            else {}
        )

    async def _sent(self, session: Session, event: dict[str, Any]) -> None:
        """Events wait for nobody: what a broken connection loses, resuming brings again."""
        async with session.sending:
            if session.socket is not None and event["s"] > session.sent:
                with suppress(ConnectionError):
                    await session.socket.send_json(event)
                    session.sent = event["s"]

    def deliver(self, event: str, payload: dict[str, Any]) -> None:
        """An event as Discord would send it, whatever the world behind it says."""
        self._deliver(event, payload)

    def is_really(self, channel_id: int, kind: int) -> None:
        """The channel is of a kind that simcord does not know; from now on events say so."""
        self.kinds[str(channel_id)] = kind

    async def drop(self, code: int = 4000) -> None:
        """The connection breaks; the session goes on without it."""
        session = self.sessions[-1]
        socket, session.socket = session.socket, None
        assert socket is not None, "connected"
        await socket.close(code=code)

    # --- what people do

    async def until(self, holds: Callable[[], Any], seconds: float = 20) -> Any:
        """Wait for something that the bot does; each request of it is looked at."""
        async with asyncio.timeout(seconds):
            while not (found := holds()):
                self._changed.clear()
                with suppress(TimeoutError):
                    await asyncio.wait_for(self._changed.wait(), 0.05)
        return found

    def limit(self, method: str, path: str, seconds: float, times: int = 1, **more: Any) -> None:
        self.limits.append(Limit(method, path, seconds, times, **more))

    def replies(self, channel_id: int, to: int) -> list[Any]:
        return [
            one
            for one in self.backend.messages[channel_id].values()
            if one.author_id == self.backend.bot_user.id
            and (one.reference or {}).get("message_id") in (to, str(to))
        ]

    async def ask(self, who: int, channel_id: int, text: str) -> str:
        """What the bot replies to a message of somebody."""
        said = self.backend.create_message(channel_id, who, text)
        (reply,) = await self.until(lambda: self.replies(channel_id, said.id))
        return reply.content

    async def dm(self, who: int, text: str) -> str:
        return await self.ask(who, self.backend.get_dm_channel(who).id, text)

    async def mention(self, who: int, channel_id: int, text: str) -> str:
        return await self.ask(who, channel_id, f"<@{self.backend.bot_user.id}> {text}")

    async def slash(
        self, who: int, sink: int, name: str, options: dict[str, Any], /, **changed: Any
    ) -> Any:
        """A command, given where `changed` says that it was; its record with the reply's text."""
        root, *path = name.split()
        command = self.backend.commands[None][root, 1]
        given: list[dict[str, Any]] = []
        node = command
        for part in path:
            node = next(one for one in node["options"] if one["name"] == part)
        kinds = {one["name"]: one["type"] for one in node.get("options", ())}
        given = [{"name": k, "type": kinds[k], "value": v} for k, v in options.items()]
        for part in reversed(path):
            given = [{"name": part, "type": 1, "options": given}]
        channel = self.backend.get_channel(sink)
        data = {"id": command["id"], "name": root, "type": 1, "options": given}
        record, payload = interactions.base_payload(
            self.backend, type=2, channel_id=sink, guild_id=channel.guild_id, user_id=who,
            data=data,
        )  # fmt: skip
        owners = {"0": str(channel.guild_id or 0)}
        payload |= {"authorizing_integration_owners": owners} | changed
        self._deliver("INTERACTION_CREATE", payload)
        await self.until(lambda: record.message_id is not None and not record.loading)
        return record

    def text_of(self, record: Any) -> str:
        return self.backend.get_message(record.channel_id, record.message_id).content


async def _body(request: web.Request) -> tuple[Any, list[Any]]:
    if request.content_type == "application/json":
        return await request.json(), []
    if not request.content_type.startswith("multipart/"):
        return None, []
    body, files = None, []
    async for part in await request.multipart():
        content = bytes(await part.read())  # type: ignore[union-attr]
        if part.name == "payload_json":  # type: ignore[union-attr]
            body = json.loads(content)
        else:
            files.append(discord.File(io.BytesIO(content), filename=part.filename))  # type: ignore[union-attr]
    return body, files
