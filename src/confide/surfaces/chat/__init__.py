"""A terminal in which you are several people in several rooms, and see what the agent would say."""
