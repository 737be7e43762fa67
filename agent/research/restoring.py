"""Bringing back evidence that validation dropped: a person's verdict, which no measure overrules.

A finished thread branches off at the checkpoint before its validation, with the evidence marked;
from there validation, synthesis, assessment and attribution run again, and nothing else.
"""

from collections.abc import Sequence
from typing import Any

from langgraph.types import StateSnapshot

from agent.context import Context
from agent.models import PreservedQuote, ToDoItem
from agent.prompts import say
from agent.research.quotes import as_quote, rank_sentences
from agent.research.state import ResearchState, input_of
from agent.sources import origin
from services.domain import Evidence
from services.domain.errors import InvalidInput, NotFound
from services.domain.notices import Notice

FIRST_SHOWN = 1
"""Quotes of a task that stay before restored ones."""


def checked(state: ResearchState, chunk_ids: Sequence[str]) -> list[Evidence]:
    """The dropped evidence that is meant, each once.

    Raises:
        InvalidInput: nothing is named, or it counts already.
        NotFound: a chunk is no evidence of this thread.
    """
    if not chunk_ids:
        raise InvalidInput("Name at least one piece of dropped evidence to restore.")
    evidence = state.get("evidence", {})
    for chunk_id in chunk_ids:
        if chunk_id not in evidence:
            raise NotFound(
                "{chunk!r} is no evidence of this thread. Choose among what its report lists as "
                "dropped.",
                chunk=chunk_id,
            )
    entries = [evidence[chunk_id] for chunk_id in dict.fromkeys(chunk_ids)]
    dropped = [entry for entry in entries if entry.status == "dropped"]
    if not dropped:
        raise InvalidInput("This evidence counts already; reload the report to see it.")
    return dropped


def update(
    before: StateSnapshot, after: StateSnapshot, chunk_ids: Sequence[str], context: Context
) -> dict[str, Any]:
    """What changes in the state before its (last) validation.

    ``after`` is the thread at its end, where verdicts and the cost of the last pass stand.
    """
    state: ResearchState = before.values  # type: ignore[assignment]
    entries = [
        entry.model_copy(update={"status": "restored"})
        for entry in checked(after.values, chunk_ids)  # type: ignore[arg-type]
    ]
    language = state["query_anchor"].detected_language
    names = ", ".join(dict.fromkeys(origin(entry, context) for entry in entries))
    return {
        "branch": _next_branch(state),
        "evidence": {entry.chunk_id: entry for entry in entries},
        "preserved_quotes": heard(state, entries, context),
        "warnings": [
            Notice.of(say(language, "restored", "{passages}"), passages=names).model_dump()
        ],
        "usage": after.values["usage"][len(state.get("usage", [])) :],
    }


def _next_branch(state: ResearchState) -> str:
    """``restore-1``, ``restore-2`` …: events of each pass are kept beside those before it."""
    _, _, number = state.get("branch", "").rpartition("restore-")
    return f"restore-{int(number) + 1 if number.isdigit() else 1}"


def heard(
    state: ResearchState, entries: Sequence[Evidence], context: Context
) -> list[PreservedQuote]:
    """All quotes of the tasks concerned, each restored passage right behind the best one.

    A passage that no quote was taken from gives its best sentence: extraction, which chooses
    quotes, does not run again.
    """
    known = state.get("preserved_quotes", [])
    found: dict[int, list[PreservedQuote]] = {}
    for entry in entries:
        task = _task_of(entry, state["todo_list"])
        own = [quote for quote in known if quote.chunk_id == entry.chunk_id]
        best = own[:1] or _best_sentence(entry, task, state, context)
        for quote in best:
            found.setdefault(quote.task_id, []).append(quote)
    return [quote for task_id, quotes in found.items() for quote in _placed(task_id, quotes, known)]


def _placed(
    task_id: int, restored: list[PreservedQuote], known: Sequence[PreservedQuote]
) -> list[PreservedQuote]:
    """The quotes of a task, numbered anew."""
    others = [quote for quote in known if quote.task_id == task_id and quote not in restored]
    ordered = [*others[:FIRST_SHOWN], *restored, *others[FIRST_SHOWN:]]
    return [quote.model_copy(update={"rank": rank}) for rank, quote in enumerate(ordered, start=1)]


def _task_of(entry: Evidence, tasks: Sequence[ToDoItem]) -> ToDoItem:
    """The task that found it; what clarification found goes to the first."""
    return next((task for task in tasks if task.id == entry.task_id), tasks[0])


def _best_sentence(
    entry: Evidence, task: ToDoItem, state: ResearchState, context: Context
) -> list[PreservedQuote]:
    """The sentence of a passage that is nearest to task and question; none if it has none."""
    best = rank_sentences(input_of(task, state), [entry], context)[:1]
    return [as_quote(ranked, task, rank=1) for ranked in best]
