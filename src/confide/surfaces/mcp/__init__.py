"""MCP: the memory as tools for a model. Who is asking never comes from the model."""
