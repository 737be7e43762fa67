"""A quote that holds in a case is written with that case, apart from it, in every format."""

from collections.abc import Callable

import pytest

from agent.ask.compose import as_html, as_speech, as_text
from agent.ask.models import Reply
from services.domain import CaseSpan, Citation, CitedSentence
from services.export.layout import case_of, lay_out

CASE = CaseSpan(text="Für Personen unter\n18 Jahren beträgt er", start=0, end=39)
QUOTE = "1. für die Hand 5 Gramm,"


def sentence(case: CaseSpan | None = CASE, text: str = QUOTE) -> CitedSentence:
    citation = Citation(
        document="a.txt",
        document_id="a",
        page=None,
        section="",
        start=40,
        end=64,
        quote=QUOTE,
        verified=True,
        case=case,
    )
    return CitedSentence(text=text, supported=True, citations=(citation,))


@pytest.mark.parametrize(
    ("shown", "text"),
    [
        (as_text, "> Für Personen unter 18 Jahren beträgt er: »1. für die Hand 5 Gramm,«"),
        (
            as_html,
            "<blockquote>Für Personen unter 18 Jahren beträgt er: »1. für die Hand 5 Gramm,«",
        ),
    ],
)
def test_an_answer_shows_the_case_before_the_quote(shown: Callable[..., str], text: str) -> None:
    assert text in shown(Reply(sentences=(sentence(),)), (), "de")


def test_a_voice_says_the_case_first() -> None:
    said = as_speech(Reply(sentences=(sentence(),)))
    assert said == "Für Personen unter 18 Jahren beträgt er 1. für die Hand 5 Gramm,"


def test_prose_that_cites_the_quote_is_shown_without_its_case() -> None:
    prose = sentence(text="Für die Hand sind es 5 Gramm.")
    assert prose.case == "" and "unter 18" not in as_text(Reply(sentences=(prose,)), (), "de")


def test_a_line_of_an_export_has_the_case_apart() -> None:
    answer = as_text(Reply(sentences=(sentence(),)), (), "de")
    layout = lay_out({"answer": answer, "sentences": [sentence().model_dump()]})
    (line,) = layout.parts[0].lines
    assert (line.case, line.text) == ("Für Personen unter 18 Jahren beträgt er:", QUOTE)


def test_a_citation_that_was_stored_without_a_case_loads() -> None:
    stored = sentence(None).model_dump()
    del stored["citations"][0]["case"]
    assert CitedSentence.model_validate(stored) == sentence(None)


@pytest.mark.parametrize(
    ("words", "gap", "written"),
    [
        ("Die Messung ist zu notieren.", 1, "Die Messung ist zu notieren."),
        ("Die Messung ist zu notieren.", 40, "Die Messung ist zu notieren. […]"),
        ("Zu messen sind 1. die Hand,", 1, "Zu messen sind 1. die Hand,"),
        ("Zu messen sind", 40, "Zu messen sind:"),
    ],
)
def test_a_gap_between_case_and_quote_is_shown(words: str, gap: int, written: str) -> None:
    case = CaseSpan(text=words, start=0, end=40 - gap)
    assert case_of(sentence(case).citations[0]) == written
