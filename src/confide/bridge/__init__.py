"""Between a chat platform and the memory: one small contract, and the loop that answers through it."""
