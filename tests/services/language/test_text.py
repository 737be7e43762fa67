from services.language.text import (
    clauses,
    compound_match,
    is_heading,
    normalise,
    normalise_mapped,
    sentences,
    stems,
    tokens,
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


def test_headings_lists_and_code_of_a_technical_document() -> None:
    text = (
        "PEP: 742\nTitle: Narrowing types\n\nAbstract\n========\n\n"
        "This PEP proposes ``TypeIs``. It is like\n``TypeGuard``:\n\n"
        "* Checkers must use\n  the narrowed type. They cannot guess.\n* Nothing else.\n\n"
        "Example::\n\n    def is_str(x: object) -> TypeIs[str]:\n        return x. lower()\n"
    )
    assert cut(text) == [
        "PEP: 742",
        "Title: Narrowing types",
        "Abstract",
        "========",
        "This PEP proposes ``TypeIs``.",
        "It is like ``TypeGuard``:",
        "* Checkers must use the narrowed type.",
        "They cannot guess.",
        "* Nothing else.",
        "Example::",
        "def is_str(x: object) -> TypeIs[str]: return x. lower()",
    ]


def test_markdown() -> None:
    text = (
        "# Titel\nEin Satz. Noch einer.\n\n| a | b |\n|---|---|\n| 1. x | 2. y |\n- Punkt. Ende.\n"
    )
    assert cut(text) == [
        "# Titel",
        "Ein Satz.",
        "Noch einer.",
        "| a | b |",
        "|---|---|",
        "| 1. x | 2. y |",
        "- Punkt.",
        "Ende.",
    ]


def test_an_enumeration_that_continues_from_another_page() -> None:
    text = "3. dass Personen geschützt werden, 4. Personen sowie 5. Ärzte. Die Frist gilt."
    assert len(sentences(text)) == 2


def test_clauses_of_an_enumerating_sentence() -> None:
    start, end = sentences(LIMITS)[3]
    parts = [" ".join(LIMITS[a:b].split()) for a, b in clauses(LIMITS, start, end)]
    assert len(parts) == 4
    assert parts[0].endswith("für beruflich exponierte Personen")
    assert parts[1] == "1. für die Augenlinse 20 Millisievert im Kalenderjahr,"
    assert parts[2].startswith("2. für die Haut, gemittelt")
    assert parts[3].startswith("3. für die Hände")


def test_clauses_keep_what_is_below_the_top_level() -> None:
    text = "Es gilt 1. wer a) Arzt ist, b) Zahnarzt ist, 2. wer nach Nummer 1 handelt."
    assert [text[a:b] for a, b in clauses(text, 0, len(text))] == [
        "Es gilt",
        "1. wer a) Arzt ist, b) Zahnarzt ist,",
        "2. wer nach Nummer 1 handelt.",
    ]
    lettered = "Es gilt a) dies, b) das."
    assert len(clauses(lettered, 0, len(lettered))) == 3


def test_a_sentence_without_enumeration_stays_whole() -> None:
    text = "Nach Absatz 1 und 2 gilt § 3 Nummer 1."
    assert clauses(text, 0, len(text)) == [(0, len(text))]


def test_normalise() -> None:
    assert normalise("Strahlen-\r\nschutz und Vorsorge-\nund  Notfall­plan") == (
        "Strahlenschutz und Vorsorge- und Notfallplan"
    )
    assert normalise("„Was“ – ‚so‘ ﬁndet…") == "\"Was\" - 'so' findet..."
    assert normalise("``TypeIs``\n\x0c is\ta") == "TypeIs is a"
    assert normalise("A\u0308rzte") == "Ärzte"


def test_normalised_offsets_lead_back() -> None:
    text = "Der Strahlen-\nschutz  ﬁndet „hier“ statt."
    mapped = normalise_mapped(text)
    for word in ("Strahlenschutz", "findet", '"hier"', "statt."):
        place = mapped.text.index(word)
        start, end = mapped.span(place, place + len(word))
        assert normalise(text[start:end]) == word


def test_tokens() -> None:
    assert tokens("§ 9a: is_str(x) -> TypeIs, 1,5 mSv; Organ-Äquivalentdosis") == [
        "§", "9a", "is_str", "x", "TypeIs", "1,5", "mSv", "Organ", "Äquivalentdosis",
    ]  # fmt: skip


def test_stems_join_the_forms_of_a_word() -> None:
    for forms in (
        "Grenzwert Grenzwerte Grenzwerten",
        "mitteilen mitgeteilt mitzuteilen Mitteilung",
        "überschreiten überschritten Überschreitung",
        "kündigen gekündigt Kündigung",
        "anwenden angewendet Anwendung",
        "Dosis Dosen",
    ):
        assert len(set(stems(forms, "de"))) == 1, forms
    assert stems("The limits that were applied", "en") == stems("limit applying", "en")


def test_stems_leave_out_stop_words_and_keep_numbers() -> None:
    assert stems("Was gilt für Personen unter 18 Jahren nach § 9a?", "de") == [
        "person", "18", "jahr", "9a",
    ]  # fmt: skip


def test_compound_match() -> None:
    assert compound_match("grenzwert", "grenzwert") == 1.0
    head = compound_match("grenzwert", "dosisgrenzwert")
    wider = compound_match("dosisgrenzwert", "grenzwert")
    modifier = compound_match("dosisgrenzwert", "dosis")
    assert 1.0 > head > wider > modifier > 0.0
    assert compound_match("haltung", "unterhaltung") == 0.0
    assert compound_match("arzt", "markt") == 0.0


def test_is_heading() -> None:
    assert is_heading("§ 78 Grenzwerte für beruflich exponierte Personen")
    assert not is_heading("1. für die Augenlinse 20 Millisievert im Kalenderjahr,")
    assert not is_heading("Dies gilt nicht")
    assert is_heading(
        "§ 12 Fristen für gewerbliche Mieter von Räumen; Berechnung der Kosten der Heizung und des "
        "Wassers (§§ 8, 9)"
    )
    assert is_heading("Kosten der Heizung und ihre Berechnung ........ 12")
    assert not is_heading(
        "§ 3 Absatz 2 Satz 1 Nummer 4 Buchstabe b findet auf alle Anlagen nach Absatz 1 keine "
        "Anwendung"
    )


def test_keyphrases() -> None:
    found = keyphrases("Gilt § 78 StrlSchG für beruflich exponierte Personen nach TypeIs?", "de")
    assert set(found[:2]) == {"§ 78 StrlSchG", "TypeIs"}
    assert "beruflich exponierte Personen" in found
    english = keyphrases("How are default values for type parameters evaluated?", "en")
    assert english[0] in ("default values", "type parameters evaluated")
    law = "Der Grenzwert der effektiven Dosis beträgt für exponierte Personen 20 Millisievert."
    assert len(keyphrases(law, "de", limit=2)) == 2
