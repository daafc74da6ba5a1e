-- What is searched by words: the words of each memory, of what was said just before it, and of the
-- names of its people. Words are numbers here; no text of anyone's is in this table.

CREATE TABLE confide.words (
    agent text NOT NULL,
    memory_id uuid NOT NULL,
    part smallint NOT NULL,        -- a long text has several rows, so that each fits its index
    is_own boolean NOT NULL,       -- false: words that only the messages before it have
    label_id integer NOT NULL,     -- the memory's own
    before_label_id integer,       -- of the message before
    earlier_label_id integer,      -- of the message before that
    is_live boolean NOT NULL,
    expires_at timestamptz NOT NULL,
    author integer NOT NULL,       -- whoever said it, as a number
    length integer NOT NULL,       -- how many words the memory has
    terms public.sparsevec NOT NULL,
    people public.sparsevec NOT NULL,
    version smallint NOT NULL,     -- of the way from text to terms
    PRIMARY KEY (agent, memory_id, is_own, part),
    -- The copies of label and life can never differ from the memory's own.
    FOREIGN KEY (agent, memory_id, label_id, is_live, expires_at)
        REFERENCES confide.memory (agent, id, label_id, is_live, expires_at)
        ON UPDATE CASCADE ON DELETE CASCADE,
    FOREIGN KEY (agent, before_label_id) REFERENCES confide.label (agent, id),
    FOREIGN KEY (agent, earlier_label_id) REFERENCES confide.label (agent, id),
    CONSTRAINT words_before_have_their_labels CHECK (
        is_own = (before_label_id IS NULL) AND is_own = (earlier_label_id IS NULL))
);
ALTER TABLE confide.words ALTER COLUMN terms SET STORAGE PLAIN;
ALTER TABLE confide.words ALTER COLUMN people SET STORAGE PLAIN;
ALTER TABLE confide.words ALTER COLUMN terms SET STATISTICS 0;
ALTER TABLE confide.words ALTER COLUMN people SET STATISTICS 0;
CREATE INDEX words_by_label ON confide.words (agent, label_id)
    INCLUDE (memory_id, part, is_own, before_label_id, earlier_label_id, expires_at, author, length,
        terms, people)
    WHERE is_live;
