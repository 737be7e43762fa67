"""What a model is asked to write from the best sentences of each item."""

import asyncio
from collections.abc import Sequence
from typing import Final

from agent.ask.state import AskState
from agent.ask.step import AskStep, asked
from agent.ask.structured.prompt import PROMPT_TOKENS, fitted_items
from agent.ask.structured.selection import ItemBest
from agent.prompts.structured import SynthesisInput, SynthesizeStructured
from services.structured.values import QuestionType

FEWEST_SENTENCES: Final = 3
OF_ITEM: Final = 2
"""Sentences for each item, where there are several."""


async def written(
    task: SynthesizeStructured,
    state: AskState,
    best: Sequence[ItemBest],
    step: AskStep,
    *,
    most: int = PROMPT_TOKENS,
    history: str = "",
) -> tuple[str, tuple[str, ...]]:
    """The model's text, and why there is none.

    Nothing is asked of what is not answered: a small model would make it up, and code names it.

    Args:
        task: what writes.
        state: with plan and assessment.
        best: the sentences of the items that are answered.
        step: of the graph.
        most: tokens of the sentences in the prompt.
        history: what an agent did to find them.
    """
    known, options, left = state["understanding"], state["options"], state["assessment"].open
    found = [each.item for each in best]
    wanted = SynthesisInput(
        question="; ".join(found) if left else known.question,
        language=known.language,
        question_type=_type_of(state["plan"].question_type, found),
        items=(),
        most=max(FEWEST_SENTENCES, OF_ITEM * len(found)),
        instructions=options.synthesis_prompt,
        history=history,
    )
    tokens = min(options.max_tokens or most, most)
    items = await asyncio.to_thread(fitted_items, task, wanted, best, step.context, tokens)
    wanted = wanted.model_copy(update={"items": items})
    text = await asked(step, task, wanted, part="answer")
    reason = step.usage[-1].fallback
    return text, ((f"answer: {reason}",) if reason else ())


def _type_of(kind: QuestionType, found: Sequence[str]) -> QuestionType:
    """One side alone is compared with nothing."""
    return "factual" if kind == "comparison" and len(found) == 1 else kind
