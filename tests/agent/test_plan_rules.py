"""The rules of a plan as functions of values: its tasks and parts, its changes, what it assumes."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agent.models import TODO_MAX_ITEMS, QueryAnalysis, ToDoItem
from agent.prompts.research import (
    PlanInput,
    Planned,
    PlanOutput,
    PlanTasks,
    SectionFound,
    tasks_by_rule,
)
from agent.research.analysis import analyse, correct_assumptions
from agent.research.plan_edits import NEW, bundle, check_plan, plan_changes, subtasks_of
from services.domain.errors import InvalidGeneration, InvalidInput
from services.domain.events import PlanItem


def plan(*tasks: str) -> list[PlanItem]:
    return [PlanItem(id=9, task=task) for task in tasks]


def test_a_plan_is_numbered_in_the_order_of_the_person() -> None:
    after = check_plan(plan(" c ", "", "a", "new"))
    assert [(item.id, item.task) for item in after] == [(1, "c"), (2, "a"), (3, "new")]


def items_of(*tasks: tuple[int, str]) -> list[PlanItem]:
    return [PlanItem(id=number, task=task) for number, task in tasks]


T1, T2, T3, T4 = (1, "a"), (2, "b"), (3, "c"), (4, "d")


@pytest.mark.parametrize(
    ("approved", "said"),
    [
        (items_of(T1, T2, T3, T4), []),
        (items_of((9, "a "), (9, "b"), (9, "c"), (9, "d")), []),
        (items_of(T1, (2, "B!"), T3, T4), ["edited: b -> B!"]),
        (items_of(T4, T1, T2, T3), ["moved: d: 4 -> 1"]),
        (items_of(T1, T2), ["removed: c", "removed: d"]),
        (items_of(T1, T2, T3, T4, (NEW, "e")), ["added: e"]),
        (items_of(T1, T2, T3, T4, T1), ["added: a"]),
        (items_of((3, "C!"), T1, T2, (NEW, "e")),
         ["removed: d", "edited: c -> C!", "moved: C!: 3 -> 1", "added: e"]),
    ],
)  # fmt: skip
def test_edits_moves_deletions_and_additions_are_told_apart(
    approved: list[PlanItem], said: list[str]
) -> None:
    assert [str(change.text) for change in plan_changes(items_of(T1, T2, T3, T4), approved)] == said


@given(st.permutations([T1, T2, T3, T4]), st.sets(st.sampled_from(range(4))))
def test_a_change_is_found_for_each_task_that_is_not_as_it_was(
    order: list[tuple[int, str]], edited: set[int]
) -> None:
    approved = [(n, f"{t}!" if n - 1 in edited else t) for n, t in order]
    kinds = [change.kind for change in plan_changes(items_of(T1, T2, T3, T4), items_of(*approved))]
    assert kinds.count("edited") == len(edited) and "added" not in kinds
    assert ("moved" in kinds) == (order != [T1, T2, T3, T4]) and kinds.count("moved") <= 3


def test_a_task_that_asks_several_things_has_them_as_parts() -> None:
    assert subtasks_of("Wie hoch ist die Steuer? Wer erhebt Abgaben?", "de") == (
        "Wie hoch ist die Steuer?",
        "Wer erhebt Abgaben?",
    )
    assert subtasks_of("Wie hoch ist die Steuer, und wer erhebt sie?", "de") == ()
    assert subtasks_of("Wie hoch ist die Steuer?", "de") == ()
    (given,) = check_plan([PlanItem(id=1, task="Steuer", subtasks=("Satz", "Frist"))])
    assert given.subtasks == ("Satz", "Frist")


@given(st.lists(st.from_regex(r"\Awas ist x[a-z]{3}\Z"), min_size=1, max_size=8, unique=True))
def test_every_part_of_a_question_is_in_the_plan(parts: list[str]) -> None:
    tasks = bundle(parts, 5)
    assert len(tasks) == min(5, len(parts))
    asked = [part for task in tasks for part in subtasks_of(task, "de") or (task,)]
    assert [part.rstrip("?") for part in asked] == parts


SECTIONS = tuple(SectionFound(name=f"LärmG § {n}", heading="Grenzwert des Lärms") for n in (2, 3))


@pytest.mark.parametrize(
    ("question", "found", "tasks"),
    [
        # headings that say what the question says are why the sections were found
        ("Welcher Grenzwert des Lärms gilt?", SECTIONS, 3),
        ("Was bestimmt LärmG § 2 zum Lärm?", SECTIONS, 2),
        ("Was ist Radon?", (), 1),
    ],
)
def test_a_plan_by_rule_reaches_three_tasks_where_the_documents_offer_them(
    question: str, found: tuple[SectionFound, ...], tasks: int
) -> None:
    asked = PlanInput(question=question, language="de", aspects=(question,), found=found)
    assert len(tasks_by_rule(asked)) == tasks


@pytest.mark.parametrize(
    ("language", "aspects"),
    [
        ("en", ("notice period of the lease with Smith", "notice period of the lease with Jones")),
        ("en", ("dose limit for workers in 2019", "dose limit for workers in 2024")),
        ("de", ("Grenzwert der Dosis nach § 78", "Grenzwert der Dosis nach § 80")),
        ("de", ("Was schuldet der Mieter dem Wirt", "Was schuldet der Wirt dem Mieter")),
        ("de", ("Was ist das",)),
    ],
)
def test_no_aspect_takes_the_task_of_another(language: str, aspects: tuple[str, ...]) -> None:
    asked = PlanInput(question="?", language=language, aspects=aspects)
    assert [item.task.casefold() for item in tasks_by_rule(asked)] == [
        aspect.casefold() for aspect in aspects
    ]


def planned(task: str, *searches: str) -> Planned:
    return Planned(task=task, why="", searches=list(searches))


def test_a_model_plans_tasks_with_their_searches_in_the_language_of_the_question() -> None:
    asked = PlanInput(question="Was ist Radon?", language="de")
    output = PlanOutput(tasks=[planned(" Begriff\nRadon ", "Radon Begriff", " "), planned("  ")])
    (task,) = PlanTasks().check(asked, output)
    assert (task.id, task.task, task.searches) == (1, "Begriff Radon", ("Radon Begriff",))
    with pytest.raises(InvalidGeneration, match="no task"):
        PlanTasks().check(asked, PlanOutput(tasks=[planned(" ")]))
    english = planned("Find out what the law says about radon in the houses of the workers")
    with pytest.raises(InvalidGeneration):
        PlanTasks().check(asked, PlanOutput(tasks=[english]))


def test_searches_stay_with_the_words_of_a_task_and_not_with_its_number() -> None:
    proposal = [
        ToDoItem(id=1, task="Der Grenzwert", searches=("Grenzwert Lärm",)),
        ToDoItem(id=2, task="Die Messung", searches=("Messung Lärm",)),
    ]
    wanted = items_of((2, "Die Messung"), (1, "Der Grenzwert für Azubis"), (NEW, "Die Strafe"))
    assert [item.searches for item in check_plan(wanted, proposal)] == [("Messung Lärm",), (), ()]


@pytest.mark.parametrize(
    ("said", "assumed", "remark"),
    [
        ("A2: nur das LärmG", ("Stand 2022", "nur das LärmG"), "nur das LärmG"),
        ("der Stand von 2018", ("der Stand von 2018", "beide Sammlungen"), "der Stand von 2018"),
        ("Für Lehrlinge.\nA1: Stand 2018", ("Stand 2018", "beide Sammlungen"),
         "Für Lehrlinge. Stand 2018"),
        ("A7: etwas", ("Stand 2022", "beide Sammlungen"), "A7: etwas"),
        ("Welcher Grenzwert?", ("Stand 2022", "beide Sammlungen"), "Welcher Grenzwert?"),
    ],
)  # fmt: skip
def test_what_a_person_says_of_an_assumption_takes_its_place(
    said: str, assumed: tuple[str, ...], remark: str
) -> None:
    analysis = QueryAnalysis(
        original_query="Welcher Grenzwert gilt?", entities=(), scope="", facets=(),
        assumed_context=("Stand 2022", "beide Sammlungen"),
    )  # fmt: skip
    assert correct_assumptions(analysis, said, "de") == (assumed, remark)


@pytest.mark.parametrize(
    ("tasks", "says"), [(["  "], "no task"), ([*"x" * (TODO_MAX_ITEMS + 1)], "16 tasks")]
)
def test_an_empty_and_an_endless_plan_are_refused(tasks: list[str], says: str) -> None:
    with pytest.raises(InvalidInput, match=says):
        check_plan(plan(*tasks))


@pytest.mark.parametrize(
    ("question", "tasks"),
    [
        ("Was ist Radon? Wie wird Radon gemessen?", 2),
        ("Wie oft wird der Lärm gemessen, und in welcher Form?", 1),
        ("Wie oft wird der Lärm gemessen? Und warum?", 1),
    ],
)
def test_a_task_by_rule_for_each_question_of_a_message(question: str, tasks: int) -> None:
    asked = PlanInput(
        question=question, language="de", aspects=analyse(question, "de", ("law",)).facets
    )
    assert len(tasks_by_rule(asked)) == tasks
