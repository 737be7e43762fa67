"""The state of a conversation of quick answers: its turns, and the turn under way."""

from operator import add
from typing import Annotated, Any, TypedDict

from langgraph.types import Overwrite
from pydantic import JsonValue

from agent.ask.models import (
    Answer,
    AskOptions,
    Complexity,
    PastTurn,
    Reply,
    RetrievalSummary,
    Rewriting,
    Route,
    Structure,
    StructuredAnswer,
)
from agent.ask.react.values import AgentRun
from agent.models import TaskUsage
from agent.step import sum_by_key
from services.domain import Evidence
from services.language.query.values import Understanding
from services.structured.values import Plan


class AskState(TypedDict, total=False):
    """Fields of a thread of kind ``ask``; all but ``conversation`` are of the last turn.

    ``structure`` is None where the route is not structured. ``reads`` says whether the model in use
    reads, as decided when the turn began; ``unread`` that it failed to.
    """

    conversation: Annotated[list[PastTurn], add]

    question: str
    turn: int
    options: AskOptions
    reads: bool
    rewriting: Rewriting
    understanding: Understanding
    complexity: Complexity
    route: Route
    evidence: list[Evidence]
    found: RetrievalSummary | None
    recalled: bool
    plan: Plan
    structure: Structure | None
    unread: bool
    reply: Reply
    answer: Answer | StructuredAnswer
    agent: AgentRun | None

    usage: Annotated[list[TaskUsage], add]
    warnings: Annotated[list[JsonValue], add]
    phase_seconds: Annotated[dict[str, float], sum_by_key]


def next_turn(question: str, turn: int, options: AskOptions) -> dict[str, Any]:
    """Return the input of a turn, which resets all fields but the conversation."""
    return {
        "question": question,
        "turn": turn,
        "options": options,
        "evidence": [],
        "found": None,
        "recalled": False,
        "structure": None,
        "agent": None,
        "usage": Overwrite([]),
        "warnings": Overwrite([]),
        "phase_seconds": Overwrite({}),
    }
