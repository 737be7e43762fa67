"""What a structured answer needed: as a matrix, on the page, in a terminal, as a picture."""

from xml.etree import ElementTree

from agent import pictures
from app.answer_text import answer_text, needed_text
from tests.support import played_turn
from tests.support.fake_client import FakeClient
from tests.support.pages import open_app, texts_of
from tests.support.played_session import LAW
from tests.support.played_structured import HOSTILE, PUBLIC, WORKERS

QUESTION = "Vergleiche die Grenzwerte"
TURN = played_turn.turn("a1", 1, QUESTION, "structured")


def test_the_matrix_has_a_row_for_each_piece_and_a_column_for_each_document() -> None:
    found = pictures.needed(TURN)
    assert found.documents == (LAW, "notes.txt")
    assert [(row.item, row.status, [cell.places for cell in row.cells]) for row in found.rows] == [
        (WORKERS, "covered", ["§ 78, § 77, § 71 +1", ""]),
        (PUBLIC, "partial", ["", "•"]),
        (HOSTILE, "missing", ["", ""]),
    ]
    assert pictures.needed(played_turn.turn("a1", 1, QUESTION, "fast")).rows == ()


def test_the_page_shows_it_under_the_answer_and_nothing_at_other_depths() -> None:
    fake = FakeClient()
    at = open_app(fake, page="ask")
    at.segmented_control(key="ask-depth").set_value("structured")
    at.chat_input(key="ask-question").set_value(QUESTION).run()
    assert not at.exception and fake.calls[-1][-1] == "structured"
    (table,) = at.table
    assert list(table.value.columns)[:2] == ["Teil der Frage", "Stand"]
    assert list(table.value["Stand"]) == [
        ":material/check_circle: gefunden",
        ":material/contrast: teilweise",
        ":material/circle: fehlt",
    ]
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
    cell = at.table[0].value["Teil der Frage"].iloc[2]
    assert "<script>" not in cell and "](https" not in cell and "**laut**" not in cell


def test_the_picture_to_take_along_is_whole_xml_of_the_same_matrix() -> None:
    table, picture = pictures.coverage(TURN, "de")
    told = ElementTree.fromstring(picture).findtext("{http://www.w3.org/2000/svg}desc") or ""
    assert all(word in told for word in ("gefunden", "teilweise", "fehlt", LAW, "§ 78", HOSTILE))
    assert table.rows[0][2] == "§ 78, § 77, § 71 +1" and table.rows[2][2] == "–"


def test_the_terminal_tells_it_on_demand() -> None:
    told = "\n".join(needed_text(TURN))
    assert f"covered  {WORKERS} ({LAW} § 78, § 77, § 71 +1)" in told
    assert f"partial  {PUBLIC} (notes.txt)" in told and f"Gap: {HOSTILE}" in told
    assert "Sub-query (for a gap)" in told and "retrieval 120 ms" in told
    assert told in answer_text(TURN, explain=True)
    assert told not in answer_text(TURN, explain=False)
    assert "Cache:" not in answer_text(TURN, explain=True)
