"""The options that several commands share, with one wording."""

from __future__ import annotations

from typing import Annotated

import typer

from confide.privacy.place_forms import EXAMPLES

By = Annotated[
    str, typer.Option("--by", metavar="ENTITY", help="Who said it, for example human:alice.")
]
In = Annotated[
    str,
    typer.Option(
        "--in", metavar="PLACE", help=f"Where: {EXAMPLES}. `confide --help` explains each."
    ),
]
As = Annotated[str, typer.Option("--as", metavar="ENTITY", help="Who asks, for example human:bob.")]
With = Annotated[
    list[str] | None,
    typer.Option("--with", metavar="ENTITY", help="Who else is there. Can be repeated."),
]
Workspace = Annotated[
    str | None,
    typer.Option("--namespace", metavar="NAMESPACE", help="A workspace: W, W/track:1 or /paper:7."),
]
MemoryId = Annotated[str, typer.Argument(metavar="ID", help="The id of the memory.")]
