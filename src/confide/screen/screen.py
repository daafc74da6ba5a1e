"""The screen that everything passes before it is kept: one look, always in the same order."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from confide.model import Sensitivity
from confide.screen.attributes import find_attribute
from confide.screen.findings import Screening
from confide.screen.instructions import find_instruction
from confide.screen.never_global import find_never_global
from confide.screen.secrets import find_secret
from confide.screen.sensitivity import Judge
from confide.screen.words import plain, words

if TYPE_CHECKING:
    from confide.screen.classifier import Embed


class Screen:
    """Looks at texts. Built once; its lists are read when first needed."""

    def __init__(self, embed: "Embed | None" = None) -> None:
        self._judge = Judge(embed)

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
        """Like `look`, for many texts at once: embedding in a batch is cheaper."""
        # Numbering plans take a moment to load, and a recall screens nothing.
        from confide.screen.pii import find_pii, risk

        cleaned = [plain(text) for text in texts]
        split = [words(text) for text in cleaned]
        judged = self._judge.judge(cleaned, split)
        screenings: list[Screening] = []
        for text, said, sensitive in zip(cleaned, split, judged, strict=True):
            pii = find_pii(text, said)
            screenings.append(
                Screening(
                    secret=find_secret(text, said),
                    pii_risk=risk(pii),
                    pii=pii,
                    sensitivity=Judge.level(sensitive, pii, given),
                    sensitive=sensitive,
                    attribute=find_attribute(text, owner_names),
                    never_global=find_never_global(said),
                    instruction=find_instruction(text, said),
                )
            )
        return screenings
