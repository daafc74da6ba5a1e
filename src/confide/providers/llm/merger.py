"""Merging by a language model (S8): two memories in, one summary out. Nothing of it counts yet."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from typing import Final

from confide.providers.llm.answers import Merged
from confide.providers.llm.model import LanguageModel, prompt_text
from confide.providers.usage import Tokens

#: S18: the most tokens an answer may have.
LIMIT: Final = 1024


class ModelMerger:
    """Asks a language model. Only what may leave is ever passed in."""

    def __init__(self, model: LanguageModel) -> None:
        self._model = model
        self._instructions = prompt_text("merge")
        self.name: str = model.name

    async def merge(
        self,
        older: str,
        newer: str,
        said: Sequence[str],
        spent: Callable[[Tokens], None] = lambda _: None,
    ) -> Merged:
        reply = await self._model.ask(
            Merged, self._instructions, _written(older, newer, said), limit=LIMIT, spent=spent
        )
        return reply.output


def _written(older: str, newer: str, said: Sequence[str]) -> str:
    """Angle brackets are escaped: no text can look like a tag of the prompt."""
    lines = [{"memory": 1, "text": older}, {"memory": 2, "text": newer}]
    lines += [{"said": number, "text": text} for number, text in enumerate(said, 1)]
    written = "\n".join(json.dumps(one, ensure_ascii=False) for one in lines)
    return written.replace("<", "\\u003c").replace(">", "\\u003e")
