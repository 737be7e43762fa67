"""When a model takes the reading test, where the result is kept, and what overrides it."""

import asyncio
import logging
import time
from collections.abc import AsyncGenerator, Callable, Sequence
from contextlib import aclosing, suppress
from typing import TYPE_CHECKING, Final

from pydantic import ValidationError

from agent.reading_test.items import ITEMS, AnyItem, run_items
from services.build import Services
from services.catalog import Catalog
from services.domain.errors import ModelSilent, RabbitholeError
from services.domain.events import Warned
from services.domain.model_checks import ItemResult, ModelReading, ReadingTestResult
from services.domain.notices import Notice
from services.models.base import ChatModel, digest_of
from services.models.embedded import EMBEDDED_NAME
from services.models.recording import RecordingModel

if TYPE_CHECKING:
    from agent.step import Step

PREFIX: Final = "examination."
"""Prefix of the keys of stored results, so that none is taken for a parameter of retrieval."""

NO_READERS: Final = frozenset({EMBEDDED_NAME})
"""Models that do not read: as a reader the shipped one copies its instructions."""

WAIT_S: Final = 30.0
"""Seconds that a question waits for a reading test under way."""

AGAIN_AFTER_S: Final = 300.0
"""Seconds for which no process repeats a reading test that failed."""

Tell = Callable[[Notice], None]
RunItems = Callable[[ChatModel, float, Sequence[AnyItem]], AsyncGenerator[ItemResult, None]]

logger = logging.getLogger(__name__)


def stored_result(services: Services, model: str, digest: str | None = None) -> ReadingTestResult:
    """Return the stored result of a model; with a digest only that of the same file."""
    stored = services.catalog.parameters.global_values().get(PREFIX + model)
    with suppress(ValidationError):  # another version may store other values
        if stored is not None:
            result = ReadingTestResult.model_validate(stored.value)
            if digest in (None, result.digest):
                return result
    return ReadingTestResult(model=model, passed=False if model in NO_READERS else None)


def keep_result(catalog: Catalog, result: ReadingTestResult) -> None:
    """Store a result in the place of an earlier one of the same model."""
    value = result.model_dump(mode="json")
    catalog.parameters.put(PREFIX + result.model, value)


def reading(services: Services, model: str) -> ModelReading:
    """Return the result of a model, and whether it reads: by the setting, else by the result."""
    result, setting = stored_result(services, model), services.settings.reads
    reads = result.passed is True if setting == "auto" else setting == "yes"
    return ModelReading(**dict(result), setting=setting, reads=reads)


def may_read(services: Services) -> bool:
    """Return whether it is worth to load the model in use: the setting says so, or one passed."""
    settings, stored = services.settings, services.catalog.parameters.global_values()
    passed = (
        isinstance(result.value, dict) and result.value.get("passed") is True
        for key, result in stored.items()
        if key.startswith(PREFIX)
    )
    return settings.reads == "yes" or (settings.reads == "auto" and any(passed))


async def model_reads(step: "Step") -> bool:
    """Say whether the model in use reads; one without a result is tested now."""
    can_read, model = step.context.can_read, step.context.tasks.model
    if can_read is None or model is None or step.context.tasks.gone:
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


