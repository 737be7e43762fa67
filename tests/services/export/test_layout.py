"""Sentences under their headings, places numbered once."""

from typing import Any

import pytest

from agent.ask.finish import as_html, as_speech, as_text
from agent.ask.models import Reply
from services.domain import CaseSpan, Citation, CitedSentence
from services.export.layout import LayoutSection, case_of, lay_out
from services.export.texts import standings_text
from tests.support import played_report, played_session


def report() -> dict[str, Any]:
    return played_report.report("t1", played_session.QUESTION)


def sections_of(value: dict[str, Any]) -> tuple[LayoutSection, ...]:
    return lay_out(value).sections


def test_sentences_stand_under_their_headings_with_one_number_a_place() -> None:
    value = report()
    layout = lay_out(value)
    tasks = [item.task for item in played_session.ITEMS]
    others = ("Spätere Dokumente gleichen Titels", "In den gelesenen Abschnitten nicht gefunden")
    titles = ["", *tasks, *others]
    assert [(section.heading, len(section.lines)) for section in layout.sections] == list(
        zip(titles, (2, 1, 2, 3, 1, 1, 1), strict=True)
    )
    lines = [
        line for section in layout.sections for line in section.lines if line.standing is not None
    ]
    assert [line.n for line in lines] == [*range(8)]
    assert [line.numbers for line in lines] == [(1,), (), (1,), (2,), (2,), (3,), (3,), (3,)]
    assert len(layout.citations) == 3
    forms = ["prose", "prose", "item", "prose", "quote", "row", "row", "quote"]
    assert [line.form for line in lines] == forms
    follows, quote = "follows", "quote"
    standings = [follows, "none", follows, "loose", quote, follows, follows, quote]
    assert [line.standing for line in lines] == standings
    assert [line.proven for line in lines] == [each not in ("none", "loose") for each in standings]
    assert [line.case for line in lines if line.case] == ["Für Personen unter 18 Jahren gelten:"]
    value["sentences"][0]["citations"] *= 2
    value["answer"] = value["answer"].replace(" Grenzwert ", "\nGrenzwert ", 1)
    assert lay_out(value) == layout


def test_a_heading_without_sentences_keeps_what_is_said_there() -> None:
    *_, nothing, changed, missing = sections_of(report())
    assert [(line.text, line.form, line.n) for section in (nothing, changed, missing)
            for line in section.lines] == [
        (played_report.NOTHING, "prose", -1),
        (played_report.CHANGED, "item", -1),
        (played_report.GAP, "item", -1),
    ]  # fmt: skip
    value = report() | {"answer": "Nichts.\n\nGesucht: x.", "opening": "Nichts.", "sentences": []}
    (only,) = sections_of(value)
    assert [line.text for line in only.lines] == ["Gesucht: x."], "the opening is said elsewhere"
    gone = report() | {"answer": "## Teil\n\n[StrlSchG § 78, S. 50]\n- [x]", "sentences": []}
    assert sections_of(gone) == (), "all its sentences were removed by a person"


def test_rows_of_the_same_columns_are_a_table_and_items_are_a_list() -> None:
    value = report()
    texts = ["a: 1 | b: 2", "a: 3 | b:", "c: 4 | d: 5", "kein: Fall", "einer | zwei", "Ein Satz."]
    value["sentences"] = [{**value["sentences"][0], "text": text} for text in texts]
    value["answer"] = "\n".join(f"- {text} [x]" for text in texts[:5]) + f"\n\n{texts[5]} [x]"
    (section,) = sections_of(value)
    assert [[line.form for line in lines] for lines in section.paragraphs] == [
        ["row", "row"], ["row"], ["item", "item"], ["prose"],
    ]  # fmt: skip
    assert section.lines[1].cells == (("a", "3"), ("b", ""))


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("Der Grenzwert\nbeträgt 1.", "Der Grenzwert beträgt 1."),
        (
            "Nuklid: H-3 | Wert:\t1\nNuklid: C-14 | Wert: 2",
            "Nuklid: H-3 | Wert: 1\nNuklid: C-14 | Wert: 2",
        ),
    ],
)
def test_rows_of_a_table_stay_below_each_other(text: str, line: str) -> None:
    value = report()
    value["sentences"][0]["text"] = text
    assert sections_of(value)[0].lines[0].text == line


@pytest.mark.parametrize(
    ("standings", "certainty", "german", "english"),
    [
        (
            {"quote": 4, "follows": 2, "loose": 1},
            "answered",
            "6 belegt, 1 zu prüfen",
            "6 verified, 1 to check",
        ),
        (
            {"quote": 5, "none": 1, "loose": 1, "contradicts": 1, "reviewed": 1},
            "answered",
            "5 belegt, 1 von einer Person entschieden, 2 zu prüfen, 1 Widerspruch",
            "5 verified, 1 decided by a reviewer, 2 to check, 1 contradiction",
        ),
        (
            {"quote": 2, "closest": 1},
            "answered",
            "2 belegt, 1 weiteres Zitat",
            "2 verified, 1 further quote",
        ),
        ({"quote": 3}, "perhaps", "3 Zitate", "3 quotes"),
        ({}, "refused", "", ""),
    ],
)
def test_standings_are_counted_in_words(
    standings: dict[str, int], certainty: str, german: str, english: str
) -> None:
    assert standings_text(standings, certainty, "de") == german
    assert standings_text(standings, certainty, "en") == english


def test_a_repeated_sentence_keeps_its_place_in_each_part() -> None:
    value = report()
    again = value["sentences"][0]
    text = " ".join(again["text"].split())
    value["sentences"] = [again, again]
    value["answer"] = f"{text} [x]\n\n## Teil\n\n{text} [x]"
    assert [(section.heading, len(section.lines)) for section in sections_of(value)] == [
        ("", 1),
        ("Teil", 1),
    ]


QUOTE = "1. für die Hand 5 Gramm,"
CASE = CaseSpan(text="Für Personen unter\n18 Jahren beträgt er", start=0, end=39)
SHOWN = "Für Personen unter 18 Jahren beträgt er: »1. für die Hand 5 Gramm,«"


def sentence(case: CaseSpan | None = CASE, text: str = QUOTE) -> CitedSentence:
    place = Citation(
        document="a.txt", document_id="a", page=None, section="", start=40, end=64, quote=QUOTE,
        verified=True, case=case,
    )  # fmt: skip
    return CitedSentence(text=text, supported=True, citations=(place,))


def test_a_quote_is_written_with_its_case_apart_from_it() -> None:
    reply = Reply(sentences=(sentence(),))
    answer = as_text(reply, (), "de")
    assert f"> {SHOWN}" in answer and f"<blockquote>{SHOWN}" in as_html(reply, (), "de")
    assert as_speech(reply) == f"Für Personen unter 18 Jahren beträgt er {QUOTE}"
    (line,) = sections_of({"answer": answer, "sentences": [sentence().model_dump()]})[0].lines
    assert (line.case, line.text) == ("Für Personen unter 18 Jahren beträgt er:", QUOTE)
    prose = sentence(text="Für die Hand sind es 5 Gramm.")
    assert prose.case == "" and "unter 18" not in as_text(Reply(sentences=(prose,)), (), "de")
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
