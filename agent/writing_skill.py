"""How well a model writes: which share of its sentences follows from the passage that it was given.

A model is examined on the passages of ``writing_samples.json``, with the task of quick answers and
by the judge of their sentences; ``agent.examination`` says when. The figure of the model which is
shipped stands beside the passages.
"""

import asyncio
import json
from pathlib import Path
from typing import Any, Final

from agent.drafting import checked_prose
from agent.prompts import PassageText
from agent.prompts.ask import AnswerInput, AnswerQuestion
from services.build import Services
from services.domain import EvidenceSentence
from services.domain.errors import error_of
from services.domain.model_checks import ExaminedAnswer, share_of
from services.domain.notices import Notice
from services.domain.value import Value
from services.evidence.judge import Judge
from services.language.text import sentences
from services.models.base import ChatModel
from services.models.tasks import OF_THE_MODEL, TaskRunner

LEAST: Final = 0.6
"""Share of proven sentences from which on a model writes (docs/quick-answers.md)."""


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


def passed(share: float | None) -> bool:
    """Whether a model passed; one that could not be measured did not."""
    return share is not None and share >= LEAST


async def answers(model: ChatModel, deadline_s: float) -> list[str]:
    """What the model answers to the samples, "" where it wrote what is of no use.

    Raises:
        RabbitholeError: its server gave no whole answer, so that nothing can be said of the model.
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
        if problem is not None and problem.fields["failure"] not in OF_THE_MODEL:
            reason = Notice.model_validate(problem.fields["reason"])
            raise error_of(str(problem.fields["failure"]))(reason)
        written.append(result.value)
    return written


async def examine(model: ChatModel, services: Services) -> tuple[ExaminedAnswer, ...]:
    """The model's answers to the samples, and how much of each is proven; raises as ``answers``."""
    written = await answers(model, services.settings.call_deadline_s)
    return await asyncio.to_thread(judged, written, services.judge)


def judged(written: list[str], judge: Judge) -> tuple[ExaminedAnswer, ...]:
    """What the sentences of answers to the samples are worth."""
    return tuple(
        ExaminedAnswer.of(sample.question, answer, sample.proven(answer, judge))
        for sample, answer in zip(SAMPLES, written, strict=True)
    )


def share_proven(written: list[str], judge: Judge) -> float:
    """The share of the sentences that are proof, 0-1, of answers to the samples."""
    return share_of(judged(written, judge))
