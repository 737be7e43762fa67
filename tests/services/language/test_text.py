"""Sentences, clauses and key phrases of a statute, beside the examples of test_examples.py."""

import math
import time
from collections.abc import Callable

import pytest

from services.graph.definitions import definitions
from services.graph.text import SourceText
from services.language.quantities import agreement, quantities
from services.language.text.normal import normalise, normalise_mapped
from services.language.text.sentences import clauses, is_heading, sentences
from services.language.text.words import addresses, compound_match, keyphrases, stems

PASSAGE = """§ 78 Grenzwerte für beruflich exponierte Personen
(1) Der Grenzwert der effektiven Dosis beträgt für beruflich exponierte Personen 20
Millisievert im Kalenderjahr. Die zuständige Behörde kann im Einzelfall für ein einzelnes Jahr
eine effektive Dosis von 50 Millisievert zulassen, wobei in fünf aufeinander folgenden Jahren
insgesamt 100 Millisievert nicht überschritten werden dürfen.
(2) Der Grenzwert der Organ-Äquivalentdosis beträgt für beruflich exponierte Personen 1. für
die Augenlinse 20 Millisievert im Kalenderjahr, 2. für die Haut 500 Millisievert im Kalender-
jahr und 3. für die Hände und Füße jeweils 500 Millisievert im Kalenderjahr.
(3) Für beruflich exponierte Personen unter 18 Jahren beträgt der Grenzwert der effektiven
Dosis 1 Millisievert im Kalenderjahr. Abweichend davon kann die zuständige Behörde für
Auszubildende und Studierende im Alter zwischen 16 und 18 Jahren einen Grenzwert von 6
Millisievert im Kalenderjahr für die effektive Dosis zulassen.
(4) Die Einwilligung ist schriftlich zu erteilen. Die Aufzeichnungen sind 30 Jahre
aufzubewahren. Der Strahlenschutzbeauftragte darf nicht behindert werden. Die Messung kann
entfallen. Die Kündigung ist innerhalb eines Jahres unzulässig."""


def test_a_statute_as_extracted_from_a_pdf() -> None:
    found = sentences(PASSAGE)
    texts = [" ".join(PASSAGE[start:end].split()) for start, end in found]
    assert [text[:24] for text in texts[:5]] == [
        "§ 78 Grenzwerte für beru",
        "(1) Der Grenzwert der ef",
        "Die zuständige Behörde k",
        "(2) Der Grenzwert der Or",
        "(3) Für beruflich exponi",
    ]
    assert texts[3].endswith("jeweils 500 Millisievert im Kalenderjahr.")
    parts = [" ".join(PASSAGE[a:b].split()) for a, b in clauses(PASSAGE, *found[3])]
    assert parts[0].endswith("für beruflich exponierte Personen")
    assert parts[1] == "1. für die Augenlinse 20 Millisievert im Kalenderjahr,"
    assert [part[:14] for part in parts[2:]] == ["2. für die Hau", "3. für die Hän"]


def test_an_escaped_full_stop_ends_no_more_than_a_plain_one() -> None:
    text = "Wer bis zum\n31\\. Dezember kommt, bleibt. Das gilt nach Absatz 1\\. Die Frist läuft."
    found = [" ".join(text[start:end].split()) for start, end in sentences(text)]
    assert found == [
        r"Wer bis zum 31\. Dezember kommt, bleibt.",
        r"Das gilt nach Absatz 1\.",
        "Die Frist läuft.",
    ]


def test_normalised_offsets_lead_back() -> None:
    text = "Der Strahlen-\nschutz  ﬁndet „hier“ statt."
    mapped = normalise_mapped(text)
    for word in ("Strahlenschutz", "findet", '"hier"', "statt."):
        place = mapped.text.index(word)
        start, end = mapped.span(place, place + len(word))
        assert normalise(text[start:end]) == word


def test_stems_and_compounds_join_the_forms_of_a_word() -> None:
    assert stems("The limits that were applied", "en") == stems("limit applying", "en")
    head = compound_match("grenzwert", "dosisgrenzwert")
    wider = compound_match("dosisgrenzwert", "grenzwert")
    modifier = compound_match("dosisgrenzwert", "dosis")
    assert compound_match("grenzwert", "grenzwert") == 1.0 > head > wider > modifier > 0.0
    assert compound_match("haltung", "unterhaltung") == compound_match("arzt", "markt") == 0.0


def test_keyphrases() -> None:
    found = keyphrases("Gilt § 78 StrlSchG für beruflich exponierte Personen nach TypeIs?", "de")
    assert set(found[:2]) == {"§ 78 StrlSchG", "TypeIs"}
    assert "beruflich exponierte Personen" in found
    english = keyphrases("How are default values for type parameters evaluated?", "en", limit=2)
    assert english[0] in ("default values", "type parameters evaluated") and len(english) <= 2


def test_each_row_of_a_table_is_a_sentence() -> None:
    rows = [
        "Nuklid | Grenze",
        "Nuklid: H-3 | Grenze: 1",
        "Nuklid: C-14 | Grenze: 7",
        "Cs-137 | 3 E+4",
    ]
    found = "\n".join(rows)
    assert [found[start:end] for start, end in sentences(found)] == rows
    wrapped = "* ``call(func: Callable | None, format: Format)``: similar to\n  ``annotate``."
    assert len(sentences(wrapped)) == 1


