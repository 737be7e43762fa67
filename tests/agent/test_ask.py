"""Quick answers end to end: question, search, answer or refusal, follow-up."""

from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pytest

from agent.engine.engine import Engine
from services.domain import Principal
from services.domain.errors import InvalidInput, NotFound
from services.domain.events import EventRecord, ExecutionComplete, ExecutionStart, FinalAnswer
from services.locale import rendered
from tests.support.desk import ask, make_services, open_desk, until_ended
from tests.support.scripted_model import ScriptedModel

LIMIT = "Welcher Grenzwert des Lärms gilt für Beschäftigte?"
SEVEN = [
    "execution_start",
    "knowledge_retrieval_start",
    "knowledge_retrieval_complete",
    "conversation_llm_step",
    "token_update",
    "final_answer",
    "execution_complete",
]


def test_without_a_model_the_best_sentences_answer_each_with_its_place(desk: Engine) -> None:
    turn = ask(desk, LIMIT)
    assert turn["sentences"][0]["text"].startswith("Für Beschäftigte beträgt der Grenzwert")
    (citation,) = turn["sentences"][0]["citations"]
    assert (citation["section"], citation["verified"]) == ("§ 2", True)
    text = desk.library.open_document(citation["document_id"]).parsed.text
    assert text[citation["start"] : citation["end"]] == citation["quote"]
    assert "[1]" in turn["answer"] and turn["citations"][0]["number"] == 1
    assert turn["sources"][0]["sections"] == ["§ 2"]
    assert (turn["refused"], turn["depth"], turn["language"]) == (False, "fast", "de")
    assert turn["usage"]["model_calls"] == 0


def test_a_model_writes_and_code_leads_its_sentences_to_their_places(tmp_path: Path) -> None:
    model = ScriptedModel(
        [("answer", "Für Beschäftigte beträgt der Grenzwert des Lärms 85 Dezibel.")]
    )
    with open_desk(tmp_path / "home", model) as desk:
        turn = ask(desk, LIMIT)
    (sentence,) = turn["sentences"]
    assert sentence["supported"] and sentence["citations"][0]["section"] == "§ 2"
    assert turn["usage"]["model_calls"] == 1
    assert turn["usage"]["prompt_tokens"] <= 1_100
    assert "Antwort in höchstens 3 kurzen Sätzen" in model.prompts("answer")[0]


def test_a_number_that_no_passage_has_is_not_said(tmp_path: Path) -> None:
    model = ScriptedModel([("answer", "Für Beschäftigte beträgt der Grenzwert 99 Dezibel.")])
    with open_desk(tmp_path / "home", model) as desk:
        turn = ask(desk, LIMIT)
    assert "99" not in turn["answer"]
    quote = turn["sentences"][0]["citations"][0]["quote"]
    assert " ".join(quote.split()) in " ".join(turn["answer"].split())
    assert any("99" in str(text) for text in turn["degraded"])


def test_what_the_documents_do_not_hold_is_refused_without_a_model_call(tmp_path: Path) -> None:
    model = ScriptedModel([("answer", "Quietschgelb.")])
    with open_desk(tmp_path / "home", model) as desk:
        turn = ask(desk, "Wer backt Apfelkuchen mit Zimt?")
    assert turn["refused"] and turn["sentences"] == [] and model.requests == []
    assert turn["answer"].startswith("Dazu steht nichts in den durchsuchten Dokumenten.")
    assert "Wer backt Apfelkuchen mit Zimt?" in turn["answer"] and "laerm" in turn["answer"]


@pytest.mark.parametrize(
    ("question", "beginning"),
    [
        ("Who bakes the best apple pie in the whole town?", "The documents that were searched"),
        ("Qui prépare la meilleure tarte aux pommes de la ville ?", "Les documents consultés"),
        ("¿Quién prepara la mejor tarta de manzana de la ciudad?", "Los documentos consultados"),
    ],
)
def test_a_refusal_is_in_the_language_of_the_question(
    desk: Engine, question: str, beginning: str
) -> None:
    assert ask(desk, question)["answer"].startswith(beginning)


