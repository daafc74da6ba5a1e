"""Long-term memory for AI agents that talk to more than one person."""
