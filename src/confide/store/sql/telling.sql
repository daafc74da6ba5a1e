-- What is written when something was told. Stated anew like the policy.

CREATE OR REPLACE FUNCTION confide.log_tellings(
    of_agent text, ids uuid[], prompted uuid[], weak uuid[], moment timestamptz, to_asker text,
    in_kind text, in_place text, is_further boolean, read_at jsonb, lag float8)
RETURNS boolean
LANGUAGE plpgsql VOLATILE
SET role = confide_keep SET search_path = pg_catalog
SET jit = off SET enable_seqscan = off SET plan_cache_mode = force_generic_plan AS $$
-- Which memories were told, when, to whom and where, and which of them were put into a prompt (S23);
-- `is_further`: told with the answer to the last question, beside what it found. Tellings to the
-- owner keep a memory alive, but for those that fit weakly (`weak`), which count as no answer either;
-- nobody else's question changes anything. A whole transaction in one
-- statement, whose commit does not wait for the disk.
-- Where standbys answer, there is a `lag` that they may have, and the commit waits as every other
-- does: what was read on one (`read_at`) or on a primary that is none any more must not be told.
-- False: it was read where a narrowing write is missing. Nothing is logged then.
DECLARE
    question uuid;
    is_off boolean;
BEGIN
    PERFORM set_config('confide.agent', of_agent, true), set_config('confide.doing', 'recall', true);
    IF lag IS NULL THEN
        PERFORM set_config('synchronous_commit', 'off', true);
    END IF;
    IF read_at IS NOT NULL AND confide.may_be_told(of_agent, read_at, lag) IS NOT TRUE THEN
        RETURN false;
    END IF;
    is_off := EXISTS (
        SELECT FROM confide.off_record o
        WHERE o.agent = of_agent AND o.entity = to_asker
          AND o.place IN (in_place, regexp_replace(in_place, '#\d+$', '')));
    IF cardinality(ids) = 0 AND is_off THEN
        RETURN true;
    END IF;
    IF is_further THEN
        SELECT a.id INTO question FROM confide.asked a
        WHERE a.agent = of_agent AND a.asker = to_asker AND a.place = in_place
        ORDER BY a.seq DESC LIMIT 1;
    ELSE
        INSERT INTO confide.asked (agent, id, asked_at, told, asker, place)
        VALUES (of_agent, gen_random_uuid(), moment, cardinality(ids) - cardinality(weak),
            CASE WHEN NOT is_off THEN to_asker END, CASE WHEN NOT is_off THEN in_place END)
        RETURNING id INTO question;
    END IF;
    IF cardinality(ids) = 0 THEN
        RETURN true;
    END IF;
    INSERT INTO confide.telling (
        agent, id, memory_id, told_at, asker, place_kind, place, was_in_prompt, is_weak, asked_id)
    SELECT of_agent, gen_random_uuid(), m.id, moment, to_asker, in_kind, in_place,
        m.id = ANY (prompted), m.id = ANY (weak), question
    FROM confide.memory m WHERE m.agent = of_agent AND m.id = ANY (ids);
    WITH own AS MATERIALIZED (
        -- Always in the same order, so that two of the owner's questions cannot block each other.
        SELECT m.id FROM confide.memory m
        WHERE m.agent = of_agent AND m.id = ANY (ids) AND m.id <> ALL (weak) AND m.owner = to_asker
        ORDER BY m.id FOR NO KEY UPDATE
    )
    UPDATE confide.memory m SET last_accessed_at = moment, reinforced_at = moment
    FROM own WHERE m.agent = of_agent AND m.id = own.id;
    RETURN true;
END $$;
