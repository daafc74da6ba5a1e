"""Who may do what: every route, with the kinds of callers it is for and why.

`own`: the status when a caller does it with what is theirs. `stranger`: when somebody does it, as
themselves, with what is another's. `impostor`: when somebody says they are another, always 403.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

ABSENT = "6f1c2d9e-0b57-4a52-9d1f-3f2a6f6f0c11"
EVERYBODY = "platform personal token"


@dataclass(frozen=True, kw_only=True)
class Row:
    route: str
    callers: str
    why: str
    own: int = 200
    stranger: int | None = None  # None: the route names nothing that could be another's
    attested: bool = False  # a platform's word makes it so for anybody of its own
    thing: str | None = None  # what `{id}` in the path is
    body: dict[str, Any] | None = None
    query: dict[str, str] = field(default_factory=dict)
    says: str | None = "as"  # where the caller says who they are: `as`, a field, or nowhere

    @property
    def method(self) -> str:
        return self.route.partition(" ")[0]

    @property
    def path(self) -> str:
        return self.route.partition(" ")[2]


ROWS = (
    # What needs no key.
    Row(route="GET /healthz", callers="anyone", why="says that the process lives"),
    Row(route="GET /readyz", callers="anyone", why="says that the database answers"),
    Row(route="GET /metrics", callers="anyone", why="numbers; on loopback only without a key"),
    # Remembering and recalling.
    Row(route="POST /v1/memories", callers=EVERYBODY, why="each remembers for whom it speaks",
        own=201, says="by", body={"text": "I like pears", "place": "dm"}),
    Row(route="GET /v1/memories", callers=EVERYBODY, why="one's own, as far as told there"),
    Row(route="GET /v1/memories/{memory_id}", callers="platform personal", thing="memory",
        stranger=404, why="one's own with its words, for their eyes alone"),
    Row(route="POST /v1/memories/{memory_id}/protect", callers="platform personal",
        thing="memory", stranger=404, why="an owner's choice; a token speaks in one place only"),
    Row(route="POST /v1/memories/{memory_id}/unprotect", callers="platform personal",
        thing="memory", stranger=404, why="an owner's choice; a token speaks in one place only"),
    Row(route="GET /v1/mine/archived", callers="platform personal",
        why="how much of one's own was put away"),
    Row(route="GET /v1/mine/archive", callers="platform personal",
        why="one's own words, for their eyes alone"),
    Row(route="GET /v1/mine/search", callers="platform personal", query={"question": "pears?"},
        why="one's own, for their eyes alone"),
    Row(route="GET /v1/mine/mentions", callers="platform personal",
        why="what one may hear about oneself, for their eyes alone"),
    Row(route="GET /v1/mine/stats", callers="platform personal",
        why="counts of what one may hear, for their eyes alone"),
    Row(route="GET /v1/mine/report", callers="platform personal",
        why="counts of what one may hear, for their eyes alone"),
    Row(route="DELETE /v1/memories/{memory_id}", callers=EVERYBODY, thing="memory", stranger=404,
        why="narrowing one's own acts at once, also by a model"),
    Row(route="POST /v1/memories/{memory_id}/restore", callers="platform personal",
        thing="forgotten", stranger=404, why="undoing a narrowing is not for a model"),
    Row(route="POST /v1/memories/{memory_id}/correct", callers="platform personal", own=200,
        thing="memory", stranger=404, body={"text": "I like apples"},
        why="an owner's right; a token speaks in one place only"),
    Row(route="POST /v1/recall", callers=EVERYBODY, says="asker", why="to the caller's audience",
        body={"question": "pears?", "place": "dm"}),
    Row(route="POST /v1/recheck", callers=EVERYBODY, says="asker", why="to the caller's audience",
        body={"memories": [ABSENT], "place": "dm"}),
    Row(route="POST /v1/why", callers=EVERYBODY, says="asker", why="to the caller's audience",
        body={"place": "dm"}),
    Row(route="POST /v1/memories/{memory_id}/explain", callers=EVERYBODY, says="asker",
        thing="memory", stranger=404, body={"place": "dm"}, why="to its owner and speaker"),
    # Messages.
    Row(route="POST /v1/messages", callers="platform personal", says="by",
        why="who said it is attested; a model's tool call cannot attest",
        body={"id": "m-1", "text": "Hi", "in": "dm"}),
    Row(route="POST /v1/messages/stream", callers="platform personal", says=None,
        why="as one message; each line says who, and is judged for itself"),
    Row(route="PUT /v1/messages/{message_id}", callers="platform personal", says=None,
        thing="message", stranger=200, body={"text": "Ho"},
        why="ids are those of the caller's own platform or connection; another's is not there"),
    Row(route="DELETE /v1/messages/{message_id}", callers="platform personal", says=None,
        thing="message", stranger=200, why="as editing"),
    Row(route="POST /v1/messages/listen", callers="platform", says=None,
        body={"place": "group:g"}, why="only a platform knows that it was announced"),
    # Consent.
    Row(route="POST /v1/memories/{memory_id}/shares", callers="platform personal", own=201,
        thing="memory", stranger=404, body={"grantee": "human:carol"},
        why="widening is a person's act, never a model's"),
    Row(route="DELETE /v1/memories/{memory_id}/shares", callers=EVERYBODY, thing="shared",
        stranger=404, query={"grantee": "human:carol"}, why="narrowing one's own"),
    Row(route="POST /v1/consents", callers="platform personal", own=201,
        body={"grantee": "human:carol", "about": "human:alice"}, why="a person's act"),
    Row(route="GET /v1/consents", callers=EVERYBODY,
        why="one's own, without content; a token's only in a direct chat"),
    Row(route="DELETE /v1/consents/{consent_id}", callers=EVERYBODY, thing="consent",
        stranger=404, why="narrowing one's own"),
    Row(route="POST /v1/memories/{memory_id}/consent-requests", callers=EVERYBODY, own=201,
        thing="memory", stranger=404, body={"grantee": "human:carol", "of": ["human:alice"]},
        why="asking changes nothing; also a model may ask"),
    Row(route="GET /v1/consent-requests", callers=EVERYBODY,
        why="one's own, without content; a token's only in a direct chat"),
    Row(route="POST /v1/consent-requests/{request_id}/answer", callers="platform personal",
        thing="request", stranger=404, body={"agrees": True}, why="a person's act"),
    # Contexts and people.
    Row(route="GET /v1/contexts", callers="platform personal", why="those one is in"),
    Row(route="GET /v1/contexts/{context}", callers="platform personal", thing="context",
        stranger=404, why="to those who are in it"),
    Row(route="POST /v1/contexts/{context}/enter", callers="platform personal", thing="context",
        body={}, stranger=404, attested=True,
        why="a platform attests who takes part; with a key one is in it already"),
    Row(route="POST /v1/contexts/{context}/leave", callers="platform personal", thing="context",
        why="narrowing one's own; who is not in it leaves it unchanged", stranger=200),
    Row(route="GET /v1/people", callers="platform personal", why="for one's own eyes"),
    Row(route="GET /v1/people/{entity}", callers="platform personal", thing="person",
        stranger=404, why="for one's own eyes"),
    Row(route="PUT /v1/people/{entity}/name", callers="platform personal", thing="person",
        says=None, body={"name": "Al"}, stranger=403, why="the platform's word, or one's own"),
    Row(route="PUT /v1/people/{entity}/aliases", callers="platform personal", thing="person",
        body={"alias": "al"}, stranger=200, why="one's own word for anybody; it opens nothing"),
    Row(route="POST /v1/people/{entity}/relationships", callers="platform personal",
        thing="person", body={"relation": "friend of", "other": "human:carol", "memory": "{memory}"},
        stranger=404, why="only by a memory of one's own"),
    Row(route="PUT /v1/people/{entity}/accounts", callers="platform", thing="person", says=None,
        body={"account": "17"}, why="a platform vouches for its accounts"),
    Row(route="PUT /v1/people/{entity}/guardian", callers="platform", thing="person", says=None,
        body={"guardian": "human:mum"}, why="an authority's word, about its own people"),
    Row(route="GET /v1/merges", callers="platform personal", why="one's own"),
    Row(route="POST /v1/merges", callers="platform personal", own=201,
        body={"one": "human:alice", "other": "human:al{fresh}", "because": "same phone"},
        stranger=403, why="one of the two proposes; it counts when both confirmed"),
    Row(route="POST /v1/merges/{merge_id}/confirm", callers="platform personal", thing="merge",
        stranger=404, why="each of the two for themselves"),
    Row(route="DELETE /v1/merges/{merge_id}", callers="platform personal", thing="merge",
        stranger=404, why="each of the two"),
    # What platforms attest.
    Row(route="GET /v1/places", callers="admin auditor", says=None, why="numbers, no content"),
    Row(route="PUT /v1/places", callers="platform", says=None, body={"place": "group:g"},
        why="platforms attest their places"),
    Row(route="POST /v1/places/join", callers="platform", says=None,
        body={"place": "group:g", "who": ["human:alice"]}, why="platforms attest who is there"),
    Row(route="POST /v1/places/leave", callers="platform", says=None,
        body={"place": "group:g", "who": ["human:alice"]}, why="platforms attest who left"),
    Row(route="POST /v1/spaces/leave", callers="platform", says=None,
        body={"space": "guild", "who": "human:alice"}, why="platforms attest who left"),
    Row(route="PUT /v1/roles", callers="platform", says=None,
        body={"collective": "role:mod", "who": "human:alice"}, why="platforms attest roles"),
    Row(route="POST /v1/places/sync", callers="platform", says=None,
        body={"places": [{"place": "restricted:mods@guild", "members": ["human:alice"]}]},
        why="platforms attest their places"),
    Row(route="POST /v1/places/reclassify", callers="platform", says=None,
        body={"to": "restricted", "space": "guild"}, why="platforms attest their places"),
    Row(route="POST /v1/places/reviewed", callers="admin", says=None, own=404,
        body={"place": "mods@guild"}, why="a note that changes nothing that is told"),
    # Privacy.
    Row(route="GET /v1/privacy", callers="platform personal", why="one's own state"),
    Row(route="POST /v1/privacy/opt-out", callers=EVERYBODY, body={}, why="narrowing one's own"),
    Row(route="POST /v1/privacy/opt-in", callers="platform personal", why="a person's act"),
    Row(route="POST /v1/privacy/off-record", callers=EVERYBODY, body={"place": "dm"},
        why="narrowing one's own"),
    Row(route="POST /v1/privacy/on-record", callers="platform personal", body={"place": "dm"},
        why="a person's act"),
    Row(route="POST /v1/privacy/connections/open", callers="platform",
        why="no key opens its own door"),
    Row(route="POST /v1/privacy/connections/close", callers="platform personal",
        why="narrowing one's own"),
    Row(route="GET /v1/export", callers="platform personal", why="for one's own eyes"),
    Row(route="GET /v1/memories/{memory_id}/history", callers="platform personal",
        thing="memory", stranger=404, why="to its owner"),
    Row(route="POST /v1/requests", callers="platform personal", own=201,
        body={"what": "access"}, why="one's own right"),
    Row(route="GET /v1/requests", callers="platform personal admin",
        why="one's own; the queue without words to an admin"),
    Row(route="POST /v1/requests/{request_id}/answer", callers="admin", thing="data request",
        says=None, body={"grants": True, "reason": "as you wish"},
        why="nobody answers their own; granting only narrows"),
    # Audit.
    Row(route="GET /v1/memories/{memory_id}/audit", callers="platform personal auditor",
        thing="memory", stranger=404, why="labels, no content"),
    Row(route="GET /v1/people/{entity}/memories", callers="platform personal auditor",
        thing="person", stranger=422, why="labels to an auditor; words to oneself alone"),
    Row(route="GET /v1/memories/{memory_id}/tellings", callers="platform personal",
        thing="memory", stranger=404, why="to its owner"),
    Row(route="GET /v1/trail", callers="platform personal auditor",
        why="one's own, without content; all of it to an auditor"),
    Row(route="GET /v1/trail/verify", callers="auditor admin", says=None,
        why="whether it was tampered with; no content"),
    # Insights and review.
    Row(route="POST /v1/insights", callers="platform personal", own=201, stranger=404,
        body={"sources": ["{memory}"], "text": "Fruit number {fresh} is popular"}, why="from one's own"),
    Row(route="GET /v1/insights/{memory_id}/sources", callers="platform personal",
        thing="insight", stranger=404, why="to its owner"),
    Row(route="GET /v1/insights", callers="admin", says=None, why="what waits, without words"),
    Row(route="POST /v1/insights/{memory_id}/reject", callers="admin", thing="insight",
        says=None, why="narrowing; letting one go needs somebody who can read it"),
    Row(route="GET /v1/review", callers="platform personal", why="one's own; all to reviewers"),
    Row(route="GET /v1/review/{memory_id}", callers="platform personal", thing="waiting",
        stranger=404, why="one's own; all to reviewers"),
    Row(route="POST /v1/review/{memory_id}/approve", callers="platform personal",
        thing="waiting", stranger=404, why="as the state machine allows"),
    Row(route="POST /v1/review/{memory_id}/reject", callers="platform personal",
        thing="waiting", stranger=404, why="as the state machine allows"),
    Row(route="PUT /v1/review/{memory_id}", callers="platform personal", thing="waiting",
        stranger=404, body={"text": "I like plums"}, why="as the state machine allows"),
    Row(route="POST /v1/review/{memory_id}/move", callers="platform personal", thing="waiting",
        stranger=404, body={"namespace": "home"}, why="only where fewer hear it"),
    # Erasure.
    Row(route="POST /v1/erasures", callers="platform personal admin", stranger=422,
        body={"person": "human:alice"}, why="one's own; an admin erases without seeing"),
    Row(route="POST /v1/erasures/preview", callers="platform personal admin", stranger=422,
        body={"person": "human:alice"}, why="as erasing; counts only"),
    Row(route="POST /v1/erasures/{erasure_id}/restore", callers="platform personal admin",
        thing="erasure", stranger=404, why="who erased it, or an admin"),
    # Keys.
    Row(route="POST /v1/tokens", callers="platform", own=201, says="asker",
        body={"place": "dm"}, why="only a platform attests audiences"),
    Row(route="POST /v1/tokens/rotate", callers="admin", says=None, body={},
        why="configuration"),
    Row(route="GET /v1/whoami", callers="platform personal token auditor admin", says=None,
        why="what one is oneself"),
    Row(route="GET /v1/keys", callers="admin", says=None, why="configuration, no secrets"),
    Row(route="DELETE /v1/keys/{key_id}", callers="admin", thing="key", says=None,
        why="ending a key narrows; nobody makes one from elsewhere"),
    Row(route="POST /v1/keys/mine/rotate", callers="platform personal auditor admin", says=None,
        why="the key that asks"),
    Row(route="DELETE /v1/keys/mine/revoke", callers="platform personal auditor admin",
        says=None, why="the key that asks"),
    # Upkeep.
    Row(route="GET /v1/jobs", callers="admin", says=None, why="numbers, no content"),
    Row(route="POST /v1/jobs/retry", callers="admin", says=None, body={}, why="configuration"),
    Row(route="GET /v1/sessions", callers="admin", says=None, why="numbers, no content"),
    Row(route="GET /v1/usage", callers="admin", says=None, why="numbers, no content"),
    Row(route="GET /v1/status", callers="admin", says=None, why="numbers, no content"),
    Row(route="GET /v1/doctor", callers="admin", says=None, why="ids and counts"),
    Row(route="POST /v1/doctor/mend", callers="admin", says=None, why="tells nobody more"),
    Row(route="POST /v1/gc", callers="admin", says=None, body={}, why="numbers, no content"),
    Row(route="POST /v1/jobs/learn", callers="admin", says=None, body={},
        why="what the server does anyway"),
    Row(route="POST /v1/vectors/reembed", callers="admin", says=None, body={}, own=422,
        why="what the server does anyway, with the model of its settings only"),
    Row(route="POST /v1/vectors/calibrate", callers="admin", says=None, body={},
        why="on sentences that belong to nobody, with the model of its settings only"),
    Row(route="GET /v1/report", callers="admin", says=None, why="numbers, no content"),
)  # fmt: skip

#: Routes that name one thing, which is another's or is not there at all.
GUARDED_BY_ID = [row for row in ROWS if row.thing and row.stranger == 404 and row.thing != "person"]
