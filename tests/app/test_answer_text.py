"""Quick answers as text in a terminal, with what was needed of structured ones."""

from agent.engine import pictures
from app.answer_text import answer_text, asked_back, explanation, needed_text
from services.domain.events import Waiting
from services.locale import rendered
from tests.support import played_turn
from tests.support.fake_client import FakeClient
from tests.support.pages import open_app, texts_of
from tests.support.played_session import LAW
from tests.support.played_structured import HOSTILE, PUBLIC, WORKERS


def test_the_agents_steps_are_explained() -> None:
    turn = played_turn.turn("t", 1, "Welche Grenzwerte?", "agent")
    said = explanation(turn)
    assert "Step 1 (3.2 s): Ich brauche **beide** Grenzwerte." in said
    assert "  retrieve_vector(query=Grenzwert Bevölkerung)" in said
    assert "  -> StrlSchG § 80: 1 Millisievert" in said and "  Beides ist da." in said
    turn["agent_steps"][0]["discarded"] = True
    assert "Step 1 (3.2 s, undone)" in explanation(turn)


def test_what_comes_closest_claims_nothing() -> None:
    said = answer_text(played_turn.turn("t", 1, "Wie backe ich Brot?", "fast"), explain=False)
    assert said.startswith(played_turn.CLOSEST)
    assert "3 passages for you to judge · fast" in said and "Not proof" not in said
    assert "(1) Für beruflich exponierte Personen gilt: »" in said


def test_a_sentence_that_is_no_proof_is_said_to_be_none() -> None:
    turn = played_turn.turn("t", 1, "Welcher Grenzwert?", "fast")
    assert "1 follows from quotes" in answer_text(turn, explain=False)
    turn["sentences"][0] |= {"standing": "contradicts", "reason": "Die Zahl ist eine andere."}
    said = answer_text(turn, explain=False)
    assert "Not proof, the passage contradicts it: »Der Grenzwert beträgt 20" in said
    assert "(Die Zahl ist eine andere.)" in said and "1 contradicted" in said


def test_depths_that_were_passed_over_are_named_with_the_reason() -> None:
    turn = rendered(played_turn.turn("t", 1, "Vergleiche beides.", "auto"))
    said = answer_text(turn, explain=False)
    assert "about 120 s with this model: enhanced instead." in said
    assert "Go deeper with --depth structured or --depth agent." in said
    turn["deeper"] = []
    assert "Go deeper" not in answer_text(turn, explain=False)


def test_quotes_in_place_of_a_model_that_writes_too_loosely_say_so() -> None:
    turn = played_turn.turn("t", 1, "Welcher Grenzwert?", "fast")
    assert "quotes alone" not in answer_text(turn, explain=False)
    turn["usage"]["writing"] = 0.254
    assert " · quotes alone: it writes too loosely (25 % proven) · " in answer_text(
        turn, explain=False
    )


def test_a_question_back_says_how_it_is_answered() -> None:
    waiting = Waiting(interrupt_id="i", interrupt="clarification", questions=("Für wen?",))
    assert asked_back("t", waiting) == 'Für wen?\nAnswer with: rabbithole ask --thread t "…"'


QUESTION = "Vergleiche die Grenzwerte"
TURN = played_turn.turn("a1", 1, QUESTION, "structured")


def test_the_matrix_has_a_row_for_each_piece_and_a_column_for_each_document() -> None:
    found = pictures.coverage(TURN, "de")
    assert found.documents == (LAW, "notes.txt")
    assert [(row.item, row.status, [cell.places for cell in row.cells]) for row in found.rows] == [
        (WORKERS, "covered", ["§ 78, § 77, § 71 +1", ""]),
        (PUBLIC, "partial", ["", "•"]),
        (HOSTILE, "missing", ["", ""]),
    ]
    assert pictures.coverage(played_turn.turn("a1", 1, QUESTION, "fast"), "de").rows == ()


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


def test_the_terminal_tells_it_on_demand() -> None:
    told = "\n".join(needed_text(TURN))
    assert f"covered  {WORKERS} ({LAW} § 78, § 77, § 71 +1)" in told
    assert f"partial  {PUBLIC} (notes.txt)" in told and f"Gap: {HOSTILE}" in told
    assert "Sub-query (for a gap)" in told and "retrieval 120 ms" in told
    assert told in answer_text(TURN, explain=True)
    assert told not in answer_text(TURN, explain=False)
    assert "Cache:" not in answer_text(TURN, explain=True)
