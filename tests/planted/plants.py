"""Known mistakes: each was really made somewhere, or is one word away from the rule."""

from __future__ import annotations

from typing import NamedTuple


class Plant(NamedTuple):
    """Replace `old` by `new` in a module; `old` must be there, or the plant no longer fits."""

    mistake: str
    module: str
    old: str
    new: str


POLICY, LABELS = "confide.privacy.policy", "confide.privacy.labels"
CONSENT, PLACES = "confide.privacy.consent", "confide.privacy.places"
ATOMS, DISCLOSURE = "confide.privacy.atoms", "confide.privacy.disclosure"
ENCODING = "confide.store.encoding"

PLANTS = [
    Plant(
        "visible if any viewer is covered",
        POLICY,
        "return all(terms & covering for covering in ears.listeners)",
        "return any(terms & covering for covering in ears.listeners)",
    ),
    Plant(
        "alone by the kind of channel, whoever looks on",
        POLICY,
        "return tells_one_person_alone(audience.place.kind) and others <= {audience.asker}",
        "return tells_one_person_alone(audience.place.kind)",
    ),
    Plant("no viewers means no filter", POLICY, "if not audience.viewers:", "if False:"),
    Plant("no label means public", POLICY, "if not label.clauses:", "if False:"),
    Plant(
        "an unknown place is like any other",
        POLICY,
        "if tells_nothing(audience.place.kind):",
        "if False:",
    ),
    Plant(
        "everyone in a room is whoever is there now",
        POLICY,
        "return frozenset({atoms.ANYONE} | rooms | set(map(atoms.space, _spaces(around))))",
        "return frozenset({atoms.ANYONE} | rooms | set(map(atoms.space, _spaces(around)))).union("
        "*(found | {atoms.entity(e)} for e, found in world.belongs.items() if what in found))",
    ),
    Plant(
        "consent outlives its end",
        POLICY,
        "if term.until is not None and term.until <= world.now:",
        "if False:",
    ),
    Plant(
        "consent holds at the moment it ends", POLICY, "term.until <= world", "term.until < world"
    ),
    Plant(
        "consent for one purpose serves all",
        POLICY,
        "return term.purpose is None or term.purpose == audience.purpose",
        "return True",
    ),
    Plant(
        "a thread forgets the channel around it",
        POLICY,
        "around = list(world.within(audience.place.id)) or [audience.place]",
        "around = [audience.place]",
    ),
    Plant(
        "a channel lies in its threads",
        POLICY,
        "at = self.places[at].parent",
        "at = next((p.id for p in self.places.values() if p.parent == at), None)",
    ),
    Plant(
        "the agent may bring up anything in company",
        POLICY,
        "return not terms.isdisjoint(ears.asking)",
        "return not terms.isdisjoint(ears.asking) or ears.audience.asker == ears.world.agent",
    ),
    Plant(
        "whoever asks is told what only the agent would see",
        POLICY,
        "if audience.asker == world.agent:",
        "if True:",
    ),
    Plant(
        "nobody reads along through a connection",
        POLICY,
        "if is_read_along(audience.place.kind):",
        "if False:",
    ),
    Plant(
        "derived text keeps its first source's clauses",
        POLICY,
        "frozenset[Clause]().union(*(label.clauses for label in sources))",
        "sources[0].clauses",
    ),
    Plant(
        "a silent source is lost among the others",
        POLICY,
        "if not all(label.clauses for label in sources):",
        "if not sources:",
    ),
    Plant("the wider clause is kept", POLICY, "narrower < terms", "narrower > terms"),
    Plant(
        "two people's workspaces of one name are one",
        ATOMS,
        'f"{who}@{namespace.workspace',
        'f"@{namespace.workspace',
    ),
    Plant(
        "visible to the agent means it may be said",
        LABELS,
        "if x is not None and x not in (o.agent, _scope_owner(o)):",
        "if False:",
    ),
    Plant(
        "what is about somebody needs nobody's yes",
        LABELS,
        "for b in o.subjects - {o.speaker}:",
        "for b in frozenset[Entity]():",
    ),
    Plant(
        "an absent subject is an insider",
        LABELS,
        "is not None} | (o.subjects & o.present)",
        "is not None} | o.subjects",
    ),
    Plant(
        "the guest of the surprise party joins and hears of it",
        LABELS,
        "for _late in o.joined_later & o.subjects:",
        "for _late in frozenset[Entity]():",
    ),
    Plant(
        "what is public in one guild is public in all",
        LABELS,
        "yield hear(u, {me, atoms.space(s)})",
        "yield hear(u, {me, ANYONE})",
    ),
    Plant(
        "anyone's public memories appear in one's direct chat",
        LABELS,
        "yield ask(u, {me, atoms.at_space(s)})",
        "yield ask(u, {ANYONE})",
    ),
    Plant(
        "an ex-moderator keeps what moderators said",
        LABELS,
        "yield hear(u, {atoms.place(p)})",
        "yield hear(u, {me, atoms.place(p)})",
    ),
    Plant(
        "a restricted memory follows its owner into public",
        LABELS,
        "yield ask(u, {atoms.at_place(p), ALONE})",
        "yield ask(u, {atoms.at_place(p), ALONE, me})",
    ),
    Plant(
        "sensitive facts are told where they were said",
        LABELS,
        "if p is None or o.sensitivity is Sensitivity.SENSITIVE:",
        "if p is None:",
    ),
    Plant(
        "whoever is added to a care context hears what was said before",
        LABELS,
        "_Room(frozenset({atoms.present(o.place.id, o.epoch)}), there, there)",
        "_Room(frozenset({atoms.place(o.place.id)}), there, there)",
    ),
    Plant(
        "without sensitivity it is public",
        LABELS,
        "sensitivity: Sensitivity = Sensitivity.SENSITIVE",
        "sensitivity: Sensitivity = Sensitivity.PUBLIC",
    ),
    Plant(
        "a workspace is no filter",
        LABELS,
        "if o.namespace is not None and o.owner is not None:",
        "if False:",
    ),
    Plant("an opt-out changes nothing", LABELS, "if o.objectors & o.subjects:", "if False:"),
    Plant(
        "an opt-out does not reach what travels",
        LABELS,
        "(*_confidence(origin), *_objections(origin))",
        "(*_confidence(origin), *_portable(_objections(origin), origin))",
    ),
    Plant(
        "being the subject gives the right to hear",
        LABELS,
        "o.is_portable\n        and",
        "True and",
    ),
    Plant("events travel", LABELS, "and o.kind in PORTABLE_KINDS\n", "and True\n"),
    Plant(
        "traits travel to subjects who were not there",
        LABELS,
        "o.subjects if o.is_portable_confirmed else o.subjects & o.present",
        "o.subjects",
    ),
    Plant(
        "anyone can relax anyone's clause",
        CONSENT,
        "return grantor == clause.owner or grantor in guardians.get(clause.owner, frozenset())",
        "return True",
    ),
    Plant(
        "shared with Bob is shared in every room he is in",
        CONSENT,
        "if consent.grantee == ANYONE or not names_only_settings(clause):",
        "if True:",
    ),
    Plant(
        "consent for one room holds everywhere",
        CONSENT,
        "atoms.as_setting(consent.where or consent.grantee)",
        "atoms.as_setting(consent.grantee)",
    ),
    Plant(
        "pending memories are told",
        DISCLOSURE,
        "if one.status is not Status.APPROVED:",
        "if False:",
    ),
    Plant(
        "expired memories are told until the next clean-up",
        DISCLOSURE,
        "if one.expires_at is not None and one.expires_at <= ears.world.now:",
        "if False:",
    ),
    Plant("opting out is for later", DISCLOSURE, "if one.is_opted_out:", "if False:"),
    Plant(
        "a group DM is a DM",
        PLACES,
        "PlaceKind.GROUP: Meaning(Scope.GROUP, Readers.EVERYONE)",
        "PlaceKind.GROUP: Meaning(Scope.DM, Readers.ASKER, is_alone=True)",
    ),
    Plant(
        "an unknown place is the asker's own",
        PLACES,
        "PlaceKind.UNKNOWN: Meaning(Scope.DM, Readers.NOBODY)",
        "PlaceKind.UNKNOWN: Meaning(Scope.DM, Readers.ASKER, is_alone=True)",
    ),
    Plant(
        "an age-gated channel is public",
        PLACES,
        "PlaceKind.AGE_GATED: Meaning(Scope.CHANNEL_RESTRICTED,",
        "PlaceKind.AGE_GATED: Meaning(Scope.GUILD_PUBLIC,",
    ),
    Plant(
        "a personal connection counts as alone",
        PLACES,
        "Meaning(Scope.DM, Readers.ASKER, is_read_along=True)",
        "Meaning(Scope.DM, Readers.ASKER, is_alone=True)",
    ),
    Plant(
        "a guest conversation is a place like any other",
        POLICY,
        "if is_elsewhere(audience.place.kind):\n        return frozenset()",
        "if False:\n        return frozenset()",
    ),
    Plant(
        "an announcement is read by the members of its guild only",
        PLACES,
        "PlaceKind.ANNOUNCEMENT: Meaning(Scope.GUILD_PUBLIC, Readers.ANYONE, has_space=True)",
        "PlaceKind.ANNOUNCEMENT: Meaning(Scope.GUILD_PUBLIC, Readers.EVERYONE, has_space=True)",
    ),
    Plant(
        "a guest conversation is seen by who asked alone",
        PLACES,
        "PlaceKind.GUEST: Meaning(Scope.DM, Readers.ANYONE, is_elsewhere=True)",
        "PlaceKind.GUEST: Meaning(Scope.DM, Readers.ASKER, is_elsewhere=True)",
    ),
    Plant(
        "what verified members say is for the whole guild",
        LABELS,
        "p, s = _room(o), o.place.space if o.place else None\n    match",
        "p, s = _room(o), (o.place.space or '').split('/')[0] or None if o.place else None\n    match",
    ),
    Plant(
        "what the guild says is not told among its verified members",
        POLICY,
        "return {space for p in around if p.space is not None for space in spaces_around(p.space)}",
        "return {p.space for p in around if p.space is not None}",
    ),
    Plant("between us is for everyone in the room", LABELS, "if o.is_confidential:", "if False:"),
    Plant(
        "who joins later hears what was said between us",
        LABELS,
        "return hear(x, {atoms.entity(x)} | ({atoms.present(p, epoch)} if p else set()))",
        "return hear(x, {atoms.entity(x)} | ({atoms.place(p)} if p else set()))",
    ),
    Plant(
        "a channel is what whoever asks calls it, or what it is: one of both is enough",
        POLICY,
        "said = _as_said(ears)\n",
        "said = None\n",
    ),
    Plant(
        "a thread without a parent is public",
        PLACES,
        "return Scope.DM\n",
        "return Scope.GUILD_PUBLIC\n",
    ),
    Plant(
        "the same words are one memory, whatever the label",
        ENCODING,
        "{_made(owner, origin)}\\x1f{normalised(text)}",
        "{owner}{origin.kind}{normalised(text)}",
    ),
]

