"""Near enough, not merely found; times and entities of what was kept; what contradicts itself."""

import pytest

from services.structured.contradiction import Statement, contradictions
from services.structured.coverage import near, share_of_words, status_of, words_of
from services.structured.entities import entity_table
from services.structured.temporal import by_date, covered_time
from services.structured.values import Assessment, Evidence, RequiredInfo

LIMIT = "Der Grenzwert beträgt für beruflich exponierte Personen 20 Millisievert im Kalenderjahr."


def evidence(relevance: float, words: float, chunk: str = "c", *, named: bool = False) -> Evidence:
    return Evidence(
        chunk_id=chunk,
        document_id="d",
        document="d.txt",
        section="§ 1",
        page=1,
        relevance=relevance,
        words=words,
        named=named,
    )


def status(
    found: Evidence, *, answers: bool = True, things: int = 2, unknown: int = 0, **told: bool
) -> str:
    kept = near([found], foreign=told.get("foreign", False))
    return status_of(
        kept,
        [answers] * len(kept),
        things=things,
        unknown=unknown,
        foreign=told.get("foreign", False),
        leaning=told.get("leaning", False),
    )


@pytest.mark.parametrize(
    ("relevance", "words", "expected"),
    [(0.9, 0.8, "covered"), (1.0, 0.4, "covered"), (0.8, 0.3, "partial"), (0.3, 0.5, "missing")],
)
def test_status_follows_nearness_and_words(relevance: float, words: float, expected: str) -> None:
    assert status(evidence(relevance, words)) == expected


def test_what_lacks_what_is_asked_for_covers_only_in_part() -> None:
    found = evidence(0.95, 1.0)
    assert (status(found), status(found, answers=False)) == ("covered", "partial")


def test_what_no_document_names_is_missing_however_near_its_neighbours_are() -> None:
    assert status(evidence(0.7, 0.6), unknown=1) == "missing"
    assert status(evidence(0.9, 0.5), unknown=1) == "partial"
    assert status(evidence(0.9, 0.6), unknown=1, leaning=True) == "missing"
    assert status(evidence(0.9, 0.9), things=5, unknown=1) == "partial"


def test_a_named_section_and_another_language_have_rules_of_their_own() -> None:
    assert status(evidence(0.0, 0.0, named=True)) == "covered"
    assert status(evidence(0.65, 0.0), foreign=True) == "covered"
    assert status(evidence(0.4, 0.0), foreign=True) == "partial"
    assert status(evidence(0.1, 0.9), foreign=True) == "missing"


def test_near_passages_come_best_first_and_ties_by_id() -> None:
    found = [evidence(0.8, 0.8, "b"), evidence(0.8, 0.8, "a"), evidence(1.0, 1.0, "z")]
    assert [each.chunk_id for each in near(found, foreign=False)] == ["z", "a", "b"]


def test_parts_of_compounds_count_partly() -> None:
    words = words_of("Dosisgrenzwert Bevölkerung", "de")
    assert share_of_words(words, "Dosisgrenzwerte der Bevölkerung", "de") == 1.0
    assert 0.5 < share_of_words(words, "Grenzwert für die Bevölkerung", "de") < 1.0
    assert share_of_words((), "Grenzwert", "de") == 0.0


def test_confidence_counts_what_is_partial_half() -> None:
    required = tuple(
        RequiredInfo(item=name, status=name)  # type: ignore[arg-type]
        for name in ("covered", "partial", "missing", "covered")
    )
    assessment = Assessment(required=required)
    assert assessment.confidence == 0.625
    assert (assessment.gaps, assessment.open) == (("missing",), ("partial", "missing"))


def said(text: str, place: str) -> Statement:
    return Statement(text=text, place=place)


@pytest.mark.parametrize(
    ("one", "other", "found"),
    [
        (
            "Die Frist für den Antrag beträgt 3 Monate.",
            "Die Frist für den Antrag beträgt 6 Monate.",
            True,
        ),
        (
            "Die Frist für den Antrag beträgt 3 Monate.",
            "Die Frist für den Antrag beträgt 3 Monate.",
            False,
        ),
        (
            "Die Frist für den Antrag beträgt 12 Monate.",
            "Die Frist für den Antrag beträgt 1 Jahr.",
            False,
        ),
        (
            LIMIT,
            "Der Grenzwert beträgt für beruflich exponierte Personen unter 18 Jahren "
            "1 Millisievert im Kalenderjahr.",
            False,
        ),
        (
            LIMIT,
            "Der Grenzwert für die Summe der in allen Jahren ermittelten Dosen exponierter "
            "Personen beträgt 400 Millisievert.",
            False,
        ),
        (
            "Die Aufnahme von Bildern ist hier erlaubt.",
            "Die Aufnahme von Bildern ist hier nicht erlaubt.",
            True,
        ),
    ],
)
def test_only_the_same_thing_with_another_value_contradicts(
    one: str, other: str, found: bool
) -> None:
    pairs = contradictions([said(one, "A § 1"), said(other, "B § 1")], "de")
    assert bool(pairs) == found
    assert contradictions([said(one, "A § 1"), said(other, "A § 1")], "de") == []


def test_times_are_compared_as_dates_and_what_is_none_is_left_out() -> None:
    assert covered_time(["2024-01-05T10:00:00", "2017-06-27", "some day", ""]) == (
        "2017-06-27 - 2024-01-05"
    )
    assert covered_time(["2020-01-01"]) == "2020-01-01"
    assert covered_time(["unknown"]) is None


def test_sentences_go_by_the_first_day_they_name() -> None:
    texts = ["Ohne Tag.", "Ab dem 1. Januar 2021 gilt es.", "Seit 2018 galt es.", "Auch ohne Tag."]
    assert by_date([(text, None, n) for n, text in enumerate(texts)], "de") == [2, 1, 0, 3]
    days = ["2019-05-01", None, None, "unknown"]
    dated = [(text, day, n) for n, (text, day) in enumerate(zip(texts, days, strict=True))]
    assert by_date(dated, "de") == [2, 0, 1, 3]


def test_entities_are_counted_in_passages_whatever_their_case() -> None:
    table = entity_table(
        [("Radon", "term")], ["radon", "Lärm", "Unsinn"], ["Radon und Lärm", "RADON", "nichts"]
    )
    assert [(each.name, each.kind, each.passages) for each in table] == [
        ("Radon", "term", 2),
        ("Lärm", "named", 1),
        ("Unsinn", "named", 0),
    ]


def test_words_that_only_ask_do_not_count_unless_they_are_names() -> None:
    assert words_of("What is required for a licence", "en") == words_of("licence", "en")
    assert words_of("Required in a record", "en") == words_of("record", "en")
    assert words_of("What does Required mean", "en") == ("requir", "mean")
