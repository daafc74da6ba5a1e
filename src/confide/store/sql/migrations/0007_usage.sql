-- What models cost, and for whom. No text of anyone's is here.
CREATE TABLE confide.usage (
    agent text NOT NULL,
    id uuid NOT NULL,
    used_at timestamptz NOT NULL,
    operation text NOT NULL CHECK (operation IN ('extract', 'merge', 'embed', 'recall', 'answer')),
    model text NOT NULL,
    person text,                   -- for whom; nobody in particular if it was for many
    place text,
    tokens_read bigint NOT NULL CHECK (tokens_read >= 0),
    tokens_written bigint NOT NULL CHECK (tokens_written >= 0),
    dollars double precision NOT NULL CHECK (dollars >= 0),
    PRIMARY KEY (agent, id)
);
CREATE INDEX usage_by_time ON confide.usage (agent, used_at);

-- What the cosines of an embedding model mean, measured by `confide calibrate`.
CREATE TABLE confide.calibration (
    agent text NOT NULL,
    model text NOT NULL,
    unrelated double precision NOT NULL CHECK (unrelated BETWEEN -1 AND 1),
    threshold double precision NOT NULL CHECK (threshold BETWEEN -1 AND 1),
    measured_at timestamptz NOT NULL,
    PRIMARY KEY (agent, model)
);
