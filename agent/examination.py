"""Examinations of models: who is examined when, where the result is kept, and what overrules it.

What is asked stands in ``agent.reading.exam``. The result is one of the model: what its server
does wrong is none, so that nothing is known then.
"""

import asyncio
import logging
import time
from collections.abc import Awaitable, Callable
from contextlib import suppress
from typing import Final

from pydantic import ValidationError

from agent.reading.exam import ITEMS, examine
from agent.step import Step
from services.build import Services
from services.catalog import Catalog
from services.domain.errors import ModelSilent, RabbitholeError
from services.domain.events import Warned
from services.domain.model_checks import Examination, ExaminedItem, ModelReading
from services.domain.notices import Notice
from services.models.base import ChatModel, digest_of
from services.models.embedded import EMBEDDED_NAME
from services.models.recording import RecordingModel

PREFIX: Final = "examination."
"""Before the keys of kept results, so that none is taken for a parameter of retrieval."""

NO_READERS: Final = frozenset({EMBEDDED_NAME})
"""Models that are known not to read: as a reader the shipped one copies its instructions."""

WAIT_S: Final = 30.0
"""For so long a question waits for an examination under way."""

AGAIN_AFTER_S: Final = 300.0
"""For so long no process repeats an examination unasked that was not finished."""

BROKEN_OFF: Final = Notice.of("It was broken off before its end.")

Tell = Callable[[Notice], None]
Examine = Callable[[ChatModel, float], Awaitable[tuple[ExaminedItem, ...]]]

logger = logging.getLogger(__name__)


def known(services: Services, model: str, digest: str | None = None) -> Examination:
    """Return what is kept of a model; with a digest only what is kept of that file."""
    stored = services.catalog.parameters.global_values().get(PREFIX + model)
    with suppress(ValidationError):  # another version may keep other values
        if stored is not None:
            kept = Examination.model_validate(stored.value)
            if digest in (None, kept.digest):
                return kept
    return Examination(model=model, passed=False if model in NO_READERS else None)


def keep_result(catalog: Catalog, examination: Examination) -> None:
    """Keep a result in the place of an earlier one of the same model."""
    value = examination.model_dump(mode="json")
    catalog.parameters.put(PREFIX + examination.model, value)


def reading(services: Services, model: str) -> ModelReading:
    """Return what is kept of a model, and whether it reads: as it is set, or by the result."""
    found, setting = known(services, model), services.settings.reads
    reads = found.passed is True if setting == "auto" else setting == "yes"
    return ModelReading(**dict(found), setting=setting, reads=reads)


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
        return await can_read(model, tell)
    except RabbitholeError as error:
        step.warn(unfinished(model.name, error))
        if isinstance(error, ModelSilent) and isinstance(model, RecordingModel):
            model.unheard = error  # the turn does not wait for it again
        return False


class Examiner:
    """Examines models that nobody knows, and again where somebody asks for it.

    Belongs to the event loop of the model.
    """

    def __init__(
        self,
        services: Services,
        examine: Examine = examine,
        clock: Callable[[], float] = time.time,
        wait_s: float = WAIT_S,
    ) -> None:
        self._services, self._examine = services, examine
        self._clock, self._wait_s = clock, wait_s
        self._under_way: dict[str, asyncio.Task[RabbitholeError | None]] = {}
        self._not_examined: set[str] = set()

    async def reads(self, model: ChatModel, tell: Tell) -> bool:
        """Say whether a model reads, as it is set or else by its examination.

        A model that nobody knows is examined, in the background where that takes long. It is not
        where answers are to be the same every time, or an examination came to nothing lately.

        Raises:
            RabbitholeError: it came to nothing now, and why.
        """
        settings = self._services.settings
        if settings.reads != "auto":
            return settings.reads == "yes"
        found = await asyncio.to_thread(known, self._services, model.name, digest_of(model))
        if found.passed is not None:
            return found.passed
        if settings.deterministic:
            self._tell_once(model.name, tell)
            return False
        if model.name not in self._under_way and self._tried_lately(found):
            return False
        return await self._awaited(model, tell)

    async def _awaited(self, model: ChatModel, tell: Tell) -> bool:
        """The result of an examination that ends soon; raises as ``reads``."""
        under_way, name = self._begun(model.name), model.name
        tell(
            Notice.of(
                "{model} is examined first: {count} short tasks show whether it can read. The "
                "answer waits for it, {seconds:g} s at most.",
                model=name,
                count=len(ITEMS),
                seconds=self._wait_s,
            )
        )
        await asyncio.wait([under_way], timeout=self._wait_s)
        if not under_way.done():
            tell(
                Notice.of(
                    "The examination of {model} goes on in the background. This answer is quotes.",
                    model=name,
                )
            )
            return False
        if not under_way.cancelled() and (error := under_way.result()) is not None:
            raise error
        found = await asyncio.to_thread(known, self._services, name, digest_of(model))
        return found.passed is True

    async def examined(self, model: ChatModel, *, again: bool) -> ModelReading:
        """Return what is known of a model; it is examined where nobody knows it, or ``again``."""
        found = await asyncio.to_thread(known, self._services, model.name, digest_of(model))
        if again or found.passed is None:
            await asyncio.wait([self._begun(model.name)])
        return await asyncio.to_thread(reading, self._services, model.name)

    async def stop(self) -> None:
        """Break off what is under way; it is begun anew later."""
        under_way = list(self._under_way.values())
        for task in under_way:
            task.cancel()
        await asyncio.gather(*under_way, return_exceptions=True)

    def _tell_once(self, model: str, tell: Tell) -> None:
        """Say that answers are quotes because nobody examines the model."""
        if model in self._not_examined:
            return
        self._not_examined.add(model)
        tell(
            Notice.of(
                "Whether {model} can read is not known, and with RABBITHOLE_DETERMINISTIC nobody "
                "is examined unasked: answers are quotes. Run rabbithole doctor --models.",
                model=model,
            )
        )

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
        """Keep the result, or beside an earlier one why there is none of a model in use."""
        problem, tried = None, await asyncio.to_thread(known, self._services, name)
        try:
            model = await self._services.chat_model()
            if model is None or model.name != name:
                return None
            digest, deadline_s = digest_of(model), self._services.settings.call_deadline_s
            if tried.digest != digest:
                tried = Examination(model=name, digest=digest)
            begun = {"tried_at": self._clock(), "problem": BROKEN_OFF}
            tried = tried.model_copy(update=begun)
            await asyncio.to_thread(keep_result, self._services.catalog, tried)
            items = await self._examine(model, deadline_s)
            tried = Examination.of(name, digest, items, at=self._clock())
        except RabbitholeError as error:
            problem = error
        except Exception as error:
            logger.exception("the examination of %s failed", name)
            problem = RabbitholeError(
                "unexpected {error}: {what}", error=type(error).__name__, what=error
            )
        if problem is not None:
            failed = {"tried_at": self._clock(), "problem": problem.notice}
            tried = tried.model_copy(update=failed)
        await asyncio.to_thread(keep_result, self._services.catalog, tried)
        return problem


def unfinished(model: str, problem: RabbitholeError) -> Notice:
    """Say that an examination came to no result, and why."""
    return Notice.of(
        "Whether {model} can read could not be examined: {reason}. Nothing is concluded from it; "
        "rabbithole doctor --models examines it again.",
        model=model,
        reason=problem,
    )
