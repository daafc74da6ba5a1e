"""Who may hear what. Pure: no I/O, no clock, no SDK. Start with `policy.py`."""
