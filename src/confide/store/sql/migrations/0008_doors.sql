-- The door of a label judges two clauses: its narrowest, and at the same look the next one. And
-- whether an audience hears anything of somebody is found without reading all that it hears.

CREATE INDEX memory_of_owner ON confide.memory (agent, owner, label_id) WHERE is_live;
CREATE INDEX memory_of_speaker ON confide.memory (agent, speaker, label_id) WHERE is_live;

ALTER TABLE confide.label_door
    ADD COLUMN then_kind text CHECK (then_kind IN ('hear', 'ask')),
    ADD COLUMN then_atoms text[],  -- null: the next clause ends, serves one purpose, or is none
    ADD COLUMN later integer[];    -- what is left then, if only one listens

-- For the length of this transaction the owner sees rows; the policies are stated again at its end.
ALTER TABLE confide.label_door NO FORCE ROW LEVEL SECURITY;
ALTER TABLE confide.label NO FORCE ROW LEVEL SECURITY;
ALTER TABLE confide.clause_term NO FORCE ROW LEVEL SECURITY;
UPDATE confide.label_door d
SET then_kind = n.kind, then_atoms = n.atoms,
    later = CASE WHEN n.atoms IS NULL THEN l.clauses[2:] ELSE l.clauses[3:] END
FROM confide.label l
LEFT JOIN LATERAL (
    SELECT min(t.kind) AS kind, array_agg(t.atom ORDER BY t.position) AS atoms
    FROM confide.clause_term t
    WHERE t.agent = l.agent AND t.clause_id = l.clauses[2]
    HAVING bool_and(t.until = 'infinity' AND t.purpose = '')
) AS n ON true
WHERE l.agent = d.agent AND l.id = d.label_id;
-- A row that was not seen above would fail here.
ALTER TABLE confide.label_door ALTER COLUMN later SET NOT NULL;
