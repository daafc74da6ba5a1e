-- person
-- What somebody is called.
DELETE FROM confide.person WHERE agent = $1 AND entity = $2;

-- alias
-- What they call others, and others call them.
DELETE FROM confide.alias WHERE agent = $1 AND $2 IN (speaker, entity);

-- someone
-- The people whom only they knew.
WITH called AS (
    DELETE FROM confide.person p WHERE p.agent = $1 AND p.entity IN (
        SELECT s.entity FROM confide.someone s WHERE s.agent = $1 AND s.speaker = $2))
DELETE FROM confide.someone WHERE agent = $1 AND speaker = $2;

-- claim
-- Who in somebody's file is said to be them.
WITH meant AS (
    UPDATE confide.someone s SET means = NULL WHERE s.agent = $1 AND s.means = $2 AND s.speaker <> $2
), departed AS (
    DELETE FROM confide.place_member m
    WHERE m.agent = $1 AND m.entity = $2 AND m.place LIKE 'import:%')
DELETE FROM confide.claim WHERE agent = $1 AND $2 IN (account, importer);

-- account
-- The accounts that prove who they are.
DELETE FROM confide.account WHERE agent = $1 AND entity = $2;

-- merge
-- That they may be, or are, the same as somebody else, and what they wrote about others.
DELETE FROM confide.merge WHERE agent = $1 AND $2 IN (one, other, proposed_by);

-- participant
-- As what they take part in contexts.
DELETE FROM confide.participant WHERE agent = $1 AND entity = $2;

-- consent_request
-- What they asked for, or were asked.
DELETE FROM confide.consent_request
WHERE agent = $1 AND ($2 IN (grantor, subject, asked_by) OR grantee = 'e=' || $2);

-- telling
-- That others' memories were told stays for their owners; to whom and in whose chat does not.
UPDATE confide.telling SET asker = '',
    place = CASE WHEN place IN ('dm:' || $2, 'reply:' || $2) OR starts_with(place, $2 || '/')
        THEN '' ELSE place END
WHERE agent = $1 AND (asker = $2 OR place = 'dm:' || $2);

-- asked
-- That somebody asked stays; who and where does not.
UPDATE confide.asked SET asker = NULL, place = NULL
WHERE agent = $1 AND (asker = $2 OR place = 'dm:' || $2);

-- usage
-- What was spent stays, for whom does not.
UPDATE confide.usage SET person = NULL, place = NULL
WHERE agent = $1 AND (person = $2 OR place = 'dm:' || $2);

-- session
-- Their stretches in places; answers about these go with them.
DELETE FROM confide.session
WHERE agent = $1 AND (speaker = $2 OR place = 'dm:' || $2 OR starts_with(place, $2 || '/'));

-- place
-- The chat that only they are in, and the connections that are theirs.
DELETE FROM confide.place
WHERE agent = $1 AND (id = 'dm:' || $2 OR kind = 'connection' AND starts_with(id, $2 || '/'));

-- generalization
-- Who proposed an insight of others.
UPDATE confide.generalization SET proposed_by = ''
WHERE agent = $1 AND right(proposed_by, length(' as ' || $2)) = ' as ' || $2;

-- data_request
-- What they asked for and was answered.
DELETE FROM confide.data_request WHERE agent = $1 AND $2 IN (asker, asked_by)
  AND answered_at IS NOT NULL;

-- api_key
-- Their own keys.
DELETE FROM confide.api_key WHERE agent = $1 AND entity = $2;

-- connection_opened
-- What their own connections may tell.
DELETE FROM confide.connection_opened WHERE agent = $1 AND entity = $2;

-- sign_in_link
-- Links that were made for them.
DELETE FROM confide.sign_in_link WHERE agent = $1 AND entity = $2;

-- browser_session
-- Where they are signed in.
DELETE FROM confide.browser_session WHERE agent = $1 AND entity = $2;

-- scenario
-- Scenarios that they saved, or that name them.
DELETE FROM confide.scenario
WHERE agent = $1 AND ($2 IN (made_by, asker) OR present @> ARRAY[$2]);

-- break_glass
-- What the operator read of theirs, and why.
DELETE FROM confide.break_glass WHERE agent = $1 AND owner = $2;

-- batch
-- Who gave a file, and what they called it.
UPDATE confide.batch SET proof = '', given_by = NULL, file_name = ''
WHERE agent = $1 AND given_by = $2;

-- trail_name
-- Who is behind their pseudonym: what the trail says of them points to nobody from now on.
DELETE FROM confide.trail_name
WHERE agent = $1 AND (name IN ($2, 'place:dm:' || $2) OR starts_with(name, 'place:' || $2 || '/'));
