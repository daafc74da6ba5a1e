import pytest

from confide.model import Trust
from confide.screen import Voice, trust_of

pytestmark = pytest.mark.req("B6")


@pytest.mark.parametrize(
    ("voice", "about_speaker", "said_outright", "trust"),
    [
        (Voice.SPOKEN, True, True, Trust.SAID),
        (Voice.SPOKEN, False, True, Trust.HEARSAY),
        (Voice.SPOKEN, True, False, Trust.INFERRED),
        (Voice.SEEN, True, True, Trust.OBSERVED),
        (Voice.BROUGHT, True, True, Trust.UNTRUSTED),
        (Voice.BROUGHT, False, False, Trust.UNTRUSTED),
    ],
)
def test_trust_follows_from_how_a_fact_came(
    voice: Voice, about_speaker: bool, said_outright: bool, trust: Trust
):
    assert trust_of(voice, about_speaker=about_speaker, said_outright=said_outright) is trust
