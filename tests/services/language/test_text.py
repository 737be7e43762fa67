from services.language.text import (
    clauses,
    compound_match,
    normalise,
    normalise_mapped,
    sentences,
    stems,
)
from services.language.text.keyphrases import keyphrases

LIMITS = """§ 78 Grenzwerte für beruflich exponierte Personen
(1) Der Grenzwert der effektiven Dosis beträgt für beruflich exponierte Personen 20
Millisievert im Kalenderjahr. Die zuständige Behörde kann im Einzelfall für ein einzelnes Jahr
eine effektive Dosis von 50 Millisievert zulassen, wobei in fünf aufeinander folgenden Jahren
insgesamt 100 Millisievert nicht überschritten werden dürfen.
(2) Der Grenzwert der Organ-Äquivalentdosis beträgt für beruflich exponierte Personen 1. für
die Augenlinse 20 Millisievert im Kalenderjahr, 2. für die Haut, gemittelt über jede beliebige
Hautfläche, 500 Millisievert im Kalenderjahr und 3. für die Hände, die Unterarme, die Füße und
Knöchel jeweils 500 Millisievert im Kalenderjahr. Für die Organ-Äquivalentdosis der
Augenlinse gilt Absatz 1 Satz 2 entsprechend.
§ 79 Verordnungsermächtigung für die berufliche Exposition; Führung einer
Gesundheitsakte
(1) Die Befugnis nach der Rechtsverordnung nach § 79 Absatz 1 Satz
2 Nummer 1 bleibt unberührt."""


def cut(text: str) -> list[str]:
    return [" ".join(text[start:end].split()) for start, end in sentences(text)]


def test_statute_as_extracted_from_a_pdf() -> None:
    found = cut(LIMITS)
    assert [sentence[:42] for sentence in found] == [
        "§ 78 Grenzwerte für beruflich exponierte P",
        "(1) Der Grenzwert der effektiven Dosis bet",
        "Die zuständige Behörde kann im Einzelfall ",
        "(2) Der Grenzwert der Organ-Äquivalentdosi",
        "Für die Organ-Äquivalentdosis der Augenlin",
        "§ 79 Verordnungsermächtigung für die beruf",
        "(1) Die Befugnis nach der Rechtsverordnung",
    ]
    assert found[3].endswith("jeweils 500 Millisievert im Kalenderjahr.")
    assert found[5].endswith("Führung einer Gesundheitsakte")
    assert found[6].endswith("§ 79 Absatz 1 Satz 2 Nummer 1 bleibt unberührt.")


def test_clauses_of_an_enumerating_sentence() -> None:
    start, end = sentences(LIMITS)[3]
    parts = [" ".join(LIMITS[a:b].split()) for a, b in clauses(LIMITS, start, end)]
    assert len(parts) == 4
    assert parts[0].endswith("für beruflich exponierte Personen")
    assert parts[1] == "1. für die Augenlinse 20 Millisievert im Kalenderjahr,"
    assert parts[2].startswith("2. für die Haut, gemittelt")
    assert parts[3].startswith("3. für die Hände")


def test_normalised_offsets_lead_back() -> None:
    text = "Der Strahlen-\nschutz  ﬁndet „hier“ statt."
    mapped = normalise_mapped(text)
    for word in ("Strahlenschutz", "findet", '"hier"', "statt."):
        place = mapped.text.index(word)
        start, end = mapped.span(place, place + len(word))
        assert normalise(text[start:end]) == word


def test_english_stems_join_the_forms_of_a_word() -> None:
    assert stems("The limits that were applied", "en") == stems("limit applying", "en")


def test_compound_match() -> None:
    assert compound_match("grenzwert", "grenzwert") == 1.0
    head = compound_match("grenzwert", "dosisgrenzwert")
    wider = compound_match("dosisgrenzwert", "grenzwert")
    modifier = compound_match("dosisgrenzwert", "dosis")
    assert 1.0 > head > wider > modifier > 0.0
    assert compound_match("haltung", "unterhaltung") == 0.0
    assert compound_match("arzt", "markt") == 0.0


def test_keyphrases() -> None:
    found = keyphrases("Gilt § 78 StrlSchG für beruflich exponierte Personen nach TypeIs?", "de")
    assert set(found[:2]) == {"§ 78 StrlSchG", "TypeIs"}
    assert "beruflich exponierte Personen" in found
    english = keyphrases("How are default values for type parameters evaluated?", "en")
    assert english[0] in ("default values", "type parameters evaluated")
    law = "Der Grenzwert der effektiven Dosis beträgt für exponierte Personen 20 Millisievert."
    assert len(keyphrases(law, "de", limit=2)) == 2
