"""The Discord bot: turns channels, messages and commands into the contract of `confide.bridge`."""
