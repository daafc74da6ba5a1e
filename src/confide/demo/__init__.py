"""A small community, acted out: `story.toml` is the play, `player.py` plays it on a real store."""