def test_a_follow_up_is_completed_from_the_conversation(desk: Engine) -> None:
    first = ask(desk, LIMIT)
    second = ask(desk, "und für Auszubildende?", thread_id=first["thread_id"])
    assert second["turn"] == 2
    assert "Grenzwert" in second["question_rewritten"]
    assert any("80 Dezibel" in sentence["text"] for sentence in second["sentences"])
    assert [turn["turn"] for turn in desk.answers.turns(first["thread_id"])] == [1, 2]


def test_a_model_completes_a_follow_up_and_its_words_are_checked(tmp_path: Path) -> None:
    whole = "Welcher Grenzwert des Lärms gilt für Auszubildende?"
    model = ScriptedModel(
        [
            ("rewrite", [{"question": "Welcher Grenzwert gilt nach § 99?"}, {"question": whole}]),
            ("answer", "Die Behörde kann für Auszubildende 80 Dezibel zulassen."),
        ]
    )
    with open_desk(tmp_path / "home", model) as desk:
        first = ask(desk, LIMIT)
        second = ask(desk, "und für Auszubildende?", thread_id=first["thread_id"])
    assert second["question_rewritten"] == whole
    assert second["usage"]["tasks"]["rewrite"]["model_calls"] == 2
    assert LIMIT in model.prompts("rewrite")[0]


def test_a_model_that_repeats_a_follow_up_is_set_right_by_the_rules(tmp_path: Path) -> None:
    echo = "und für Auszubildende?"
    model = ScriptedModel(
        [
            ("rewrite", [{"question": echo}, {"question": echo}]),
            ("answer", "Die Behörde kann für Auszubildende 80 Dezibel zulassen."),
        ]
    )
    with open_desk(tmp_path / "home", model) as desk:
        first = ask(desk, LIMIT)
        second = ask(desk, echo, thread_id=first["thread_id"])
    assert second["question_rewritten"].startswith("und für Auszubildende? (")
    assert "Grenzwert" in second["question_rewritten"]
    assert second["usage"]["tasks"]["rewrite"]["model_calls"] == 2


def test_a_whole_question_asks_the_model_for_no_rewriting(tmp_path: Path) -> None:
    model = ScriptedModel([("answer", "Der Lärm ist jährlich zu messen.")])
    with open_desk(tmp_path / "home", model) as desk:
        first = ask(desk, LIMIT)
        second = ask(
            desk,
            "Wie oft ist der Lärm durch eine anerkannte Stelle zu messen?",
            thread_id=first["thread_id"],
        )
    assert second["question_rewritten"] is None and model.prompts("rewrite") == []
    assert second["usage"]["model_calls"] == 1


def test_the_seven_events_come_in_order_and_replay_the_turn(tmp_path: Path) -> None:
    model = ScriptedModel([("answer", "Für Beschäftigte beträgt der Grenzwert 85 Dezibel.")])
    with open_desk(tmp_path / "home", model) as desk:
        first = ask(desk, LIMIT)
        second = ask(desk, "Wie oft ist Lärm zu messen?", thread_id=first["thread_id"])
        records = desk.threads.events(first["thread_id"])
    kinds = [record.event.kind for record in records if record.event.kind in SEVEN]
    # Text grows while the model is asked; what it cost is known, and told, after.
    assert sorted(set(kinds), key=lambda kind: len(kinds) - kinds[::-1].index(kind)) == SEVEN
    last = [record.event for record in records if record.event.kind == "token_update"][-1]
    assert last.total_input == second["usage"]["prompt_tokens"]
    assert replayed(records, 1) == first and replayed(records, 2) == second
    assert replayed(records, 3) is None


def test_html_of_an_answer_is_escaped(tmp_path: Path) -> None:
    model = ScriptedModel([("answer", "Der Grenzwert <b>gilt</b> für Beschäftigte.")])
    with open_desk(tmp_path / "home", model) as desk:
        asked = ask(desk, LIMIT)
        (final,) = (
            record.event
            for record in desk.threads.events(asked["thread_id"])
            if record.event.kind == "final_answer"
        )
    assert "<b>" not in final.html and final.html.startswith(("<p>", "<blockquote>"))
    assert final.tts_payload is None


