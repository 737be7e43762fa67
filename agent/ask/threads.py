"""Conversations of quick answers: a turn is started, continued after a break, or stopped."""

import time
from collections.abc import Callable, Mapping
from typing import Any, Final

from langgraph.checkpoint.base import BaseCheckpointSaver

from agent.ask.graph import build_ask_graph
from agent.ask.models import AskOptions
from agent.ask.report import with_turn
from agent.ask.state import next_turn
from agent.ask.step import AskContext, ToolCache
from agent.ask.writing_skill import WritingSkill
from agent.context import Context
from agent.engine.driver import Driver, Workflow
from services.build import Services
from services.domain import Principal
from services.domain.errors import InvalidInput
from services.domain.runs import RunInfo
from services.language.query.values import Understanding

TOOLS_KEPT: Final = 100
TOOLS_KEPT_S: Final = 1_800.0


class AskThreads:
    """All conversations of this process; they share the checkpoints with research."""

    def __init__(
        self,
        services: Services,
        holder: str,
        saver: BaseCheckpointSaver[str],
        understand: Callable[..., Understanding],
        skill: WritingSkill | None = None,
    ) -> None:
        self._services = services
        self._catalog = services.catalog
        self._understand = understand
        self._skill = skill
        self._tool_cache = ToolCache(TOOLS_KEPT, TOOLS_KEPT_S)
        workflow = Workflow(
            graph=build_ask_graph(saver),
            report=self._report,
            widen=self._widen,
            durability="exit",
            tells_phases=False,
        )
        self._driver = Driver(services, holder, workflow)

    async def pause_all(self) -> None:
        if self._skill is not None:
            await self._skill.stop()
        await self._driver.pause_all()

    async def settled(self, thread_id: str) -> None:
        """Waits until the turn under way has ended."""
        await self._driver.settled(thread_id)

    async def ask(
        self, principal: Principal, thread_id: str, question: str, options: AskOptions
    ) -> int:
        """Starts a turn; its number, as soon as it is under way.

        Raises:
            AlreadyAnswered: the turn before is still under way.
        """
        run = self._catalog.runs.get(principal, thread_id)
        return self._begin(run, principal, question, options)

    async def resume(
        self, principal: Principal, thread_id: str, interrupt_id: str | None = None
    ) -> None:
        """Goes on with the stored answer to an open question, or asks again what broke off.

        Raises:
            AlreadyAnswered: the question is no longer the open one.
            InvalidInput: the thread waits for an answer, or every turn has its answer.
        """
        run = self._catalog.runs.get(principal, thread_id)
        if run.pending is not None:
            entry = await self._driver.answered(run, interrupt_id)
            self._driver.drive(run, principal, entry)
            return
        options = dict(run.options)
        question = options.pop("asked", None)
        if run.status in ("done", "cancelled") or not isinstance(question, str):
            raise InvalidInput(
                "Thread {thread} has answered. Ask on: rabbithole ask --thread {thread} …",
                thread=thread_id,
            )
        self._begin(run, principal, question, AskOptions.model_validate(options))

    def _begin(self, run: RunInfo, principal: Principal, question: str, options: AskOptions) -> int:
        report = self._kept(run)
        turn = 1 + (len(report["turns"]) if report else 0)
        entry = next_turn(question, turn, options, time.time())
        kept = {**options.model_dump(mode="json"), "asked": question}
        self._driver.drive(run, principal, entry, options=kept)
        return turn

    async def stop(self, principal: Principal, thread_id: str, *, cancel: bool) -> None:
        """Stops a turn; the turns before stay, and the conversation can go on."""
        run = self._catalog.runs.get(principal, thread_id)
        if not await self._driver.stop(thread_id) and run.pending is None:
            raise InvalidInput("Thread {thread} is answering nothing now.", thread=thread_id)
        self._driver.end(run, "cancelled" if cancel else "paused")

    def _kept(self, run: RunInfo) -> dict[str, Any] | None:
        return self._catalog.runs.report(Principal(user=run.owner), run.thread_id)

    def _report(self, run: RunInfo, state: Mapping[str, Any], *_: object) -> dict[str, Any]:
        turn = state["answer"].model_dump(mode="json")
        return with_turn(self._kept(run), run.thread_id, turn)

    def _widen(self, context: Context, principal: Principal) -> AskContext:
        return AskContext(
            **vars(context),
            services=self._services,
            principal=principal,
            understand=self._understand,
            tool_cache=self._tool_cache,
            skill=self._skill,
        )
