-- An agent that statistics do not know yet would seem to have no rows, and a lookup by id would then read
-- all that it has by another index. Without statistics of this column every agent is planned for alike.
ALTER TABLE confide.memory ALTER COLUMN agent SET STATISTICS 0;
ALTER TABLE confide.words ALTER COLUMN agent SET STATISTICS 0;
ALTER TABLE confide.evidence ALTER COLUMN agent SET STATISTICS 0;
ALTER TABLE confide.embedding ALTER COLUMN agent SET STATISTICS 0;