@pytest.mark.parametrize("text", ["v{0}.1", "Version 1.{0}", "5E{0} Bq", "{0} mSv", "{0} Mrd"])
@pytest.mark.parametrize("digits", [309, 5_000])
def test_a_number_that_is_too_long_for_a_value_is_none(text: str, digits: int) -> None:
    """It is read from any document, and nothing breaks off."""
    found = quantities(text.format("9" * digits), "de")
    assert all(math.isfinite(each.value) and each.number < 10 for each in found)


@pytest.mark.parametrize(
    ("read", "mark"),
    [
        (sentences, "!"),
        (sentences, "…"),
        (is_heading, "…"),
        (addresses, "een"),
        (lambda text: quantities(text, "de"), "§"),
        (lambda text: definitions(SourceText("t", "Titel", text, "de")), " "),
    ],
)
def test_a_long_run_of_a_mark_is_read_at_once(read: Callable[[str], object], mark: str) -> None:
    """A file may hold it, and reading it took a time that grew with the square of its length."""
    begin = time.process_time()
    read(mark * (60_000 // len(mark)))
    assert time.process_time() - begin < 2


@pytest.mark.parametrize(
    ("words", "bound"),
    [
        ("nicht kleiner als", "lower"),
        ("nicht weniger als", "lower"),
        ("no fewer than", "lower"),
        ("not below", "lower"),
        ("nicht größer als", "upper"),
        ("nicht mehr als", "upper"),
        ("no greater than", "upper"),
        ("not above", "upper"),
        ("not exceeding", "upper"),
        ("exceeding", "lower"),
        ("höchstens", "upper"),
        ("darf nicht", None),
    ],
)
def test_what_denies_a_limit_turns_it_round(words: str, bound: str | None) -> None:
    (found,) = quantities(f"{words} 5 mSv", "de")
    assert found.bound == bound


@pytest.mark.parametrize("language", ["de", "en"])
@pytest.mark.parametrize("written", ["1.234,50", "1,234.50"])
def test_of_two_separators_the_last_one_is_that_of_decimals(written: str, language: str) -> None:
    (found,) = quantities(f"{written} €", language)
    assert (found.value, found.unit) == (1234.5, "EUR")


@pytest.mark.parametrize(
    ("written", "value"),
    [
        ("10^-6 Sv", 1e-6),
        ("10⁻⁶ Sv", 1e-6),
        ("5 · 10⁻³ Sv", 5e-3),
        ("2 x 10^3 Sv", 2e3),
        ("-10² Sv", -100.0),
        ("110 Sv", 110.0),
    ],
)
def test_powers_of_ten_are_read_however_they_are_raised(written: str, value: float) -> None:
    (found,) = quantities(written, "de")
    assert (found.value, found.unit) == (pytest.approx(value), "Sv")


@pytest.mark.parametrize(
    ("written", "value", "unit", "bound", "period"),
    [
        ("a fine of up to $10,000", 10_000, "USD", "upper", None),
        ("at least EUR 10.50", 10.5, "EUR", "lower", None),
        ("about $5 million a year", 5e6, "USD", None, "year"),
        ("€ 50", 50, "EUR", None, None),
    ],
)
def test_a_currency_may_stand_before_its_amount(
    written: str, value: float, unit: str, bound: str | None, period: str | None
) -> None:
    (found,) = quantities(written, "en")
    assert (found.value, found.unit, found.bound, found.period) == (value, unit, bound, period)
    (first, second) = quantities("5 € 10 Stück", "de")
    assert (first.unit, second.unit) == ("EUR", None), "it stands behind another one"


@pytest.mark.parametrize(
    ("text", "unit"),
    [
        ("3 Prüfungen im Jahr", None),
        ("20 Personen pro Jahr", None),
        ("5 people a year", None),
        ("höchstens 3 je Monat", None),
        ("zwei weitere Jahre", "month"),
        ("fünf aufeinander folgenden Jahren", "month"),
        ("5 consecutive calendar years", "month"),
    ],
)
def test_what_is_counted_in_a_time_is_no_time(text: str, unit: str | None) -> None:
    (found,) = quantities(text, "de")
    assert found.unit == unit


@pytest.mark.parametrize(
    ("claim", "source"),
    [("minus 5 °C", "5 °C"), ("-5 °C", "5 °C"), ("5 m/s", "5 m/h"), ("5 m/min", "5 m/s")],
)
def test_neither_sign_nor_speed_is_left_out(claim: str, source: str) -> None:
    (claimed,) = quantities(claim, "de")
    assert agreement(claimed, quantities(source, "de")) in ("none", "unit")
    assert agreement(claimed, quantities(claim, "de")) == "full"


def test_what_is_taken_away_is_no_negative_number() -> None:
    assert [each.value for each in quantities("10 minus 5, 5-3 und (-2)", "de")] == [
        10,
        5,
        5,
        3,
        -2,
    ]
