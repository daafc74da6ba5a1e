"""The reference pages, made from the code: commands, settings, Python verbs, routes and errors.

`make docs` writes them into the site. They are not kept in docs/, so they cannot be out of date.
"""

from __future__ import annotations

import inspect
import re
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

from typer.main import get_command

EXAMPLE = Path(__file__).parents[1] / ".env.example"
COMMON = ("help", "as_json", "json", "home", "agent")  # said once for all commands


def pages() -> dict[str, str]:
    return {
        "commands.md": commands(),
        "settings.md": settings(),
        "python.md": python(),
        "routes.md": routes(),
        "errors.md": errors(),
    }


def commands() -> str:
    """Every command of the program, with its arguments, options and examples."""
    from confide.surfaces.cli.app import build

    parts = [
        "# Commands\n\n"
        "Every command takes `--json`, `--home` and `--agent`. `confide COMMAND --help` prints the same text."
    ]
    for name, command in walk(get_command(build()), "confide"):
        about = _prose(command.help or "")
        shown = [_parameter(one) for one in command.params if one.name not in COMMON]
        table = "\n".join(["| | |", "|---|---|", *filter(None, shown)]) if any(shown) else ""
        epilog = (command.epilog or "").replace("\b", "").strip()
        example = f"```text\n{epilog}\n```" if epilog else ""
        parts += [f"## {name}", about, table, example]
    return "\n\n".join(filter(None, parts)) + "\n"


def walk(command: Any, name: str) -> Iterator[tuple[str, Any]]:
    """The commands that do something; a group only has others inside it."""
    inside = getattr(command, "commands", None)
    if not inside:
        yield name, command
        return
    for word, one in inside.items():
        if not getattr(one, "hidden", False):
            yield from walk(one, f"{name} {word}")


def _parameter(param: Any) -> str:
    if getattr(param, "hidden", False):
        return ""
    if param.param_type_name == "argument":
        label = f"`{param.metavar or param.name.upper()}`"
    else:
        label = ", ".join(f"`{one}`" for one in (*param.opts, *param.secondary_opts))
    text = _cell(getattr(param, "help", None) or "")
    return f"| {label} | {text}{' Required.' if param.required else ''} |"


def settings() -> str:
    """Every setting with its default and help text, as `.env.example` has them."""
    found = re.findall(r"^# (.+)\n# ([A-Z_]+)=(.*)$", EXAMPLE.read_text("utf-8"), re.MULTILINE)
    rows = ["| variable | default | what it is for |", "|---|---|---|"]
    for about, variable, default in found:
        shown = f"`{default}`" if default else ""
        rows.append(f"| `{variable}` | {shown} | {_cell(about)} |")
    return (
        "# Settings\n\n"
        "`confide config show` prints what is in force on your machine and where it comes from; "
        "[Configuration](../configuration.md) says which source wins.\n\n" + "\n".join(rows) + "\n"
    )


def python() -> str:
    """Every verb of `Confide`, and of the groups of verbs beside it."""
    from confide.memories import Confide

    parts = [
        "# Python\n\n"
        "`async with Confide.open() as confide:` opens the memory. The verbs are coroutines: `await` them. "
        "Less common verbs are in groups, such as `confide.consents`. "
        "`ConfideClient` has the same verbs for a memory on a server.",
        "## confide",
        *_verbs(Confide, "confide"),
    ]
    for name, group in sorted(groups().items()):
        verbs = list(_verbs(group, f"confide.{name}"))
        if verbs:
            parts += [f"## confide.{name}", _prose(inspect.getdoc(group) or ""), *verbs]
    return "\n\n".join(filter(None, parts)) + "\n"


def groups() -> dict[str, type]:
    """The groups of verbs, as `Confide` makes them."""
    from confide.memories import Confide

    whole: Any = Confide(cast(Any, Anything()))
    own = {"means", "database", "settings"}
    return {
        name: type(value)
        for name, value in vars(whole).items()
        if not name.startswith("_") and name not in own and type(value).__module__.startswith("confide.")
    }  # fmt: skip


