-- owned
-- What somebody owns or said, and what other agents passed on of theirs.
SELECT m.id FROM confide.memory m
WHERE m.agent = $1 AND m.created_at <= $3
  AND (m.owner = $2 OR (m.speaker = $2 AND m.speaker IS DISTINCT FROM m.owner)
    OR (m.id IN (SELECT s.memory_id FROM confide.stacked s WHERE s.agent = $1)
      AND EXISTS (SELECT FROM jsonb_array_elements(m.clauses) AS c WHERE c ->> 1 = $2)));

-- about
-- What others told about somebody.
SELECT m.id FROM confide.memory m
WHERE m.agent = $1 AND m.subjects @> ARRAY[$2] AND m.created_at <= $3;

-- about_told
-- What others told about somebody, as far as this audience hears it.
SELECT m.id FROM confide.memory m
WHERE m.agent = (SELECT confide.this_agent()) AND m.subjects @> ARRAY[$1];

-- said_by
-- Every message of somebody, and what the agent said to them alone.
SELECT m.id, m.place FROM confide.message m
WHERE m.agent = $1 AND m.observed_at <= $3
  AND (m.speaker = $2 OR (m.is_from_agent AND m.place = 'dm:' || $2))
UNION
SELECT e.message_id, NULL FROM confide.evidence e
JOIN confide.memory m ON m.agent = e.agent AND m.id = e.memory_id AND m.created_at <= $3
WHERE e.agent = $1 AND e.speaker = $2 AND e.message_id IS NOT NULL AND NOT EXISTS (
    SELECT FROM confide.message s WHERE s.agent = e.agent AND s.id = e.message_id);

-- rooms
-- A place as it was at any time, and what lies inside it.
WITH RECURSIVE room AS (
    SELECT p.id FROM confide.place p
    WHERE p.agent = $1 AND (p.platform_id = $2 OR p.id = $2)
    UNION
    SELECT p.id FROM confide.place p JOIN room r ON p.parent = r.id WHERE p.agent = $1)
SELECT id FROM room ORDER BY id;

-- in_rooms
-- What was learned in these places.
SELECT m.id FROM confide.memory m
WHERE m.agent = $1 AND m.place = ANY ($2) AND m.created_at <= $3;

-- said_in_rooms
-- Every message in these places.
SELECT m.id, m.place FROM confide.message m
WHERE m.agent = $1 AND m.place = ANY ($2) AND m.observed_at <= $3;

-- told_by
-- What somebody told or another agent passed on, in one person's memory or everybody's.
SELECT m.id FROM confide.memory m
WHERE m.agent = $1 AND m.created_at <= $4
  AND (m.speaker = $2 OR m.id IN (
      SELECT s.memory_id FROM confide.stacked s WHERE s.agent = $1 AND s.peer = $2))
  AND ($3::text IS NULL OR m.owner = $3);

-- said_on
-- Messages that came from a platform: one person's, or everybody's.
SELECT m.id, m.place FROM confide.message m
WHERE m.agent = $1 AND m.platform = $2 AND m.observed_at <= $4
  AND ($3::text IS NULL OR m.speaker = $3);

-- came_in
-- Messages that a file brought: one person's and what the agent said to them, or everybody's.
SELECT m.id, m.place FROM confide.message m
WHERE m.agent = $1 AND m.batch_id = $2 AND m.observed_at <= $4
  AND ($3::text IS NULL OR m.speaker = $3 OR (m.is_from_agent AND m.place = 'dm:' || $3));

-- nameless_files
-- What files are called that were cut off before their first line: nobody is found by them.
UPDATE confide.batch b SET file_name = ''
WHERE b.agent = $1 AND b.file_name <> '' AND NOT EXISTS (
    SELECT FROM confide.message m WHERE m.agent = b.agent AND m.batch_id = b.id);

-- hold_batch
-- Whoever is still reading that file waits, and finds it gone.
SELECT b.id FROM confide.batch b WHERE b.agent = $1 AND b.id = $2 FOR UPDATE;

-- batch
-- That a file was ever taken in.
DELETE FROM confide.batch WHERE agent = $1 AND id = $2;

-- learned_only_from
-- Memories that these messages gave all there is.
SELECT DISTINCT e.memory_id AS id FROM confide.evidence e
WHERE e.agent = $1 AND e.message_id = ANY ($2)
  AND NOT EXISTS (
      SELECT FROM confide.evidence o
      WHERE o.agent = e.agent AND o.memory_id = e.memory_id
        AND (o.message_id IS NULL OR o.message_id <> ALL ($2::uuid[])));

