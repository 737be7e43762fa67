"""The research page as a person goes through it, with a scripted client."""

import pytest
from streamlit.testing.v1 import AppTest

from app.components import progress
from app.run_log import RunLog
from app.session import ENGINE
from services.domain.errors import ModelUnavailable
from services.domain.events import AnswerGiven, PlanApproved, QuestionsAsked
from tests.support import played_session
from tests.support.fake_client import FakeClient
from tests.support.pages import button, open_app, read, texts_of

QUESTION = played_session.QUESTION


def started(fake: FakeClient) -> AppTest:
    """A session in which the question has been asked and the first questions are open."""
    at = open_app(fake)
    at.text_area(key="question").input(QUESTION)
    button(at, "Recherche starten").click()
    return at.run()


def at_plan(fake: FakeClient) -> AppTest:
    at = started(fake)
    button(at, "Ohne Antwort weiter").click()
    return at.run()


def at_report(fake: FakeClient) -> AppTest:
    at = at_plan(fake)
    button(at, "Freigeben und suchen").click()
    return at.run()


def test_without_documents_the_page_offers_the_sample_and_then_the_form() -> None:
    fake = FakeClient(documents=False)
    at = open_app(fake)
    assert "Noch keine Dokumente" in texts_of(at)
    button(at, "Beispielgesetz einlesen").click()
    at.run()
    assert [call[0] for call in fake.calls] == ["ingest"]
    assert at.text_area(key="question")
    assert "1 neu" in texts_of(at)


def test_starting_puts_the_thread_into_the_url_and_passes_the_options() -> None:
    fake = FakeClient()
    at = open_app(fake)
    at.text_area(key="question").input(QUESTION)
    at.toggle(key="clarify").set_value(False)
    at.number_input(key="k").set_value(25)
    button(at, "Recherche starten").click()
    at.run()
    assert at.query_params["thread"] == "t1"
    _, question, collections, options = fake.calls[0]
    assert (question, collections) == (QUESTION, None)
    assert (options.clarify, options.k, options.approve_plan) == (False, 25, True)


def test_an_empty_question_is_answered_with_what_to_do() -> None:
    at = open_app(FakeClient())
    button(at, "Recherche starten").click()
    at.run()
    assert "thread" not in at.query_params
    assert "Die Frage ist leer" in at.error[0].value


def test_clarification_shows_questions_and_what_the_corpus_showed() -> None:
    at = started(FakeClient())
    shown = texts_of(at)
    for question in played_session.QUESTIONS[0]:
        assert question in shown
    assert "Abdeckung der Frage: 0,45" in shown
    assert "StrlSchG § 78: Grenzwerte" in shown
    assert "Runde 1 von 5" in shown
    assert "Lücken: 2" in shown
    assert "Ausnahme" in shown


def test_the_rounds_are_shown_side_by_side_as_bars() -> None:
    at = started(FakeClient())
    at.chat_input[0].set_value(played_session.ANSWER)
    at.run()
    shown = texts_of(at)
    assert "Runde 2 von 5" in shown
    bars = {found.proto.text: found.proto.value for found in at.get("progress")}
    assert bars["**Runde 1** · Abdeckung 0,45"] == 45
    assert "24 Treffer: 24 neu, 0 bekannt" in shown
    assert bars["**Runde 2** · Abdeckung 0,68"] == 68
    assert bars["Wiederholungen 0,63"] == 63
    assert "24 Treffer: 9 neu, 15 bekannt" in shown


def test_a_failed_step_is_named() -> None:
    fake = FakeClient()
    at_plan(fake)
    fake.threads.approve("t1", "plan-1")
    fake.pace = 13
    fake.threads.run("t1")
    fake.stop_with("t1", "failed", error="The disk is full.")
    at = open_app(fake, thread="t1")
    assert "Belege sammeln" in at.error[0].proto.title
    assert "Was gefunden wurde, ist gesichert" in texts_of(at)


def test_an_answer_is_sent_and_stays_in_the_conversation() -> None:
    fake = FakeClient()
    at = started(fake)
    at.chat_input[0].set_value(played_session.ANSWER)
    at.run()
    assert fake.calls[-1] == ("answer", "t1", "ask-1", played_session.ANSWER)
    shown = texts_of(at)
    assert played_session.ANSWER in shown
    assert played_session.QUESTIONS[1][0] in shown


def test_going_on_without_an_answer_sends_the_end_command() -> None:
    fake = FakeClient()
    at = at_plan(fake)
    assert fake.calls[-1] == ("answer", "t1", "ask-1", "/end")
    assert "Plan zur Freigabe" in texts_of(at)


