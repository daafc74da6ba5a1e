"""Language models behind the same protocols as the built-in parts. The SDKs are an extra."""
