"""The events of a turn of quick answers, folded into what a person sees while it is made."""

from collections.abc import Iterable
from dataclasses import dataclass

from services.events import (
    EventRecord,
    ExecutionStart,
    KnowledgeRetrievalComplete,
    KnowledgeRetrievalStart,
    TokenUpdate,
)


@dataclass
class TurnLog:
    """How far a turn is. ``query`` is what was searched for, ``found`` what it brought."""

    question: str = ""
    query: str | None = None
    found: KnowledgeRetrievalComplete | None = None
    text: str = ""


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
            case TokenUpdate() as event:
                log.text = event.text
            case _:
                pass
    return log
