-- Which memories say the same is told by who said it, where, and the label as it was made. The
-- hashes cannot be made of columns alone: store/rehash.py writes them after this.
COMMENT ON COLUMN confide.memory.hash IS
    'of the words, speaker, place, kind, namespace and the label as it was made';