def test_an_untouched_plan_is_approved_as_proposed() -> None:
    fake = FakeClient()
    at_report(fake)
    assert fake.calls[-1] == ("approve", "t1", "plan-1", None)


def test_an_edited_plan_is_approved_as_edited_with_the_proposal_in_sight() -> None:
    fake = FakeClient()
    at = at_plan(fake)
    at.text_area(key="task-0-plan-1").input("Nur die effektive Dosis")
    at.run()
    at.button(key="remove-1-plan-1").click()
    at.run()
    at.button(key="down-0-plan-1").click()
    at.run()
    button(at, "Aufgabe ergänzen").click()
    at.run()
    at.text_area(key="task-3-plan-1").input("Übergangsrecht")
    at.run()
    shown = texts_of(at)
    assert "Vorschlag war: Grenzwerte der effektiven Dosis" in shown
    assert "1 geändert, 1 gestrichen, 1 ergänzt, umgeordnet" in shown
    button(at, "Freigeben und suchen").click()
    at.run()
    items = fake.calls[-1][3]
    assert [item.task for item in items] == [
        played_session.ITEMS[2].task,
        "Nur die effektive Dosis",
        "Übergangsrecht",
    ]
    assert [item.id for item in items] == [1, 2, 3]


def test_a_removed_task_can_be_taken_back_and_the_proposal_restored() -> None:
    at = at_plan(FakeClient())
    at.button(key="remove-1-plan-1").click()
    at.run()
    button(at, "Zurücknehmen").click()
    at.run()
    assert at.text_area(key="task-3-plan-1").value == played_session.ITEMS[1].task
    button(at, "Vorschlag wiederherstellen").click()
    at.run()
    values = [area.value for area in at.text_area]
    assert values == [item.task for item in played_session.ITEMS]
    assert "unverändert" in texts_of(at)


def test_an_edited_plan_survives_a_refresh_and_is_approved_as_edited() -> None:
    fake = FakeClient()
    at = at_plan(fake)
    at.text_area(key="task-0-plan-1").input("Nur die effektive Dosis")
    at.run()
    at.button(key="remove-1-plan-1").click()
    at.run()
    again = open_app(fake, thread="t1")
    assert again.text_area(key="task-0-plan-1").value == "Nur die effektive Dosis"
    assert "1 geändert, 1 gestrichen, 0 ergänzt" in texts_of(again)
    assert played_session.ITEMS[1].task in texts_of(again), "what was removed can be taken back"
    button(again, "Freigeben und suchen").click()
    again.run()
    items = fake.calls[-1][3]
    assert (items[0].task, len(items)) == ("Nur die effektive Dosis", 2)


def test_a_window_opened_before_approves_the_plan_that_it_shows() -> None:
    fake = FakeClient()
    first = at_plan(fake)
    second = open_app(fake, thread="t1")
    first.button(key="remove-1-plan-1").click()
    first.run()
    button(second, "Freigeben und suchen").click()
    second.run()
    assert fake.calls[-1] == ("approve", "t1", "plan-1", None)


def test_an_edit_and_a_click_in_one_rerun_are_both_kept() -> None:
    at = at_plan(FakeClient())
    at.text_area(key="task-0-plan-1").input("Zuerst geändert")
    at.button(key="down-0-plan-1").click()
    at.run()
    assert [area.value for area in at.text_area][:2] == [
        played_session.ITEMS[1].task,
        "Zuerst geändert",
    ]


def test_of_two_windows_the_second_is_told_and_moves_on() -> None:
    fake = FakeClient()
    first = at_plan(fake)
    second = open_app(fake, thread="t1")
    assert "Plan zur Freigabe" in texts_of(second)
    button(first, "Freigeben und suchen").click()
    first.run()
    button(second, "Freigeben und suchen").click()
    second.run()
    assert "Die erste Antwort gilt" in second.info[0].value
    assert not second.error
    assert "1 folgt aus Zitaten" in texts_of(second)


def test_work_in_progress_shows_phases_evidence_and_references() -> None:
    fake = FakeClient()
    at = at_plan(fake)
    fake.pace = 0
    button(at, "Freigeben und suchen").click()
    at.run()
    fake.pace = 13
    at.run()
    fake.pace = 0
    at.run()
    shown = texts_of(at)
    assert "§ 78 · StrlSchG" in shown.replace("\\", "")
    assert "Stufe 1" in shown
    assert "→ § 77 Absatz 1: StrlSchG § 77" in shown.replace("\\", "")
    assert "Danach: Bezug prüfen" in shown


