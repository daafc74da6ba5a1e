"""Every command once, as it is typed with a key: what is done with each kind of key, in order.

`{name}` is something an earlier answer named, or that waits for a decision from the beginning.
`keeps` says what to take out of the answer.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

ALICE = ("--as", "human:alice")
WAITING = ("waiting", "doubtful", "third")
OTHER = ("--as", "human:bob")


@dataclass(frozen=True)
class Typed:
    command: str
    key: str  # platform, admin or auditor
    words: tuple[str, ...] = ()
    keeps: dict[str, tuple[Any, ...]] = field(default_factory=dict)


def t(command: str, key: str, *words: str, **keeps: tuple[Any, ...]) -> Typed:
    return Typed(command, key, words, keeps)


TYPED = (
    t("remember", "platform", "I keep bees", "--by", "human:alice", "--in", "dm", id=("id",)),
    t("remember", "platform", "I keep wasps", "--by", "human:alice", "--in", "dm", second=("id",)),
    t("recall", "platform", "bees?", *ALICE, "--in", "dm"),
    t("why", "platform", *ALICE, "--in", "dm"),
    t("explain", "platform", "{id}", *OTHER, "--in", "dm", "--actor", "human:alice"),
    t("memories", "platform", *ALICE),
    t("tellings", "platform", "{id}", *ALICE),
    t("export", "platform", *ALICE),
    t("history", "platform", "{id}", *ALICE),
    t("about-me", "platform", *ALICE),
    t("share", "platform", "{id}", "--with", "human:bob", *ALICE, consent=("consent",)),
    t("unshare", "platform", "{id}", "--with", "human:bob", *ALICE),
    t("consent give", "platform", "--memory", "{id}", "--with", "human:bob", *ALICE,
      given=("consent",)),
    t("consent list", "platform", *ALICE),
    t("consent withdraw", "platform", "{given}", *ALICE),
    t("consent ask", "platform", "{id}", "--with", "human:carol", "--of", "human:alice", *ALICE,
      request=("requests", 0, "id")),
    t("consent requests", "platform", *ALICE),
    t("consent answer", "platform", "{request}", "--no", *ALICE),
    t("protect", "platform", "{id}", *ALICE),
    t("unprotect", "platform", "{id}", *ALICE),
    t("archived", "platform", *ALICE),
    t("generalize", "platform", "{id}", "--text", "Some 12 small animals teach patience", *ALICE,
      insight=("id",)),
    t("generalizations sources", "platform", "{insight}", *ALICE),
    t("generalizations list", "admin"),
    t("generalizations reject", "admin", "{insight}"),
    t("review list", "platform", *ALICE),
    t("review show", "platform", "{waiting}", *ALICE),
    t("review edit", "platform", "{waiting}", "I keep a few moths", *ALICE),
    t("review move", "platform", "{waiting}", "--namespace", "home", *ALICE),
    t("review approve", "platform", "{third}", *ALICE),
    t("review reject", "platform", "{doubtful}", *ALICE),
    t("review take-back", "platform", "{doubtful}", *ALICE),
    t("correct", "platform", "{second}", "I keep hornets", *ALICE),
    t("context enter", "platform", "ctx:care", "--with", "human:bob", *ALICE),
    t("context list", "platform", *ALICE),
    t("context show", "platform", "ctx:care", *ALICE),
    t("context leave", "platform", "ctx:care", *OTHER),
    t("people name", "platform", "human:alice", "Alice L."),
    t("people link", "platform", "human:bob", "--alias", "Bobby", *ALICE),
    t("people list", "platform", *ALICE),
    t("people show", "platform", "human:bob", *ALICE),
    t("people merge", "platform", "human:alice", "human:al", "--because", "same phone", *ALICE,
      merge=("merges", 0, "id")),
    t("people split", "platform", "{merge}", *ALICE),
    t("people claims", "platform", *ALICE),
    t("people guardian", "platform", "human:kid", "human:alice"),
    t("privacy status", "platform", *ALICE),
    t("privacy export", "platform", *ALICE, "--out", "{folder}/export"),
    t("export", "platform", *ALICE, "--out", "{folder}/alice.jsonl"),
    t("privacy opt-out", "platform", "--as", "human:zed"),
    t("privacy opt-in", "platform", "--as", "human:zed"),
    t("request access", "platform", *OTHER, asked=("id",)),
    t("request object", "platform", *OTHER),
    t("request erase", "platform", *OTHER),
    t("remember", "platform", "Bob paints", "--by", "human:alice", "--in", "group:art",
      "--about", "human:bob", about=("id",)),
    t("request correct", "platform", "{about}", "Bob draws", *OTHER),
    t("request list", "platform", *OTHER),
    t("request list", "admin"),
    t("request answer", "admin", "{asked}", "--refuse", "--reason", "nobody said anything"),
    t("places join", "platform", "restricted:mods@guild", "human:alice"),
    t("places leave", "platform", "restricted:mods@guild", "human:alice"),
    t("places attest", "platform", "restricted:mods@guild"),
    t("places join-space", "platform", "guild/verified", "human:alice"),
    t("places leave-space", "platform", "guild/verified", "human:alice"),
    t("places sync", "platform", "{folder}/places.jsonl", "--all-of", "guild"),
    t("places reclassify", "platform", "public", "mods@guild"),
    t("places list", "auditor"),
    t("places reviewed", "admin", "mods@guild"),
    t("observe", "platform", "{folder}/chat.jsonl"),
    t("add", "platform", "{folder}/chat.json", "--by", "human:alice", "--in", "dm"),
    t("import", "platform", "{folder}/chat.jsonl", *ALICE),
    t("privacy export", "platform", *ALICE, "--out", "{folder}/local", "--source", "local"),
    t("jobs", "admin"),
    t("sessions", "admin"),
    t("worker", "admin", "--once"),
    t("audit memory", "auditor", "{id}"),
    t("audit log", "auditor", "--since", "1d", "--of", "human:alice"),
    t("audit verify", "auditor"),
    t("status", "admin"),
    t("usage", "admin"),
    t("doctor", "admin"),
    t("gc", "admin", "--preview"),
    t("report", "admin"),
    t("report", "platform", *ALICE),
    t("calibrate", "admin"),
    t("keys list", "admin"),
    t("keys open", "platform", "human:alice"),
    t("keys close", "platform", "human:alice"),
    t("forget", "platform", "{id}", *ALICE, "--yes"),
    t("restore", "platform", "{id}", *ALICE),
    t("forget", "platform", "--person", "human:alice", *ALICE, "--yes", erasure=("id",)),
    t("restore", "platform", "{erasure}", *ALICE),
    t("privacy delete", "platform", *ALICE, "--yes"),
    t("keys rotate", "admin", "--signing"),
    t("keys rotate", "platform", "{platform_key}"),
    t("keys revoke", "admin", "{platform_key}"),
)  # fmt: skip

#: Asked of the server and refused there, for a reason that its settings can change.
BY_SETTINGS = {"reembed": ("--to", "builtin")}
