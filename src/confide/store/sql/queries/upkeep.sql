-- protect
-- It neither fades nor expires, and is never archived for being one too many.
UPDATE confide.memory SET is_protected = true, expires_at = 'infinity', updated_at = $3
WHERE agent = $1 AND id = $2 AND NOT is_protected;

-- unprotect
-- It lasts as long as its kind does, from now on.
UPDATE confide.memory
SET is_protected = false, expires_at = COALESCE($4, 'infinity'::timestamptz), reinforced_at = $3,
    updated_at = $3
WHERE agent = $1 AND id = $2 AND is_protected;

-- restore
-- Back from the archive, as if it had just been said, unless it was said again meanwhile.
UPDATE confide.memory m
SET status = CASE WHEN m.waits_because IS NULL THEN 'approved' ELSE 'pending' END,
    archived_at = NULL, archived_because = NULL, reinforced_at = $3, updated_at = $3,
    expires_at = CASE WHEN m.expires_at > $3 THEN m.expires_at
        ELSE COALESCE($4, 'infinity'::timestamptz) END
WHERE m.agent = $1 AND m.id = $2 AND m.status = 'archived' AND m.archived_at > $5
  AND NOT EXISTS (
      SELECT FROM confide.memory o WHERE o.agent = $1 AND o.hash = m.hash AND o.id <> m.id
      AND o.status IN ('approved', 'pending'));

-- archived
-- What somebody has in the archive and why, with when the first and the last of it went there.
SELECT archived_because AS because, count(*) AS memories, min(archived_at) AS first,
    max(archived_at) AS last
FROM confide.memory
WHERE agent = $1 AND owner = $2 AND status = 'archived' AND archived_at > $3
GROUP BY archived_because ORDER BY archived_because;

-- own_archived
-- What somebody can restore of their own words, newest first.
SELECT m.id, m.text, m.kind, m.archived_because, m.archived_at FROM confide.memory m
WHERE m.agent = $1 AND m.owner = $2 AND m.speaker = $2 AND m.status = 'archived'
  AND m.archived_at > $3 AND NOT m.is_opted_out
ORDER BY m.archived_at DESC, m.id LIMIT $4;

-- claim
-- One of all programs collects; a clock that was ahead does not keep it from doing so.
INSERT INTO confide.upkeep (agent, collected_at) VALUES ($1, $2)
ON CONFLICT (agent) DO UPDATE SET collected_at = excluded.collected_at
WHERE upkeep.collected_at <= $3 OR upkeep.collected_at > excluded.collected_at
RETURNING collected_at;

-- archive_expired
-- What ended is not told any more; now it is put away, some at a time.
UPDATE confide.memory
SET status = 'archived', archived_at = $2, archived_because = 'expired', updated_at = $2
WHERE agent = $1 AND id IN (
    SELECT m.id FROM confide.memory m
    WHERE m.agent = $1 AND m.status IN ('approved', 'pending') AND m.expires_at <= $2
    ORDER BY m.id LIMIT $3 FOR UPDATE SKIP LOCKED);

-- archive_over_quota
-- Of each owner who has more than so many, the weakest that are not protected, some at a time.
UPDATE confide.memory
SET status = 'archived', archived_at = $2, archived_because = 'quota', updated_at = $2
WHERE agent = $1 AND status IN ('approved', 'pending') AND id = ANY (ARRAY(
    SELECT r.id FROM (
        SELECT m.id, m.is_protected, count(*) OVER (PARTITION BY m.owner) AS total,
            row_number() OVER (PARTITION BY m.owner, m.is_protected
                ORDER BY confide.strength(m.confidence, m.reinforced_at, $2, m.type = 'episodic'),
                    m.reinforced_at, m.id) AS nth
        FROM confide.memory m
        WHERE m.agent = $1 AND m.status IN ('approved', 'pending') AND m.owner = ANY ($4)) AS r
    WHERE NOT r.is_protected AND r.nth <= r.total - $5
    ORDER BY r.id LIMIT $3));

-- over_quota
-- Owners who have more than so many, and how many of those can be archived.
SELECT owner, LEAST(count(*) - $2, count(*) FILTER (WHERE NOT is_protected)) AS memories
FROM confide.memory
WHERE agent = $1 AND status IN ('approved', 'pending')
  AND ($3::timestamptz IS NULL OR expires_at > $3)
GROUP BY owner HAVING count(*) > $2 AND bool_or(NOT is_protected)
ORDER BY owner;

-- mark_past
-- What was replaced or rejected long ago is marked before it goes, so that no wrong clock erases it.
UPDATE confide.memory SET archived_at = $2
WHERE agent = $1 AND id IN (
    SELECT m.id FROM confide.memory m
    WHERE m.agent = $1 AND m.status IN ('superseded', 'rejected') AND m.updated_at <= $4
      AND (m.archived_at IS NULL OR m.archived_at < m.updated_at)
    ORDER BY m.id LIMIT $3 FOR UPDATE SKIP LOCKED);

-- clear
-- Gone for good: what an earlier run put away or marked, long enough ago. What a merged memory is
-- made of stays with it.
DELETE FROM confide.memory
WHERE agent = $1 AND id IN (
    SELECT m.id FROM confide.memory m
    WHERE m.agent = $1 AND m.archived_at <= $2
      AND (m.status = 'archived' OR m.status IN ('superseded', 'rejected') AND m.updated_at <= $4)
      AND NOT EXISTS (SELECT FROM confide.merged_part p
          WHERE p.agent = m.agent AND p.part_id = m.id)
    ORDER BY m.id LIMIT $3 FOR UPDATE SKIP LOCKED);

-- clear_tellings
-- The access log ends some months back.
DELETE FROM confide.telling
WHERE agent = $1 AND id IN (
    SELECT t.id FROM confide.telling t WHERE t.agent = $1 AND t.told_at <= $2
    ORDER BY t.told_at LIMIT $3 FOR UPDATE SKIP LOCKED);

-- clear_questions
-- How often questions found something is counted as far back as the access log.
DELETE FROM confide.asked
WHERE agent = $1 AND id IN (
    SELECT a.id FROM confide.asked a WHERE a.agent = $1 AND a.asked_at <= $2
    ORDER BY a.asked_at LIMIT $3 FOR UPDATE SKIP LOCKED);

-- preview
-- How much a run would do now. $2 now, $3 archived before, $4 replaced before, $5 told before,
-- $6 and $7 raw words learned and kept until, $8 forgotten before.
SELECT
    (SELECT count(*) FROM confide.memory m WHERE m.agent = $1
        AND m.status IN ('approved', 'pending') AND m.expires_at <= $2) AS expired,
    (SELECT count(*) FROM confide.memory m WHERE m.agent = $1 AND m.archived_at <= $3
        AND (m.status = 'archived' OR m.status IN ('superseded', 'rejected')
            AND m.updated_at <= $4)
        AND NOT EXISTS (SELECT FROM confide.merged_part p
            WHERE p.agent = m.agent AND p.part_id = m.id)) AS cleared,
    (SELECT count(*) FROM confide.telling t WHERE t.agent = $1 AND t.told_at <= $5) AS tellings,
    (SELECT count(*) FROM confide.message s WHERE s.agent = $1 AND s.text IS NOT NULL AND (
        s.observed_at < $7 OR s.observed_at < $6 AND (s.is_from_agent OR s.learned_at < $6)))
        AS raw_messages,
    (SELECT count(*) FROM confide.erasure e WHERE e.agent = $1 AND e.final_at IS NULL
        AND e.erased_at <= $8) AS erasures;
