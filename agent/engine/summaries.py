"""Summaries of documents in the background: they give way to everything that a person waits for."""

import asyncio
from collections.abc import Awaitable, Callable
from contextlib import AbstractContextManager
from functools import partial
from typing import Any, Final, TypeVar

from agent.context import Context, make_context
from agent.passages import PassageMemory
from agent.reading.summary import PROMPTS, Notes, Summarizer
from agent.step import Step
from services.build import Services
from services.domain import Principal
from services.domain.errors import NoModel, TryAgain
from services.domain.events import EventKey
from services.models.base import ChatModel
from services.models.tasks import OF_THE_MODEL, ModelTask, TaskResult

In = TypeVar("In")
Out = TypeVar("Out")
START_AFTER_S: Final = 5.0
"""Seconds after an ingestion, in which a command ends and a person asks the first question."""
AGAIN_AFTER_S: Final = 300.0
"""Seconds until a model whose server failed is tried again."""
POLL_S: Final = 0.5


class BackgroundStep(Step):
    """Asks the model while nothing else does, and again if overtaken. Raises TryAgain on faults."""

    def __init__(self, context: Context, is_busy: Callable[[], bool]) -> None:
        super().__init__(context, EventKey(thread_id="", checkpoint="", n=0))
        self._is_busy = is_busy

    async def run(self, task: ModelTask[In, Out], inp: In, **_: Any) -> Out:
        while True:
            if not self._is_busy() and (result := await self._attempt(task, inp)) is not None:
                break
            await asyncio.sleep(POLL_S)
        fallback = result.usage.fallback
        if fallback is not None and fallback.fields.get("failure") not in OF_THE_MODEL:
            raise TryAgain(fallback)
        return result.value

    async def _attempt(self, task: ModelTask[In, Out], inp: In) -> TaskResult[Out] | None:
        """Return the result of a task, None if something else needs the model meanwhile."""
        call = asyncio.create_task(self.context.tasks.run(task, inp))
        try:
            while not call.done() and not self._is_busy():
                await asyncio.wait([call], timeout=POLL_S)
            return call.result() if call.done() else None
        finally:
            call.cancel()
            await asyncio.gather(call, return_exceptions=True)


class SummaryMaker:
    """Summarises documents, one at a time.

    ``can_read`` returns whether a model passes the reading test, however long that takes;
    ``is_busy`` whether something else needs the model; ``use_of_model`` keeps it from being closed
    meanwhile.
    """

    def __init__(
        self,
        services: Services,
        can_read: Callable[[ChatModel], Awaitable[bool]],
        is_busy: Callable[[], bool],
        use_of_model: Callable[[], AbstractContextManager[None]],
    ) -> None:
        self._services, self._catalog = services, services.catalog
        self._can_read, self._is_busy, self._use_of_model = can_read, is_busy, use_of_model
        self._turn = asyncio.Lock()

    async def make(
        self, principal: Principal, document_ids: tuple[str, ...], check: Callable[[], None]
    ) -> None:
        """Summarise documents if the model in use reads, once its server responds; ``check`` may
        raise.
        """
        await asyncio.sleep(START_AFTER_S)
        left = list(document_ids)
        while left:
            check()
            try:
                async with self._turn:
                    with self._use_of_model():
                        model = await self._services.chat_model()
                        if model is None or not await self._can_read(model):
                            return
                        await self._summarise(left[0], principal, model, check)
                left.pop(0)
            except NoModel:
                return
            except TryAgain:
                await asyncio.sleep(AGAIN_AFTER_S)

    async def _summarise(
        self, document_id: str, principal: Principal, model: ChatModel, check: Callable[[], None]
    ) -> None:
        catalog = self._catalog
        scope = await asyncio.to_thread(catalog.collections.scope, principal, None)
        passages = await asyncio.to_thread(PassageMemory(catalog, scope).between, document_id)
        if not passages:
            return
        key = passages[0].text_id, f"{model.name} {PROMPTS}"
        stored = await asyncio.to_thread(catalog.summaries.get, *key)
        if stored is not None and stored.complete:
            return
        put = partial(catalog.summaries.put, *key)

        def keep(notes: Notes) -> None:
            check()
            put(notes.model_dump(mode="json"), complete=False)

        context = await make_context(self._services, principal, scope, model)
        summarizer = Summarizer(passages, BackgroundStep(context, self._is_busy), keep)
        notes = Notes.model_validate(stored.content if stored else {})
        summary = await summarizer.summarise(notes)
        content = summary.model_dump(mode="json", exclude={"made_at"})
        await asyncio.to_thread(put, content, complete=True)
