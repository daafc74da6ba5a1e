from datetime import date, timedelta
from random import Random

import pytest

from confide.model import Sensitivity
from confide.screen import Screen
from confide.screen.phones import find_phones

pytestmark = pytest.mark.req("P5")


@pytest.mark.parametrize(
    ("text", "kind", "risk"),
    [
        ("write to bob@example.com", "email", 1),
        ("my server is 203.0.113.7", "ip", 1),
        ("call me at +49 30 901820", "phone", 2),
        ("my cell is (212) 555-0123", "phone", 2),
        ("Handy: 0151 23456789", "phone", 2),
        ("llámame al 612 34 56 78", "phone", 2),
        ("IBAN DE89 3704 0044 0532 0130 00", "bank_account", 2),
        ("my SSN is 536-90-4399", "national_id", 2),
        ("mi DNI es 12345678Z", "national_id", 2),
        ("meu CPF é 529.982.247-25", "national_id", 2),
        ("my passport number is C01X00T47", "document", 2),
        ("I live at 221 Baker Street", "address", 2),
        ("ich wohne Hauptstraße 12", "address", 2),
        ("j'habite 12 rue de la Paix", "address", 2),
        ("vivo en la Calle Mayor 5", "address", 2),
        ("moro na Rua das Flores 12", "address", 2),
        ("meet at 48.85837, 2.294481", "coordinates", 2),
        ("I was born on 12 March 1990", "birth_date", 1),
    ],
)
def test_personal_data_is_found_and_weighed(screen: Screen, text: str, kind: str, risk: int):
    seen = screen.look(text)
    assert kind in {finding.kind for finding in seen.pii}
    assert seen.pii_risk == risk
    assert seen.sensitivity is not Sensitivity.PUBLIC


@pytest.mark.parametrize(
    "text",
    [
        "the meeting is on 2024-05-12",
        "released 12/05/2024 at 14:30",
        "ISBN 978-3-16-148410-0",
        "my base is at -1200 64 3500",
        "we won 21-19 21-15",
        "version 1.20.4.2 is out",
        "between 1990-2005 it was quiet",
        "call at 10:30 or on 12.05.2024",
        "I have 1500 points and 12,000 coins",
        "user 123456789012345678 joined",
        "Sarah's birthday is March 15",
    ],
)
def test_dates_books_scores_and_versions_are_no_personal_data(screen: Screen, text: str):
    assert screen.look(text).pii == ()


def test_no_day_of_a_year_and_no_place_on_a_map_is_a_telephone_number():
    days = [date(2026, 1, 1) + timedelta(days=n) for n in range(365)]
    texts = [f"Call the dentist tomorrow ({day})" for day in days]
    chance = Random(7)
    at = [chance.sample(range(-3000, 3000), 3) for _ in range(365)]
    texts += [f"call me when you are at {x} {y} {z}" for x, y, z in at if min(y, z) < 0]
    assert [one for one in texts if list(find_phones(one, is_announced=True))] == []


def test_two_leads_of_different_kinds_weigh_as_much_as_an_identity(screen: Screen):
    assert screen.look("bob@example.com logs in from 203.0.113.7").pii_risk == 2
    assert screen.look("bob@example.com or rob@example.com").pii_risk == 1


def test_claiming_to_be_redacted_switches_nothing_off(screen: Screen):
    seen = screen.look("[REDACTED_PHONE] but my phone is +49 30 901820")
    assert seen.pii_risk == 2


def test_reasons_do_not_repeat_the_data(screen: Screen):
    seen = screen.look("call me at +49 30 901820 or bob@example.com")
    assert all("901820" not in f.reason and "bob" not in f.reason for f in seen.pii)
