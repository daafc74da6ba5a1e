-- Counting all memories by status, level, age or room reads these instead of everybody's words.
CREATE INDEX memory_counted ON confide.memory (agent, status, created_at)
    INCLUDE (sensitivity, place, label_id, is_live, expires_at);
CREATE INDEX memory_everywhere ON confide.memory (agent) WHERE scope = 'global';
