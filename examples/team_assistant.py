"""A team assistant on a server: confide serve, then CONFIDE_URL=… CONFIDE_KEY=… python team_assistant.py

The key is a platform key: confide keys create platform --platform slack. It says who speaks and who listens.
"""

from __future__ import annotations

import os

from confide.sync import ConfideClient

CHANNEL = "public:slack.standup@slack.team"

with ConfideClient.open(os.environ["CONFIDE_URL"], os.environ["CONFIDE_KEY"]) as memory:
    memory.world.join_space("slack.team", "human:slack.anna", "human:slack.ben")
    said = [{"role": "user", "content": "I own the billing migration, it ends on Friday"}]
    memory.add(said, by="human:slack.anna", place=CHANNEL)
    asked = memory.recall("who owns the billing migration?", asker="human:slack.ben", place=CHANNEL)
    print(asked)
