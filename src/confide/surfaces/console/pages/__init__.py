"""One file a page. Each asks verbs, and hands their answers to its template."""
