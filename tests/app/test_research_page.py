"""The research page as a person goes through it, over a real engine."""

import re
from pathlib import Path
from typing import Any

import pytest
from streamlit.testing.v1 import AppTest

from agent.engine.engine import Engine, connect_to
from agent.models import RunOptions
from app.components import clarification, research
from app.components.question_box import DEEP
from app.components.question_box import QUESTION as QUESTION_FIELD
from app.run_log import RunLog, fold
from services.domain import Principal
from services.domain.errors import NoModel
from services.domain.events import (
    AnswerGiven,
    PlanApproved,
    QuestionsAsked,
    RetrievalIteration,
    Waiting,
)
from services.models.base import ChatModel
from tests.support.desk import make_services, until_ended, until_waiting
from tests.support.house import (
    ASKED,
    ASSUMED,
    LOOK_OVER,
    MATTERS,
    PROSE,
    QUESTION,
    REPLY,
    SHAKEN,
    TASKS,
    House,
)
from tests.support.pages import keys, open_app, read, texts_of
from tests.support.waiting import until

GIVEN_UP = "the disk is full"


def opened(house: House, thread: str) -> AppTest:
    return open_app(house.engine, thread=thread)


def log_of(house: House, thread: str) -> RunLog:
    return fold(house.engine.threads.events(thread))


def approved(house: House, thread: str) -> list[str]:
    """The tasks that were approved, once the thread has ended."""
    assert until_ended(house.engine, thread) == "done"
    plan = log_of(house, thread).approved
    assert plan is not None
    return [item.task for item in plan.items]


def tasks_in(at: AppTest) -> list[str]:
    """The tasks of the plan, of which some may be fields."""
    fields = (str(area.value) for area in at.text_area if str(area.key).startswith("task-"))
    titles = (re.match(r"\*\*\d+\. (.*?)\*\*", str(each.value)) for each in at.markdown)
    return [title[1].replace("\\", "") or next(fields) for title in titles if title]


def reword(at: AppTest, task: int, interrupt: str, text: str) -> Any:
    """The field of a task with another text in it, which is not sent yet."""
    at.button(key=f"edit-{task}-{interrupt}").click().run()
    return at.text_area(key=f"task-{task}-{interrupt}").input(text)


def deep(at: AppTest, question: str = QUESTION) -> AppTest:
    """A question that is put to the box, to be answered deeply."""
    return at.chat_input(key=QUESTION_FIELD).set_value(question).run()


def test_the_box_starts_a_research_with_its_options(house: House) -> None:
    at = open_app(house.engine)
    at.segmented_control(key="box-mode").set_value(DEEP).run()
    assert house.model.name in texts_of(at)
    at.toggle(key="box-clarify").set_value(False)
    at.number_input(key="box-k").set_value(25)
    at.text_area(key="box-queries").input("Messung des Lärms\n\n Grenzwert der Schwingungen ").run()
    at.switch_page("app_pages/library.py").run()
    at.switch_page("app_pages/ask.py").run()
    assert at.number_input(key="box-k").value == 25, "what was chosen outlives another page"
    thread = deep(at).query_params["thread"]
    run = house.engine.threads.run(thread)
    assert run.question == QUESTION
    wanted = {"clarify": False, "k": 25, "approve_plan": True, "profile": None, "follows": None}
    assert run.options.items() >= wanted.items()
    pending = until_waiting(house.engine, thread)
    assert pending.interrupt == "plan" and not log_of(house, thread).rounds
    given = ("Messung des Lärms", "Grenzwert der Schwingungen")
    assert tuple(item.task for item in pending.items)[:2] == given, "given searches are the plan"
    house.engine.threads.cancel(thread)


def test_a_question_after_a_report_knows_what_that_was_about(house: House) -> None:
    thread, _ = house.started("approved")
    assert until_ended(house.engine, thread) == "done"
    at = opened(house, thread)
    at.chat_input(key=QUESTION_FIELD).set_value("und für andere?").run()
    talk = at.query_params["thread"]
    assert talk != thread and until_ended(house.engine, talk) == "done"
    (turn,) = house.engine.answers.conversation(talk)
    assert turn.question_rewritten and "Beschäftigte" in turn.question_rewritten
    assert at.run().expander[0].label.replace("\\", "") == QUESTION, "the report stands above"
    assert f"lead-{talk}" in keys(opened(house, thread))


