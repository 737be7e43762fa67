"""Writing the answer: by the model over the best sentences, or these sentences themselves."""

import asyncio
from collections.abc import Sequence
from typing import Final

from agent.ask.models import Reply
from agent.ask.prompt import fitted
from agent.ask.sentences import Best, best_sentences
from agent.ask.state import AskState
from agent.ask.step import AskStep, asked, timed
from agent.drafting import checked_prose, cite
from agent.prompts.ask import AnswerInput, AnswerQuestion, refusal, searched
from agent.step import Update
from services.citations import EvidenceSentence
from services.types import Sentence

SENTENCES: Final = {"fast": 3, "enhanced": 5, "agent": 5}
LEAST_SHARE: Final = 0.55
"""A sentence that is worth less than this share of the best one is not quoted."""


@timed("answer")
async def write_answer(state: AskState, step: AskStep) -> Update:
    """Says what the passages say; every sentence is led to its place by code."""
    best = await asyncio.to_thread(best_sentences, state, step.context)
    if step.context.tasks.model is None:
        return {"reply": Reply(sentences=quotes(best, state))}
    return {"reply": await _written(state, best, step)}


async def _written(state: AskState, best: Best, step: AskStep) -> Reply:
    """The model's sentences that hold; quotes where none does."""
    known, most = state["understanding"], SENTENCES[state["route"].depth]
    options = state["options"]
    wanted = AnswerInput(
        question=known.question,
        language=known.language,
        passages=(),
        most=most,
        instructions=options.synthesis_prompt,
    )
    passages = await asyncio.to_thread(fitted, wanted, best, step.context, options.max_tokens)
    wanted = wanted.model_copy(update={"passages": passages})
    text = await asked(step, AnswerQuestion(), wanted, part="answer")
    reason = step.usage[-1].fallback
    degraded = (f"answer: {reason}",) if reason else ()
    return await asyncio.to_thread(checked_reply, text, best, state, degraded)


def checked_reply(text: str, best: Best, state: AskState, degraded: Sequence[str] = ()) -> Reply:
    """What of a model's text holds, sentence by sentence; quotes where nothing does."""
    prose, left_out = checked_prose(text, best.pool, state["understanding"].language)
    told = (*degraded, *(f"left out for lack of support: {sentence}" for sentence in left_out))
    if any(sentence.supported for sentence in prose):
        return Reply(sentences=tuple(prose), degraded=told)
    return Reply(sentences=quotes(best, state), degraded=told)


def quotes(best: Best, state: AskState) -> tuple[Sentence, ...]:
    """The best sentences verbatim, each with its place; of each part of the question one."""
    most = SENTENCES[state["route"].depth]
    chosen = list(best.for_parts[:most])
    least = LEAST_SHARE * best.ranked[0][0] if best.ranked else 0.0
    for score, sentence in best.ranked:
        if len(chosen) >= most or score < least:
            break
        if sentence not in chosen:
            chosen.append(sentence)
    return tuple(verbatim(sentence) for sentence in chosen)


def verbatim(sentence: EvidenceSentence) -> Sentence:
    """A sentence of a document; its text is the catalog's own, so that it is verified."""
    return Sentence(text=sentence.text, supported=True, citations=(cite(sentence),))


@timed("answer")
async def refuse(state: AskState, step: AskStep) -> Update:
    """Says that the documents do not answer, what was searched, and what comes nearest."""
    known, found = state["understanding"], state["found"]
    queries = _listed(found.searches if found else [known.question])
    names = ", ".join(step.context.collections)
    nearest = "; ".join(found.nearest) if found else ""
    return {
        "reply": Reply(
            opening=refusal(known.language),
            closing=searched(known.language, queries, names, nearest),
            refused=True,
        )
    }


def _listed(queries: Sequence[str]) -> str:
    return "; ".join(f"»{query}«" for query in queries)
