import pypdfium2
import pytest

from services.extractive import (
    asks_amount,
    competing_senses,
    coverage,
    facets,
    keyphrases,
)
from services.settings import WORKING_COPY
from services.types import Hit


def pages(first: int, last: int) -> str:
    path = WORKING_COPY / "kb" / "samples" / "strahlenschutz" / "StrlSchG.pdf"
    with pypdfium2.PdfDocument(path) as document:
        texts = [document[number].get_textpage().get_text_range() for number in range(first, last)]
    return "\n".join(texts).replace("\r", "")


STATUTE = pages(47, 51)

QUESTION = "Welche Dosisgrenzwerte gelten für beruflich exponierte Personen unter 18 Jahren?"
LAW = [
    "§ 78 Grenzwerte für beruflich exponierte Personen",
    "(1) Der Grenzwert der effektiven Dosis beträgt für beruflich exponierte Personen 20"
    " Millisievert im Kalenderjahr.",
    "(3) Für beruflich exponierte Personen unter 18 Jahren beträgt der Grenzwert der effektiven"
    " Dosis 1 Millisievert im Kalenderjahr.",
    "Abweichend davon kann die zuständige Behörde für Auszubildende und Studierende im Alter"
    " zwischen 16 und 18 Jahren einen Grenzwert von 6 Millisievert im Kalenderjahr zulassen.",
    "(5) Die zuständige Behörde kann anordnen, dass Personen unter 18 Jahren sich von einem"
    " ermächtigten Arzt untersuchen lassen.",
    "(1) Die Bundesregierung wird ermächtigt, durch Rechtsverordnung Grenzwerte für beruflich"
    " exponierte Personen unter 18 Jahren festzulegen.",
    "Für Personen unter 18 Jahren gilt Absatz 1 entsprechend.",
    "(1) Für Einzelpersonen der Bevölkerung beträgt der Grenzwert der Summe der effektiven Dosen"
    " 1 Millisievert im Kalenderjahr.",
    "(1) Der Strahlenschutzverantwortliche hat Aufzeichnungen 30 Jahre aufzubewahren.",
]
HEADINGS = ["§ 78 Grenzwerte für beruflich exponierte Personen"] * 4 + [""] * 5


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ("Wie hoch ist der Grenzwert?", True),
        ("Wie lange gilt sie?", True),
        ("How many arguments does it take?", True),
        ("Wer ist zuständig?", False),
        ("What is a protocol?", False),
    ],
)
def test_asks_amount(question: str, expected: bool) -> None:
    assert asks_amount(question) is expected


@pytest.mark.parametrize(
    ("question", "language", "expected"),
    [
        ("Was ist Äquivalentdosis?", "de", ["Was ist Äquivalentdosis"]),
        (
            "Welche Dosisgrenzwerte gelten für beruflich exponierte Personen unter 18 Jahren,"
            " und welche Ausnahmen kann die Behörde zulassen?",
            "de",
            [
                "Welche Dosisgrenzwerte gelten für beruflich exponierte Personen unter 18 Jahren",
                "welche Ausnahmen kann die Behörde zulassen",
            ],
        ),
        (
            "How does TypeIs differ from TypeGuard?",
            "en",
            ["TypeIs", "TypeGuard", "How does TypeIs differ from TypeGuard"],
        ),
        (
            "Welche Grenzwerte gelten für die Augenlinse, die Haut und die Hände?",
            "de",
            [
                "Welche Grenzwerte gelten für die Augenlinse",
                "Welche Grenzwerte gelten für die Haut",
                "Welche Grenzwerte gelten für die Hände",
            ],
        ),
        (
            "Welche Grenzwerte gelten zwischen 16 und 18 Jahren?",
            "de",
            ["Welche Grenzwerte gelten zwischen 16 und 18 Jahren"],
        ),
        (
            "Was ist ein Strahlenschutzbeauftragter? Wer bestellt ihn?",
            "de",
            [
                "Was ist ein Strahlenschutzbeauftragter",
                "Wer bestellt ihn (Strahlenschutzbeauftragter)",
            ],
        ),
    ],
)
def test_facets(question: str, language: str, expected: list[str]) -> None:
    assert [facet.text for facet in facets(question, language)] == expected


def test_there_are_at_most_five_facets_and_none_without_content() -> None:
    many = "Was ist " + ", was ist ".join(f"Ding{letter}" for letter in "ABCDEFGH") + "?"
    assert 1 <= len(facets(many, "de")) <= 5
    assert facets("Und warum?", "de") == []


def test_coverage_needs_every_facet() -> None:
    wanted = facets(
        "Welche Grenzwerte gelten für Personen unter 18 Jahren, und wer bestellt den Beauftragten?",
        "de",
    )
    half = coverage(wanted, [LAW[2]], "de")
    assert [facet.text for facet in half.missing] == ["wer bestellt den Beauftragten"]
    assert 0.4 < half.score < 1.0
    whole = coverage(wanted, [LAW[2], "Der Betreiber bestellt den Beauftragten."], "de")
    assert (whole.missing, whole.score) == ((), 1.0)
    assert coverage(wanted, [], "de").score == 0.0


def test_coverage_wants_a_number_where_one_is_asked_for() -> None:
    wanted = facets("Wie hoch ist der Grenzwert für die Haut?", "de")
    assert coverage(wanted, ["Für die Haut gilt ein Grenzwert."], "de").missing
    assert not coverage(wanted, ["Für die Haut gilt ein Grenzwert von 500 mSv."], "de").missing


def test_keyphrases() -> None:
    found = keyphrases("Gilt § 78 StrlSchG für beruflich exponierte Personen nach TypeIs?", "de")
    assert set(found[:2]) == {"§ 78 StrlSchG", "TypeIs"}
    assert "beruflich exponierte Personen" in found
    english = keyphrases("How are default values for type parameters evaluated?", "en")
    assert english[0] in ("default values", "type parameters evaluated")
    assert len(keyphrases(" ".join(LAW), "de", limit=3)) == 3


def hit(section: str, heading: str, text: str, relevance: float) -> Hit:
    return Hit(
        chunk_id=section,
        document_id="law",
        text_id="text",
        document="StrlSchG.pdf",
        title="Strahlenschutzgesetz",
        page=1,
        section=section,
        heading_path=("Teil 2", f"{section} {heading}"),
        start=0,
        end=len(text),
        text=text,
        score=relevance,
        relevance=relevance,
        explain={},
    )


HITS = [
    hit("§ 78", "Grenzwerte für beruflich exponierte Personen", LAW[1], 0.9),
    hit("§ 80", "Grenzwerte für die Exposition der Bevölkerung", LAW[7], 0.85),
    hit("§ 167", "Aufzeichnungspflichten", LAW[8], 0.4),
]


def test_one_question_two_senses() -> None:
    senses = competing_senses("Wie hoch ist der Grenzwert der effektiven Dosis?", HITS, "de")
    assert [sense.section for sense in senses] == ["§ 78", "§ 80"]
    assert senses[1].label == "Grenzwerte für die Exposition der Bevölkerung"
    assert senses[1].chunk_ids == ("§ 80",)


@pytest.mark.parametrize(
    "question",
    [
        "Wie hoch ist der Grenzwert der effektiven Dosis nach § 78?",
        "Wie hoch ist der Grenzwert der effektiven Dosis für die Bevölkerung?",
        "und?",
    ],
)
def test_a_question_that_says_which_has_one_sense(question: str) -> None:
    assert competing_senses(question, HITS, "de") == []
    assert competing_senses(question, [], "de") == []
