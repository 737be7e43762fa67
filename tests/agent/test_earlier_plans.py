"""Approved plans help with similar questions of the same person, and of nobody else."""

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest

from agent.earlier_plans import EarlierPlans
from agent.engine.engine import Engine
from agent.models import RunOptions, ToDoItem
from agent.prompts import say
from services.domain import Principal
from services.domain.errors import InvalidInput, NotFound
from services.domain.events import PlanItem, PlanRecalled
from services.domain.plan_cases import CaseTask, PlanCase
from tests.agent.test_structured import PLAN
from tests.agent.test_tracing import replayed
from tests.support.desk import ask, open_desk, until_ended, until_waiting
from tests.support.research import WITH_PLAN, rules
from tests.support.scripted_model import ScriptedModel

WORKERS = "Welcher Grenzwert des Lärms gilt für Beschäftigte?"
TRAINEES = "Welcher Grenzwert des Lärms gilt für Auszubildende?"
OTHER = "Wer backt Apfelkuchen mit Zimt?"
APPROVED = (WORKERS[:-1], "Ausnahmen vom Grenzwert für Beschäftigte", "Wer den Lärm misst")
SUGGESTED = [TRAINEES[:-1], "Ausnahmen vom Grenzwert für Auszubildende", "Wer den Lärm misst"]


def proposal(client: Engine, question: str = TRAINEES) -> tuple[str, list[str]]:
    thread = client.threads.start(question, options=WITH_PLAN)
    return thread, [item.task for item in until_waiting(client, thread).items]


def approved(client: Engine, tasks: Sequence[str] = APPROVED, question: str = WORKERS) -> str:
    thread = client.threads.start(question, options=WITH_PLAN)
    waiting = until_waiting(client, thread)
    items = [PlanItem(id=n, task=task) for n, task in enumerate(tasks, start=1)]
    client.threads.approve(thread, waiting.interrupt_id, items)
    assert until_ended(client, thread) == "done"
    return thread


def test_an_approved_plan_is_suggested_for_the_things_of_a_similar_question(
    desk: Engine, tmp_path: Path
) -> None:
    first = approved(desk)
    (case,) = desk.plans.list()
    assert (case.thread_id, case.had_plan_improvements, case.serves) == (first, True, True)
    assert [each.origin for each in case.tasks] == ["question", "person", "person"]
    thread = desk.threads.start(TRAINEES, options=WITH_PLAN)
    items = until_waiting(desk, thread).items
    assert [item.task for item in items] == SUGGESTED
    assert [item.context for item in items] == [
        say("de", "by_question"), say("de", "by_case"), say("de", "by_case")
    ]  # fmt: skip
    (told,) = (r.event for r in desk.threads.events(thread) if isinstance(r.event, PlanRecalled))
    assert [each.case_id for each in told.cases] == [case.case_id]
    assert desk.plans.get(case.case_id).used_in == (thread,)
    desk.threads.approve(thread, until_waiting(desk, thread).interrupt_id)
    assert until_ended(desk, thread) == "done"
    desk.plans.forget()
    assert replayed(desk, thread, tmp_path).identical, "though the plan is forgotten"
    assert desk.plans.list() == [], "a replay leaves none behind"


def test_what_does_not_help(desk: Engine) -> None:
    """Other questions, what was voted down, forgotten or switched off, and other people's plans."""
    before, unrelated = proposal(desk)[1], proposal(desk, OTHER)[1]
    thread = approved(desk)
    assert proposal(desk, OTHER)[1] == unrelated
    ben = desk.acting_as(Principal(user="ben"))
    admin = desk.acting_as(Principal(user="root", role="admin"))
    desk.library.change_collection("laerm", visibility="public")
    (case,) = desk.plans.list()
    for other in (ben, admin):
        assert proposal(other)[1] == before and other.plans.list() == []
        with pytest.raises(NotFound):
            other.plans.get(case.case_id)
    desk.answers.vote(thread, up=False)
    assert proposal(desk)[1] == before
    desk.answers.vote(thread, up=True)
    assert proposal(desk)[1] == SUGGESTED
    desk.settings.set_parameter("planMemory", False)
    assert proposal(desk)[1] == before
    approved(desk, question=TRAINEES)
    assert len(desk.plans.list()) == 1, "nothing is kept either"
    desk.settings.set_parameter("planMemory", True)
    desk.threads.delete(thread)
    assert desk.plans.list() == [] and proposal(desk)[1] == before


def test_a_plan_of_documents_that_may_no_longer_be_read_is_not_used(desk: Engine) -> None:
    desk.library.change_collection("laerm", visibility="public")
    ben = desk.acting_as(Principal(user="ben"))
    thread = approved(ben)
    assert proposal(ben)[1] == SUGGESTED
    desk.library.change_collection("laerm", visibility="private")
    desk.library.create_collection("allen", visibility="public")
    assert proposal(ben)[1] != SUGGESTED
    assert [each.thread_id for each in ben.plans.list()] == [thread], "still listed and forgotten"