def test_a_conversation_is_listed_as_such_and_is_no_research(desk: Engine) -> None:
    thread = ask(desk, LIMIT)["thread_id"]
    (run,) = desk.threads.runs()
    assert (run.kind, run.status, run.question) == ("ask", "done", LIMIT)
    assert desk.threads.costs()[thread].seconds > 0
    with pytest.raises(InvalidInput, match="conversation of quick answers"):
        desk.threads.checkpoints(thread)
    desk.threads.delete(thread)
    assert desk.threads.runs() == []


def test_a_research_is_not_asked_on(desk: Engine) -> None:
    thread = desk.threads.start(LIMIT)
    until_ended(desk, thread)
    with pytest.raises(InvalidInput, match="is a research"):
        desk.answers.ask(LIMIT, thread_id=thread)


def test_an_answered_conversation_has_nothing_to_resume(desk: Engine) -> None:
    thread = ask(desk, LIMIT)["thread_id"]
    with pytest.raises(InvalidInput, match="has answered"):
        desk.threads.resume(thread)


@pytest.mark.parametrize("question", ["", "  ", "x" * 4001])
def test_an_empty_or_endless_question_is_refused(desk: Engine, question: str) -> None:
    with pytest.raises(InvalidInput, match="1 to 4000 characters"):
        desk.answers.ask(question)


def test_other_collections_want_another_conversation(desk: Engine) -> None:
    thread = ask(desk, LIMIT)["thread_id"]
    with pytest.raises(InvalidInput, match="asks laerm"):
        desk.answers.ask(LIMIT, thread_id=thread, collections=["anderes"])


def test_what_may_not_be_read_is_not_asked(desk: Engine) -> None:
    stranger = desk.acting_as(Principal(user="somebody"))
    with pytest.raises(NotFound, match="laerm"):
        stranger.answers.ask(LIMIT, collections=["laerm"])
    thread = ask(desk, LIMIT)["thread_id"]
    with pytest.raises(InvalidInput):
        stranger.answers.ask("und dann?", thread_id=thread)


def test_how_many_is_counted_in_all_texts_and_listed(desk: Engine) -> None:
    turn = ask(desk, "In wie vielen Paragraphen kommt das Wort Grenzwert vor?")
    assert (turn["way"], turn["coverage"]["whole"]) == ("scan", True)
    assert (turn["coverage"]["matched"], turn["coverage"]["total"]) == (2, 4)
    assert turn["answer"].startswith("»Grenzwert« kommt in 2 von 4 Paragraphen vor")
    # Also "Grenzwerte", "Grenzwerts": listed, told apart, and not counted.
    assert "andere Form" in turn["answer"]
    assert {"§ 2", "§ 3"} <= {citation["section"] for citation in turn["citations"]}
    assert turn["usage"]["model_calls"] == 0 and turn["found"] is None


def test_what_only_meaning_can_tell_is_answered_with_a_warning(desk: Engine) -> None:
    turn = ask(desk, "Nenne alle Grenzwerte des Lärms für Beschäftigte")
    assert turn["way"] == "search" and not turn["refused"]
    assert "nicht vollständig" in turn["coverage"]["warning"]


@pytest.mark.parametrize(
    ("question", "said"),
    [
        ("Wie viele Dokumente gibt es?", "1 Dokument in 1 Sammlung: laerm (1)."),
        ("How many documents are there?", "1 document in 1 collection: laerm (1)."),
        ("Welche Dokumente gibt es?", "LaermG.txt"),
    ],
)
def test_questions_about_the_documents_are_answered_by_the_catalog(
    desk: Engine, question: str, said: str
) -> None:
    turn = ask(desk, question)
    assert turn["way"] == "catalog" and said in turn["answer"]
    assert not turn["refused"] and turn["usage"]["model_calls"] == 0


