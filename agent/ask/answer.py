"""Writing the answer: by the model over the best sentences, or these sentences themselves."""

import asyncio
from collections.abc import Sequence
from typing import Final

from agent.ask.models import Found, Reply
from agent.ask.prompt import fitted
from agent.ask.refusal import believed, left_without
from agent.ask.sentences import Best, best_sentences
from agent.ask.state import AskState
from agent.ask.step import AskStep, asked, timed
from agent.drafting import checked_prose, cite
from agent.prompts.ask import AnswerInput, AnswerQuestion, declines, refusal, searched
from agent.step import Update
from services.citations import EvidenceSentence
from services.citations.support import content_words, word_shares
from services.extractive.questions import asks_amount, topic
from services.quantities import quantities
from services.query.values import Understanding
from services.text import has_stem
from services.types import Sentence

SENTENCES: Final = {"fast": 3, "enhanced": 5, "agent": 5}
"""Of those depths whose answer is written here."""
LEAST_SHARE: Final = 0.55
"""A sentence that is worth less than this share of the best one is not quoted."""

NOT_BELIEVED: Final = "the model saw no answer in passages that say enough: they are quoted"


@timed("answer")
async def write_answer(state: AskState, step: AskStep) -> Update:
    """Says what the passages say; every sentence is led to its place by code."""
    best = await asyncio.to_thread(best_sentences, state, step.context)
    if step.context.tasks.model is None:
        return {"reply": Reply(sentences=quotes(best, state))}
    found = state["found"]
    assert found is not None  # without a search the graph does not come here
    return {"reply": await _written(found, state, best, step)}


async def _written(found: Found, state: AskState, best: Best, step: AskStep) -> Reply:
    """The model's sentences that hold; quotes, or a refusal, where none does."""
    known, most = state["understanding"], SENTENCES[state["route"].depth]
    options = state["options"]
    wanted = AnswerInput(
        question=known.question,
        language=known.language,
        passages=(),
        most=most,
        instructions=options.synthesis_prompt,
        may_decline=believed(found, known.language),
    )
    passages = await asyncio.to_thread(fitted, wanted, best, step.context, options.max_tokens)
    wanted = wanted.model_copy(update={"passages": passages})
    text = await asked(step, AnswerQuestion(), wanted, part="answer")
    reason = step.usage[-1].fallback
    degraded = (f"answer: {reason}",) if reason else ()
    if declines(text, known.language):
        if wanted.may_decline:
            return refused(state, step)
        return Reply(sentences=quotes(best, state), degraded=(*degraded, NOT_BELIEVED))
    reply = await asyncio.to_thread(checked_reply, text, best, state, degraded)
    return reply or refused(state, step)


def checked_reply(
    text: str, best: Best, state: AskState, degraded: Sequence[str] = ()
) -> Reply | None:
    """What of a model's text holds, sentence by sentence; quotes where nothing does.

    None where the quotes do not answer either.
    """
    known, found = state["understanding"], state["found"]
    prose, left_out = checked_prose(text, best.pool, known.language)
    told = (*degraded, *(f"left out for lack of support: {sentence}" for sentence in left_out))
    if any(sentence.supported for sentence in prose) and tells_meaning(prose, best):
        return Reply(sentences=tuple(prose), degraded=told)
    instead = quotes(best, state)
    if left_out and found is not None and left_without(found, best_share(known, instead)):
        return None
    return Reply(sentences=instead, degraded=told)


def tells_meaning(prose: Sequence[Sentence], best: Best) -> bool:
    """Whether prose rests on a sentence that defines the term, if its meaning is asked for."""
    spans = {(each.document_id, each.start) for each in best.defining}
    cited = {(each.document_id, each.start) for said in prose for each in said.citations}
    return not spans or not spans.isdisjoint(cited)


def best_share(known: Understanding, sentences: Sequence[Sentence]) -> float:
    """The best share of the question's content words that one of the sentences has, 0-1."""
    return max(
        (word_shares(known.question, each.text, "", known.language)[0] for each in sentences),
        default=0.0,
    )


def quotes(best: Best, state: AskState) -> tuple[Sentence, ...]:
    """The best sentences verbatim, each with its place; of each part of the question one.

    After the first only what adds words of the question that the ones before lack, unless
    everything is wanted.
    """
    known, most = state["understanding"], SENTENCES[state["route"].depth]
    chosen = list(best.for_parts[:most])
    least = LEAST_SHARE * best.ranked[0][0] if best.ranked else 0.0
    for score, sentence in best.ranked:
        if len(chosen) >= most or score < least:
            break
        if sentence not in chosen and (known.scan or _adds(sentence, chosen, known, best)):
            chosen.append(sentence)
    return tuple(verbatim(sentence) for sentence in chosen)


def _adds(
    sentence: EvidenceSentence,
    chosen: Sequence[EvidenceSentence],
    known: Understanding,
    best: Best,
) -> bool:
    """Whether a sentence has a content word of the question that the chosen ones lack.

    After a definition that was asked for nothing does; where a number is asked for and they have
    none, any other may have it.
    """
    if not chosen or any(each in best.defining for each in chosen):
        return not chosen
    said = "\n".join(each.text for each in chosen)
    language = known.language
    if asks_amount(known.question) and not quantities(said, language):
        return True
    return any(
        has_stem(word, sentence.text, language) and not has_stem(word, said, language)
        for word in content_words(topic(known.question), language)
    )


def verbatim(sentence: EvidenceSentence) -> Sentence:
    """A sentence of a document; its text is the catalog's own, so that it is verified."""
    return Sentence(text=sentence.text, supported=True, citations=(cite(sentence),))


@timed("answer")
async def refuse(state: AskState, step: AskStep) -> Update:
    """Says that nothing near enough was found."""
    return {"reply": refused(state, step)}


def refused(state: AskState, step: AskStep) -> Reply:
    """That the documents do not answer, what was searched, and what comes nearest."""
    known, found = state["understanding"], state["found"]
    queries = _listed(found.searches if found else [known.question])
    names = ", ".join(step.context.collections)
    nearest = "; ".join(found.nearest) if found else ""
    return Reply(
        opening=refusal(known.language),
        closing=searched(known.language, queries, names, nearest),
        refused=True,
    )


def _listed(queries: Sequence[str]) -> str:
    return "; ".join(f"»{query}«" for query in queries)
