"""How well a model writes: which share of its sentences follows from the passage that it was given.

A model is measured once, on the passages of ``writing_samples.json``, with the task of quick
answers and by the judge of their sentences. The figure is kept in the catalog; that of the model
which is shipped stands beside the passages.
"""

import asyncio
import json
import logging
from collections.abc import Callable
from pathlib import Path
from typing import Any, Final

from agent.drafting import checked_prose
from agent.prompts import PassageText
from agent.prompts.ask import AnswerInput, AnswerQuestion
from agent.step import Step
from services.build import Services
from services.domain import EvidenceSentence
from services.domain.errors import InvalidGeneration, ModelUnavailable, TruncatedGeneration
from services.domain.events import Warned
from services.domain.notices import Notice
from services.domain.value import Value
from services.evidence.judge import Judge
from services.language.text import sentences
from services.models.base import ChatModel
from services.models.tasks import TaskRunner

LEAST: Final = 0.6
"""Share of proven sentences from which on a model writes (docs/quick-answers.md)."""

PREFIX: Final = "writing."
"""Before the keys of kept figures, so that none is taken for a parameter of retrieval."""

BAD_ANSWERS: Final = (InvalidGeneration.__name__, TruncatedGeneration.__name__)
"""Failures that are the model's own, not those of its server."""

logger = logging.getLogger(__name__)


class Sample(Value):
    """A passage and a question that it answers."""

    language: str
    question: str
    place: str
    text: str

    def proven(self, answer: str, judge: Judge) -> list[bool]:
        """Of each sentence of an answer, whether it is proof; no answer counts as one that is not.

        So does the reply that the passage does not answer: it does.
        """
        pool = [
            EvidenceSentence(
                document_id=self.place,
                document=self.place,
                section="",
                page=None,
                start=start,
                end=end,
                quote=self.text[start:end].strip(),
                context=f"{self.place}\n{self.text}",
                heading=self.place,
            )
            for start, end in sentences(self.text)
        ]
        found = checked_prose(answer, pool, self.language, judge)
        return [each.supported for each in found.kept] + [False] * len(found.left_out) or [False]


def read_data() -> dict[str, Any]:
    """The samples; and by name of a shipped model its figure, with what it wrote for it."""
    text = Path(__file__).with_name("writing_samples.json").read_text(encoding="utf-8")
    data: dict[str, Any] = json.loads(text)
    return data


_DATA = read_data()
SAMPLES: Final = tuple(Sample.model_validate(each) for each in _DATA["samples"])
SHIPPED: Final[dict[str, float]] = {name: each["share"] for name, each in _DATA["figures"].items()}


def writes(share: float | None) -> bool:
    """Whether a model writes answers; one that could not be measured does."""
    return share is None or share >= LEAST


async def answers(model: ChatModel, deadline_s: float) -> list[str]:
    """What the model answers to the samples, "" where nothing of use came.

    Raises:
        ModelUnavailable: its server failed, so that nothing can be said of the model.
    """
    tasks, written = TaskRunner(model, deadline_s=deadline_s), []
    for sample in SAMPLES:
        asked = AnswerInput(
            question=sample.question,
            language=sample.language,
            passages=(PassageText(place=sample.place, text=sample.text),),
        )
        result = await tasks.run(AnswerQuestion(), asked)
        problem = result.usage.fallback
        if problem is not None and problem.fields["failure"] not in BAD_ANSWERS:
            raise ModelUnavailable(problem)
        written.append(result.value)
    return written


def share_proven(written: list[str], judge: Judge) -> float:
    """The share of the sentences that are proof, 0-1, of answers to the samples."""
    proven = [
        each
        for sample, answer in zip(SAMPLES, written, strict=True)
        for each in sample.proven(answer, judge)
    ]
    return round(sum(proven) / len(proven), 3)


async def share_of_model(step: Step) -> float | None:
    """What is known of the model in use, which is measured now where nobody knows it."""
    skill, model = step.context.skill, step.context.tasks.model
    if skill is None or model is None:
        return None

    def tell() -> None:
        notice = Notice.of(
            "How well {model} keeps to its sources is measured first, by {count} short questions.",
            model=model.name,
            count=len(SAMPLES),
        )
        step.emit(Warned(message=notice))  # of the moment; no warning of the answer

    return await skill(model.name, tell)


class WritingSkill:
    """Figures of models as they are kept; measures a model that has none before it writes.

    Belongs to the event loop of the model.
    """

    def __init__(self, services: Services) -> None:
        self._services = services
        self._begun: dict[str, asyncio.Task[None]] = {}

    def figure(self, model: str) -> float | None:
        """The share of proven sentences of the model of that name; None where nobody knows."""
        if model in SHIPPED:
            return SHIPPED[model]
        kept = self._services.catalog.parameters.everywhere().get(self._key(model))
        return None if kept is None else float(str(kept.value))

    def keep(self, model: str, share: float) -> None:
        self._services.catalog.parameters.put(self._key(model), share)

    async def learned(self, model: str, tell: Callable[[], None]) -> float | None:
        """The share of the model, measured where nobody knows it, once in this process.

        None where its server fails, and where answers are to be the same every time: then nothing
        is measured.
        """
        share = await asyncio.to_thread(self.figure, model)
        if share is not None or self._services.settings.deterministic:
            return share
        if model not in self._begun:
            self._begun[model] = asyncio.get_running_loop().create_task(self._measure(model))
        begun = self._begun[model]
        if not begun.done():
            tell()
        await asyncio.wait([begun])
        return await asyncio.to_thread(self.figure, model)

    async def stop(self) -> None:
        """Breaks off what is being measured; the next process begins it anew."""
        for task in self._begun.values():
            task.cancel()
        await asyncio.gather(*self._begun.values(), return_exceptions=True)

    async def _measure(self, name: str) -> None:
        """What fails is logged, and tried at the next start; a model that is not in use waits."""
        try:
            model = await self._services.chat_model()
            if model is None or model.name != name:
                del self._begun[name]
                return
            written = await answers(model, self._services.settings.call_deadline_s)
            share = await asyncio.to_thread(share_proven, written, self._services.judge)
            await asyncio.to_thread(self.keep, name, share)
        except Exception:
            logger.warning("the writing of %s is measured at the next start", name, exc_info=True)

    def _key(self, model: str) -> str:
        return f"{PREFIX}{self._services.judge.name}.{model}"