class Anything(SimpleNamespace):
    """Stands for what `Confide` is opened with; nothing is called on it."""

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        return Anything()

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        return Anything()


def _verbs(owner: type, prefix: str) -> Iterator[str]:
    inherited = (one for one in owner.__mro__[1:] if one.__module__.startswith("confide.verbs"))
    own = {name: value for one in (*inherited, owner) for name, value in vars(one).items()}
    for name, value in own.items():
        function = getattr(value, "__func__", value)
        if name.startswith("_") or not inspect.isfunction(inspect.unwrap(function)):
            continue
        shown = _signature(function)
        about = _prose(inspect.getdoc(function) or "")
        yield f"### {prefix}.{name}\n\n```python\n{prefix}.{name}{shown}\n```\n\n{about}".rstrip()


def _signature(function: Any) -> str:
    found = inspect.signature(function)
    kept = [one for name, one in found.parameters.items() if name not in ("self", "cls")]
    shown = str(found.replace(parameters=kept)).replace("'", "")
    return re.sub(r"<function [^>]*?>? at 0x[0-9a-f]+>", "…", shown)


def routes() -> str:
    """Every route of the HTTP interface, from its OpenAPI document."""
    from confide.surfaces.http.app import build

    document = build(cast(Any, Anything())).openapi()
    parts = [
        "# HTTP routes\n\nA running server gives the whole OpenAPI document at `/openapi.json`. "
        "[HTTP](../http.md) says which kind of key may use which route."
    ]
    for path, methods in document["paths"].items():
        for method, route in methods.items():
            parts.append(f"## {method.upper()} {path}")
            parts.append(_prose(route.get("description") or route.get("summary") or ""))
            parts.append(_fields(route, document))
    return "\n\n".join(filter(None, parts)) + "\n"


def _fields(route: dict[str, Any], document: dict[str, Any]) -> str:
    rows = [
        (f"`{one['name']}` ({one['in']})", one.get("description", ""))
        for one in route.get("parameters", [])
        if one["in"] in ("path", "query")
    ]
    content = route.get("requestBody", {}).get("content", {}).get("application/json", {})
    name = content.get("schema", {}).get("$ref", "").rpartition("/")[2]
    body = document["components"]["schemas"].get(name, {}) if name else {}
    for field, one in body.get("properties", {}).items():
        must = ", required" if field in body.get("required", []) else ""
        rows.append((f"`{field}` (body{must})", one.get("description", "")))
    if not rows:
        return ""
    return "\n".join(
        ["| | |", "|---|---|", *(f"| {name} | {_cell(text)} |" for name, text in rows)]
    )


def errors() -> str:
    """The error tree, and what each error becomes over HTTP."""
    from confide import errors as tree
    from confide.surfaces.http.problems import KINDS

    drawn = (tree.__doc__ or "").split("\n\n", 1)[1]
    rows = ["| error | HTTP status | problem type |", "|---|---|---|"]
    rows += [
        f"| `{kind.__name__}` | {known.status} | `urn:confide:{known.name}` |"
        for kind, known in KINDS
    ]
    return (
        "# Errors\n\nEvery message names the field and says what to do next. None repeats stored text.\n\n"
        f"```text\n{drawn.strip()}\n```\n\n## Over HTTP\n\n"
        "Errors are RFC 9457 problems. The most particular row counts.\n\n" + "\n".join(rows) + "\n"
    )


def _prose(text: str) -> str:
    text = re.sub(r"^\x08\n((?:.+\n?)+)", r"```text\n\1\n```\n", inspect.cleandoc(text), flags=re.M)
    return text.replace("<", "&lt;") if "```" not in text else text


def _cell(text: str) -> str:
    return " ".join(text.split()).replace("|", "\\|").replace("<", "&lt;")


if __name__ == "__main__":
    for name, text in pages().items():
        print(f"<!-- {name} -->\n{text}")
