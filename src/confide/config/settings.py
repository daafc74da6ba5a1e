"""The settings. Each has a help text that `config show` prints."""

from __future__ import annotations

import re
from datetime import timedelta
from pathlib import Path
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field, PrivateAttr, SecretStr, field_validator

from confide.model import Entity, Kind


class Settings(BaseModel):
    """What is in force. `sources.py` reads it from the environment and from files."""

    model_config = ConfigDict(extra="forbid")

    #: Where each came from that is not the default, for `config show`.
    _source: dict[str, str] = PrivateAttr(default_factory=dict)

    home: Path = Field(description="Folder of the embedded database")
    database_url: SecretStr | None = Field(
        None, description="PostgreSQL ≥ 16 with pgvector ≥ 0.8 to use instead of the embedded one"
    )
    replica_urls: SecretStr | None = Field(
        None,
        description="Hot standbys of that PostgreSQL that answer recalls, separated by commas or spaces",
    )
    replica_seconds: float = Field(
        3, gt=0, le=60, description="Seconds that a standby may lag behind and still be asked"
    )
    url: str | None = Field(
        None, description="A server whose memory the command line uses instead of one here"
    )
    key: SecretStr | None = Field(None, description="Key for that server; it says who you are")
    agent: str = Field(
        "default", description="Whose memory this is", pattern=r"^[A-Za-z0-9._-]{1,64}$"
    )
    enabled: bool = Field(
        True, description="Off: observe, remember and recall do nothing and say so"
    )
    namespaces: frozenset[str] = Field(
        frozenset(), description="More entity namespaces, separated by commas"
    )
    top_k: int = Field(5, ge=1, le=100, description="How many memories a recall brings back")
    similarity: float | None = Field(
        None,
        ge=-1,
        le=1,
        description="Similarity in meaning that is enough without any shared word; unset: the model's own",
    )
    context_tokens: int = Field(
        2000,
        ge=400,
        description="Most tokens in a context block; some 250 go to instructions and one short memory",
    )
    approve_from: float = Field(
        0.6, ge=0, le=1, description="Less confident memories wait for review"
    )
    learn: bool = Field(
        True, description="Learn from observed messages in this process; off: `confide worker` does"
    )
    extraction: bool = Field(
        True,
        description="Find facts in conversations; off: only what somebody asks to remember is kept",
    )
    merge_similarity: float = Field(
        0.85,
        ge=0,
        le=1,
        description="Similarity in meaning above which two memories with one label may be merged",
    )
    learn_approve_from: float = Field(
        0.7, ge=0, le=1, description="Less confident facts from conversations wait for review"
    )
    learn_keep_from: float = Field(
        0.5, ge=0, le=1, description="Even less confident facts from conversations are dropped"
    )
    learn_after_messages: int = Field(
        10, ge=1, le=50, description="Messages by one person after which something is learned"
    )
    history_messages: int = Field(
        20, ge=2, le=200, description="Messages of a place that are read together"
    )
    silence_minutes: float = Field(
        30, gt=0, description="Minutes of silence after which something is learned"
    )
    caution: Literal["low", "usual", "high"] = Field(
        "usual",
        description="How readily English text is taken for personal or sensitive by its meaning",
    )
    promotion: Literal["auto", "confirm", "off"] = Field(
        "auto", description="Whether harmless typed attributes are told to their owner everywhere"
    )
    broadcast: Literal["review", "allow"] = Field(
        "review",
        description="Whether a memory for everyone (`*`) waits until somebody looked at it",
    )
    raw_days_learned: int = Field(
        7, ge=0, description="Days that a message's words are kept after learning from them"
    )
    raw_days: int = Field(30, ge=1, description="Days that a message's words are kept at most")
    sweep_seconds: float = Field(
        30, gt=0, description="Seconds between two looks for quiet conversations"
    )
    lease_seconds: float = Field(
        60, gt=0, description="Seconds after which a silent worker loses what it works on"
    )
    retry_seconds: float = Field(
        5, ge=0, description="Seconds before a failed session is tried again; doubles each time"
    )
    days_context: int | None = Field(
        7, ge=1, description="Days a `context` lasts; `never` for ever"
    )
    days_event: int | None = Field(30, ge=1, description="Days an `event` lasts; `never` for ever")
    days_task: int | None = Field(14, ge=1, description="Days a `task` lasts; `never` for ever")
    days_observation: int | None = Field(
        3, ge=1, description="Days an `observation` lasts; `never` for ever"
    )
    reviewers: frozenset[str] = Field(
        frozenset(),
        description="Who decides on what waits, separated by commas; nobody about their own words",
    )
    max_entries: int = Field(
        10_000,
        ge=0,
        description="Memories of one owner before the weakest are archived; 0 for no cap",
    )
    auto_gc: bool = Field(True, description="Archive and clear away at start and daily")
    archive_days: int = Field(
        30, ge=1, description="Days in which an archived memory can be restored"
    )
    history_days: int | None = Field(
        365, ge=1, description="Days that replaced and rejected memories are kept; `never` to end"
    )
    access_log_days: int = Field(90, ge=1, description="Days that the access log is kept")
    undo_hours: int = Field(24, ge=0, description="Hours in which a soft delete can be undone")
    consent_days: int = Field(90, ge=1, description="Days a consent lasts unless it says otherwise")
    model: str = Field(
        "claude-sonnet-4-6",
        description="Language model; a cheaper Claude, or PROVIDER:MODEL of pydantic-ai",
        pattern=r"^[A-Za-z0-9._:/@-]{1,128}$",
    )
    merge_model: str | None = Field(
        None,
        description="Language model that merges; unset: claude-haiku-4-5 beside a Claude, else CONFIDE_MODEL",
        pattern=r"^[A-Za-z0-9._:/@-]{1,128}$",
    )
    persona: Path | None = Field(
        None, description="File with the system prompt of the agent that `chat` answers as"
    )
    anthropic_key: SecretStr | None = Field(
        None,
        description="Key of the Claude API; without one the built-in parts do the work",
    )
    anthropic_url: str = Field("https://api.anthropic.com", description="Address of the Claude API")
    embedder: str = Field(
        "builtin",
        description="Embedding model beside the built-in one; voyage-3.5-lite, voyage-3.5, voyage-3-large, voyage-code-3, PROVIDER:MODEL of pydantic-ai, or onnx:FOLDER on this machine",
        pattern=r"^(onnx:[^\x00-\x1f]{1,200}|[A-Za-z0-9._:/@-]{1,64})$",
    )
    voyage_key: SecretStr | None = Field(
        None,
        description="Key of the Voyage API",
    )
    voyage_url: str = Field("https://api.voyageai.com/v1", description="Address of the Voyage API")
    external_models: Literal["all", "not_sensitive", "none"] = Field(
        "not_sensitive", description="Which text may leave for language models and embedders"
    )
    model_seconds: float = Field(
        60, gt=0, description="Seconds after which a silent language model is given up on"
    )
    budget_agent: float | None = Field(
        None, ge=0, description="Dollars a month for all models; then the built-in parts take over"
    )
    budget_person: float | None = Field(
        None, ge=0, description="Dollars a month for the models that one person causes"
    )
    budget_space: float | None = Field(
        None, ge=0, description="Dollars a month for the models used in one space"
    )
    pool_size: int = Field(8, ge=1, le=50, description="Most database connections at once")
    auto_migrate: bool = Field(
        False,
        description="Change the schema of a server's database at start; off: only `confide db migrate` does",
    )
    transaction_pooling: bool = Field(
        False,
        description="The database is behind a pooler in transaction mode, such as PgBouncer",
    )
    host: str = Field("127.0.0.1", description="Address that `confide serve` listens on")
    port: int = Field(8765, ge=0, le=65535, description="Port that `confide serve` listens on")
    hosts: frozenset[str] = Field(
        frozenset(),
        description="Names by which `confide serve` is reached beside localhost, separated by commas",
    )
    log: Literal["debug", "info", "warning", "error"] = Field(
        "info",
        description="What servers, workers and the bot log; info: a line a request, no paths",
    )
    discord_token: SecretStr | None = Field(
        None,
        description="Token of the Discord application that `confide bot` runs as",
    )
    discord_url: str = Field(
        "https://discord.com/api/v10",
        description="Address of the Discord API, or of a proxy that shares its rate limits",
    )
    discord_message_content: bool = Field(
        False,
        description="The bot may use Discord's privileged Message Content intent; listening needs it",
    )
    discord_members: bool = Field(
        False,
        description="The bot may use Discord's privileged Members intent; then leaves count at once",
    )
    discord_keep_direct: bool = Field(
        True, description="Keep what people say to the bot in direct messages"
    )
    departed_days: int | None = Field(
        30,
        ge=0,
        description="Days after which what was said in a space that the agent left is erased; `never`",
    )
    idle_minutes: int = Field(
        15, ge=0, description="Minutes after which the unused embedded database stops itself"
    )
    resident: bool = Field(
        True,
        description="Keep a process beside the embedded database, so that commands start at once",
    )
    debug: bool = Field(False, description="Show where an unexpected error came from")

    @field_validator("home", "persona")
    @classmethod
    def _in_home(cls, value: Path | None) -> Path | None:
        """No shell has looked at what a file says."""
        return value and value.expanduser()

    @field_validator("namespaces", "reviewers", "hosts", mode="before")
    @classmethod
    def _split(cls, value: Any) -> Any:
        if not isinstance(value, str):
            return value
        return frozenset(filter(None, (part.strip() for part in value.split(","))))

    @field_validator(
        "days_context",
        "days_event",
        "days_task",
        "days_observation",
        "history_days",
        "departed_days",
        mode="before",
    )
    @classmethod
    def _never(cls, value: Any) -> Any:
        return None if isinstance(value, str) and value.strip().lower() == "never" else value

    def source(self, field: str) -> str:
        return self._source.get(field, "default")

    def came_from(self, sources: dict[str, str]) -> None:
        """Remember which source each field was read from."""
        self._source = sources

    @field_validator("replica_urls")
    @classmethod
    def _addresses(cls, value: SecretStr | None) -> SecretStr | None:
        for one in _separated(value):
            if not one.startswith(("postgresql://", "postgres://")):
                raise ValueError("each address begins with postgresql://")
        return value

    @property
    def replicas(self) -> list[str]:
        return _separated(self.replica_urls)

    @property
    def reviewing(self) -> frozenset[Entity]:
        return frozenset(Entity.parse(one, "CONFIDE_REVIEWERS") for one in self.reviewers)

    def lifetime(self, kind: Kind) -> timedelta | None:
        """How long a memory of this kind lasts from when the agent learned it (A1)."""
        days = {
            Kind.CONTEXT: self.days_context,
            Kind.EVENT: self.days_event,
            Kind.TASK: self.days_task,
            Kind.OBSERVATION: self.days_observation,
        }.get(kind)
        return None if days is None else timedelta(days=days)


def _separated(addresses: SecretStr | None) -> list[str]:
    """One address may name several hosts, between commas of its own."""
    written = addresses.get_secret_value() if addresses else ""
    return [one for one in re.split(r"[,\s]+(?=postgres(?:ql)?://)|\s+", written) if one]