-- derived
-- These, the insights made from them, and with $3 the versions they replaced.
WITH RECURSIVE gone AS (
    SELECT unnest($2::uuid[]) AS id
    UNION
    SELECT n.id FROM gone g JOIN (
        SELECT l.source_id AS from_id, l.memory_id AS id FROM confide.lineage l WHERE l.agent = $1
        UNION ALL
        SELECT m.superseded_by, m.id FROM confide.memory m
        WHERE m.agent = $1 AND m.superseded_by IS NOT NULL AND $3
    ) AS n ON n.from_id = g.id)
SELECT g.id FROM gone g ORDER BY g.id;

-- sources
-- The messages that memories were learned from, in the words of whose memories they are.
SELECT DISTINCT s.id, s.place FROM confide.evidence e
JOIN confide.memory m ON m.agent = e.agent AND m.id = e.memory_id
JOIN confide.message s ON s.agent = e.agent AND s.id = e.message_id
WHERE e.agent = $1 AND e.memory_id = ANY ($2) AND s.speaker IN (m.owner, m.speaker);

-- told_where
-- Where memories were told: what the agent said there may hold them.
SELECT DISTINCT t.place FROM confide.telling t
WHERE t.agent = $1 AND t.memory_id = ANY ($2);

-- lenders
-- Those of the messages that gave something to other memories.
SELECT DISTINCT e.message_id AS id FROM confide.evidence e
WHERE e.agent = $1 AND e.message_id = ANY ($2) AND e.memory_id <> ALL ($3::uuid[])
ORDER BY 1;

-- facts
-- What memories say, for keeping it from being learned again; only hashes of it stay.
SELECT m.owner, m.speaker, m.subjects, m.text, m.attribute FROM confide.memory m
WHERE m.agent = $1 AND m.id = ANY ($2);

-- stated
-- The same facts in other words: as each message put them.
SELECT DISTINCT m.owner, m.speaker, m.subjects, e.stated AS text, NULL::text AS attribute
FROM confide.evidence e
JOIN confide.memory m ON m.agent = e.agent AND m.id = e.memory_id
WHERE e.agent = $1 AND e.memory_id = ANY ($2) AND e.stated IS NOT NULL AND e.stated <> m.text;

-- take_apart
-- What was merged from one of these and is not among them: the other parts hold again.
SELECT confide.take_apart($1, merged.id) FROM (
    SELECT DISTINCT p.merged_id AS id FROM confide.merged_part p
    WHERE p.agent = $1 AND p.part_id = ANY ($2) AND p.merged_id <> ALL ($2::uuid[])) AS merged;

-- soften
-- No longer told, and for a while not yet gone.
UPDATE confide.memory
SET status_before = status, status = 'deleted', deleted_at = $3, updated_at = $3, erasure_id = $4
WHERE agent = $1 AND id = ANY ($2) AND status <> 'deleted';

-- waiting
-- The memories that wait for an erasure.
SELECT m.id FROM confide.memory m WHERE m.agent = $1 AND m.erasure_id = $2 ORDER BY m.id;

-- undo
-- As it was before, where nothing that says the same has come since.
UPDATE confide.memory m
SET status = m.status_before, status_before = NULL, deleted_at = NULL, erasure_id = NULL,
    updated_at = $4
WHERE m.agent = $1 AND m.erasure_id = $2 AND ($3::uuid IS NULL OR m.id = $3)
  AND m.status = 'deleted'
  AND (m.status_before NOT IN ('approved', 'pending') OR NOT EXISTS (
      SELECT FROM confide.memory o WHERE o.agent = m.agent AND o.hash = m.hash AND o.id <> m.id
      AND o.status IN ('approved', 'pending')));

-- drop_quotes
-- Other memories keep what was said before them; what is erased is not kept there either.
WITH dropped AS (
    DELETE FROM confide.evidence e USING confide.memory m
    WHERE m.agent = $1 AND m.id = ANY ($2) AND e.agent = m.agent AND e.message_id IS NULL
      AND e.text = m.text AND e.memory_id <> ALL ($2)
    RETURNING e.memory_id
)
DELETE FROM confide.words w USING dropped d
WHERE w.agent = $1 AND w.memory_id = d.memory_id AND NOT w.is_own;

-- drop_quotes_of
-- The same for all that somebody said before others' memories.
WITH dropped AS (
    DELETE FROM confide.evidence e
    WHERE e.agent = $1 AND e.speaker = $2 AND e.message_id IS NULL
    RETURNING e.memory_id
)
DELETE FROM confide.words w USING dropped d
WHERE w.agent = $1 AND w.memory_id = d.memory_id AND NOT w.is_own;

