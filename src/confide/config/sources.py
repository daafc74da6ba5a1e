"""Where settings come from. This is the only reader of the environment.

The first that names a setting wins: an option, the environment, the file of `--env-file`, `.env` in
the home folder, the config file. The current folder never decides: a cloned repository could send
memories and keys to a server of its own."""

from __future__ import annotations

import logging
import os
import tomllib
from collections.abc import Iterator, Mapping
from difflib import get_close_matches
from pathlib import Path
from typing import Any, Final

from dotenv import dotenv_values
from pydantic import ValidationError

from confide.config import environment
from confide.config.settings import Settings
from confide.errors import InvalidInput

log = logging.getLogger("confide.config")

PREFIX: Final = "CONFIDE_"
#: Providers' keys keep their usual names (S17).
_USUAL: Final = {
    "anthropic_key": "ANTHROPIC_API_KEY",
    "voyage_key": "VOYAGE_API_KEY",
    "discord_token": "DISCORD_TOKEN",
}
#: Read before any setting, so that no file can name it.
_CONFIG: Final = environment.CONFIG
#: How alike two names are when one is a slip for the other. CONFIDE_SERVICE_HOST, which
#: orchestrators set, is not like CONFIDE_HOST; CONFIDE_TOPK is like CONFIDE_TOP_K.
_ALIKE: Final = 0.75
_FILE: Final = "_FILE"
SECRETS: Final = frozenset(
    name for name, field in Settings.model_fields.items() if "SecretStr" in str(field.annotation)
)
_PATHS: Final = ("home", "persona")
_mentioned: set[str] = set()


def default_home() -> Path:
    return Path(environment.default_home())


def config_file() -> Path:
    named = os.environ.get(_CONFIG)
    return _absolute(named, _CONFIG) if named else Path(environment.default_config())


def variable(field: str) -> str:
    """What a setting is called in the environment."""
    return _USUAL.get(field, f"{PREFIX}{field.upper()}")


def read_settings(*, env_file: Path | str | None = None, **given: Any) -> Settings:
    """Settings from everywhere; what is wrong is named by its variable or key."""
    for name in given:
        _require_known(name, name, {field: field for field in Settings.model_fields})
    found: dict[str, Any] = {}
    came_from: dict[str, str] = {}
    for source, said in _sources(given, env_file, found):
        for field, value in said.items():
            if field not in found:
                found[field], came_from[field] = value, source
    try:
        settings = Settings.model_validate({"home": default_home()} | found)
    except ValidationError as wrong:
        first = wrong.errors()[0]
        raise InvalidInput(variable(str(first["loc"][0])), first["msg"]) from None
    settings.came_from(came_from)
    return settings


def _sources(
    given: dict[str, Any], env_file: Path | str | None, found: dict[str, Any]
) -> Iterator[tuple[str, Mapping[str, Any]]]:
    """The strongest first. `found` is what those before have said, for which home it is."""
    yield "command line", given
    yield "environment", _environment()
    if env_file is not None:
        path = Path(env_file).expanduser()
        if not path.is_file():
            raise InvalidInput("env_file", f"there is no file {path}")
        yield f"env file {path}", _env_file(path)
    config = _config_file(config_file())
    home = Path(found.get("home") or config.get("home") or default_home()).expanduser()
    if (home / ".env").is_file():
        yield f"{home / '.env'}", _home_file(home / ".env")
    yield f"{config_file()}", config


def carried() -> dict[str, str]:
    """This program's own variables in the environment, for a program that is started without it.
    Providers' keys are left out: they belong into `.env` of the home folder."""
    known = {variable(field): field for field in Settings.model_fields} | {_CONFIG: _CONFIG}
    own = {name: value for name, value in os.environ.items() if value and name.startswith(PREFIX)}
    found: dict[str, str] = {}
    for name, value in sorted(own.items()):
        field = known.get(name) or _secret_in_file(name, known)
        is_path = field in (*_PATHS, _CONFIG) or name.endswith(_FILE)
        if field is not None:
            found[name] = str(Path(value).expanduser().absolute()) if is_path else value
    return found


def passed_on(own: Mapping[str, str]) -> dict[str, str]:
    """The environment for a program that is started with variables of its own."""
    return {**os.environ, **own}


