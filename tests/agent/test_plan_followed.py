"""What a person approved is what is researched and reported: task by task, in their order."""

import json
import re
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest

from agent.engine.engine import Engine
from agent.engine.layout import lay_out
from agent.engine.reports import read_report
from services.domain.events import PlanItem
from services.models.base import ChatRequest
from tests.support.desk import open_desk, until_ended
from tests.support.reading_rules import grade_reply
from tests.support.research import LIMIT, FaultyModel, plan_of, planned, reader, report_of, rules
from tests.support.scripted_model import ScriptedModel
from tests.support.waiting import until

LIMITS, MEASURING, PURPOSE = "Grenzwert des Lärms", "Messung des Lärms", "Zweck des Gesetzes"
MEASURED = "Der Lärm ist jährlich durch eine anerkannte Stelle zu messen."
PROTECTS = "Dieses Gesetz schützt Beschäftigte vor Lärm am Arbeitsplatz."
SAYS = {"Grenzwert": [LIMIT], "Messung": [MEASURED], "Zweck": [PROTECTS]}
T1, T2, T3 = ((n, task) for n, task in enumerate((LIMITS, MEASURING, PURPOSE), start=1))
SEARCHES = ("Lärmmessung Stelle", "jährliche Messung")


def scripted(*tasks: str, searches: Sequence[str] = ()) -> ScriptedModel:
    plan = plan_of(*(tasks or (LIMITS, MEASURING, PURPOSE)), searches=searches)
    return ScriptedModel(rules(plan=plan, read=reader(SAYS)))


def followed(client: Engine, *tasks: tuple[int, str]) -> dict[str, Any]:
    """The report of a plan as a person approved it."""
    thread, pending = planned(client)
    items = [PlanItem(id=number, task=task) for number, task in tasks]
    client.threads.approve(thread, pending.interrupt_id, items)
    assert until_ended(client, thread) == "done", client.threads.run(thread).error
    return report_of(client, thread)


def shown_sections(report: dict[str, Any]) -> list[str]:
    """The headings under which pages and exports show something."""
    sections = lay_out(read_report(report)).sections
    headings = [section.heading for section in sections if section.lines]
    return [heading for heading in headings if heading and not heading.startswith("In den")]


def sections_of(report: dict[str, Any]) -> dict[str, str]:
    _, *sections = report["answer"].split("## ")
    named = [section.partition("\n\n") for section in sections]
    assert len({heading for heading, _, _ in named}) == len(named), "no section stands twice"
    return {
        heading: text for heading, _, text in named if not heading.startswith("In den gelesenen")
    }


@pytest.mark.parametrize(
    "approved",
    [
        [T1, T2, T3],
        [T3, T1, T2],
        [T2, T3],
        [T1, T2, (0, "Zweck und Ziel"), T3],
        [T1, (2, "Wer die Messung macht"), T3],
        [(0, "Zweck von allem"), (1, "Messung: wie oft?"), (2, "Grenzwert für Junge")],
    ],
    ids=["as proposed", "reordered", "deleted", "added", "reworded", "all anew"],
)
@pytest.mark.parametrize("reads", [True, False])
def test_each_approved_task_has_its_section_in_order_and_nothing_else_has(
    tmp_path: Path, approved: list[tuple[int, str]], reads: bool
) -> None:
    model = scripted()
    with open_desk(tmp_path / "home", model, reads=reads) as desk:
        report = followed(desk, *approved)
    tasks = [task for _, task in approved]
    assert [each["task"] for each in report["todo"]] == tasks
    assert list(sections_of(report)) == tasks
    assert [each["task"] for each in report["tasks"]] == tasks
    assert [each["text"] for each in report["parts"]] == tasks
    assert shown_sections(report) == tasks
    if reads:
        for task, text in sections_of(report).items():
            assert SAYS[next(word for word in SAYS if word in task)][0] in text
        asked = [prompt for task in ("read", "section") for prompt in model.prompts(task)]
        assert {prompt.rpartition(": ")[2] for prompt in asked} == {
            task.rpartition(": ")[2] for task in tasks
        }


@pytest.mark.parametrize("reads", [True, False])
def test_a_task_that_nothing_is_found_for_has_a_section_that_says_so_and_what_was_searched(
    tmp_path: Path, reads: bool
) -> None:
    baked = "Apfelkuchen mit Zimt"
    with open_desk(tmp_path / "home", scripted(), reads=reads) as desk:
        report = followed(desk, (0, baked), T1)
    sections = sections_of(report)
    assert list(sections) == [baked, LIMITS]
    assert sections[baked].startswith("Dazu fand sich nichts, bei 1 Suche und ")
    assert report["gaps"] == [baked]
    assert report["parts"][0]["certainty"] == "refused"
    assert report["tasks"][0]["searches"][0]["query"] == baked
    below_the_answer, last = report["answer"].split("## ")[1], report["answer"].split("## ")[-1]
    assert f"- {baked}" in (below_the_answer if reads else last)