def test_a_cheaper_plan_of_a_deleted_collection_does_not_stand_in_for_another(desk: Engine) -> None:
    approved(desk)
    (case,) = desk.plans.list()
    other = case.model_copy(update={"thread_id": "x", "collections": ("gone",), "seconds": 0.0})
    desk._services.plan_memory.keep("local", other)
    assert proposal(desk)[1] == SUGGESTED


def test_nobody_looked_at_a_plan_until_it_is_voted_up(desk: Engine) -> None:
    before = proposal(desk)[1]
    thread = approved(desk)
    straight = RunOptions(clarify=False, approve_plan=False)
    desk.plans.forget()
    fork = desk.threads.start(WORKERS, options=straight)
    assert until_ended(desk, fork) == "done"
    (case,) = desk.plans.list()
    assert not case.serves and proposal(desk)[1] == before
    desk.plans.edit(case.case_id, APPROVED)
    assert proposal(desk)[1] == SUGGESTED, "edited by the person"
    with pytest.raises(InvalidInput, match="no answer with that number"):
        desk.answers.vote(thread, up=True, turn=2)


def case_of(question: str, *tasks: str, name: str = "1") -> PlanCase:
    own = tuple(CaseTask(task=task, origin="person") for task in tasks)
    return PlanCase(
        case_id=name, thread_id=name, kind="research", language="en", question=question,
        collections=(), tasks=own, approved=True,
    )  # fmt: skip


def suggested(question: str, parts: Sequence[str], *cases: PlanCase) -> list[str]:
    items = [
        ToDoItem(id=n, task=part, context=say("en", "by_question"))
        for n, part in enumerate(parts, start=1)
    ]
    items.append(
        ToDoItem(id=len(items) + 1, task="Read A § 1: Heat", context=say("en", "by_search"))
    )
    found = EarlierPlans(question=question, language="en", cases=cases).suggested(items)
    assert [item.id for item in found] == list(range(1, len(found) + 1)) and len(found) <= 5
    return [item.task for item in found]


def test_a_suggestion_keeps_every_part_and_the_limits() -> None:
    many = case_of(
        "How is tea brewed?", *(f"{word} of tea" for word in ["abc", "def", "ghi", "jkl", "mno"])
    )
    tasks = suggested("How is coffee brewed?", ["How is coffee brewed"], many)
    assert tasks[-1] == "How is coffee brewed" and len(tasks) == 5
    assert tasks[:4] == ["Abc of coffee", "Def of coffee", "Ghi of coffee", "Jkl of coffee"]
    lease = case_of("Who ends the lease with Smith?", "Notice period of the lease with Smith")
    parts = [f"Notice period of the lease with {name}" for name in ("Jones", "Brown")]
    assert suggested("Who ends the lease with Jones?", parts, lease) == parts
    loose = [
        case_of(f"Which tea is best for {who}?", "Storage", f"Price for {who}", name=who)
        for who in ("winter parties", "kids")
    ]
    parts = ["What is the best coffee and who sells it"]
    assert suggested(parts[0], parts, *loose) == [*parts, "Read A § 1: Heat"], "no pair of things"


@pytest.fixture
def talking(tmp_path: Path) -> Iterator[tuple[Engine, ScriptedModel]]:
    model = ScriptedModel(rules())
    with open_desk(tmp_path / "home", model, reads=False) as client:
        yield client, model


def prompts(model: ScriptedModel, task: str) -> list[str]:
    return [r.messages[-1].content for r in model.requests if r.task == task]


def test_a_model_is_told_one_earlier_plan(tmp_path: Path) -> None:
    model = ScriptedModel(rules())
    with open_desk(tmp_path / "home", model) as client:
        approved(client)
        thread, tasks = proposal(client)
        assert tasks == SUGGESTED
        first, second = prompts(model, "plan")
        assert APPROVED[1] not in first and all(each in second for each in (WORKERS, *APPROVED))
        client.threads.approve(thread, until_waiting(client, thread).interrupt_id)
        assert until_ended(client, thread) == "done"
        client.plans.forget()
        assert replayed(client, thread, tmp_path).identical


def test_a_good_decomposition_is_shown_for_the_next(talking: tuple[Engine, ScriptedModel]) -> None:
    client, model = talking
    compare = "Vergleiche den Grenzwert für Beschäftigte mit dem für Auszubildende."

    def turn() -> tuple[dict[str, Any], bool]:
        """An answer, and whether the model was shown an earlier decomposition for it."""
        model.play([("decompose", PLAN)])
        model.slots = 4
        answer = ask(client, compare, depth="structured")
        (prompt,) = prompts(model, "decompose")
        return answer, f"„{compare}“" in prompt

    first, shown = turn()
    (case,) = client.plans.list()
    assert (case.kind, case.turn, case.serves, shown) == ("structured", 1, False, False)
    assert [each.task for each in case.tasks] == [each["item"] for each in first["required_info"]]
    assert not turn()[1], "nobody has said that it was good"
    client.answers.vote(str(first["thread_id"]), up=True)
    last, shown = turn()
    assert shown and client.plans.get(case.case_id).used_in == (last["thread_id"],)
