-- Who may know what was said to a room, where its speaker named them: atoms, the speaker among them.
ALTER TABLE confide.memory ADD COLUMN only_for text[] NOT NULL DEFAULT '{}';
ALTER TABLE confide.message ADD COLUMN only_for text[] NOT NULL DEFAULT '{}';
