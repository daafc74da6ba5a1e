"""PostgreSQL: the only package with SQL. `tell` reads as one audience, `keep` writes for one agent."""
