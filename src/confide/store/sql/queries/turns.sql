-- hold
-- One at a time adds to a conversation.
SELECT pg_advisory_xact_lock(hashtextextended($1 || encode($2::bytea, 'hex'), 723034));

-- given
-- The last turns that were given, oldest first.
SELECT last.* FROM (
    SELECT t.seq, t.id, t.mark, t.is_settled FROM confide.turn t
    WHERE t.agent = $1 AND t.conversation = $2 ORDER BY t.seq DESC LIMIT $3) AS last
ORDER BY last.seq;

-- add
-- New turns, in order.
INSERT INTO confide.turn (agent, id, conversation, mark, given_at)
SELECT $1, g.id, $2, g.mark, $5
FROM unnest($3::uuid[], $4::bytea[]) WITH ORDINALITY AS g (id, mark, position)
ORDER BY g.position;

-- renew
-- Turns that were given again are still part of what is sent.
UPDATE confide.turn SET given_at = $4 WHERE agent = $1 AND conversation = $2 AND id = ANY ($3);

-- silent
-- Of whom nothing is kept in this place now; the agent's words there may repeat theirs.
SELECT o.entity FROM confide.off_record o WHERE o.agent = $1 AND o.place = $2
UNION SELECT o.entity FROM confide.opt_out o
WHERE o.agent = $1 AND o.entity = ANY ($3::text[]) AND NOT o.is_global_only;

-- settle
-- What became of a turn is decided; giving it again changes nothing. Of what is not kept only that
-- something was given stays.
UPDATE confide.turn SET is_settled = true, mark = CASE WHEN $4 THEN mark ELSE '' END
WHERE agent = $1 AND conversation = $2 AND id = $3;

-- trim
-- Only the last turns of a conversation are compared.
DELETE FROM confide.turn t WHERE t.agent = $1 AND t.conversation = $2 AND t.seq <= (
    SELECT o.seq FROM confide.turn o WHERE o.agent = $1 AND o.conversation = $2
    ORDER BY o.seq DESC OFFSET $3 LIMIT 1);

-- purge
-- Nobody has sent these for a long time.
DELETE FROM confide.turn WHERE agent = $1 AND given_at < $2;

-- sessions
-- Where these messages wait to be learned from.
SELECT m.session_id FROM confide.message m
WHERE m.agent = $1 AND m.platform = $2 AND m.message_id = ANY ($3) AND m.learned_at IS NULL
  AND m.session_id IS NOT NULL
GROUP BY m.session_id ORDER BY min(m.seq);

-- learned
-- What these messages say now, as it was written from them, in the memories of who said them.
SELECT e.memory_id, min(e.stated) AS stated, m.kind, m.status, m.waits_because
FROM confide.message x
JOIN confide.evidence e ON e.agent = x.agent AND e.message_id = x.id
JOIN confide.memory m ON m.agent = e.agent AND m.id = e.memory_id AND m.owner = x.speaker
WHERE x.agent = $1 AND x.platform = $2 AND x.message_id = ANY ($3)
  AND m.status IN ('approved', 'pending')
GROUP BY e.memory_id, m.kind, m.status, m.waits_because
ORDER BY min(x.seq), min(e.journal_position), e.memory_id;