@pytest.mark.parametrize(
    ("coverage", "gaps", "said"),
    [(1.0, (), clarification.NO_GAP), (0.75, (), clarification.UNCERTAIN), (0.5, ("Bußgeld",), "")],
)
def test_what_is_said_of_gaps_agrees_with_the_coverage(
    coverage: float, gaps: tuple[str, ...], said: str
) -> None:
    counts = {"iteration": 0, "hits": 2, "new": 2, "duplicates": 0, "dedup_ratio": 0.0}
    record = RetrievalIteration(queries=("x",), coverage=coverage, gaps=gaps, **counts)
    assert clarification.no_gap_text(record) == said


def test_an_assumption_is_overwritten_and_it_plans_anew(house: House) -> None:
    threads, mine = house.engine.threads, "Form der Aufzeichnung gegenüber der Behörde"
    thread = threads.start("Wie oft wird der Lärm gemessen?", options=RunOptions(clarify=False))
    pending = until_waiting(house.engine, thread)
    (assumed,) = pending.assumed
    at = opened(house, thread)
    field, key = f"assumed-1-{pending.interrupt_id}", f"correct-{pending.interrupt_id}"
    assert at.text_area(key=field).value == assumed and "Arbeitsplatz" in assumed
    at.text_area(key=field).input(mine.replace(" ", "\n", 1))
    at.button(key=key).click().run()
    again = until_waiting(house.engine, thread)
    assert again.assumed == (mine,)
    before, after = house.model.prompts("plan")[-2:]
    assert mine in after and mine not in before
    assert opened(house, thread).text_area(key=f"assumed-1-{again.interrupt_id}").value == mine
    threads.cancel(thread)


def test_blanks_within_an_assumption_are_no_correction_of_it() -> None:
    assumed = ("Gemeint ist Bericht  2.pdf", "Stand:\nheute")
    waiting = {"interrupt": "clarification", "interrupt_id": "i", "questions": ("Was?",)}
    assert clarification.corrections(Waiting(**waiting, assumed=assumed)) == ""


def test_a_profile_can_be_chosen_where_there_are_any(house: House) -> None:
    engine = house.newcomer()
    engine.settings.set_parameter("maxDocs", 5, "quick")
    at = open_app(engine)
    assert not at.selectbox
    at.segmented_control(key="box-mode").set_value(DEEP).run()
    at.selectbox(key="profile").select("quick")
    deep(at)
    options = engine.threads.run(at.query_params["thread"]).options
    assert (options["profile"], options["k"]) == ("quick", 5)


def test_a_lock_limits_the_hits_of_a_research(owner: Engine) -> None:
    owner.settings.set_parameter("maxDocs", 5)
    for locked, hits in ((False, 25), (True, 5)):
        owner.settings.lock_parameter("maxDocs", locked=locked)
        thread = owner.threads.start(QUESTION, options=RunOptions(k=25))
        assert owner.threads.run(thread).options["k"] == hits


def test_an_empty_home_without_a_model_waits_for_none_and_says_the_way_on(tmp_path: Path) -> None:
    async def no_model() -> ChatModel | None:
        raise NoModel("no language model was found: start Ollama")

    with connect_to(make_services(tmp_path, no_model), Principal()) as engine:
        assert open_app(engine).button(key="example-1"), "no page waits for the model"
        until(lambda: engine.settings.model_state().status == "failed")
        at = open_app(engine)
        assert at.button(key="example-1") and not at.chat_input
        assert "start Ollama" in at.warning[0].value and "▲" in texts_of(at)
        assert "Modell wählen" in [link.proto.label for link in at.get("page_link")]
        assert open_app(engine, page="library").button(key="ingest")
        assert open_app(engine, page="runs").button(key="ask-one")


def test_clarification_shows_questions_and_what_the_corpus_showed(house: House) -> None:
    thread, pending = house.started()
    at = opened(house, thread)
    talk, corpus = map(read, at.columns)
    assert QUESTION in talk and ASKED in talk and ASKED not in corpus
    assert talk.index(ASKED) < talk.index(MATTERS) and MATTERS not in corpus
    assert "1. " not in talk, "a single question needs no number"
    (fold,) = [each for each in at.expander if each.label == "Annahmen (1)"]
    assert not fold.proto.expanded and fold.text_area[0].value == ASSUMED
    (look,) = log_of(house, thread).rounds
    bars = [bar.proto.value for bar in at.get("progress")]
    assert bars == [round(100 * look.coverage)], "nothing can be repeated in the first round"
    assert all(text in corpus for text in (*look.gaps, *look.found, *look.queries))
    at.chat_input(key=f"answer-{pending.interrupt_id}").set_value(REPLY).run()
    plan = until_waiting(house.engine, thread)
    assert plan.interrupt == "plan" and REPLY in log_of(house, thread).answers[0].text
    plan_side, basis = map(read, at.run().columns)
    assert plan.items[0].task in tasks_in(at) and REPLY in basis and REPLY not in plan_side
    assert len(at.get("progress")) == 1 + 2, "nothing can be repeated in the first round"


