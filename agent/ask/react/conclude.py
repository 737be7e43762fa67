"""The end of the loop: what was gathered is weighed, and the answer is written and checked."""

import asyncio
from collections.abc import Iterable, Sequence
from typing import Final

from agent.ask.answer import SENTENCES, by_quotes, checked_reply, refused
from agent.ask.models import Reply
from agent.ask.prompt import fitted
from agent.ask.react.by_parts import concluded
from agent.ask.react.loop import run_of
from agent.ask.react.memory import GATHERED_CHARS, trimmed_history
from agent.ask.react.search_tool import PASSAGES_KEPT, first_look
from agent.ask.react.tooling import make_kit
from agent.ask.react.values import AgentRun
from agent.ask.retrieve import evidence, tell_found
from agent.ask.sentences import Best, best_sentences
from agent.ask.state import AskState
from agent.ask.step import AskStep, asked, timed
from agent.models import ContextEntry
from agent.passages import section_names
from agent.prompts.ask import PassageText
from agent.prompts.react import ConcludeAnswer, ConclusionInput
from agent.step import Update
from services.evidence import certainty
from services.structured.decomposition import decomposed

HISTORY_CHARS: Final = 600
SHOWN_SECTIONS: Final = 3


@timed("agent_weigh")
async def weigh(state: AskState, step: AskStep) -> Update:
    """Joins what the agent found with a search for the question itself and for its parts.

    All of it is judged by the question: a model that looks for something else finds that, and it
    answers nothing.
    """
    run, known = run_of(state), state["understanding"]
    looks = await first_look(await make_kit(state, step, run))
    own = [
        evidence(hit, rank)
        for each in looks
        for rank, hit in enumerate(each.result.hits[:PASSAGES_KEPT], start=1)
    ]
    entries = joined([*own, *run.evidence])
    nearest = tuple(section_names(entries[:SHOWN_SECTIONS], step.context))
    queries = dict.fromkeys([known.question, *(each.query for each in run.searches)])
    found = looks[0].found.model_copy(
        update={"searches": tuple(queries), "results": len(entries), "nearest": nearest}
    )
    tell_found(entries, step)
    return {"evidence": entries, "found": found}


def joined(entries: Iterable[ContextEntry]) -> list[ContextEntry]:
    """Each passage once, the best ranks of all searches first."""
    best: dict[str, ContextEntry] = {}
    for entry in entries:
        old = best.get(entry.chunk_id)
        if old is None or (entry.rank, -entry.score) < (old.rank, -old.score):
            best[entry.chunk_id] = entry
    return sorted(best.values(), key=lambda each: (each.rank, -each.score, each.chunk_id))


def after_weighing(state: AskState) -> str:
    """Refuses where nothing near the question was found; the catalog's facts stand alone."""
    found, run = state["found"], run_of(state)
    if run.facts:
        return "conclude"
    return "conclude" if found is not None and found.results else "refuse"


@timed("answer")
async def conclude(state: AskState, step: AskStep) -> Update:
    """The answer, whoever wrote it: each sentence is led to its place by code, or left out."""
    run, found = run_of(state), state["found"]
    if run.facts and (found is None or not found.results):
        return {"reply": Reply(opening=run.facts)}
    plan = decomposed(state["understanding"])
    if len(plan.required_info) > 1:
        looks = await first_look(await make_kit(state, step, run))
        reply = await concluded(state, run, plan, looks, _history(run), step)
    else:
        reply = await _as_one(state, run, step)
    if reply is None and not run.facts:
        return {"found": state["found"], "reply": refused(state, step)}
    reply = reply or Reply()
    opening = "\n\n".join(each for each in (run.facts, reply.opening) if each)
    reply = reply.model_copy(update={"opening": opening})
    return {"found": state["found"], "reply": reply}


async def _as_one(state: AskState, run: AgentRun, step: AskStep) -> Reply | None:
    """The answer to a question that asks for one thing, and what was found of that thing."""
    context = step.context
    best = await asyncio.to_thread(best_sentences, state, context)
    found = state["found"]
    sure = certainty([best.score], named=found is not None and found.named)
    if sure == "refused":
        return None
    if sure == "perhaps":
        return await asyncio.to_thread(by_quotes, best, state, sure, context)
    text, degraded = (run.answer, ()) if run.answer else await _written(state, run, best, step)
    return await asyncio.to_thread(checked_reply, text, best, state, context.judge, degraded)


def _history(run: AgentRun) -> str:
    """What was thought and done, for the prompt of a conclusion."""
    return trimmed_history(run.steps, keep_full=0)[-HISTORY_CHARS:]


async def _written(
    state: AskState, run: AgentRun, best: Best, step: AskStep
) -> tuple[str, tuple[str, ...]]:
    """The model's conclusion from the best sentences, and why there is none."""
    known, options = state["understanding"], state["options"]
    wanted = ConclusionInput(
        question=known.question,
        language=known.language,
        passages=(),
        most=SENTENCES[state["route"].depth],
        instructions=options.synthesis_prompt,
        history=_history(run),
    )
    passages = await asyncio.to_thread(fitted, wanted, best, step.context, options.max_tokens)
    wanted = wanted.model_copy(update={"passages": within(passages)})
    task = ConcludeAnswer(step.context.agent_temperature)
    text = await asked(step, task, wanted, part="answer")
    reason = step.usage[-1].fallback
    return text, ((f"answer: {reason}",) if reason else ())


def within(passages: Sequence[PassageText], most: int = GATHERED_CHARS) -> tuple[PassageText, ...]:
    """The first passages that have so many characters together, at least one."""
    kept: list[PassageText] = []
    for each in passages:
        most -= len(each.place) + len(each.text)
        if most < 0 and kept:
            break
        kept.append(each)
    return tuple(kept)
