-- What one search of a recall carries on of a memory it found.
CREATE TYPE confide.found AS (
    search integer, id uuid, similarity float8, relevance float8, weight float8);
