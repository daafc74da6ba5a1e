"""Age and confidence as a person would say them."""

from datetime import UTC, datetime, timedelta

import pytest

from confide.recall.words import age_in_words, confidence_in_words

pytestmark = pytest.mark.req("S27")
NOW = datetime(2026, 11, 15, 12, tzinfo=UTC)


@pytest.mark.parametrize(
    ("ago", "said"),
    [
        (timedelta(seconds=-90), "just now"),
        (timedelta(seconds=59), "just now"),
        (timedelta(seconds=60), "1 minute ago"),
        (timedelta(minutes=59, seconds=59), "59 minutes ago"),
        (timedelta(hours=1), "1 hour ago"),
        (timedelta(hours=23, minutes=59), "23 hours ago"),
        (timedelta(days=1), "1 day ago"),
        (timedelta(days=13), "13 days ago"),
        (timedelta(days=14), "2 weeks ago"),
        (timedelta(days=59), "8 weeks ago"),
        (timedelta(days=60), "2 months ago"),
        (timedelta(days=729), "24 months ago"),
        (timedelta(days=730), "2 years ago"),
    ],
)
def test_an_age_is_told_in_the_largest_unit_that_fits(ago: timedelta, said: str):
    assert age_in_words(NOW - ago, NOW) == said


@pytest.mark.parametrize(
    ("confidence", "said"),
    [
        (1.0, "stated explicitly"),
        (0.95, "stated explicitly"),
        (0.94, "confident"),
        (0.8, "confident"),
        (0.79, "likely"),
        (0.6, "likely"),
        (0.59, "uncertain"),
        (0.0, "uncertain"),
        (float("nan"), "uncertain"),
    ],
)
def test_confidence_is_told_in_four_steps(confidence: float, said: str):
    assert confidence_in_words(confidence) == said
