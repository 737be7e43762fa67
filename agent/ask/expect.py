"""What a document might say to a question: searched with beside the question's own words.

People ask about a *Rauswurf* what the law says of a *Kündigung*. A model knows both words without
having read the documents; its sentences are searched with (query2doc: Wang, Yang and Wei, EMNLP
2023), ranked with, and never shown (docs/retrieval.md).
"""

from collections.abc import Iterable
from typing import Final

from agent.ask.budgets import ANSWER_WITHIN_S
from agent.ask.state import AskState
from agent.ask.step import asked
from agent.prompts import Asked
from agent.prompts.ask import ExpectPassage
from agent.step import Step
from agent.writing_skill import writes
from services.models.base import PROMPT_SHARE, ChatModel, count_prompt

LONGEST: Final = 4_000
"""Characters that a search takes."""


async def expected(queries: Iterable[str], state: AskState, step: Step) -> dict[str, str]:
    """By query what documents might say to it; nothing of a model not known to write well."""
    model, share = step.context.tasks.model, state["options"].writing
    if model is None or not share or not writes(share):
        return {}
    task, found = ExpectPassage(), dict[str, str]()
    for query in queries:
        inp = Asked(question=query, language=state["understanding"].language)
        if _seconds(task, inp, model) <= PROMPT_SHARE * ANSWER_WITHIN_S:
            found[query] = await asked(step, task, inp)
    return found


def in_their_words(query: str, state: AskState) -> str:
    """A query with what documents might say to it, as it is searched and ranked with."""
    return f"{query} {state['expected'].get(query, '')}".strip()[:LONGEST]


def _seconds(task: ExpectPassage, inp: Asked, model: ChatModel) -> float:
    """How long the model takes at most, at the speed that was measured of it."""
    read = count_prompt(model, task.render(inp)) / model.prompt_tokens_per_s
    return read + task.max_tokens / model.output_tokens_per_s