def drops(word: str) -> Callable[[ChatRequest], str]:
    """Grades the findings with a word as off the question, the others as answers."""

    def grade(request: ChatRequest) -> str:
        prompt = request.messages[-1].content
        reply = json.loads(grade_reply(prompt))
        for n, text in re.findall(r"(?m)^(\d+)\. (.*)$", prompt):
            if word in text:
                reply["grades"][int(n) - 1] |= {"grade": 1, "why": "another case"}
        return json.dumps(reply)

    return grade


def test_a_task_whose_findings_were_all_dropped_says_so_and_no_banner_stands_above(
    tmp_path: Path,
) -> None:
    plan = plan_of(LIMITS, MEASURING)
    model = ScriptedModel(rules(plan=plan, read=reader(SAYS), grade=drops(MEASURED)))
    with open_desk(tmp_path / "home", model) as desk:
        report = followed(desk, T1, T2)
    assert report["dropped"] and report["certainty"] == "answered"
    assert shown_sections(report) == [LIMITS, MEASURING]
    assert sections_of(report)[MEASURING].startswith("Dazu fand sich 1 Aussage, die nicht zur")
    assert report["warnings"] == [], "the right answer does not stray"
    assert report["gaps"] == [MEASURING] and f"- {MEASURING}" not in report["answer"]


def test_a_task_that_was_not_reached_before_the_cancelling_says_so(tmp_path: Path) -> None:
    model = FaultyModel("hang", "read", plan=plan_of(LIMITS, MEASURING))
    with open_desk(tmp_path / "home", model) as desk:
        thread, pending = planned(desk)
        desk.threads.approve(thread, pending.interrupt_id)
        until(lambda: "read" in model.started)
        desk.threads.cancel(thread)
        report = report_of(desk, thread)
    assert shown_sections(report) == [LIMITS, MEASURING]
    for text in sections_of(report).values():
        assert text.startswith("Nicht bearbeitet: Die Recherche wurde vorher abgebrochen.")


def test_a_section_names_the_section_that_says_the_rest(tmp_path: Path) -> None:
    """Of two findings of the second task, the first task has said one."""
    both = {"Grenzwert": [LIMIT], "Messung": [LIMIT, MEASURED]}
    same = {"repeats": [{"finding": 2, "of": 1}], "contradictions": []}
    plan = plan_of(LIMITS, MEASURING)
    model = ScriptedModel(rules(plan=plan, read=reader(both), relate=same))
    with open_desk(tmp_path / "home", model) as desk:
        report = followed(desk, T1, T2)
    *_, section = lay_out(read_report(report)).sections
    assert [line.text for line in section.lines] == [MEASURED, f"Mehr dazu unter »{LIMITS}«."]


def test_searches_of_the_plan_spare_the_words_and_go_with_the_wording(tmp_path: Path) -> None:
    model = scripted(searches=SEARCHES)
    with open_desk(tmp_path / "home", model) as desk:
        kept = followed(desk, T2)
        assert [each["query"] for each in kept["tasks"][0]["searches"]] == [MEASURING, *SEARCHES]
        assert words_of(model, MEASURING) == []
        reworded = followed(desk, (2, f"{MEASURING} in Betrieben"))
    (made,) = [task["searches"] for task in reworded["tasks"]]
    assert not {each["query"] for each in made} & set(SEARCHES)
    assert len(words_of(model, f"{MEASURING} in Betrieben")) == 1


def words_of(model: ScriptedModel, task: str) -> list[str]:
    """The prompts that ask for searches for a task."""
    return [prompt for prompt in model.prompts("words") if f"Frage: {task}" in prompt]


def test_tasks_share_the_rounds_of_reading(tmp_path: Path) -> None:
    """What is missing is looked for again, less often for each of many tasks."""
    read = {"answered": "no", "claims": [], "missing": "die Strafe"}
    counts = []
    for number, tasks in enumerate(([T1], [(0, f"Aufgabe {n}") for n in range(5)])):
        model = ScriptedModel(rules(plan=plan_of(LIMITS), read=read))
        with open_desk(tmp_path / str(number), model) as desk:
            report = followed(desk, *tasks)
        counts.append(max(task["rounds"] for task in report["tasks"]))
        assert all(task["missing"] == "die Strafe" for task in report["tasks"])
    assert counts[0] <= 3 and counts[1] <= 2
