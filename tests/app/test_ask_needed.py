"""What a structured answer needed: as a matrix, on the page, in a terminal, as a picture."""

from xml.etree import ElementTree

from app.answer_text import answer_text
from app.coverage_matrix import matrix, needed_text
from app.coverage_svg import coverage_svg
from tests.support import played_turn
from tests.support.fake_client import FakeClient
from tests.support.pages import open_app, texts_of
from tests.support.played_session import LAW
from tests.support.played_structured import HOSTILE, PUBLIC, WORKERS

QUESTION = "Vergleiche die Grenzwerte"
TURN = played_turn.turn("a1", 1, QUESTION, "structured")
WORDS = {"covered": "gefunden", "partial": "teilweise", "missing": "fehlt"}


def test_the_matrix_has_a_row_for_each_piece_and_a_column_for_each_document() -> None:
    table = matrix(TURN)
    assert table.documents == (LAW, "notes.txt")
    assert [(row.item, row.status, row.cells) for row in table.rows] == [
        (WORKERS, "covered", ("§ 78, § 77, § 71 +1", "")),
        (PUBLIC, "partial", ("", "•")),
        (HOSTILE, "missing", ("", "")),
    ]
    assert matrix(played_turn.turn("a1", 1, QUESTION, "fast")).rows == ()


def test_the_page_shows_it_under_the_answer_and_nothing_at_other_depths() -> None:
    fake = FakeClient()
    at = open_app(fake, page="ask")
    at.segmented_control(key="ask-depth").set_value("structured")
    at.chat_input(key="ask-question").set_value(QUESTION).run()
    assert not at.exception and fake.calls[-1][-1] == "structured"
    (table,) = at.table
    assert list(table.value.columns)[:2] == ["Angabe", "Stand"]
    assert list(table.value["Stand"]) == ["gefunden", "teilweise", "**fehlt**"]
    shown = texts_of(at)
    assert "Vergleich · 50 % abgedeckt · Dokumente von 2017" in shown.replace("\\", "")
    assert "noch einmal, für die Lücke" in shown
    quick = open_app(FakeClient(), page="ask")
    quick.chat_input(key="ask-question").set_value(QUESTION).run()
    assert not quick.table


def test_no_word_of_a_document_or_model_is_read_as_markdown() -> None:
    at = open_app(FakeClient(), page="ask")
    at.segmented_control(key="ask-depth").set_value("structured")
    at.chat_input(key="ask-question").set_value(QUESTION).run()
    cell = at.table[0].value["Angabe"].iloc[2]
    assert "<script>" not in cell and "](https" not in cell and "**laut**" not in cell


def test_the_picture_is_whole_xml_in_which_nothing_is_markup() -> None:
    drawn = coverage_svg(matrix(TURN), f"Was nötig war: {HOSTILE}", WORDS)
    root = ElementTree.fromstring(drawn)
    tags = {each.tag.rsplit("}", 1)[-1] for each in root.iter()}
    assert tags == {"svg", "title", "rect", "line", "text"}
    said = " ".join(each.text or "" for each in root.iter())
    assert all(word in said for word in ("gefunden", "teilweise", "fehlt", LAW, "§ 78"))
    assert root.get("role") == "img" and "https://example.org" not in [*root.attrib.values()]


def test_a_very_long_item_is_cut_to_four_lines() -> None:
    row = {**TURN["required_info"][0], "item": "wort " * 200}
    drawn = coverage_svg(matrix({**TURN, "required_info": [row]}), "t", WORDS)
    assert drawn.count("…") == 1


def test_the_terminal_tells_it_on_demand() -> None:
    told = "\n".join(needed_text(TURN))
    assert f"covered  {WORKERS} ({LAW} § 78, § 77, § 71 +1)" in told
    assert f"partial  {PUBLIC} (notes.txt)" in told and f"Gap: {HOSTILE}" in told
    assert "Sub-query (for a gap)" in told and "retrieval 120 ms" in told
    assert told in answer_text(TURN, explain=True)
    assert told not in answer_text(TURN, explain=False)
    assert "Cache:" not in answer_text(TURN, explain=True)
