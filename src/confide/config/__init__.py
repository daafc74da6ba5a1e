"""Settings: what they are (`settings.py`), and where they come from (`sources.py`)."""

from confide.config.settings import Settings
from confide.config.sources import config_file, read_settings, variable

__all__ = ["Settings", "config_file", "read_settings", "variable"]
