-- What an answer that was read on a standby is compared with before it leaves.

-- How many transactions may have left less to tell. Several rows, so that writers need not wait for
-- each other; only their sum means anything, and it never becomes smaller.
CREATE TABLE confide.narrowing (
    agent text NOT NULL,
    slot smallint NOT NULL,
    count bigint NOT NULL,
    PRIMARY KEY (agent, slot)
) WITH (fillfactor = 50);

-- A program that reads on standbys. Only a primary can write this; whoever shows it replicates from it.
CREATE TABLE confide.reader_lease (
    agent text NOT NULL,
    id uuid NOT NULL,
    history uuid NOT NULL,      -- another one on each timeline
    timeline text NOT NULL,
    renewed_at timestamptz NOT NULL,
    PRIMARY KEY (agent, id)
) WITH (fillfactor = 50);

DROP FUNCTION IF EXISTS confide.log_tellings(
    text, uuid[], uuid[], timestamptz, text, text, text, boolean);
