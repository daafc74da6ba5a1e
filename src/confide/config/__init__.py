"""Settings: what they are (`settings.py`), and where they come from (`sources.py`).

`environment.py` can be had without the others, which take a quarter of a second to load.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from confide.config.settings import Settings
    from confide.config.sources import carried, config_file, passed_on, read_settings, variable

__all__ = ["Settings", "carried", "config_file", "passed_on", "read_settings", "variable"]


def __getattr__(name: str) -> Any:
    if name not in __all__:
        raise AttributeError(f"module 'confide.config' has no attribute {name!r}")
    from importlib import import_module

    module = "settings" if name == "Settings" else "sources"
    return getattr(import_module(f"confide.config.{module}"), name)