-- drop_words_after
-- Memories of what was said shortly after these messages are found by their words too.
DELETE FROM confide.words w
WHERE w.agent = $1 AND NOT w.is_own AND w.memory_id IN (
    SELECT e.memory_id FROM confide.message x
    CROSS JOIN LATERAL (
        SELECT n.id FROM confide.message n
        WHERE n.agent = $1 AND n.place = x.place AND n.seq > x.seq
        ORDER BY n.seq LIMIT $3) AS n
    JOIN confide.evidence e ON e.agent = $1 AND e.message_id = n.id
    WHERE x.agent = $1 AND x.id = ANY ($2));

-- empty_messages
-- The raw words of messages, which were learned from long since.
UPDATE confide.message SET text = NULL, learned_at = COALESCE(learned_at, $3)
WHERE agent = $1 AND id = ANY ($2) AND text IS NOT NULL;

-- empty_answers
-- What the agent said in these places may repeat what is erased.
UPDATE confide.message SET text = NULL, learned_at = COALESCE(learned_at, $3)
WHERE agent = $1 AND place = ANY ($2) AND is_from_agent AND text IS NOT NULL;

-- mark_gone
-- Messages that stay away, also if their platform delivers them again.
INSERT INTO confide.message_gone (agent, platform, message_id, gone_at)
SELECT $1, m.platform, m.message_id, $3 FROM confide.message m
WHERE m.agent = $1 AND m.id = ANY ($2) AND NOT m.is_from_agent
ON CONFLICT DO NOTHING;

-- messages
-- Their words, and that they were ever there.
DELETE FROM confide.message WHERE agent = $1 AND id = ANY ($2);

-- memories
-- Gone, with everything that hangs on them.
DELETE FROM confide.memory WHERE agent = $1 AND id = ANY ($2);

-- tellings_of
-- How often memories were told, and what people agreed to about them; both go with them.
SELECT (SELECT count(*) FROM confide.telling WHERE agent = $1 AND memory_id = ANY ($2)) AS tellings,
    (SELECT count(*) FROM confide.consent WHERE agent = $1 AND memory_id = ANY ($2)) AS consents,
    (SELECT count(*) FROM confide.evidence WHERE agent = $1 AND memory_id = ANY ($2)) AS evidence,
    (SELECT count(*) FROM confide.lineage WHERE agent = $1 AND source_id = ANY ($2)) AS insights;

-- unheard
-- Sessions that nothing is left of.
DELETE FROM confide.session s
WHERE s.agent = $1 AND s.place = ANY ($2) AND ($3::text IS NULL OR s.speaker = $3)
  AND NOT EXISTS (
      SELECT FROM confide.message m WHERE m.agent = s.agent AND m.session_id = s.id);

-- recount
-- What is left to be learned from in places where messages went.
UPDATE confide.session s
SET unlearned = rest.count, first_unlearned = rest.first,
    due_at = CASE WHEN rest.count > 0 THEN s.due_at END,
    due_because = CASE WHEN rest.count > 0 THEN s.due_because END
FROM (
    SELECT o.id, count(m.id)::integer AS count, min(m.seq) AS first FROM confide.session o
    LEFT JOIN confide.message m ON m.agent = o.agent AND m.session_id = o.id
        AND m.learned_at IS NULL
    WHERE o.agent = $1 AND o.place = ANY ($2) AND o.unlearned > 0
    GROUP BY o.id) AS rest
WHERE s.agent = $1 AND s.id = rest.id AND s.unlearned <> rest.count;

-- nameless
-- People whom only the erased memories knew, with what they were called.
WITH gone AS (
    DELETE FROM confide.someone s
    WHERE s.agent = $1 AND s.entity = ANY ($2)
      AND NOT EXISTS (SELECT FROM confide.memory m
          WHERE m.agent = s.agent AND m.subjects @> ARRAY[s.entity])
      AND NOT EXISTS (SELECT FROM confide.memory m
          WHERE m.agent = s.agent AND m.speaker = s.entity)
      AND NOT EXISTS (SELECT FROM confide.message m
          WHERE m.agent = s.agent AND m.speaker = s.entity AND m.speaker LIKE 'someone:%')
      AND NOT EXISTS (SELECT FROM confide.message m
          WHERE m.agent = s.agent AND m.author = s.entity AND m.author IS NOT NULL)
      AND NOT EXISTS (SELECT FROM confide.place_member m
          WHERE m.agent = s.agent AND m.entity = s.entity)
    RETURNING s.entity)
DELETE FROM confide.person p WHERE p.agent = $1 AND p.entity IN (SELECT entity FROM gone);

-- concerned
-- Whom memories are about, and who said them.
SELECT DISTINCT unnest(array_append(m.subjects, m.speaker)) AS entity FROM confide.memory m
WHERE m.agent = $1 AND m.id = ANY ($2);

