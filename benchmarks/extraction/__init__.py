"""How much the built-in extractor finds, how much of it is right, and how fast."""
