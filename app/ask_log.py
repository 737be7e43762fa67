"""The events of a turn of quick answers, folded into what a person sees while it is made."""

from collections.abc import Iterable
from dataclasses import dataclass, field

from services.events import (
    AgentStart,
    AgentStep,
    EventRecord,
    ExecutionStart,
    KnowledgeRetrievalComplete,
    KnowledgeRetrievalStart,
    TokenUpdate,
)


@dataclass
class TurnLog:
    """How far a turn is. ``query`` is what was searched for, ``found`` what it brought.

    ``agent`` says how long the agent may take, ``steps`` are its own by number.
    """

    question: str = ""
    query: str | None = None
    found: KnowledgeRetrievalComplete | None = None
    text: str = ""
    agent: AgentStart | None = None
    steps: dict[int, AgentStep] = field(default_factory=dict)


def fold_turn(records: Iterable[EventRecord]) -> TurnLog:
    """The last turn that the events tell of, oldest event first."""
    log = TurnLog()
    for record in records:
        match record.event:
            case ExecutionStart() as event:
                log = TurnLog(question=event.question)
            case KnowledgeRetrievalStart() as event:
                log.query = event.query
            case KnowledgeRetrievalComplete() as event:
                log.found = event
            case AgentStart() as event:
                log.agent = event
            case AgentStep() as event:
                log.steps[event.number] = event
            case TokenUpdate() as event:
                log.text = event.text
            case _:
                pass
    return log
