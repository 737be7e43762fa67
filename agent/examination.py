"""Examinations of models: who is examined when, where the result is kept, and what overrules it.

What an examination asks stands in ``agent.writing_skill``. Its result is one of the model: what its
server does wrong is none, so that nothing is known then.
"""

import asyncio
import logging
import time
from collections.abc import Awaitable, Callable
from contextlib import suppress
from typing import Final

from pydantic import ValidationError

from agent.step import Step
from agent.writing_skill import SAMPLES, SHIPPED, examine, passed
from services.build import Services
from services.domain.errors import ModelSilent, RabbitholeError
from services.domain.events import Warned
from services.domain.model_checks import Examination, ExaminedAnswer, ModelWriting
from services.domain.notices import Notice
from services.models.base import ChatModel
from services.models.recording import RecordingModel

PREFIX: Final = "examination."
"""Before the keys of kept results, so that none is taken for a parameter of retrieval."""

AGAIN_AFTER_S: Final = 300.0
"""For so long no process repeats an examination unasked that was not finished."""

BROKEN_OFF: Final = Notice.of("It was broken off before its end.")

Tell = Callable[[Notice], None]
Examine = Callable[[ChatModel, Services], Awaitable[tuple[ExaminedAnswer, ...]]]

logger = logging.getLogger(__name__)


def known(services: Services, model: str) -> Examination:
    """What is known of the model of that name: what is kept, else the figure that is shipped."""
    stored = services.catalog.parameters.everywhere().get(_key(services, model))
    with suppress(ValidationError):  # another version may keep other values
        if stored is not None:
            return Examination.model_validate(stored.value)
    return Examination(model=model, share=SHIPPED.get(model))


def keep(services: Services, examination: Examination) -> None:
    value = examination.model_dump(mode="json")
    services.catalog.parameters.put(_key(services, examination.model), value)


def writing(services: Services, model: str) -> ModelWriting:
    """The same, and whether the model writes: as it is set, or else by the result."""
    found, reads = known(services, model), services.settings.reads
    may = passed(found.share) if reads == "auto" else reads == "yes"
    return ModelWriting(**dict(found), reads=reads, writes=may)


async def model_reads(step: Step) -> bool:
    """Say whether the model in use reads; one that nobody knows is examined now.

    One that is not asked again anyway does not.
    """
    can_read, model = step.context.can_read, step.context.tasks.model
    if can_read is None or model is None or step.context.tasks.gave_up:
        return False

    def tell(notice: Notice) -> None:
        step.emit(Warned(message=notice))  # of the moment; no warning of the answer

    try:
        return await can_read(model.name, tell)
    except RabbitholeError as error:
        if isinstance(error, ModelSilent) and isinstance(model, RecordingModel):
            model.unheard = error  # the turn does not wait for it again
        return False


class Examiner:
    """Examines models that nobody knows before they write, and again where somebody asks for it.

    Belongs to the event loop of the model.
    """

    def __init__(
        self,
        services: Services,
        examine: Examine = examine,
        clock: Callable[[], float] = time.time,
    ) -> None:
        self._services, self._examine, self._clock = services, examine, clock
        self._under_way: dict[str, asyncio.Task[RabbitholeError | None]] = {}

    async def reads(self, model: str, tell: Tell) -> bool:
        """Say whether a model reads, as it is set or else by its examination.

        A model that nobody knows is examined now, unless answers are to be the same every time or
        an examination came to nothing lately.

        Raises:
            RabbitholeError: it came to nothing now, and why.
        """
        settings = self._services.settings
        if settings.reads != "auto":
            return settings.reads == "yes"
        found = await asyncio.to_thread(known, self._services, model)
        lately = model not in self._under_way and self._tried_lately(found)
        if found.share is not None or settings.deterministic or lately:
            return passed(found.share)
        under_way = self._begun(model)
        tell(
            Notice.of(
                "How well {model} keeps to its sources is measured first, by {count} short "
                "questions.",
                model=model,
                count=len(SAMPLES),
            )
        )
        await asyncio.wait([under_way])
        found = await asyncio.to_thread(known, self._services, model)
        if not under_way.cancelled() and (error := under_way.result()) is not None:
            tell(unfinished(found))
            raise error
        return passed(found.share)

    async def examined(self, model: str, *, again: bool) -> ModelWriting:
        """What is known of a model; it is examined where nobody knows it, or ``again``."""
        found = await asyncio.to_thread(known, self._services, model)
        if again or found.share is None:
            await asyncio.wait([self._begun(model)])
        return await asyncio.to_thread(writing, self._services, model)

    async def stop(self) -> None:
        """Breaks off what is under way; it is begun anew later."""
        under_way = list(self._under_way.values())
        for task in under_way:
            task.cancel()
        await asyncio.gather(*under_way, return_exceptions=True)

    def _begun(self, model: str) -> asyncio.Task[RabbitholeError | None]:
        """The examination of a model that is under way from now on."""
        if model not in self._under_way:
            task = asyncio.get_running_loop().create_task(self._run(model))
            self._under_way[model] = task
            task.add_done_callback(lambda _: self._under_way.pop(model))
        return self._under_way[model]

    def _tried_lately(self, found: Examination) -> bool:
        if found.problem is None or found.tried_at is None:
            return False
        return 0 <= self._clock() - found.tried_at < AGAIN_AFTER_S

    async def _run(self, name: str) -> RabbitholeError | None:
        """Keeps the result, or beside an earlier one why there is none of a model in use."""
        problem = None
        found = await asyncio.to_thread(known, self._services, name)
        tried = found.model_copy(update={"tried_at": self._clock(), "problem": BROKEN_OFF})
        try:
            model = await self._services.chat_model()
            if model is None or model.name != name:
                return None
            await asyncio.to_thread(keep, self._services, tried)
            answers = await self._examine(model, self._services)
            tried = Examination.of(name, answers, at=self._clock())
        except RabbitholeError as error:
            problem = error
        except Exception as error:
            logger.exception("the examination of %s failed", name)
            problem = RabbitholeError(
                "unexpected {error}: {what}", error=type(error).__name__, what=error
            )
        if problem is not None:
            tried = tried.model_copy(update={"problem": problem.notice})
        await asyncio.to_thread(keep, self._services, tried)
        return problem


def unfinished(found: Examination) -> Notice:
    """That the last examination came to no result, and why."""
    return Notice.of(
        "How well {model} keeps to its sources could not be measured: {reason}. Nothing is "
        "concluded from it; rabbithole doctor --models measures it again.",
        model=found.model,
        reason=found.problem,
    )


def _key(services: Services, model: str) -> str:
    return f"{PREFIX}{services.judge.name}.{model}"