def test_work_in_progress_stands_beside_the_conversation_that_led_to_it() -> None:
    fake = FakeClient()
    at = started(fake)
    at.chat_input[0].set_value(played_session.ANSWER).run()
    button(at, "Ohne Antwort weiter").click().run()
    fake.pace = 0
    button(at, "Freigeben und suchen").click().run()
    fake.pace = 16
    at.run()
    fake.pace = 0
    at.run()
    talk, state = (read(column) for column in at.columns)
    for said in (QUESTION, *played_session.QUESTIONS[0], played_session.ANSWER):
        assert said in talk and f"1. {said}" not in state
    assert "Freigegebener Plan" in talk and played_session.ITEMS[2].task in talk
    assert "gestrichen: Übergangsrecht zusammenstellen" in talk
    assert "3 Zitate · 4,1 s · Stufe 1: 2, Stufe 2: 2, Stufe 3: 3" in state
    assert "läuft seit" in state and "Freigegebener Plan" not in state
    assert "**Verlauf der Suche**" in state and "24 Treffer: 9 neu, 15 bekannt" in state


def test_a_stopped_run_keeps_both_columns() -> None:
    fake = FakeClient()
    at_plan(fake)
    fake.threads.approve("t1", "plan-1")
    fake.stop_with("t1", "paused")
    talk, state = (read(column) for column in open_app(fake, thread="t1").columns)
    assert QUESTION in talk and "**Verlauf der Suche**" in state


def test_what_the_documents_showed_stands_beside_the_plan() -> None:
    plan, basis = (read(column) for column in at_plan(FakeClient()).columns)
    assert "Plan zur Freigabe" in plan and "Abdeckung der Frage" not in plan
    assert "Abdeckung der Frage: 0,45" in basis and "StrlSchG § 78: Grenzwerte" in basis


def test_a_message_that_comes_later_is_news_for_the_conversation() -> None:
    log = RunLog(questions=[QuestionsAsked(iteration=0, questions=("Wen?",), found=())])
    before = progress.said(log)
    log.answers[0] = AnswerGiven(iteration=0, text="Alle")
    answered = progress.said(log)
    log.approved = PlanApproved(items=(), changes=())
    assert len({before, answered, progress.said(log)}) == 3


def test_a_new_window_finds_the_thread_by_its_url() -> None:
    fake = FakeClient()
    at_report(fake)
    assert "2 Zitate, 1 folgt aus Zitaten, 1 nicht belegt" in texts_of(open_app(fake, thread="t1"))


def test_an_unknown_thread_leads_to_a_new_session() -> None:
    at = open_app(FakeClient(), thread="nope")
    assert "gibt es nicht" in at.warning[0].value
    button(at, "Neue Recherche").click()
    at.run()
    assert at.text_area(key="question")


@pytest.mark.parametrize(
    ("status", "told"),
    [("interrupted", "Unterbrochen"), ("paused", "Angehalten"), ("failed", "The disk is full")],
)
def test_a_stopped_run_says_why_and_continues(status: str, told: str) -> None:
    fake = FakeClient()
    at_plan(fake)
    fake.threads.approve("t1", "plan-1")
    fake.stop_with("t1", status, error="The disk is full." if status == "failed" else None)
    at = open_app(fake, thread="t1")
    assert told in texts_of(at)
    button(at, "Schritt wiederholen" if status == "failed" else "Fortsetzen").click()
    at.run()
    assert fake.calls[-1] == ("resume", "t1")
    assert "1 folgt aus Zitaten" in texts_of(at)


def test_errors_are_shown_as_sentences() -> None:
    fake = FakeClient()
    at = started(fake)
    fake.fail_with = ModelUnavailable("The model does not answer. Start Ollama.")
    at.chat_input[0].set_value("Alle")
    at.run()
    assert "The model does not answer. Start Ollama." in at.error[0].value.replace("\\", "")
    assert not at.exception


def test_the_page_speaks_english_too() -> None:
    at = open_app(FakeClient(), language="en")
    assert "What do you want to know?" in texts_of(at)
    assert at.session_state[ENGINE] is not None


def test_a_notice_stays_through_reruns_until_the_next_action() -> None:
    fake = FakeClient()
    at_plan(fake)
    at = open_app(fake, thread="t1")
    fake.threads.approve("t1", "plan-1")
    fake.pace = 0
    button(at, "Freigeben und suchen").click()
    at.run()
    fake.pace = 1000
    at.run()
    assert "Die erste Antwort gilt" in at.info[0].value
    button(at, "Neue Recherche").click()
    at.run()
    assert not at.info
