-- What waits for a reviewer is found quickly; what fades is archived before it goes, and upkeep
-- knows when it was last done.

CREATE INDEX memory_waiting ON confide.memory (agent, created_at, id) WHERE status = 'pending';

ALTER TABLE confide.memory
    ADD COLUMN archived_at timestamptz,
    ADD COLUMN archived_because text CHECK (archived_because IN ('expired', 'quota'));
CREATE INDEX memory_archived ON confide.memory (agent, owner) WHERE status = 'archived';
CREATE INDEX telling_by_time ON confide.telling (agent, told_at);

CREATE TABLE confide.upkeep (
    agent text PRIMARY KEY,
    collected_at timestamptz NOT NULL    -- when the last `gc` began
);
