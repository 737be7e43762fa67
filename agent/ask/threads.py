"""Conversations of quick answers: a turn is started, continued after a break, or stopped."""

from collections.abc import Mapping, Sequence
from typing import Any

from agent.ask.graph import build_ask_graph
from agent.ask.models import AskOptions, PastTurn
from agent.ask.route import names_of
from agent.ask.state import next_turn
from agent.earlier_plans import structured_case
from agent.engine.driver import Threads
from services.domain import Principal
from services.domain.errors import InvalidInput
from services.domain.runs import RunInfo


class AskThreads(Threads):
    """All conversations of this process; they share the checkpoints with research."""

    durability = "exit"
    build = staticmethod(build_ask_graph)
    _case = staticmethod(structured_case)

    async def ask(
        self, principal: Principal, run: RunInfo, question: str, options: AskOptions
    ) -> int:
        """Start a turn and return its number; raise `AlreadyAnswered` while one is under way."""
        turn = 1 + len(self._turns(run))
        entry = next_turn(question, turn, options)
        if turn == 1 and options.follows is not None:
            entry["conversation"] = self._past(principal, options.follows)
        stored = {**options.model_dump(mode="json"), "asked": question, "turn": turn}
        self.drive(run, principal, entry, options=stored)
        return turn

    async def resume(
        self, principal: Principal, run: RunInfo, interrupt_id: str | None = None
    ) -> None:
        """Go on with a stored answer, finish what was answered, or ask again what broke off."""
        self.require_open(run, interrupt_id)
        if run.pending is not None:
            self.drive(run, principal, await self.answered(run, interrupt_id))
            return
        options = dict(run.options)
        question, turn = options.pop("asked", None), options.pop("turn", None)
        if run.status in ("done", "cancelled") or not isinstance(question, str):
            raise InvalidInput(
                "Thread {thread} has already been answered. Ask a follow-up: rabbithole ask "
                "--thread {thread} …",
                thread=run.thread_id,
            )
        last = await self.snapshot(run.thread_id)
        answered = last.values.get("turn"), last.values.get("question")
        if not last.next and answered == (turn, question):
            self.drive(run, principal, None)
            return
        await self.ask(principal, run, question, AskOptions.model_validate(options))

    async def stop(self, principal: Principal, run: RunInfo, cancel: bool) -> None:
        """Stop a turn; the turns before stay, and the conversation can go on."""
        if not await self.halted(run.thread_id) and run.pending is None:
            raise InvalidInput(
                "Thread {thread} is not working on a question, so there is nothing to pause "
                "or cancel.",
                thread=run.thread_id,
            )
        self.end(run, "cancelled" if cancel else "paused")

    def _past(self, principal: Principal, research: str) -> list[PastTurn]:
        """Return the report that a conversation continues, as if it were the turn before."""
        report = self._catalog.runs.report(principal, research)
        if report is None:
            return []
        run = self._catalog.runs.get(principal, research)
        names = names_of(run.question, str(report["language"]))
        return [PastTurn(question=run.question, names=names, answer=str(report["answer"]))]

    def _turns(self, run: RunInfo) -> Sequence[Mapping[str, Any]]:
        """Return the turns that are answered; nothing is read before the first question."""
        if "turn" not in run.options:
            return ()
        owner = Principal(user=run.owner)
        report: dict[str, Any] = self._catalog.runs.report(owner, run.thread_id) or {"turns": ()}
        return report["turns"]

    def _report(self, run: RunInfo, state: Mapping[str, Any], *_: object) -> dict[str, Any]:
        turn = {"thread_id": run.thread_id, **state["answer"].model_dump(mode="json")}
        turns = {answer["turn"]: answer for answer in (*self._turns(run), turn)}
        return {"thread_id": run.thread_id, "turns": [turns[n] for n in sorted(turns)]}
