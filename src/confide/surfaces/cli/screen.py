"""`confide screen`: what the screen sees in a text, and why. Nothing is stored."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from rich.table import Table

    from confide.screen import Finding, Screening


EXAMPLE = """\b
Example:
    confide screen "My password is hunter2"
"""


def register(app: typer.Typer) -> None:
    """Adds the command to the program."""
    app.command("screen", epilog=EXAMPLE)(screen)


def screen(
    text: Annotated[str, typer.Argument(help="The text to look at.")],
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON object.")] = False,
) -> None:
    """Show what the screen sees in TEXT, and why. Nothing is stored."""
    import json
    from dataclasses import asdict

    from confide.config import read_settings
    from confide.screen import Screen
    from confide.surfaces.cli.output import console

    if not text.strip():
        raise typer.BadParameter("there is no text to look at", param_hint="TEXT")
    seen = Screen(read_settings().caution).look(text)
    if as_json:
        typer.echo(json.dumps(asdict(seen), ensure_ascii=False))
    else:
        console().print(_table(seen))


def _table(seen: Screening) -> Table:
    from rich.table import Table

    table = Table("what", "seen", "why", box=None)
    secret, instruction, attribute = seen.secret, seen.instruction, seen.attribute
    table.add_row("secret", "refused" if secret else "no", secret.reason if secret else "")
    table.add_row("pii_risk", str(seen.pii_risk), _reasons(seen.pii))
    table.add_row("sensitivity", seen.sensitivity.value, _reasons(seen.sensitive))
    table.add_row(
        "attribute",
        f"{attribute.name} = {attribute.value}" if attribute else "no",
        f"kept out of global by {seen.never_global.reason}" if seen.never_global else "",
    )
    table.add_row(
        "instruction", "held" if instruction else "no", instruction.reason if instruction else ""
    )
    return table


def _reasons(findings: tuple[Finding, ...]) -> str:
    return "; ".join(dict.fromkeys(finding.reason for finding in findings))
