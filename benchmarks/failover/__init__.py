"""Kill the leader of a Patroni cluster under load, and count what was lost, doubled or leaked."""
