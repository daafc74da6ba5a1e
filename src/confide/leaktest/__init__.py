"""The leak test (B4): plant canaries in every kind of room, ask from every other, compare with an oracle.

It is written against the specification, not against the code: nothing in `rooms`, `town` or
`oracle` imports the policy it judges. Whatever adds a surface or a path adds it to this test.
"""
