import pytest

from services.language.query.language import LANGUAGES, detect_language


@pytest.mark.parametrize(
    ("text", "language"),
    [
        ("Was ist Äquivalentdosis?", "de"),
        ("Was ist Dosis?", "de"),
        ("Grenzwerte für Schwangere?", "de"),
        ("Wer darf röntgen?", "de"),
        ("Dosisgrenzwerte Auszubildende", "de"),
        ("Was ist ein TypeGuard?", "de"),
        ("How does TypeIs differ from TypeGuard?", "en"),
        ("What is PEP 604?", "en"),
        ("Which limits apply to pregnant workers?", "en"),
        ("Quelle est la limite de dose ?", "fr"),
        ("¿Cuál es el límite de dosis?", "es"),
    ],
)
def test_short_questions(text: str, language: str) -> None:
    other = "en" if language != "en" else "de"
    assert detect_language(text, other) == language


@pytest.mark.parametrize("text", ["", "  ", "§ 78 StrlSchG", "TypeIs vs TypeGuard", "12 345", "?!"])
@pytest.mark.parametrize("default", ["de", "en"])
def test_without_evidence_the_default_stays(text: str, default: str) -> None:
    assert detect_language(text, default) == default


def test_code_and_names_do_not_decide() -> None:
    question = "Wie unterscheidet sich `is_instance_of` von typing.TypeGuard in PEP 647?"
    assert detect_language(question, "en") == "de"


def test_a_document_is_judged_by_its_prose() -> None:
    law = "§ 78 Grenzwerte\n(1) Der Grenzwert der effektiven Dosis beträgt 20 Millisievert.\n" * 200
    assert detect_language(law, "en") == "de"


def test_german_and_english_come_first() -> None:
    assert LANGUAGES[:2] == ("de", "en")
