-- What the owner of a space decided for it, and when the agent was removed from it.

CREATE TABLE confide.space_rules (
    agent text NOT NULL,
    space text NOT NULL,
    rules jsonb NOT NULL DEFAULT '{}' CHECK (jsonb_typeof(rules) = 'object'),
    left_at timestamptz,           -- null: the agent is in it
    PRIMARY KEY (agent, space)
);
