"""A turn of quick answers in the terminal."""

from app.answer_text import answer_text, asked_back, explanation
from services.events import Waiting
from tests.support import played_turn


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
    turn = played_turn.turn("t", 1, "Vergleiche beides.", "auto")
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
