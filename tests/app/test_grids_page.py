"""The page of grids and sweeps: forms, the table, the proof of a cell, and what a sweep lists."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import streamlit as st
from streamlit.testing.v1 import AppTest

from agent.reading_test.tester import keep_result
from app.components.grid_table import marks_of, shown_value
from app.session import LANGUAGE
from services.domain.grids import Cell, CellReview, CellState, Contradiction, Form
from services.domain.model_checks import ReadingTestResult
from tests.support.desk import until_ended
from tests.support.grid_house import House
from tests.support.grid_model import DEPOSIT, NOTICE, filled_in
from tests.support.pages import button, keys, open_app, texts_of

SWEEP = "Welche Kündigungsfristen gibt es?"


@pytest.fixture
def house(tmp_path: Path) -> Iterator[House]:
    opened = House(tmp_path / "home")
    yield opened
    opened.engine.close()


def page(house: House, **where: str) -> AppTest:
    at = open_app(house.engine, page="grids", **where)
    assert not at.exception
    return at


def read(house: House) -> tuple[AppTest, str]:
    """The page of a grid that has been read, and its thread."""
    thread = house.grid()
    house.read(thread)
    return page(house, thread=thread), thread


def columns(at: AppTest) -> list[list[str]]:
    """The columns of the table."""
    frame: Any = at.dataframe[0].value
    return [list(map(str, frame[name])) for name in frame]


def cell(house: House, thread: str, row: int, column: int) -> AppTest:
    rows = house.engine.grids.table(thread).rows
    return page(house, thread=thread, row=rows[row].id, column=str(column))


def swept(house: House, question: str = SWEEP, **options: Any) -> str:
    thread = house.engine.grids.sweep(question, collections=["miete"], **options)
    house.read(thread)
    return thread


def test_a_grid_is_made_estimated_and_read(house: House) -> None:
    at = page(house)
    at.text_input(key="new-grid-name").set_value("Mietverträge")
    at.text_input(key="new-grid-question-1").set_value(NOTICE)
    at.selectbox(key="new-grid-form-1").set_value("number")
    at.button(key="new-grid-add").click().run()
    at.text_input(key="new-grid-question-2").set_value(DEPOSIT).run()
    at.button(key="new-grid-create").click().run()
    thread = at.query_params["thread"]
    assert "zu lesende Zellen: 6 · Modellaufrufe: etwa 6" in texts_of(at).replace("*", "")
    assert house.asked("fill_in") == 0, "nothing is read before somebody starts it"
    button(at, "Starten").click().run()
    assert until_ended(house.engine, thread) == "done"
    at.run()
    assert columns(at) == [
        ["nord.md", "sued.md", "west.md"],
        ["drei Monate", "drei Monate", "≠ 30 Tage"],
        ["– nicht im Dokument", "2.400 Euro", "– nicht im Dokument"],
    ]


def test_a_grid_needs_a_name_and_a_question(house: House) -> None:
    at = page(house)
    at.button(key="new-grid-create").click().run()
    assert at.error and "thread" not in at.query_params


def test_rows_are_chosen_by_their_signs_and_words(house: House) -> None:
    at, thread = read(house)
    marks = at.pills(key=f"grid-marks-{thread}")
    marks.set_value([marks.options[0]]).run()
    assert columns(at)[0] == ["west.md"]
    at.pills(key=f"grid-marks-{thread}").set_value([]).run()
    at.text_input(key=f"grid-words-{thread}").set_value("2.400 SUED").run()
    assert columns(at)[0] == ["sued.md"]


def test_rows_are_sorted_by_amount_and_empty_ones_come_last(house: House) -> None:
    house.write("ost.md", "# Ost\n\n## § 1 Kaution\n\nDie Kaution beträgt 12.000 Euro.\n")
    house.ingest()
    at, thread = read(house)
    at.selectbox(key=f"grid-sort-{thread}").set_value("2").run()
    absent = "– nicht im Dokument"
    assert columns(at)[2] == ["2.400 Euro", "12.000 Euro", absent, absent]
    at.toggle(key=f"grid-down-{thread}").set_value(True).run()
    assert columns(at)[2] == ["12.000 Euro", "2.400 Euro", absent, absent]


@pytest.mark.parametrize(
    ("state", "corrected", "differs", "marks"),
    [
        (None, None, False, ("unread",)),
        ("verified", None, False, ()),
        ("to_check", None, True, ("differs", "to_check")),
        ("to_check", False, False, ("accepted",)),
        ("absent", True, True, ("differs", "corrected")),
    ],
)
def test_a_cell_is_marked(
    state: CellState | None, corrected: bool | None, differs: bool, marks: tuple[str, ...]
) -> None:
    review = None
    if corrected is not None:
        review = CellReview(value="a", corrected=corrected, by="b", at="2026-11-30T12:00:00+00:00")
    assert marks_of(Cell(row="r", column=1, state=state, differs=differs, review=review)) == marks


@pytest.mark.parametrize(
    ("value", "form", "de", "en"),
    [
        ("ja", "yesno", "ja", "yes"),
        ("No", "yesno", "nein", "no"),
        ("yes, from 2027", "yesno", "ja, from 2027", "yes, from 2027"),
        ("vielleicht", "yesno", "vielleicht", "vielleicht"),
        ("ja", "text", "ja", "ja"),
        ("", "yesno", "", ""),
        ("2027-03-01", "date", "01.03.2027", "2027-03-01"),
        ("1. März 2027", "date", "1. März 2027", "1. März 2027"),
        ("2027-03-01", "text", "2027-03-01", "2027-03-01"),
    ],
)
def test_yes_no_and_dates_are_in_the_language_of_the_interface(
    value: str, form: Form, de: str, en: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    cell = Cell(row="a", column=1, value=value)
    for language, text in (("de", de), ("en", en)):
        monkeypatch.setitem(st.session_state, LANGUAGE, language)
        assert shown_value(cell, form) == text


def test_a_cell_opens_its_proof(house: House) -> None:
    _at, thread = read(house)
    text = texts_of(cell(house, thread, 1, 2))
    assert "Die Kaution beträgt 2.400 Euro." in text and "3 von 3 Abschnitten gelesen" in text
    assert "nicht im Dokument" in texts_of(cell(house, thread, 0, 2))


def test_what_the_quotes_do_not_show_is_said(house: House) -> None:
    house.play(fill_in=lambda request: filled_in(request).replace('"2.400 Euro"', '"4.200 Euro"'))
    at, thread = read(house)
    assert columns(at)[2][1] == "? 4.200 Euro"
    assert "nicht in den Zitaten: 4.200" in texts_of(cell(house, thread, 1, 2))


def test_a_person_accepts_corrects_and_takes_back(house: House) -> None:
    _at, thread = read(house)
    at = cell(house, thread, 1, 1)
    at.button(key="of-cell-accept").click().run()
    assert columns(at)[1][1] == "✓ drei Monate" and "Angenommen von local" in texts_of(at)
    at.text_area[0].set_value("vier Monate").run()
    at.button(key="of-cell-save").click().run()
    assert columns(at)[1][1] == "✎ vier Monate"
    assert "Vorher: drei Monate" in texts_of(at)
    house.engine.grids.review(thread, house.engine.grids.table(thread).rows[1].document_id, 1, "?")
    assert at.run().text_area[0].value == "?", "another window corrected it"
    at.button(key="of-cell-undo").click().run()
    assert columns(at)[1][1] == "drei Monate"


def test_a_cell_is_read_again(house: House) -> None:
    _at, thread = read(house)
    calls = house.asked("fill_in")
    cell(house, thread, 1, 1).button(key="of-cell-again").click().run()
    assert until_ended(house.engine, thread) == "done"
    assert house.asked("fill_in") == calls + 1


def test_questions_are_edited_and_only_new_ones_are_read(house: House) -> None:
    at, thread = read(house)
    button(at, "Fragen bearbeiten").click().run()
    at.button(key=f"edit-{thread}-remove-1").click().run()
    at.button(key=f"edit-{thread}-add").click().run()
    at.text_input(key=f"edit-{thread}-question-3").set_value(f"{NOTICE} ").run()
    at.button(key=f"edit-{thread}-save").click().run()
    questions = house.engine.grids.options(thread).columns
    assert [(column.id, column.question) for column in questions] == [(2, DEPOSIT), (3, NOTICE)]
    assert "zu lesende Zellen: 3" in texts_of(at)


def test_a_copy_has_all_that_was_read(house: House) -> None:
    at, thread = read(house)
    button(at, "Kopieren").click().run()
    assert at.query_params["thread"] != thread
    assert "Alles ist bereits gelesen." in texts_of(at) and "≠ 30 Tage" in columns(at)[1]


def test_what_a_budget_left_is_continued(house: House) -> None:
    thread = house.grid(max_calls=2)
    house.read(thread)
    at = page(house, thread=thread)
    assert "2 von 6 Zellen gelesen." in texts_of(at)
    button(at, "Fortsetzen").click().run()
    assert until_ended(house.engine, thread) == "done"
    assert house.engine.grids.table(thread).cells_read == 4


def test_a_sweep_lists_groups_and_counts_what_was_read(house: House) -> None:
    at = page(house, view="sweep")
    at.text_area(key="sweep-text").set_value(SWEEP).run()
    at.button(key="sweep-create").click().run()
    assert "zu lesende Abschnitte: 8" in texts_of(at)
    button(at, "Starten").click().run()
    thread = at.query_params["thread"]
    assert until_ended(house.engine, thread) == "done"
    at.run()
    groups = {fold.label.split(":")[0] for fold in at.expander}
    assert groups == {"**drei Monate**", "**30 Tage**"}
    assert "Gelesen: 8 von 8 Abschnitten; Antworten: 2, Stellen: 3." in texts_of(at)


def test_a_sweep_that_finds_nothing_says_what_it_read(house: House) -> None:
    house.play(look_through=lambda _request: '{"items": [], "nothing_in": [1,2,3,4,5,6,7,8]}')
    text = texts_of(page(house, thread=swept(house)))
    assert "Gelesen: 8 von 8 Abschnitten; keiner davon beantwortet die Frage." in text


def test_the_list_of_a_sweep_becomes_the_rows_of_a_new_grid(house: House) -> None:
    at = page(house, thread=swept(house))
    button(at, "Aus dieser Liste eine Tabelle machen").click().run()
    at.text_input(key="new-grid-name").set_value("Fristen")
    at.text_input(key="new-grid-question-1").set_value(NOTICE).run()
    at.button(key="new-grid-create").click().run()
    assert house.engine.grids.options(at.query_params["thread"]).rows == "sweep"


def test_contradictions_stand_side_by_side(house: House) -> None:
    thread = swept(house)
    first, second = (group.findings[0] for group in house.engine.grids.result(thread).groups)
    pair = Contradiction(first=first, second=second, why="Zwei Fristen.").model_dump(mode="json")
    runs = house.engine._catalog.runs
    report = runs.report(house.engine.principal, thread) or {}
    runs.update(thread, report=report | {"contradictions": [pair]})
    at = page(house, thread=thread)
    assert "Widerspruch: Zwei Fristen." in texts_of(at).replace("*", "")


def test_without_a_model_the_page_says_that_nothing_is_read(tmp_path: Path) -> None:
    house = House(tmp_path / "home", reads="auto")
    failed = ReadingTestResult(model=house.model.name, passed=False)
    keep_result(catalog := house.engine._catalog, failed)
    with house.engine:
        thread = house.grid()
        at = page(house, thread=thread)
        assert "werden nicht gelesen, gezeigt" in texts_of(at)
        keep_result(catalog, failed.model_copy(update={"passed": True}))
        assert "zu lesende Zellen: 6" in texts_of(at.run()).replace("*", ""), "a model that reads"
        keep_result(catalog, failed)
        house.read(thread)
        assert "≈ Die Kündigungsfrist beträgt 30 Tage." in columns(page(house, thread=thread))[1]
        at = page(house, thread=swept(house))
        assert "deshalb wurde nichts gelesen" in at.info[0].value and "run-grid" not in keys(at)


def test_a_grid_opens_from_the_first_page_and_the_history(house: House) -> None:
    thread = house.grid()
    for name in ("ask", "runs"):
        at = open_app(house.engine, page=name)
        assert f"resume-{thread}" not in keys(at), "its cost is told before it is started"
        at.button(key=f"show-{thread}").click().run()
        assert at.query_params["thread"] == thread and button(at, "Starten")
