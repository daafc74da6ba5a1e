"""A process that stays for some minutes with everything loaded, so that a command starts at once.

Loading takes over a second, ten times as long as a recall. `asking.py` is the thin client, and
`answering.py` the process: for each command it makes a copy of itself (a fork) that takes over the
caller's environment, folder, input and output, and ends with the command. So nothing of one command
is there for the next. Whatever does not fit means the ordinary way: the command loads what it needs.

Only Linux has it: elsewhere no peer of a socket can be looked at as closely.
"""
