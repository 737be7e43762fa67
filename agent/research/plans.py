"""What a question asks for, by code alone, and the plan in a person's hands."""

from collections.abc import Sequence
from datetime import UTC, datetime
from itertools import islice

from agent.models import TODO_MAX_ITEMS, QueryAnalysis, QueryAnchor, ToDoItem
from services.domain import Language
from services.domain.errors import InvalidInput
from services.domain.events import PlanItem
from services.ingestion.references import detect_references
from services.language.query.heads import QuestionReader
from services.language.query.parts import subquestions
from services.language.text.keyphrases import keyphrases


def analyse(
    query: str,
    language: Language,
    collections: tuple[str, ...],
    reader: QuestionReader | None = None,
) -> QueryAnalysis:
    """Return what a question names, and the questions that it lists."""
    concepts = keyphrases(query, language, limit=5)
    labels = [reference.target for reference in detect_references(query)]
    return QueryAnalysis(
        original_query=query,
        entities=tuple(dict.fromkeys([*labels, *concepts])),
        scope=", ".join(collections),
        facets=tuple(map(_listed, subquestions(query, language, reader))),
    )


def _listed(part: str) -> str:
    return part.strip(" ,;?!.") or part


def make_anchor(analysis: QueryAnalysis, language: str) -> QueryAnchor:
    """The question as it was meant, fixed for the rest of the run."""
    return QueryAnchor(
        original_query=analysis.original_query,
        detected_language=language,
        key_entities=analysis.entities,
        scope=analysis.scope,
        hitl_refinements=analysis.hitl_refinements,
        assumed_context=analysis.assumed_context,
        created_at=datetime.now(UTC).isoformat(timespec="seconds"),
    )


def bundled(parts: Sequence[str], most: int) -> tuple[str, ...]:
    """The parts of a question as at most so many tasks; neighbours share one where they must.

    Parts that share a task are written as questions, so that each is found in it again.
    """
    if len(parts) <= most:
        return tuple(parts)
    left, (size, longer) = iter(parts), divmod(len(parts), most)
    groups = [list(islice(left, size + (n < longer))) for n in range(most)]
    return tuple(
        group[0] if len(group) == 1 else " ".join(f"{part.rstrip(' ?')}?" for part in group)
        for group in groups
    )


def subtasks_of(task: str, language: Language) -> tuple[str, ...]:
    """Return the questions of a task that has several."""
    parts = subquestions(task, language)
    return parts if len(parts) > 1 else ()


def with_subtasks(item: ToDoItem, language: Language) -> ToDoItem:
    """The task with what it asks one by one, unless that is given."""
    return item.model_copy(update={"subtasks": item.subtasks or subtasks_of(item.task, language)})


def checked_plan(items: Sequence[PlanItem], proposal: Sequence[ToDoItem] = ()) -> list[ToDoItem]:
    """A person's plan as to-do items, numbered in its order.

    What the proposal would search for stays with a task that was not changed.

    Raises:
        InvalidInput: if no task is left, one is empty, or there are more than 15.
    """
    tasks = [item for item in items if item.task.strip()]
    if not tasks:
        raise InvalidInput("The plan has no task. Keep or add at least one, then approve.")
    if len(tasks) > TODO_MAX_ITEMS:
        raise InvalidInput(
            "The plan has {tasks} tasks, {most} are possible. Remove some.",
            tasks=len(tasks),
            most=TODO_MAX_ITEMS,
        )
    searches = {each.task.strip(): each.searches for each in proposal}
    return [
        ToDoItem(
            id=number,
            task=item.task.strip(),
            context=item.context,
            subtasks=item.subtasks,
            searches=searches.get(item.task.strip(), ()),
        )
        for number, item in enumerate(tasks, start=1)
    ]
