"""Measurements that the documentation quotes. None of it is installed."""
