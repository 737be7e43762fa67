"""Examinations of models: when a model is examined, where the result is kept, what overrides it.

The tasks are in ``agent.reading.exam``. Only a fault of the model counts: if its server fails,
there is no result.
"""

import asyncio
import logging
import time
from collections.abc import Awaitable, Callable
from contextlib import suppress
from typing import TYPE_CHECKING, Final

from pydantic import ValidationError

from agent.reading.exam import ITEMS, examine
from services.build import Services
from services.catalog import Catalog
from services.domain.errors import ModelSilent, RabbitholeError
from services.domain.events import Warned
from services.domain.model_checks import Examination, ExaminedItem, ModelReading
from services.domain.notices import Notice
from services.models.base import ChatModel, digest_of
from services.models.embedded import EMBEDDED_NAME
from services.models.recording import RecordingModel

if TYPE_CHECKING:
    from agent.step import Step

PREFIX: Final = "examination."
"""Prefix of the keys of results, so that none is taken for a parameter of retrieval."""

NO_READERS: Final = frozenset({EMBEDDED_NAME})
"""Models that do not read: as a reader the shipped one copies its instructions."""

WAIT_S: Final = 30.0
"""Seconds that a question waits for an examination under way."""

AGAIN_AFTER_S: Final = 300.0
"""Seconds for which no process repeats an examination that failed."""

BROKEN_OFF: Final = Notice.of("It was interrupted.")

Tell = Callable[[Notice], None]
Examine = Callable[[ChatModel, float], Awaitable[tuple[ExaminedItem, ...]]]

logger = logging.getLogger(__name__)


def stored_examination(services: Services, model: str, digest: str | None = None) -> Examination:
    """Return the stored result of a model; with a digest only that of the same file."""
    stored = services.catalog.parameters.global_values().get(PREFIX + model)
    with suppress(ValidationError):  # another version may store other values
        if stored is not None:
            examination = Examination.model_validate(stored.value)
            if digest in (None, examination.digest):
                return examination
    return Examination(model=model, passed=False if model in NO_READERS else None)


def keep_result(catalog: Catalog, examination: Examination) -> None:
    """Store a result in the place of an earlier one of the same model."""
    value = examination.model_dump(mode="json")
    catalog.parameters.put(PREFIX + examination.model, value)


def reading(services: Services, model: str) -> ModelReading:
    """Return the result of a model, and whether it reads: by the setting, else by the result."""
    examination, setting = stored_examination(services, model), services.settings.reads
    reads = examination.passed is True if setting == "auto" else setting == "yes"
    return ModelReading(**dict(examination), setting=setting, reads=reads)


def may_read(services: Services) -> bool:
    """Return whether it is worth to load the model in use to read: the setting says so, or one
    passed."""
    settings, stored = services.settings, services.catalog.parameters.global_values()
    passed = (
        isinstance(result.value, dict) and result.value.get("passed") is True
        for key, result in stored.items()
        if key.startswith(PREFIX)
    )
    return settings.reads == "yes" or (settings.reads == "auto" and any(passed))


async def model_reads(step: "Step") -> bool:
    """Say whether the model in use reads; one without a result is examined now.

    A model that was given up for this turn does not.
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
    """Examines models without a result, and others again on request.

    It belongs to the event loop of the model.
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
        """Say whether a model reads, by the setting or else by its examination.

        A model without a result is examined, in the background where that takes long. It is not
        examined in deterministic mode, nor shortly after an examination failed.

        Raises:
            RabbitholeError: the examination failed now.
        """
        settings = self._services.settings
        if settings.reads != "auto":
            return settings.reads == "yes"
        examination = await self._stored(model)
        if examination.passed is not None:
            return examination.passed
        if settings.deterministic:
            self._tell_once(model.name, tell)
            return False
        if model.name not in self._under_way and self._tried_lately(examination):
            return False
        return await self._awaited(model, tell)

    async def finally_reads(self, model: ChatModel) -> bool:
        """Say the same as ``reads``, however long an examination takes; raise like it."""
        reads = await self.reads(model, lambda notice: None)
        if reads or model.name not in self._under_way:
            return reads
        await asyncio.wait([self._under_way[model.name]])
        return await self.reads(model, lambda notice: None)

    async def _awaited(self, model: ChatModel, tell: Tell) -> bool:
        """Return the result of an examination that ends soon; raise as ``reads``."""
        under_way, name = self._start(model.name), model.name
        tell(
            Notice.of(
                "{model} is being tested first: {count} short tasks show whether it can write "
                "answers. This delays the answer by at most {seconds:g} s.",
                model=name,
                count=len(ITEMS),
                seconds=self._wait_s,
            )
        )
        await asyncio.wait([under_way], timeout=self._wait_s)
        if not under_way.done():
            tell(
                Notice.of(
                    "The test of {model} continues in the background. Until it is finished, "
                    "answers consist of quotes.",
                    model=name,
                )
            )
            return False
        if not under_way.cancelled() and (error := under_way.result()) is not None:
            raise error
        return (await self._stored(model)).passed is True

    async def examined(self, model: ChatModel, *, again: bool) -> ModelReading:
        """Return the result of a model; examine it if it has none, or ``again``."""
        if again or (await self._stored(model)).passed is None:
            await asyncio.wait([self._start(model.name)])
        return await asyncio.to_thread(reading, self._services, model.name)

    async def stop(self) -> None:
        """Cancel the examinations under way; they are started again later."""
        tasks = list(self._under_way.values())
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

    async def _stored(self, model: ChatModel) -> Examination:
        digest = digest_of(model)
        return await asyncio.to_thread(stored_examination, self._services, model.name, digest)

    def _tell_once(self, model: str, tell: Tell) -> None:
        """Say once that answers are quotes because the model is not examined."""
        if model in self._not_examined:
            return
        self._not_examined.add(model)
        tell(
            Notice.of(
                "{model} has not been tested, and with RABBITHOLE_DETERMINISTIC models are not "
                "tested automatically, so answers are quotes. To test it, run: rabbithole doctor "
                "--models",
                model=model,
            )
        )

    def _start(self, model: str) -> asyncio.Task[RabbitholeError | None]:
        """Start the examination of a model, unless it is under way, and return its task."""
        if model not in self._under_way:
            task = asyncio.get_running_loop().create_task(self._run(model))
            self._under_way[model] = task
            task.add_done_callback(lambda _: self._under_way.pop(model))
        return self._under_way[model]

    def _tried_lately(self, examination: Examination) -> bool:
        if examination.problem is None or examination.tried_at is None:
            return False
        return 0 <= self._clock() - examination.tried_at < AGAIN_AFTER_S

    async def _run(self, name: str) -> RabbitholeError | None:
        """Store the result of a model in use; if it fails, store why beside an earlier result."""
        problem, tried = None, await asyncio.to_thread(stored_examination, self._services, name)
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
    """Return the notice that an examination has no result, and why."""
    return Notice.of(
        "{model} could not be tested: {reason}. This is not counted as a failure; rabbithole "
        "doctor --models tests it again.",
        model=model,
        reason=problem,
    )
