-- How far a conversation was given to `add`, so that the same words sent again are not new. Both are
-- keyed hashes: nobody is named and no words are here, also not of what was never kept.
CREATE TABLE confide.turn (
    agent text NOT NULL,
    seq bigint GENERATED ALWAYS AS IDENTITY,
    id uuid NOT NULL,              -- of the message, where its platform gave none
    conversation bytea NOT NULL,
    mark bytea NOT NULL,
    is_settled boolean NOT NULL DEFAULT false,  -- observed, or refused
    given_at timestamptz NOT NULL,
    PRIMARY KEY (agent, conversation, seq)
);
CREATE INDEX turn_by_age ON confide.turn (agent, given_at);
