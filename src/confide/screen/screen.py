"""The screen that everything passes before it is kept: one look, always in the same order."""

import asyncio
from collections.abc import Generator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING

from confide.language.attributes import find_attribute
from confide.language.confidence import without_wish
from confide.language.rules import rule_of
from confide.language.words import plain, words
from confide.model import Sensitivity
from confide.screen.findings import Screening
from confide.screen.head import Caution
from confide.screen.instructions import find_instruction
from confide.screen.never_global import find_never_global
from confide.screen.secrets import find_secret
from confide.screen.sensitivity import Judge

if TYPE_CHECKING:
    from confide.screen.apart import ScreenApart

#: Characters that are screened where they are; a few milliseconds at worst.
SHORT = 400


class Screen:
    """Looks at texts. Built once; its lists are read when first needed."""

    def __init__(self, caution: Caution = "usual") -> None:
        self._caution: Caution = caution
        self._judge = Judge(caution)
        self._apart: ScreenApart | None = None

    @contextmanager
    def apart(self) -> Generator[None, None, None]:
        """From now on a process of its own screens what is long, so that others do not wait."""
        from confide.screen.apart import ScreenApart

        self._apart = apart = ScreenApart(self._caution)
        try:
            yield
        finally:
            self._apart = None
            apart.close()

    async def look_aside(
        self, text: str, *, given: Sensitivity | None = None, owner_names: Sequence[str] = ()
    ) -> Screening:
        """Like `look`, from an event loop: what is long does not hold it up."""
        if len(text) <= SHORT:
            return self.look(text, given=given, owner_names=owner_names)
        return await asyncio.to_thread(self.look, text, given=given, owner_names=owner_names)

    def look(
        self, text: str, *, given: Sensitivity | None = None, owner_names: Sequence[str] = ()
    ) -> Screening:
        """What `text` holds. `given` may be raised by what is found, never lowered."""
        return self.look_all([text], given=given, owner_names=owner_names)[0]

    def look_all(
        self,
        texts: Sequence[str],
        *,
        given: Sensitivity | None = None,
        owner_names: Sequence[str] = (),
    ) -> list[Screening]:
        """Like `look`, for many texts at once: a batch is cheaper."""
        if self._apart is not None and sum(map(len, texts)) > SHORT:
            return self._apart.look_all(texts, given, owner_names)
        # Numbering plans take a moment to load, and a recall screens nothing.
        from confide.screen.pii import find_pii, risk

        cleaned = [plain(text) for text in texts]
        split = [words(text) for text in cleaned]
        # A wish for confidence has a clause of its own; what is kept in confidence may be harmless.
        wishless = [without_wish(text) for text in cleaned]
        judged = self._judge.judge(
            wishless,
            [
                said if text is bare or text == bare else words(bare)
                for text, bare, said in zip(cleaned, wishless, split, strict=True)
            ],
        )
        screenings: list[Screening] = []
        for text, said, sensitive in zip(cleaned, split, judged, strict=True):
            pii, rule = find_pii(text, said), rule_of(text)
            screenings.append(
                Screening(
                    secret=find_secret(text, said),
                    pii_risk=risk(pii),
                    pii=pii,
                    sensitivity=Judge.level(sensitive, pii, given),
                    sensitive=sensitive,
                    attribute=find_attribute(text, owner_names),
                    never_global=find_never_global(said),
                    instruction=find_instruction(text, said, rule),
                    rule=rule,
                )
            )
        return screenings
