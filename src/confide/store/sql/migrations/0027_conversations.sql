-- Conversations in a workspace, track, project or paper: [workspace, scope]; null: in none.
ALTER TABLE confide.message ADD COLUMN namespace text[];
ALTER TABLE confide.session ADD COLUMN namespace text[];
DROP INDEX confide.session_open;
CREATE UNIQUE INDEX session_open ON confide.session (agent, place, speaker, namespace)
    NULLS NOT DISTINCT WHERE is_open;
