"""How fast the store is, as ratios to the bare work of PostgreSQL in the same run."""
