import time

import pytest

from services.evidence.quotes import verify_quote
from services.language.text import normalise

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


def test_quotes_in_long_documents_take_bounded_time() -> None:
    filler = "Der Strahlenschutzverantwortliche hat dafür zu sorgen, dass Grenzwerte gelten. "
    document = filler * 1900 + PASSAGE + filler * 1900
    begin = time.process_time()
    assert verify_quote("steht nirgends", document) is None
    assert time.process_time() - begin < 1.0
