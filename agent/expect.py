"""What documents might say to a question: searched with beside the question's own words.

People ask about a *Rauswurf* what the law says of a *Kündigung*. A model knows both words without
having read the documents; its sentences are searched with (query2doc: Wang, Yang and Wei, EMNLP
2023), compared with, and never shown (docs/retrieval.md).
"""

from collections.abc import Awaitable, Callable, Iterable, Mapping
from typing import Any, Final

from agent.prompts import Asked
from agent.prompts.ask import ExpectPassage
from agent.step import Step
from services.domain import Language
from services.library.search import QUERY_LENGTH
from services.models.base import ChatModel, count_prompt

WITHIN_S: Final = 14.0
"""Seconds that it may take; so long a quick answer may keep its reader waiting for a word."""

Expected = Mapping[str, str]
"""What documents might say, by the text that asks, in small letters."""


async def expected(
    texts: Iterable[str],
    language: Language,
    reads: bool,
    step: Step,
    run: Callable[..., Awaitable[Any]] = Step.run,
) -> dict[str, str]:
    """What documents might say to each text; {} where no model is in use that may say it.

    Args:
        texts: questions, or parts and tasks of one.
        language: that they are in.
        reads: whether the model in use reads; another one says nothing.
        step: that the model is asked in.
        run: asks it.
    """
    model = step.context.tasks.model
    if model is None or not reads:
        return {}
    task, found = ExpectPassage(), dict[str, str]()
    for text in texts:
        inp = Asked(question=text, language=language)
        if _seconds(task, inp, model) <= WITHIN_S and (said := await run(step, task, inp)):
            found[text.casefold()] = said
    return found


def in_their_words(text: str, expected: Expected) -> str:
    """A text with what documents might say to it, as it is searched and compared with."""
    return f"{text} {expected.get(text.casefold(), '')}".strip()[:QUERY_LENGTH]


def _seconds(task: ExpectPassage, inp: Asked, model: ChatModel) -> float:
    """How long the model takes at most, at the speed that was measured of it."""
    read = count_prompt(model, task.render(inp)) / model.prompt_tokens_per_s
    return read + task.max_tokens / model.output_tokens_per_s
