-- Chats that somebody brought along. All of it is the importer's; who said it in the file stands beside.
ALTER TABLE confide.message ADD COLUMN author text;  -- who said it, as the file says; null: the speaker
-- Whose account somebody is, as their speaker says. It narrows; only that account's owner confirms it.
ALTER TABLE confide.someone ADD COLUMN means text;
