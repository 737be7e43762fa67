"""The part of the fake client that answers quickly: each question is answered when looked at."""

from collections.abc import Sequence
from typing import Any

from agent.ask.models import Answer
from agent.engine.reports import read_answer
from services.domain.errors import InvalidInput, RabbitholeError
from services.domain.value import Value
from services.export.neighbourhood import Neighbourhood
from services.library.thresholds import Thresholds, Vote, adapted, fixed_threshold
from tests.support import played_turn


class FakeAsked(Value):
    thread_id: str
    turn: int
    after: int = 0


class FakeVote(Value):
    turn: int
    up: bool
    text: str


class FakeAsk:
    """Conversations by thread; ``calls`` keeps what was asked of it."""

    calls: list[tuple[Any, ...]]

    def __init__(self) -> None:
        self.refuse_asking: RabbitholeError | None = None
        self._turns: dict[str, list[dict[str, Any]]] = {}
        self._votes: dict[str, dict[int, FakeVote]] = {}
        self.routing_votes: dict[str, list[Vote]] = {}
        self._held: set[str] = set()

    def begin_conversation(self, thread_id: str, question: str) -> None:
        raise NotImplementedError

    def ask(
        self,
        question: str,
        *,
        thread_id: str | None = None,
        collections: Sequence[str] | None = None,
        depth: str = "auto",
    ) -> FakeAsked:
        self.calls.append(("ask", question, thread_id, tuple(collections or ()), depth))
        if self.refuse_asking is not None:
            raise self.refuse_asking
        if not question.strip():
            raise InvalidInput("A question needs 1 to 4000 characters.")
        thread = thread_id or f"a{len(self._turns) + 1}"
        turns = self._turns.setdefault(thread, [])
        self.begin_conversation(thread, question)
        number = len(turns) + 1
        turns.append(played_turn.turn(thread, number, question, depth))
        return FakeAsked(thread_id=thread, turn=number)

    def turns(self, thread_id: str) -> list[dict[str, Any]]:
        return self._turns[thread_id]

    def conversation(self, thread_id: str) -> list[Answer]:
        return [read_answer(turn) for turn in self.turns(thread_id)]

    def neighbourhood(self, thread_id: str, turn: int) -> Neighbourhood:
        self.calls.append(("neighbourhood", thread_id, turn))
        return played_turn.NEIGHBOURHOOD

    def vote(
        self, thread_id: str, up: bool, text: str = "", *, turn: int | None = None
    ) -> FakeVote:
        number = turn or len(self._turns[thread_id])
        self.calls.append(("vote", thread_id, number, up, text))
        vote = FakeVote(turn=number, up=up, text=text)
        self._votes.setdefault(thread_id, {})[number] = vote
        return vote

    def votes(self, thread_id: str) -> list[FakeVote]:
        return list(self._votes.get(thread_id, {}).values())

    def thresholds(self, collections: Sequence[str] | None = None) -> Thresholds:
        name = (collections or ("",))[0]
        now = adapted(self.routing_votes.get(name, ()))
        if name not in self._held:
            return now
        return Thresholds(
            fast=fixed_threshold("fast", now.fast.value, "held", "locked for this collection"),
            agent=fixed_threshold("agent", now.agent.value, "held", "locked for this collection"),
        )

    def lock_thresholds(self, collection: str, locked: bool = True) -> Thresholds:
        self.calls.append(("lock_thresholds", collection, locked))
        (self._held.add if locked else self._held.discard)(collection)
        return self.thresholds([collection])

    def reset_thresholds(self, collection: str) -> Thresholds:
        self.calls.append(("reset_thresholds", collection))
        self.routing_votes.pop(collection, None)
        return self.thresholds([collection])
