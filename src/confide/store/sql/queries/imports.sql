-- open_places
-- The rooms of a file and, in each, a place for each person: what others said lends nobody words.
INSERT INTO confide.place (agent, id, platform_id, kind, parent, epoch, is_epoch_used)
SELECT $1, g.id, g.id, g.kind, g.parent, g.epoch, g.kind = 'group'
FROM unnest($2::text[], $3::text[], $4::text[], $5::integer[]) AS g (id, kind, parent, epoch)
ON CONFLICT DO NOTHING;

-- were_in
-- Who was in the rooms of a file, from which epoch to which.
INSERT INTO confide.place_member (
    agent, place, entity, joined_epoch, left_epoch, joined_at, seen_at, left_at)
SELECT $1, g.place, g.entity, g.joined_epoch, g.left_epoch, g.joined_at, g.joined_at, g.left_at
FROM unnest($2::text[], $3::text[], $4::integer[], $5::integer[], $6::timestamptz[],
    $7::timestamptz[]) AS g (place, entity, joined_epoch, left_epoch, joined_at, left_at)
ON CONFLICT DO NOTHING;

-- begin_sessions
-- A stretch for each person of each room, learned from as soon as it has words.
INSERT INTO confide.session (
    agent, id, place, speaker, started_at, last_activity_at, is_open, namespace)
SELECT $1, g.id, g.place, $2, $4, $4, false, $6::text[]
FROM unnest($3::uuid[], $5::text[]) AS g (id, place);

-- take_in
-- Messages that were not taken in before, by whoever brings them.
INSERT INTO confide.message (agent, id, platform, message_id, session_id, place, room, epoch,
    present, speaker, author, scope, text, said_at, observed_at, is_from_agent, clauses, label_id,
    batch_id, namespace)
SELECT $1, gen_random_uuid(), $2, g.message_id, g.session_id, g.place, g.room, g.epoch,
    string_to_array(g.present, E'\x1f'), $3, NULLIF(g.author, $3), g.scope, g.text, g.said_at, $4,
    false, g.clauses::jsonb, g.label_id, $5, $6::text[]
FROM unnest($7::text[], $8::uuid[], $9::text[], $10::text[], $11::integer[], $12::text[],
    $13::text[], $14::text[], $15::text[], $16::timestamptz[], $17::text[], $18::integer[])
    AS g (message_id, session_id, place, room, epoch, present, author, scope, text, said_at,
        clauses, label_id)
WHERE NOT EXISTS (SELECT FROM confide.message_gone n
    WHERE n.agent = $1 AND n.platform = $2 AND n.message_id = g.message_id)
ON CONFLICT (agent, platform, message_id) DO NOTHING
RETURNING session_id, seq;

-- count_sessions
-- What came in is to be learned from.
UPDATE confide.session s SET message_count = s.message_count + g.count,
    unlearned = s.unlearned + g.count, first_unlearned = COALESCE(s.first_unlearned, g.first),
    due_at = COALESCE(s.due_at, $5), due_because = COALESCE(s.due_because, 'messages')
FROM unnest($2::uuid[], $3::integer[], $4::bigint[]) AS g (id, count, first)
WHERE s.agent = $1 AND s.id = g.id;

-- drop_empty
-- Rooms that brought nothing new.
WITH empty AS (
    DELETE FROM confide.session s WHERE s.agent = $1 AND s.id = ANY ($2) AND s.message_count = 0
    RETURNING s.id, s.place)
DELETE FROM confide.place p WHERE p.agent = $1 AND p.id IN (SELECT place FROM empty)
  AND NOT EXISTS (SELECT FROM confide.session s WHERE s.agent = $1 AND s.place = p.id
      AND s.id NOT IN (SELECT id FROM empty));

-- drop_silent
-- Rooms of a file in which nobody says anything new.
DELETE FROM confide.place p
WHERE p.agent = $1 AND p.id = ANY ($2) AND NOT EXISTS (
    SELECT FROM confide.place i WHERE i.agent = $1 AND i.parent = p.id);

-- hold_batch
-- Held, so that whoever forgets the whole file finds these messages too, or they are not kept.
SELECT EXISTS (SELECT FROM confide.batch b WHERE b.agent = $1 AND b.id = $2 FOR KEY SHARE) AND NOT EXISTS (
    SELECT FROM confide.opt_out o WHERE o.agent = $1 AND o.entity = $3 AND NOT o.is_global_only);

-- is_free
-- Whether no memory has this id yet.
SELECT NOT EXISTS (SELECT FROM confide.memory m WHERE m.agent = $1 AND m.id = $2);

-- as_it_was
-- When a memory that came back was last changed and last strengthened.
UPDATE confide.memory SET updated_at = $3, reinforced_at = $4 WHERE agent = $1 AND id = $2;

-- is_back
-- Whether somebody's memory of these words, from that moment and of that level and kind, is here.
SELECT EXISTS (SELECT FROM confide.memory m
    WHERE m.agent = $1 AND m.owner = $2 AND m.text = $3 AND m.said_at = $4 AND m.scope = $5
      AND m.kind = $6 AND m.status = 'approved');
