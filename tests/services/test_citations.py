import time

import pytest

from services.citations import repair_quote, verify_quote
from services.text import normalise, sentences

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

SPANS = sentences(PASSAGE)
GENERAL, SINGLE, ORGANS, MINORS, TRAINEES = (PASSAGE[slice(*span)] for span in SPANS[1:6])
WRITTEN, RECORDS, HINDERED, OMITTED, NOTICE = (PASSAGE[slice(*span)] for span in SPANS[6:11])


@pytest.mark.parametrize(
    "quote",
    [
        "für beruflich exponierte Personen 20 Millisievert im Kalenderjahr.",
        "2. für die Haut 500 Millisievert im Kalenderjahr und",
        "„Die Einwilligung ist schriftlich zu erteilen.“",
        "… insgesamt 100\u00a0Millisievert   nicht überschritten",
        "Organ–Äquivalentdosis",
        "Organ-Äquivalent\u00addosis",
    ],
)
def test_a_quote_is_found_whatever_its_layout(quote: str) -> None:
    span = verify_quote(quote, PASSAGE)
    assert span is not None
    assert normalise(PASSAGE[slice(*span)]) == normalise(quote.strip("„“… "))


@pytest.mark.parametrize(
    "quote", ["", "  ", "…", "20 Mikrosievert", "Die Einwilligung ist mündlich"]
)
def test_what_is_not_there_is_not_found(quote: str) -> None:
    assert verify_quote(quote, PASSAGE) is None


def test_a_quote_prefers_whole_words() -> None:
    assert verify_quote("eine", "keine und eine Frist") == (10, 14)
    assert verify_quote("ein", "keine") == (1, 4)


def test_a_wrong_quote_is_repaired_to_the_real_sentence() -> None:
    wrong = (
        "Die zuständige Behörde kann im Einzelfall für ein Jahr eine effektive Dosis von 60 "
        + (
            "Millisievert zulassen, wobei in fünf aufeinander folgenden Jahren insgesamt 100 "
            "Millisievert nicht überschritten werden dürfen."
        )
    )
    assert repair_quote(wrong, PASSAGE) == SPANS[2]


def test_a_wrong_fragment_is_repaired_to_the_real_words() -> None:
    wrong = "in fünf aufeinander folgenden Jahren insgesamt 200 Millisievert"
    span = repair_quote(wrong, PASSAGE)
    assert span is not None
    assert "insgesamt 100 Millisievert" in normalise(PASSAGE[slice(*span)])


def test_what_is_too_far_off_is_not_repaired() -> None:
    assert (
        repair_quote("Die Behörde kann Milch und Honig zulassen, wenn sie will.", PASSAGE) is None
    )
    half = "Die Behörde kann im Einzelfall eine effektive Dosis zulassen, wenn sie es will."
    assert repair_quote(half, PASSAGE) is None
    assert repair_quote(half, PASSAGE, minimum=0.3) is not None


def test_quotes_in_long_documents_take_bounded_time() -> None:
    filler = "Der Strahlenschutzverantwortliche hat dafür zu sorgen, dass Grenzwerte gelten. "
    document = filler * 1900 + PASSAGE + filler * 1900
    begin = time.process_time()
    assert repair_quote(GENERAL.replace("20", "25"), document) is not None
    assert verify_quote("steht nirgends", document) is None
    assert time.process_time() - begin < 1.0