SQL_PLANTS = [
    Plant(
        "a row is told after it expired",
        "sql",
        "'AND expires_at > (SELECT confide.this_moment()) '",
        "''",
    ),
    Plant(
        "a row is told whatever its status",
        "sql",
        "confide.this_agent()) AND is_live '",
        "confide.this_agent()) '",
    ),
    Plant(
        "a row is told whatever its label",
        "sql",
        "'AND label_id = ANY ((SELECT confide.told_labels())::integer[]))'",
        "')'",
    ),
    Plant(
        "the owner of the tables sees everything",
        "sql",
        "%I FORCE ROW LEVEL SECURITY",
        "%I NO FORCE ROW LEVEL SECURITY",
    ),
    Plant(
        "the empty string that a setting becomes means all",
        "sql",
        "NULLIF(pg_catalog.current_setting('confide.labels', true), '')::pg_catalog.int4[]",
        "COALESCE(NULLIF(pg_catalog.current_setting('confide.labels', true), '')::pg_catalog.int4[],"
        " ARRAY(SELECT id FROM confide.label))",
    ),
    Plant(
        "another agent's rows are told",
        "sql",
        "'agent = (SELECT confide.this_agent()) AND is_live '",
        "'is_live '",
    ),
    Plant(
        "telling a memory tells its evidence",
        "sql",
        "'AND label_id = ANY ((SELECT confide.told_labels())::integer[]))', t);",
        "'AND ' || CASE t WHEN 'evidence' THEN 'memory_label_id' ELSE 'label_id' END ||"
        " ' = ANY ((SELECT confide.told_labels())::integer[]))', t);",
    ),
    Plant(
        "evidence is told where its memory is not",
        "sql",
        "USING (memory_label_id = ANY ((SELECT confide.told_labels())::integer[]))",
        "USING (true)",
    ),
    Plant("consent outlives its end", "sql", "until > moment", "until IS NOT NULL"),
    Plant(
        "consent for one purpose serves all", "sql", "purpose IN ('', why)", "purpose IS NOT NULL"
    ),
    Plant(
        "alone by the kind of channel, whoever looks on",
        "sql",
        "WHERE v NOT IN (audience ->> 'asker', audience ->> 'agent')",
        "WHERE false",
    ),
    Plant(
        "only the first viewer is asked",
        "sql",
        "FOREACH one IN ARRAY listener LOOP",
        "FOREACH one IN ARRAY listener[1:1] LOOP",
    ),
    Plant(
        "nobody reads along through a connection",
        "sql",
        "WHERE audience ->> 'kind' = 'connection'",
        "WHERE false",
    ),
    Plant(
        "an unknown place is like any other",
        "sql",
        "COALESCE(audience ->> 'kind', 'unknown') = 'unknown'",
        "false",
    ),
    Plant(
        "no viewers means no filter",
        "sql",
        "jsonb_array_length(COALESCE(audience -> 'viewers', '[]')) = 0",
        "false",
    ),
    Plant(
        "whoever asks is told what only the agent would see",
        "sql",
        "AND audience ->> 'asker' = audience ->> 'agent'",
        "",
    ),
    Plant(
        "who joined later was there all along", "sql", "b.joined_epoch, COALESCE(", "0, COALESCE("
    ),
    Plant(
        "who left is still there",
        "sql",
        "FROM been b WHERE b.left_epoch IS NULL",
        "FROM been b",
    ),
    Plant("a thread forgets the channel around it", "sql", "at := here.parent;", "at := NULL;"),
    Plant(
        "a function runs with its owner's rights",
        "sql",
        "FUNCTION confide.this_agent() RETURNS text\nLANGUAGE sql STABLE",
        "FUNCTION confide.this_agent() RETURNS text\nLANGUAGE sql SECURITY DEFINER STABLE",
    ),
    Plant(
        "a recall reads with the rights of whoever is logged in",
        "sql",
        "SET role = confide_tell SET search_path",
        "SET search_path",
    ),
]
