"""Settings: what they are (`settings.py`), and where they come from (`sources.py`)."""

from confide.config.settings import Settings
from confide.config.sources import carried, config_file, passed_on, read_settings, variable

__all__ = ["Settings", "carried", "config_file", "passed_on", "read_settings", "variable"]
