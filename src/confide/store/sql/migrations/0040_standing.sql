-- What somebody wants in every answer to them is looked up at each recall of theirs.
CREATE INDEX memory_standing ON confide.memory (agent, owner, said_at DESC, id)
    WHERE type = 'procedural' AND is_live;
