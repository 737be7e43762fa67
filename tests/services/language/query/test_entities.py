import pytest

from services.language.query.entities import entities
from services.language.query.parts import operand_spans


@pytest.mark.parametrize(
    ("question", "language", "expected"),
    [
        ("Was regelt § 78 StrlSchG?", "de", ("§ 78", "StrlSchG")),
        ("Gilt Art. 5 auch für Anlage 4?", "de", ("Art. 5", "Anlage 4")),
        ("What does section 3.2 of ISO 9001 say?", "en", ("section 3.2", "ISO 9001")),
        ("Was steht in 3.2.1?", "de", ("3.2.1",)),
        ("Is 1.5 mSv enough?", "en", ()),
        ("How does TypeIs differ from TypeGuard?", "en", ("TypeIs", "TypeGuard")),
        ("Was bedeutet „geplante Exposition“?", "de", ("geplante Exposition",)),
        ("Que dit l'annexe 13-7 ?", "fr", ("annexe 13-7",)),
        ("Was sagt StrlSchV.pdf dazu?", "de", ("StrlSchV.pdf",)),
        ("When does the agreement with Northgate expire?", "en", ("Northgate",)),
        ("¿Qué dice Lucía Ferrándiz?", "es", ("Lucía Ferrándiz",)),
        ("What is `os.path.join` for?", "en", ("os.path.join",)),
        ("Kategorie A oder Kategorie B?", "de", ("Kategorie A", "Kategorie B")),
    ],
)
def test_entities(question: str, language: str, expected: tuple[str, ...]) -> None:
    assert entities(question, language) == expected


def test_german_nouns_are_no_names() -> None:
    question = "Welche Grenzwerte gelten für Beschäftigte und Schüler in der Schule?"
    assert entities(question, "de") == ()


def test_german_names_stand_side_by_side() -> None:
    question = "Was hat Dr. Seidel mit der Firma Nordtec zu tun?"
    assert entities(question, "de") == ("Dr. Seidel", "Firma Nordtec")


def test_what_is_compared_is_an_entity() -> None:
    question = "Wie unterscheiden sich Anzeige und Genehmigung?"
    assert entities(question, "de", pair=operand_spans(question) or ()) == (
        "Anzeige",
        "Genehmigung",
    )


def test_what_is_known_is_found_whatever_its_case() -> None:
    question = "what does the safety handbook say on radon?"
    assert entities(question, "en", known=("Safety Handbook", "Radon", "book")) == (
        "safety handbook",
        "radon",
    )


def test_each_once_in_order_and_not_too_many() -> None:
    assert entities("§ 5, § 6 und noch einmal § 5", "de") == ("§ 5", "§ 6")
    assert len(entities(" ".join(f"§ {n}" for n in range(1, 40)), "de")) == 12


@pytest.mark.parametrize("text", ["§ 78 StrlSchG", "Anlage 4", "PEP 604", "TypeGuard", "a.pdf"])
def test_names_something(text: str) -> None:
    assert entities(text, "en")


@pytest.mark.parametrize("text", ["was ist das?", "Dosis", "", "HELP ME"])
def test_names_nothing(text: str) -> None:
    assert not entities(text, "de")
