"""Slash commands. Every answer is one that only whoever asked can see."""