def test_a_score_above_a_threshold_searches_deeper_and_an_agent_question_says_so(
    desk: Engine,
) -> None:
    turn = ask(
        desk,
        "Vergleiche und analysiere die Unterschiede zwischen dem Grenzwert für Beschäftigte und "
        "dem Grenzwert für Auszubildende; warum weichen sie ab, und welche Folgen hat das?",
    )
    assert turn["complexity"]["score"] >= 0.35
    assert turn["depth"] == "enhanced" and "from 0." in rendered(turn["reason"])
    if turn["by_score"] == "agent":
        assert "needs a language model" in str(turn["reason"])


def test_a_slow_model_is_given_fewer_passages_but_one(tmp_path: Path) -> None:
    answer = "Für Beschäftigte beträgt der Grenzwert des Lärms 85 Dezibel."
    read: dict[float, int] = {}
    for speed in (5.0, 1000.0):
        model = ScriptedModel([("answer", answer)])
        model.prompt_tokens_per_s = speed
        with open_desk(tmp_path / f"home{speed}", model) as desk:
            ask(desk, LIMIT)
        read[speed] = model.prompts("answer")[0].count("Dezibel")
    assert 1 == read[5.0] < read[1000.0]


def test_a_question_whose_process_died_is_asked_again(tmp_path: Path) -> None:
    services = make_services(tmp_path / "home")
    with open_desk(tmp_path / "home") as desk:
        options = {"depth": "auto", "k": 5, "profile": None, "asked": LIMIT}
        services.catalog.runs.create("t", Principal(), LIMIT, ["laerm"], options, kind="ask")
        assert desk.threads.run("t").status == "interrupted"
        desk.threads.resume("t")
        until_ended(desk, "t")
        (turn,) = desk.answers.turns("t")
        assert turn["question"] == LIMIT and not turn["refused"]
    services.close()


def test_dates_without_dated_documents_do_not_narrow_and_are_told(desk: Engine) -> None:
    turn = ask(desk, "Welcher Grenzwert des Lärms gilt für Beschäftigte seit 2019?")
    assert not turn["refused"]
    assert turn["warnings"] == ["1 Dokument hat kein Datum; durchsucht wurden alle."]


def test_a_profile_says_how_to_write_and_how_much_to_read(tmp_path: Path) -> None:
    model = ScriptedModel([("answer", "Für Beschäftigte beträgt der Grenzwert 85 Dezibel.")])
    with open_desk(tmp_path / "home", model) as desk:
        desk.settings.set_parameter("synthesisPromptOverride", "Antworte wie ein Amt.", "knapp")
        desk.settings.set_parameter("maxTokens", 500, "knapp")
        turn = ask(desk, LIMIT, profile="knapp")
        options = desk.threads.run(turn["thread_id"]).options
    assert model.prompts("answer")[0].startswith("Antworte wie ein Amt.")
    assert options["max_tokens"] == 500 and options["profile"] == "knapp"


def test_the_same_question_in_other_words_is_answered_from_memory_if_wanted(desk: Engine) -> None:
    again = "Welcher Grenzwert des Lärms gilt für die Beschäftigte?"
    ask(desk, LIMIT)
    assert ask(desk, again)["usage"]["seconds"].keys() >= {"retrieve"}, "off by default"
    desk.settings.set_parameter("answerCache", True)
    first = ask(desk, LIMIT)
    second = ask(desk, again)
    assert second["from_cache"] and "retrieve" not in second["usage"]["seconds"]
    assert second["sentences"] == first["sentences"]
    other = ask(desk, "Welcher Grenzwert des Lärms gilt nicht für Beschäftigte?")
    assert "retrieve" in other["usage"]["seconds"]


def replayed(records: Iterable[EventRecord], turn: int) -> dict[str, Any] | None:
    """A finished turn from the log of its thread alone; None where it did not finish."""
    current, answer = 0, None
    for record in records:
        match record.event:
            case ExecutionStart() as event:
                current = event.turn
            case FinalAnswer() as event if current == turn:
                answer = {"thread_id": record.key.thread_id, **event.answer}
            case ExecutionComplete() if current == turn and answer is not None:
                return answer
    return None
