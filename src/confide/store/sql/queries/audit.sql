-- places
-- Every place as it is known now.
SELECT id, kind, space, parent FROM confide.place WHERE agent = $1 AND is_current;

-- members
-- Who is in which place now; all of them, because a room's listeners are the room.
SELECT place, array_agg(entity) AS entities FROM confide.place_member
WHERE agent = $1 AND left_epoch IS NULL GROUP BY place;

-- others
-- Who is in the given spaces, roles and groups, is one person with whom, and was there when.
-- The same as `confide.belongs`, asked for many people and few atoms at once.
SELECT m.entity, 's=' || m.space AS atom FROM confide.space_member m
WHERE m.agent = $1 AND 's=' || m.space = ANY ($2)
UNION ALL
SELECT m.entity, 'g=' || m.collective FROM confide.collective_member m
WHERE m.agent = $1 AND 'g=' || m.collective = ANY ($2)
UNION ALL
SELECT m.entity, 'e=' || m.other FROM confide.same_person m
WHERE m.agent = $1 AND 'e=' || m.other = ANY ($2)
UNION ALL
SELECT m.entity, 'w=' || w.place || '#' || w.epoch
FROM unnest($3::text[], $4::integer[]) AS w (place, epoch)
JOIN confide.place p ON p.agent = $1 AND p.id = w.place
    AND p.kind IN ('group', 'context', 'connection')
JOIN confide.place_member m ON m.agent = $1 AND m.place = w.place
    AND w.epoch BETWEEN m.joined_epoch AND COALESCE(m.left_epoch - 1, p.epoch)
WHERE EXISTS (
    SELECT FROM confide.place_member now
    WHERE now.agent = $1 AND now.place = w.place AND now.entity = m.entity
      AND now.left_epoch IS NULL);

-- known
-- Everyone who is known to be somewhere or to be called something.
SELECT entity FROM confide.place_member WHERE agent = $1
UNION SELECT entity FROM confide.space_member WHERE agent = $1
UNION SELECT entity FROM confide.collective_member WHERE agent = $1
UNION SELECT entity FROM confide.person WHERE agent = $1
UNION SELECT entity FROM confide.same_person WHERE agent = $1;

-- consents
-- What was agreed about a memory and what was taken back, oldest first.
SELECT c.id, c.memory_id, c.subject, c.origin, c.grantor, c.grantee, c.place, c.purpose, c.reason,
    c.given_by, c.granted_at, NULLIF(c.expires_at, 'infinity') AS ends_at, c.revoked_at
FROM confide.consent c
JOIN confide.memory m ON m.agent = c.agent AND m.id = $2
    AND (c.memory_id = m.id
      OR c.memory_id IS NULL
        AND (c.subject IS NULL OR c.subject = ANY (m.subjects) OR c.subject = m.speaker)
        AND (c.origin IS NULL OR c.origin = m.place))
WHERE c.agent = $1
ORDER BY c.granted_at, c.id;

-- existing
-- What exists that is somebody's or about them, newest first, without a word of it.
SELECT m.id, m.kind, m.sensitivity, m.status, m.said_at, m.workspace, m.namespace_scope,
    m.owner = $2 OR m.speaker IS NOT DISTINCT FROM $2 AS is_own
FROM confide.memory m
WHERE m.agent = $1 AND (m.owner = $2 OR m.speaker = $2 OR m.subjects @> ARRAY[$2])
  AND m.status <> 'deleted'
ORDER BY m.said_at DESC, m.id
LIMIT $3;
