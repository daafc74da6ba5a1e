-- What fits a question weakly is told marked, and is written down as such.
ALTER TABLE confide.telling ADD COLUMN is_weak boolean NOT NULL DEFAULT false;