class ReadingTester:
    """Tests models without a result, and others on request, in the event loop of the model."""

    def __init__(
        self,
        services: Services,
        run_items: RunItems = run_items,
        clock: Callable[[], float] = time.time,
        wait_s: float = WAIT_S,
    ) -> None:
        self._services, self._run_items = services, run_items
        self._clock, self._wait_s = clock, wait_s
        self._under_way: dict[str, asyncio.Task[RabbitholeError | None]] = {}
        self._not_tested: set[str] = set()

    async def reads(self, model: ChatModel, tell: Tell) -> bool:
        """Say whether a model reads, by the setting or else by its result.

        One without a result is tested, in the background where that takes long, but not in
        deterministic mode, nor shortly after a test failed. An interrupted test is continued.

        Raises:
            RabbitholeError: the test failed now.
        """
        settings = self._services.settings
        if settings.reads != "auto":
            return settings.reads == "yes"
        result = await self._stored(model)
        if result.passed is not None:
            return result.passed
        if settings.deterministic:
            self._tell_once(model.name, tell)
            return False
        age_s = self._clock() - (result.tried_at or 0.0)
        if model.name not in self._under_way and result.problem and 0 <= age_s < AGAIN_AFTER_S:
            tell(unfinished(model.name, result.problem))
            return False
        return await self._awaited(model, tell)

    async def finally_reads(self, model: ChatModel) -> bool:
        """Say the same as ``reads``, however long a test takes; raise like it."""
        reads = await self.reads(model, lambda notice: None)
        if reads or model.name not in self._under_way:
            return reads
        await asyncio.wait([self._under_way[model.name]])
        return await self.reads(model, lambda notice: None)

    async def _awaited(self, model: ChatModel, tell: Tell) -> bool:
        """Return the result of a test that ends soon; raise as ``reads``."""
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
                    "{model} has done {done} of the {count} tasks of its test. Until it is "
                    "finished, answers consist of quotes. To finish it now, run: rabbithole "
                    "doctor --models",
                    model=name,
                    done=len((await self._stored(model)).items),
                    count=len(ITEMS),
                )
            )
            return False
        if not under_way.cancelled() and (error := under_way.result()) is not None:
            raise error
        return (await self._stored(model)).passed is True

    async def tested(self, model: ChatModel, *, again: bool) -> ModelReading:
        """Return the result of a model; test it if it has none, or ``again``."""
        if again or (await self._stored(model)).passed is None:
            await asyncio.wait([self._start(model.name, again=again)])
        return await asyncio.to_thread(reading, self._services, model.name)

    async def stop(self) -> None:
        """Cancel the tests under way; they are continued later."""
        tasks = list(self._under_way.values())
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

    async def _stored(self, model: ChatModel) -> ReadingTestResult:
        digest = digest_of(model)
        return await asyncio.to_thread(stored_result, self._services, model.name, digest)

    def _tell_once(self, model: str, tell: Tell) -> None:
        if model in self._not_tested:
            return
        self._not_tested.add(model)
        tell(
            Notice.of(
                "{model} has not been tested, so answers are quotes: no model is tested "
                "automatically while RABBITHOLE_DETERMINISTIC is set. To test it, run: "
                "rabbithole doctor --models",
                model=model,
            )
        )

    def _start(self, model: str, *, again: bool = False) -> asyncio.Task[RabbitholeError | None]:
        if model not in self._under_way:
            task = asyncio.get_running_loop().create_task(self._run(model, again))
            self._under_way[model] = task
            task.add_done_callback(lambda _: self._under_way.pop(model))
        return self._under_way[model]

    async def _run(self, name: str, again: bool) -> RabbitholeError | None:
        """Store the result of a model in use; if it fails, store why beside an earlier result."""
        tried = await asyncio.to_thread(stored_result, self._services, name)
        try:
            model = await self._services.chat_model()
            if model is None or model.name != name:
                return None
            if tried.digest != digest_of(model):
                tried = ReadingTestResult(model=name, digest=digest_of(model))
            async with aclosing(self._results(model, tried, again)) as results:
                async for tried in results:
                    await asyncio.to_thread(keep_result, self._services.catalog, tried)
            return None
        except RabbitholeError as error:
            problem: RabbitholeError = error
        except Exception as error:
            logger.exception("the reading test of %s failed", name)
            problem = RabbitholeError(
                "unexpected {error}: {what}", error=type(error).__name__, what=error
            )
        failed = {"tried_at": self._clock(), "problem": problem.notice}
        tried = tried.model_copy(update=failed)
        await asyncio.to_thread(keep_result, self._services.catalog, tried)
        return problem

    async def _results(
        self, model: ChatModel, before: ReadingTestResult, again: bool
    ) -> AsyncGenerator[ReadingTestResult, None]:
        """Yield what is to be stored after each item, at last the result of the whole test. An
        earlier result stays until then; a test without one is continued, unless it is done
        ``again``."""
        done = {} if again else {item.question: item for item in before.items}
        left = [item for item in ITEMS if item.question not in done]
        deadline_s = self._services.settings.call_deadline_s
        async with aclosing(self._run_items(model, deadline_s, left)) as items:
            async for item in items:
                done[item.question] = item
                if before.passed is None:
                    yield ReadingTestResult(
                        model=before.model, digest=before.digest, items=tuple(done.values())
                    )
        results = tuple(done[item.question] for item in ITEMS)
        yield ReadingTestResult.of(before.model, before.digest, results, at=self._clock())


def unfinished(model: str, problem: RabbitholeError | Notice) -> Notice:
    """Return the notice that a reading test has no result, and why."""
    return Notice.of(
        "{model} could not be tested: {reason}. This is not counted as a failure; rabbithole "
        "doctor --models tests it again.",
        model=model,
        reason=problem,
    )
