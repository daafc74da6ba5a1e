"""Values as they are written: one form per value, for JSON, OpenAPI, help texts and the client."""