-- consents_of
-- What somebody agreed to, or was shared with them, and which memories that touches.
SELECT c.id, ARRAY(
    SELECT m.id FROM confide.memory m
    WHERE m.agent = c.agent AND (c.memory_id = m.id
      OR c.memory_id IS NULL
        AND (c.subject IS NULL OR c.subject = ANY (m.subjects) OR c.subject = m.speaker)
        AND (c.origin IS NULL OR c.origin = m.place))) AS touched
FROM confide.consent c
WHERE c.agent = $1 AND $2 IN (c.grantor, c.given_by, c.subject) OR c.agent = $1
  AND c.grantee = 'e=' || $2;

-- consents
-- They were never given.
DELETE FROM confide.consent WHERE agent = $1 AND id = ANY ($2);

-- everything
-- All that an agent keeps.
SELECT m.id FROM confide.memory m WHERE m.agent = $1 AND m.created_at <= $2;

-- said
-- All that an agent heard.
SELECT m.id, m.place FROM confide.message m WHERE m.agent = $1 AND m.observed_at <= $2;

-- any_besides
-- Whether there is any other memory.
SELECT EXISTS (SELECT FROM confide.memory WHERE agent = $1 AND id <> ALL ($2::uuid[]));

-- every_person
-- Everybody that anything is kept of.
SELECT owner AS name FROM confide.memory WHERE agent = $1
UNION SELECT speaker FROM confide.memory WHERE agent = $1 AND speaker IS NOT NULL
UNION SELECT unnest(subjects) FROM confide.memory WHERE agent = $1
UNION SELECT speaker FROM confide.evidence WHERE agent = $1 AND speaker IS NOT NULL
UNION SELECT speaker FROM confide.message WHERE agent = $1
UNION SELECT entity FROM confide.person WHERE agent = $1
UNION SELECT entity FROM confide.alias WHERE agent = $1
UNION SELECT speaker FROM confide.alias WHERE agent = $1
UNION SELECT entity FROM confide.account WHERE agent = $1
UNION SELECT grantor FROM confide.consent WHERE agent = $1
UNION SELECT asker FROM confide.telling WHERE agent = $1
UNION SELECT asker FROM confide.asked WHERE agent = $1 AND asker IS NOT NULL
UNION SELECT entity FROM confide.place_member WHERE agent = $1;

-- every_place
-- Every place that is known.
SELECT DISTINCT platform_id AS name FROM confide.place WHERE agent = $1;

-- every_source
-- Whoever told something, and every platform that something came from.
SELECT speaker AS name FROM confide.memory WHERE agent = $1 AND speaker IS NOT NULL
UNION SELECT peer FROM confide.stacked WHERE agent = $1
UNION SELECT platform FROM confide.message WHERE agent = $1
UNION SELECT id::text FROM confide.batch WHERE agent = $1;

-- let_go
-- What came again meanwhile makes way: nothing waits for an erasure that was undone.
DELETE FROM confide.memory WHERE agent = $1 AND erasure_id = $2;

-- worded_labels
-- Labels of nothing that hold words: what a consent was for, as its giver put it, and the names that
-- somebody gave to a workspace or a connection.
SELECT l.id FROM confide.label l
WHERE l.agent = $1
  AND l.clauses && ARRAY(
      SELECT t.clause_id FROM confide.clause_term t
      WHERE t.agent = $1
        AND (t.purpose <> '' OR t.atom LIKE '@n=%' OR t.atom ~ '^@?p=[a-z]+:[^@]*/'))
  AND NOT EXISTS (SELECT FROM confide.memory m WHERE m.agent = l.agent AND m.label_id = l.id)
  AND NOT EXISTS (SELECT FROM confide.evidence e WHERE e.agent = l.agent
      AND l.id IN (e.label_id, e.memory_label_id))
  AND NOT EXISTS (SELECT FROM confide.message m WHERE m.agent = l.agent AND m.label_id = l.id)
  AND NOT EXISTS (SELECT FROM confide.words w WHERE w.agent = l.agent
      AND l.id IN (w.before_label_id, w.earlier_label_id));

-- labels
-- They go, and no longer say anything.
DELETE FROM confide.label WHERE agent = $1 AND id = ANY ($2);

-- worded_clauses
-- Clauses in no label that hold such words.
DELETE FROM confide.clause c
WHERE c.agent = $1
  AND c.id IN (SELECT t.clause_id FROM confide.clause_term t
               WHERE t.agent = $1
                 AND (t.purpose <> '' OR t.atom LIKE '@n=%' OR t.atom ~ '^@?p=[a-z]+:[^@]*/'))
  AND NOT EXISTS (
      SELECT FROM confide.label l WHERE l.agent = c.agent AND c.id = ANY (l.clauses));
