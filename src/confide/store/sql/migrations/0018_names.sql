-- People are found by what they are called now. The words of a name are numbers here, as everywhere in
-- search; those of names that were there before are written by `confide doctor --fix`.

CREATE TABLE confide.name_term (
    agent text NOT NULL,
    term integer NOT NULL,         -- a word of the name
    entity text NOT NULL,
    person integer NOT NULL,       -- the same, as the number that memories carry among their words
    PRIMARY KEY (agent, term, entity) INCLUDE (person),
    FOREIGN KEY (agent, entity) REFERENCES confide.person (agent, entity) ON DELETE CASCADE
);
-- Not by agent first, so that no plan can read every name there is through it.
CREATE INDEX name_term_of_person ON confide.name_term (entity, agent);
ALTER TABLE confide.name_term ALTER COLUMN term SET STATISTICS 0;
ALTER TABLE confide.name_term ALTER COLUMN person SET STATISTICS 0;

-- Of the way from names to terms; null where none were made.
ALTER TABLE confide.person ADD COLUMN terms_version smallint;

-- Which names of the question the people of a memory are called by.
ALTER TYPE confide.fit ADD ATTRIBUTE called integer;
