-- add_words
-- The words and the meaning of memories, with the label and life of each.
SELECT confide.add_words($1, $2::smallint, $3, $4, $5, $6, $7, $8, $9, $10);

-- recall
-- Everything that one recall needs, as one audience may hear it; the first row says what was decided on.
SELECT r.seen, r.search, r.similarity, r.relevance, r.weight, (r.memory).*,
    NULLIF((r.memory).expires_at, 'infinity') AS ends_at, r.place_kind, r.place_parent, r.called,
    r.dialogue
FROM confide.recall($1, $2::jsonb, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16,
    $17::jsonb) AS r;