def test_an_answer_is_one_of_the_chips(house: House) -> None:
    thread, pending = house.started()
    (answers,) = pending.answers
    assert len(answers) == 2 and ASKED in pending.questions
    at = opened(house, thread)
    assert f"chosen-{pending.interrupt_id}" not in keys(at), "nothing is chosen yet"
    at.pills(key=f"chip-1-{pending.interrupt_id}").set_value(answers[1]).run()
    assert until_waiting(house.engine, thread).interrupt == "plan", "one click answers"
    log = log_of(house, thread)
    assert log.answers[0].text == answers[1]
    assert log.clarified is not None and log.clarified.reason != "nothing_to_clarify"


def test_of_two_questions_the_last_click_sends_both_answers(house: House) -> None:
    (first,) = LOOK_OVER["questions"]
    second = first | {"question": "Und für wen?"}
    house.play(look_over=LOOK_OVER | {"questions": [first, second]})
    thread, pending = house.started()
    house.play()
    chips = [f"chip-{n}-{pending.interrupt_id}" for n in (1, 2)]
    at = opened(house, thread)
    at.pills(key=chips[0]).set_value(pending.answers[0][0]).run()
    assert f"chosen-{pending.interrupt_id}" in keys(at), "the other may stay open"
    at.pills(key=chips[1]).set_value(pending.answers[1][1]).run()
    assert until_waiting(house.engine, thread).interrupt == "plan"
    said = log_of(house, thread).answers[0].text
    assert said == f"{ASKED} {pending.answers[0][0]}\nUnd für wen? {pending.answers[1][1]}"


def test_going_on_without_an_answer_ends_the_questions(house: House) -> None:
    thread, pending = house.started()
    opened(house, thread).button(key=f"end-{pending.interrupt_id}").click().run()
    assert until_waiting(house.engine, thread).interrupt == "plan"
    clarified = log_of(house, thread).clarified
    assert clarified is not None and clarified.reason == "user_end"


def test_an_edited_plan_survives_a_refresh_and_is_approved_as_edited(house: House) -> None:
    thread, pending = house.started("plan")
    proposed, here = [item.task for item in pending.items], pending.interrupt_id
    at = opened(house, thread)
    assert tasks_in(at) == proposed and len(proposed) >= 2
    reword(at, 0, here, "Nur Lärm")
    at.button(key=f"down-0-{here}").click().run()
    assert tasks_in(at)[:2] == [proposed[1], "Nur Lärm"], "an edit and a click in one rerun"
    at.button(key=f"remove-1-{here}").click().run()
    at.button(key=f"add-{here}").click().run()
    at.text_area(key=f"task-{len(proposed)}-{here}").input("Übergangsrecht").run()
    again = opened(house, thread)
    assert tasks_in(again) == ["Nur Lärm", *proposed[2:], "Übergangsrecht"]
    assert proposed[0] in texts_of(again) and proposed[1] in texts_of(again), "what was proposed"
    again.button(key=f"approve-{here}").click().run()
    assert approved(house, thread) == ["Nur Lärm", *proposed[2:], "Übergangsrecht"]


def test_a_removed_task_can_be_taken_back_and_the_proposal_restored(house: House) -> None:
    thread, pending = house.started("plan")
    proposed, here = [item.task for item in pending.items], pending.interrupt_id
    at = opened(house, thread)
    at.button(key=f"remove-0-{here}").click().run()
    at.button(key=f"restore-{pending.items[0].id}-{here}").click().run()
    assert tasks_in(at) == [*proposed[1:], proposed[0]]
    at.button(key=f"reset-{here}").click().run()
    assert tasks_in(at) == proposed and f"reset-{here}" not in keys(at)
    house.engine.threads.cancel(thread)


def test_a_fork_asks_anew_in_the_window_that_has_answered(house: House) -> None:
    thread, pending = house.started("plan")
    proposed, here = [item.task for item in pending.items], pending.interrupt_id
    at = opened(house, thread)
    at.button(key=f"remove-0-{here}").click().run()
    at.button(key=f"approve-{here}").click().run()
    assert until_ended(house.engine, thread) == "done"
    points = {each.next: each.id for each in house.engine.threads.checkpoints(thread)}
    fork = house.engine.threads.fork(thread, points["hitl_approve_todo"])
    assert until_waiting(house.engine, fork).interrupt_id == here
    at.switch_page("app_pages/runs.py").run()
    at.switch_page("app_pages/ask.py")
    at.query_params["thread"] = fork
    assert tasks_in(at.run()) == proposed and f"approve-{here}" in keys(at)
    house.engine.threads.cancel(fork)


