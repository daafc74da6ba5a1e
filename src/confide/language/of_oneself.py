"""Whether words hold for the person wherever they are, or for the project they are said in.

When in doubt they belong to the project: there they are told in fewer places.
"""

from __future__ import annotations

import re
from typing import Final

#: "I", "my", or as models write it: "The user prefers …", "Prefers …".
_OF_THE_PERSON: Final = re.compile(
    r"^(?:please )?(?:note that |remember that |fyi:? )?"
    r"(?:i|i['’](?:m|ve|d|ll)|my|mine|me|for me|personally|call me|as for me"
    r"|the (?:user|person|human|developer|owner)(?:['’]s)?|user(?:['’]s)?"
    r"|(?:prefers|likes|dislikes|hates|loves|wants|lives|works|speaks|is called))\b",
    re.IGNORECASE,
)
#: Words that tie a sentence to one project.
_OF_A_PROJECT: Final = re.compile(
    r"\b(?:this|that|the|our|current) (?:\w+ ){0,2}?(?:project|repo|repository|codebase|code base"
    r"|workspace|folder|package|module|service|app|application|branch|library|monorepo|team"
    r"|frontend|front end|backend|back end|api|server|database|schema|file|directory|tests?"
    r"|build|pipeline|deploy\w*|release|sprint|ticket|issue|migration|endpoint)s?\b"
    r"|\b(?:here|we|we['’]re|we['’]ve|our|us|project)\b"
    r"|(?:^|\s)`?(?:\.{1,2}/|/|~/)?[\w.-]+/[\w./-]+"  # a path
    r"|\b[\w-]+\.(?:py|ts|tsx|js|jsx|go|rs|rb|java|kt|c|cpp|h|md|toml|ya?ml|json|sql|sh|cfg|ini|lock|txt)\b",
    re.IGNORECASE,
)
#: What somebody does at the moment is no trait of theirs.
_AT_THE_MOMENT: Final = re.compile(
    r"\bi(?:['’]m| am) (?:now |currently |just )?(?!based|living|called|interested|allergic|used)\w+ing\b"
    r"|\b(?:today|tomorrow|yesterday|right now|at the moment|this (?:week|morning|afternoon))\b"
    r"|\bi(?:['’]ve| have)? (?:just )?(?:fixed|merged|pushed|deployed|renamed|added|removed|deleted|broke)\b",
    re.IGNORECASE,
)


def is_general(text: str) -> bool:
    """Whether somebody says this of themselves, and not only of the project at hand."""
    return (
        bool(_OF_THE_PERSON.match(text.strip()))
        and not _OF_A_PROJECT.search(text)
        and not _AT_THE_MOMENT.search(text)
    )
