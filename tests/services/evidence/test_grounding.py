"""Numbers and labels of true sentences are grounded in their sources, calculated ones included."""

import gzip
import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from services.evidence.grounding import (
    underivable,
    ungrounded_labels,
    ungrounded_names,
    ungrounded_numbers,
)
from services.language.quantities import quantities
from services.report_check.check import CitedSection
from tests.support.parsed_texts import body

WRITTEN = Path(__file__).parents[2] / "benchmarks/data/written/train.jsonl.gz"


@given(body, st.sampled_from(["de", "en"]))
def test_a_text_states_its_own_numbers_and_labels(text: str, language: str) -> None:
    sections = [CitedSection("", "", text, language)]
    assert ungrounded_numbers(text, "", sections, language) == ()
    assert ungrounded_labels(text, "", sections) == ()


def test_hardly_a_true_claim_has_a_number_in_a_name_that_its_quote_lacks() -> None:
    with gzip.open(WRITTEN, "rt", encoding="utf-8") as written:
        passages = [json.loads(line) for line in written]
    pairs = [
        (claim, " ".join([passage["heading"], *(passage["s"][n] for n in quoted)]), passage)
        for passage in passages
        for claim, quoted, meaning in passage["c"]
        if meaning == "s"
    ]
    lost = [claim for claim, quote, row in pairs if ungrounded_names(claim, quote, row["lang"])]
    assert len(pairs) > 7_000 and len(lost) <= 1


def left(text: str, stated: set[float], language: str = "de") -> list[str]:
    """The numbers of a claim that neither stand there nor follow."""
    claimed = quantities(text, language)
    operands = [each for each in claimed if each.number in stated]
    missing = [each for each in claimed if each.number not in stated]
    return [each.text for each in underivable(missing, operands)]


@pytest.mark.parametrize(
    ("text", "stated"),
    [
        (
            "880 Euro liegen 120 Euro unter 1 000 Euro, das sind 60 Schritte zu 2 Euro und 6 "
            "Prozentpunkte (je 0,1), mit 67 Prozent also 73 Prozent.",
            {880, 1000, 2, 0.1, 67},
        ),
        ("40 Unterrichtsstunden zu 45 Minuten sind 30 Zeitstunden.", {40, 45}),
        (
            "12 Stück zu 33,70 Euro sind 404,40 Euro, mit 5 Prozent Rabatt (20,22) 384,18 Euro.",
            {12, 33.7, 5},
        ),
        (
            "6 mal 1.840 sind 11.040 Euro, 6 mal 1.975 sind 11.850 Euro, zweimal 7 mal 1.975 sind "
            "je 13.825 Euro, zusammen 50.540 Euro.",
            {6, 1840, 1975, 7},
        ),
        ("Das sind 150 Euro für 3 und 5 Stunden, 8 mal 150, also 1.200 Euro.", {150, 3, 5}),
        ("Die 21 Tage halbieren sich auf 11 (10,5, aufgerundet).", {21}),
        ("Statt 600 Euro gibt es die Hälfte, 300 Euro.", {600}),
        (
            "60 Euro, 100 Euro und 150 Euro, zusammen 310 Euro, dazu 6 Euro je Pass.",
            {60, 100, 150, 6},
        ),
        ("Ein Drittel von 100 Euro sind 33,33 Euro bei 3 Personen.", {100, 3}),
    ],
)
def test_a_result_of_what_is_named_follows(text: str, stated: set[float]) -> None:
    assert left(text, stated) == []


@pytest.mark.parametrize(
    ("text", "stated", "wrong"),
    [
        ("Unter 18 Jahren gelten 75 Dezibel.", {18}, ["75"]),
        ("Es gelten 75 Dezibel.", set(), ["75"]),
        ("12 Stück zu 33,70 Euro kosten 404,50 Euro.", {12, 33.7}, ["404,50"]),
        ("880 Euro liegen 130 Euro unter 1 000 Euro.", {880, 1000}, ["130"]),
        ("Von 1 000 Euro bleiben 67 Prozent, also 671 Euro.", {1000, 67}, ["671"]),
        ("Es gilt ab dem 21. Juli 1975 und für 3 Jahre.", {3}, ["21. Juli 1975"]),
    ],
)
def test_what_does_not_follow_is_named(text: str, stated: set[float], wrong: list[str]) -> None:
    assert left(text, stated) == wrong


@given(st.integers(min_value=200, max_value=99_999))
def test_without_operands_nothing_follows(number: int) -> None:
    assert left(f"Es sind {number} Euro.", set()) == [str(number)]


def test_a_date_is_no_result() -> None:
    text = "Vom 1. März 2024 an sind es zwei Monate bis zum 1. Mai 2024."
    assert left(text, {20240301, 2}) == ["1. Mai 2024"]
