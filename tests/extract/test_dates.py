"""A18: what a phrase of time meant when it was said."""

import calendar
from datetime import UTC, date, datetime, timedelta, timezone

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.extract.speech import WEDNESDAY, said

from confide.providers.builtin import BuiltinExtractor, resolve_date
from confide.providers.builtin.dates import find_dates

PHRASES = {
    "today": "2024-05-15",
    "tonight": "2024-05-15",
    "this morning": "2024-05-15",
    "yesterday": "2024-05-14",
    "last night": "2024-05-14",
    "tomorrow": "2024-05-16",
    "the day before yesterday": "2024-05-13",
    "the day after tomorrow": "2024-05-17",
    "last Tuesday": "2024-05-14",
    "last Wednesday": "2024-05-08",
    "last Friday": "2024-05-10",
    "this past Sunday": "2024-05-12",
    "this Friday": "2024-05-17",
    "next Friday": "2024-05-17",
    "next Wednesday": "2024-05-22",
    "on Tuesday": "2024-05-14",
    "Tuesday": "2024-05-14",
    "by Friday": "2024-05-17",
    "last weekend": "2024-05-11",
    "this weekend": "2024-05-18",
    "next weekend": "2024-05-18",
    "two weeks ago": "2024-05-01",
    "3 days ago": "2024-05-12",
    "a week ago": "2024-05-08",
    "a couple of days ago": "2024-05-13",
    "ten years ago": "2014-01-01",
    "a month ago": "2024-04-01",
    "in two weeks": "2024-05-29",
    "in 10 days": "2024-05-25",
    "last week": "2024-05-06",
    "this week": "2024-05-13",
    "next week": "2024-05-20",
    "last month": "2024-04-01",
    "next month": "2024-06-01",
    "last year": "2023-01-01",
    "next year": "2025-01-01",
    "on March 5": "2024-03-05",
    "March 5th, 2022": "2022-03-05",
    "5 March": "2024-03-05",
    "the 5th of March 2021": "2021-03-05",
    "on December 30": "2023-12-30",
    "in March 2020": "2020-03-01",
    "last December": "2023-12-01",
    "next May": "2025-05-01",
    "in 2019": "2019-01-01",
    "2023-02-28": "2023-02-28",
}
NO_DATES = ["", "soon", "some day", "on February 31", "31 June", "9999 years ago", "may", "in 3 minutes",
            "once a week", "2023-13-45", "next time", "last but not least"]  # fmt: skip


@pytest.mark.req("A18")
@pytest.mark.parametrize(("phrase", "day"), PHRASES.items())
def test_a_phrase_is_the_day_that_it_meant_on_a_wednesday_in_may(phrase: str, day: str) -> None:
    assert resolve_date(phrase, WEDNESDAY) == date.fromisoformat(day)


@pytest.mark.req("A18")
@pytest.mark.parametrize("phrase", NO_DATES)
def test_what_names_no_day_is_no_date(phrase: str) -> None:
    assert resolve_date(phrase, WEDNESDAY) is None


@pytest.mark.req("A18")
def test_last_tuesday_said_on_a_tuesday_is_a_week_before() -> None:
    assert resolve_date("last Tuesday", datetime(2024, 5, 14, tzinfo=UTC)) == date(2024, 5, 7)


@pytest.mark.req("A18")
def test_the_day_is_that_of_the_speakers_clock() -> None:
    in_tokyo = datetime(2024, 5, 15, 1, tzinfo=timezone(timedelta(hours=9)))
    assert resolve_date("yesterday", in_tokyo) == date(2024, 5, 14)


@pytest.mark.req("A18")
def test_a_plain_weekday_looks_ahead_or_back_as_the_sentence_does() -> None:
    (ahead,) = BuiltinExtractor().extract([said("We will present the budget on Monday.")])
    (back,) = BuiltinExtractor().extract([said("We presented the budget on Monday.")])
    assert (ahead.happened_on, back.happened_on) == ("2024-05-20", "2024-05-13")


@pytest.mark.req("A18")
def test_the_memory_says_how_exact_the_day_is() -> None:
    (fact,) = BuiltinExtractor().extract([said("I visited my aunt in Ghent last week.")])
    assert fact.text == "I visited my aunt in Ghent last week (week of 2024-05-06)."


@pytest.mark.req("A18")
@given(
    days=st.integers(1, 6),
    said_at=st.datetimes(datetime(1990, 1, 1), datetime(2090, 1, 1)),
)
def test_last_and_next_weekday_are_within_a_week(days: int, said_at: datetime) -> None:
    meant = said_at.date() - timedelta(days=days)
    assert resolve_date(f"last {meant:%A}", said_at) == meant
    ahead = said_at.date() + timedelta(days=days)
    assert resolve_date(f"next {ahead:%A}", said_at) == ahead


@pytest.mark.req("A18")
@given(phrase=st.text(max_size=60), said_at=st.datetimes())
def test_no_text_and_no_time_breaks_it(phrase: str, said_at: datetime) -> None:
    resolve_date(phrase, said_at)
    resolve_date(f"last year, in 12 months, {phrase} 9 years ago", said_at)


@pytest.mark.req("A1", "A18")
@pytest.mark.parametrize("month", [m for m in calendar.month_name[1:] if m not in ("March", "May")])
@pytest.mark.parametrize("today", [datetime(2026, n, 17, 12, tzinfo=UTC) for n in range(1, 13)])
def test_the_year_follows_the_tense(month: str, today: datetime) -> None:
    this = date(today.year, today.month, 1)
    for told in (
        "My dad died in {}",
        "I broke my arm in {}",
        "she was born in {}",
        "we flew in {}",
    ):
        (past,) = find_dates(told.format(month), today)
        assert past.day <= this
        assert (this - past.day).days <= 366
    for planned in ("The report is due in {}", "I'm moving to Lyon in {}"):
        (ahead,) = find_dates(planned.format(month), today)
        assert this <= ahead.day
    (deadline,) = find_dates(f"The deadline is on 3 {month}", today)
    assert deadline.day >= today.date()
    (done,) = find_dates(f"I broke my arm on 3 {month}", today)
    assert done.day <= today.date()