def test_of_two_windows_the_second_is_told_and_moves_on(house: House) -> None:
    thread, pending = house.started("plan")
    first, second = opened(house, thread), opened(house, thread)
    first.button(key=f"remove-0-{pending.interrupt_id}").click().run()
    second.button(key=f"approve-{pending.interrupt_id}").click().run()
    proposal = [item.task for item in pending.items]
    assert approved(house, thread) == proposal, "a window approves the plan that it shows"
    first.button(key=f"approve-{pending.interrupt_id}").click().run()
    assert len(first.info) == 1 and not first.error
    assert first.run().info, "it stays until the next action"
    first.button(key="new").click().run()
    assert not first.info and "thread" not in first.query_params


def test_work_in_progress_stands_beside_the_conversation_that_led_to_it(house: House) -> None:
    house.disturb("hang")
    thread, _ = house.started("approved")
    for record in house.engine.threads.follow(thread):
        if record.event.kind == "phase_started" and record.event.phase == "synthesize":
            break
    at = opened(house, thread)
    talk, state = map(read, at.columns)
    log = log_of(house, thread)
    assert log.approved is not None and log.current == "synthesize"
    assert QUESTION in talk and all(item.task in talk for item in log.approved.items)
    assert PROSE in state and SHAKEN in state, "the findings, under their tasks"
    work = state[state.rindex(TASKS[0]) :]
    assert work.index(PROSE) < work.index(TASKS[1]) < work.index(SHAKEN)
    assert "→ § 3: LärmG § 3" in state and "→" not in talk
    assert re.search(r"Abdeckung \d+ %", state)
    done = [phase for phase in log.phases if phase != "synthesize"]
    assert len(at.expander) == len(done) + 1 and at.expander[-1].proto.expanded
    house.engine.threads.cancel(thread)
    house.disturb(None)
    until_ended(house.engine, thread)
    assert opened(house, thread).info, "the report is based on what had been found by then"


@pytest.mark.parametrize("status", ["interrupted", "paused", "failed"])
def test_a_stopped_run_says_why_and_continues(house: House, status: Any) -> None:
    if status == "failed":
        house.disturb("break")
        thread, _ = house.started("approved")
        assert until_ended(house.engine, thread) == "failed"
    else:
        house.stop(thread := house.stopped(), status)
    at = opened(house, thread)
    assert len(at.columns) == 2 and bool(at.error) == (status == "failed") != bool(at.info)
    assert (GIVEN_UP in texts_of(at)) == (status == "failed")
    house.disturb(None)
    at.button(key="continue").click().run()
    assert until_ended(house.engine, thread) == "done"
    assert f"export-{thread}-pdf" in keys(at.run())


def test_a_message_that_comes_later_is_news_for_the_conversation(house: House) -> None:
    run = house.engine.threads.run(house.finished)
    log = RunLog(questions=[QuestionsAsked(iteration=0, questions=("Wen?",), found=())])
    before = research.stamp(run, log)
    log.answers[0] = AnswerGiven(iteration=0, text="Alle")
    after = research.stamp(run, log)
    log.approved = PlanApproved(items=(), changes=())
    assert len({before, after, research.stamp(run, log)}) == 3


@pytest.mark.parametrize("page", ["ask", "runs"])
def test_an_unknown_thread_is_named_and_leads_to_a_new_one(house: House, page: str) -> None:
    at = open_app(house.engine, page=page, **{"replay" if page == "runs" else "thread": "nope"})
    assert len(at.warning) == 1
    at.button(key="all-runs" if page == "runs" else "new").click().run()
    assert not at.warning and not at.exception and "thread" not in at.query_params


def test_a_running_research_says_what_it_reads_and_when_the_tasks_are_done(house: House) -> None:
    house.disturb("hang", "verify")
    thread, _ = house.started("approved")
    for record in house.engine.threads.follow(thread):
        if record.event.kind == "reading_started":
            break
    shown = texts_of(opened(house, thread))
    assert "0 von 2 Aufgaben fertig · Restzeit noch unbekannt" in shown
    assert re.search(r"liest .*(LärmG|SchwG) § \d", shown)
    house.engine.threads.cancel(thread)
    house.disturb(None)
