"""A plan as text: shown in a terminal, edited as lines, read from a file of JSON."""

import re
from collections.abc import Iterator, Sequence
from itertools import zip_longest
from pathlib import Path
from typing import Final

import click
from pydantic import TypeAdapter, ValidationError

from agent.research.plan_changes import NEW
from app.formats import one_line
from services.domain.errors import InvalidInput
from services.domain.events import PlanItem, Waiting

_TASK: Final = re.compile(r"\s*\[(?P<id>\d+)\]\s*(?P<task>.*)")
_PART: Final = re.compile(r"\s*[-–]\s+(?P<part>.*\S)\s*")
_HELP: Final = """\
# One task a line: change, move, delete or add lines, then save and close.
# [1] says which proposed task a line is; a new task has no number.
# A line that begins with a dash is a part of the task above it, searched for by itself.
# Leave the plan as it is, or empty, to approve nothing.
"""


class _Task(PlanItem):
    """A task as a file of a plan has it."""

    id: int = NEW


_FILE: Final = TypeAdapter(list[str | _Task])


def plan_lines(pending: Waiting) -> list[str]:
    """The tasks with their parts; what is assumed; what nothing found so far answers."""
    return [
        *task_lines(pending.items),
        *([str(pending.note)] if pending.note else []),
        *assumed_lines(pending.assumed),
        *(f"Nothing found so far answers: {gap}" for gap in pending.gaps),
    ]


def task_lines(items: Sequence[PlanItem]) -> list[str]:
    """The tasks of a plan, numbered in their order, each with its parts below it."""
    return [
        line
        for number, item in enumerate(items, start=1)
        for line in (f"{number}. {item.task}", *(f"   - {part}" for part in item.subtasks))
    ]


def assumed_lines(assumed: Sequence[str]) -> list[str]:
    """What the run assumes, each with the number by which it can be corrected."""
    return [f"Assumed A{number}: {text}" for number, text in enumerate(assumed, start=1)]


def question_lines(
    questions: Sequence[str], matters: Sequence[str], answers: Sequence[Sequence[str]] = ()
) -> list[str]:
    """Each question with what hangs on it, and answers that it may get."""
    lines: list[str] = []
    for question, why, some in zip_longest(questions, matters, answers, fillvalue=""):
        lines.append(f"? {question}")
        lines += [f"  {why}"] if why else []
        lines += [f"  Possible answers: {'; '.join(some)}"] if some else []
    return lines


def edited_plan(items: Sequence[PlanItem]) -> list[PlanItem]:
    """The plan as it comes back from the person's editor.

    Raises:
        InvalidInput: nothing was changed or nothing is left.
    """
    before, proposal = "\n".join(_lines(items)), {item.id: item for item in items}
    text = click.edit(f"{_HELP}\n{before}\n", extension=".txt")
    as_written = {item.id: item for item in _read_lines(before, proposal)}
    plan = [
        proposal[item.id] if as_written.get(item.id) == item else item
        for item in _read_lines(text or "", proposal)
    ]
    if not plan:
        raise InvalidInput("No plan came back from the editor; the thread waits as before.")
    if plan == list(items):
        raise InvalidInput(
            "The plan came back unchanged; the thread waits. Approve it as it is with --approve."
        )
    return plan


def plan_of_file(file: Path) -> list[PlanItem]:
    """A plan in JSON: a list of tasks, as strings or as objects.

    Raises:
        InvalidInput: the file cannot be read or is no such list.
    """
    try:
        tasks = _FILE.validate_json(file.read_bytes())
    except OSError as problem:
        raise InvalidInput(f"{file} cannot be read: {problem.strerror or problem}.") from problem
    except ValidationError as problem:
        raise InvalidInput(
            f"{file} is no plan: {_where(problem)}. Write a JSON list of tasks, each a string or "
            '{"task": …, "id": …, "context": …, "subtasks": […]}.'
        ) from problem
    return [
        PlanItem(id=NEW, task=each) if isinstance(each, str) else PlanItem(**dict(each))
        for each in tasks
    ]


def _where(problem: ValidationError) -> str:
    first = problem.errors()[0]
    number = next((each for each in first["loc"] if isinstance(each, int)), None)
    return "no list in JSON" if number is None else f"task {number + 1} is neither of these"


def _lines(items: Sequence[PlanItem]) -> Iterator[str]:
    for item in items:
        yield f"[{item.id}] {one_line(item.task)}"
        yield from (f"    - {one_line(part)}" for part in item.subtasks)


def _read_lines(text: str, proposal: dict[int, PlanItem]) -> list[PlanItem]:
    """The tasks of the lines; what is known of a proposed one stays with it."""
    plan: list[PlanItem] = []
    for line in text.splitlines():
        if not line.strip() or line.startswith("#"):
            continue
        part = _PART.fullmatch(line)
        if part and plan:
            parts = (*plan[-1].subtasks, part["part"])
            plan[-1] = plan[-1].model_copy(update={"subtasks": parts})
            continue
        match = _TASK.fullmatch(line)
        task = match["task"] if match else line
        before = proposal.get(int(match["id"])) if match else None
        item = before or PlanItem(id=NEW, task="")
        plan.append(item.model_copy(update={"task": task.strip(), "subtasks": ()}))
    return plan
