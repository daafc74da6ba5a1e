"""HTTP: the same verbs under `/v1`. Who asks comes from a key or token; the rule decides the rest."""