def _environment() -> dict[str, Any]:
    """Unknown variables that resemble a setting are slips. Others are somebody else's."""
    known = {variable(field): field for field in Settings.model_fields}
    found: dict[str, Any] = {}
    for name, value in os.environ.items():
        field = known.get(name.upper())
        if field == "port" and value.startswith("tcp://"):
            _mention(f"{name} is an orchestrator's, not a port; it is ignored")
        elif field is not None and value:
            found[field] = _checked(field, value, name)
        elif field is None and value and (secret := _secret_in_file(name.upper(), known)):
            if os.environ.get(variable(secret)):
                raise InvalidInput(name, f"{variable(secret)} is set too; set one of them")
            found[secret] = _read_secret(name, value)
        elif field is None and name.upper().startswith(PREFIX) and name.upper() != _CONFIG:
            if _nearest(name.upper(), known):
                _require_known(name, name.upper(), known)
            _mention(f"{name} is no setting of confide; it is ignored")
    return found


def _secret_in_file(name: str, known: Mapping[str, str]) -> str | None:
    """The secret whose file a variable such as CONFIDE_KEY_FILE names, as containers mount them."""
    field = known.get(name.removesuffix(_FILE)) if name.endswith(_FILE) else None
    return field if field is not None and field in SECRETS else None


def _read_secret(name: str, value: str) -> str:
    path = _absolute(value, name)
    try:
        text = path.read_text(encoding="utf-8").strip()
    except (OSError, UnicodeDecodeError):
        raise InvalidInput(name, f"{path} cannot be read; check its path and rights") from None
    if not text or "\n" in text:
        raise InvalidInput(name, f"{path} must hold the secret in one line, and nothing else")
    return text


def _env_file(path: Path) -> dict[str, Any]:
    """Variables as in the environment. What is unknown is an error: the file is for this program."""
    known = {variable(field): field for field in Settings.model_fields}
    try:
        said = dotenv_values(path, interpolate=False, encoding="utf-8")
    except (OSError, UnicodeDecodeError) as wrong:
        raise InvalidInput("settings", f"{path} cannot be read: {wrong}") from None
    for name in said:
        _require_known(f"{name} in {path}", name.upper(), known)
    return {
        known[name.upper()]: _checked(known[name.upper()], value, f"{name} in {path}")
        for name, value in said.items()
        if value
    }


def _home_file(path: Path) -> dict[str, Any]:
    if hasattr(os, "getuid") and path.stat().st_uid not in (0, os.getuid()):
        raise InvalidInput("settings", f"{path} belongs to somebody else; remove it or own it")
    found = _env_file(path)
    if found.pop("home", path.parent) != path.parent:
        raise InvalidInput(variable("home"), f"{path} is in a home folder and cannot name another")
    return found


def _config_file(path: Path) -> dict[str, Any]:
    if not path.is_file():
        return {}
    try:
        said = tomllib.loads(path.read_text(encoding="utf-8"))
    except (OSError, tomllib.TOMLDecodeError, UnicodeDecodeError) as wrong:
        raise InvalidInput("settings", f"{path} cannot be read: {wrong}") from None
    known = {field: field for field in Settings.model_fields}
    for name in said:
        _require_known(f"{name} in {path}", name, known)
    return {name: _checked(name, value, f"{name} in {path}") for name, value in said.items()}


def _checked(field: str, value: Any, shown: str) -> Any:
    """A relative path would mean another folder wherever a command runs."""
    if field in _PATHS and isinstance(value, str):
        return _absolute(value, shown)
    return value


def _absolute(value: str, shown: str) -> Path:
    path = Path(value).expanduser()
    if not path.is_absolute():
        raise InvalidInput(shown, f"{value!r} depends on the current folder; give the whole path")
    return path


def _require_known(shown: str, name: str, known: Mapping[str, str]) -> None:
    if name in known:
        return
    nearest = _nearest(name, known)
    fix = f"did you mean {nearest}?" if nearest else "`confide config show` lists them all"
    raise InvalidInput(shown, f"there is no such setting; {fix}")


def _nearest(name: str, known: Mapping[str, str]) -> str | None:
    """Compared without the prefix that all have."""
    short = {one.removeprefix(PREFIX): one for one in known}
    # CONFIDE_ANTHROPIC_KEY and CONFIDE_ANTHROPIC_API_KEY mean a setting with another name.
    short |= {field.upper(): one for one, field in known.items() if not one.startswith(PREFIX)}
    like = get_close_matches(name.removeprefix(PREFIX), short, n=1, cutoff=_ALIKE)
    return short[like[0]] if like else None


def _mention(what: str) -> None:
    if what not in _mentioned:
        _mentioned.add(what)
        log.warning(what)
