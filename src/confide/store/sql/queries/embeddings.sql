-- missing
-- Memories that one model has no vector of, in a fixed order. $4: with those that are sensitive.
SELECT m.id, m.text FROM confide.memory m
WHERE m.agent = $1 AND m.id > $3 AND m.is_live AND m.expires_at > $6
  AND ($4 OR m.sensitivity <> 'sensitive')
  AND NOT EXISTS (
      SELECT FROM confide.embedding e
      WHERE e.agent = m.agent AND e.memory_id = m.id AND e.model = $2)
ORDER BY m.id
LIMIT $5;

-- left
-- How many memories one model has no vector of.
SELECT count(*) FROM confide.memory m
WHERE m.agent = $1 AND m.is_live AND m.expires_at > $4 AND ($3 OR m.sensitivity <> 'sensitive')
  AND NOT EXISTS (
      SELECT FROM confide.embedding e
      WHERE e.agent = m.agent AND e.memory_id = m.id AND e.model = $2);

-- scale
-- What a model's cosines mean.
SELECT unrelated, threshold FROM confide.calibration WHERE agent = $1 AND model = $2;

-- set_scale
-- The same, measured anew.
INSERT INTO confide.calibration (agent, model, unrelated, threshold, measured_at)
VALUES ($1, $2, $3, $4, $5)
ON CONFLICT (agent, model) DO UPDATE SET unrelated = excluded.unrelated,
    threshold = excluded.threshold, measured_at = excluded.measured_at;
