"""The environment, read with the standard library alone: a client that must start at once uses it."""

import os
import sys
from collections.abc import Mapping

CONFIG = "CONFIDE_CONFIG"


def everything() -> dict[str, str]:
    return dict(os.environ)


def replace(given: Mapping[str, str]) -> None:
    """From now on this process has the environment of another one of the same user."""
    os.environ.clear()
    os.environ.update(given)


def default_home() -> str:
    """Where the embedded database lives unless CONFIDE_HOME says otherwise."""
    if sys.platform == "win32":
        base = os.environ.get("LOCALAPPDATA", os.path.expanduser("~"))
    else:
        base = _base("XDG_DATA_HOME", ".local/share")
    return os.path.join(base, "confide")


def default_config() -> str:
    return os.path.join(_base("XDG_CONFIG_HOME", ".config"), "confide", "config.toml")


def likely_home(given: str | None) -> str:
    """The home that settings will name, but for files of settings other than the usual one. Whoever
    asks here must be content with an answer that is wrong."""
    named = given or os.environ.get("CONFIDE_HOME") or _configured() or default_home()
    return os.path.abspath(os.path.expanduser(named))


def _configured() -> str | None:
    path = os.path.expanduser(os.environ.get(CONFIG) or default_config())
    if not os.path.isfile(path):
        return None
    import tomllib

    try:
        with open(path, "rb") as file:
            found = tomllib.load(file).get("home")
    except (OSError, ValueError):  # whoever reads all settings says what is wrong
        return None
    return found if isinstance(found, str) else None


def _base(name: str, otherwise: str) -> str:
    """A relative one is ignored, as the XDG specification says."""
    named = os.environ.get(name, "")
    return named if os.path.isabs(named) else os.path.join(os.path.expanduser("~"), otherwise)
