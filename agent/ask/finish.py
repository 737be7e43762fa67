"""The last step of a turn: the answer as one value, told and kept for the next turn."""

import asyncio
import time
from typing import Final

from agent.ask.compose import as_html, as_speech, as_text, numbered
from agent.ask.models import (
    AgentTrace,
    Answer,
    Coverage,
    NumberedCitation,
    PastTurn,
    Reply,
    StructuredAnswer,
)
from agent.ask.rewrite import names_of
from agent.ask.route import may_be_recalled
from agent.ask.state import AskState
from agent.ask.step import AskStep, timed
from agent.drafting import standings_of
from agent.prompts import say
from agent.quoting import readable_alone
from agent.research.report import usage_json
from agent.sources import sources_of
from agent.step import Update
from services.domain.events import ExecutionComplete, FinalAnswer, TokenCount, TokenUpdate
from services.domain.notices import Notice
from services.structured.decomposition import decomposed
from services.structured.values import Assessment, RequiredInfo, Status

SAID: Final = (
    "opening", "closing", "listed", "notes", "sentences", "certainty", "degraded", "refused",
)  # fmt: skip

PHASES = ("decomposition", "retrieval", "critique", "synthesis")


@timed("finish")
async def finish_turn(state: AskState, step: AskStep) -> Update:
    """Numbers the citations, names the sources, tells the end."""
    reply, known = await asyncio.to_thread(_readable, state["reply"], step), state["understanding"]
    citations = numbered(reply.sentences, known.language, step.context)
    answer = with_structure(await asyncio.to_thread(_answer, state, reply, citations, step), state)
    _tell(state, reply, answer, citations, step)
    if state["options"].answer_cache and may_be_recalled(state["route"]) and not state["recalled"]:
        memory = await asyncio.to_thread(step.context.memory)
        await asyncio.to_thread(memory.keep, state)
    past = PastTurn(
        question=known.question,
        names=names_of(known.question, known.language, known.classification.entities),
        answer=as_speech(reply),
    )
    return {"answer": answer, "conversation": [past]}


def _readable(reply: Reply, step: AskStep) -> Reply:
    """The reply with its quotes as they can be read alone; a list names places only."""
    if reply.listed:
        return reply
    lines = readable_alone(reply.sentences, step.context.catalog.documents, reply.headings)
    sentences = tuple(sentence for _, sentence in lines)
    shown = tuple(reply.headings[number] for number, _ in lines) if reply.headings else ()
    return reply.model_copy(update={"sentences": sentences, "headings": shown})


def _answer(
    state: AskState, reply: Reply, citations: tuple[NumberedCitation, ...], step: AskStep
) -> Answer:
    known = state["understanding"]
    rewriting, found, run = state["rewriting"], state["found"], state.get("agent")
    return Answer(
        turn=state["turn"],
        question=state["question"],
        question_rewritten=rewriting.question if rewriting.by else None,
        rewritten_because=rewriting.because,
        answer=as_text(reply, citations, known.language),
        language=known.language,
        **dict(state["route"]),
        **{name: getattr(reply, name) for name in SAID},
        complexity=state["complexity"],
        classification=known.classification,
        subquestions=known.subquestions,
        citations=citations,
        sources=tuple(sources_of(reply.sentences, step.context)),
        standings=standings_of(reply.sentences),
        coverage=reply.coverage or _sampled(state),
        from_cache=state["recalled"] or (found is not None and found.from_cache),
        agent=run.trace if run else AgentTrace(),
        agent_steps=run.told if run else (),
        found=found,
        warnings=tuple(map(Notice.model_validate, state.get("warnings", []))),
        usage={
            **usage_json(
                state.get("usage", []),
                state.get("phase_seconds", {}),
                step.context.tasks.model.name if step.context.tasks.model else "none",
            ),
            **({} if reply.writing is None else {"writing": reply.writing}),
        },
    )


def _sampled(state: AskState) -> Coverage:
    """Of an answer that a search gave; a question about everything is told so."""
    known = state["understanding"]
    asks_all = known.scan is not None and not state["reply"].refused
    warning = say(known.language, "sampled", len(state["evidence"])) if asks_all else None
    return Coverage(whole=False, warning=warning)


def _tell(
    state: AskState,
    reply: Reply,
    answer: Answer,
    citations: tuple[NumberedCitation, ...],
    step: AskStep,
) -> None:
    usage = state.get("usage", [])
    tokens = TokenCount(
        input=sum(each.prompt_tokens for each in usage),
        output=sum(each.completion_tokens for each in usage),
    )
    step.emit(
        TokenUpdate(
            part="answer",
            text=answer.answer,
            total_input=tokens.input,
            total_output=tokens.output,
        )
    )
    step.emit(
        FinalAnswer(
            html=as_html(reply, citations, answer.language),
            sources=tuple(source.model_dump(mode="json") for source in answer.sources),
            tts_payload=None,
            answer=answer.model_dump(mode="json"),
        )
    )
    elapsed = max(0.0, time.time() - state["began"])
    step.emit(ExecutionComplete(duration_ms=round(1000 * elapsed, 1), tokens=tokens))


def with_structure(answer: Answer, state: AskState) -> Answer:
    """The same answer; on the structured route with its plan, coverage and times.

    A question that somebody asked to be taken apart, but that the catalog or all of the corpus
    answered, has the same fields: its pieces by the rules, and no passages.
    """
    gathered = state["gathered"]
    if gathered is not None:
        plan, assessment, searches = state["plan"], state["assessment"], gathered.searches
    elif state["options"].depth == "structured":
        plan, searches = decomposed(state["understanding"]), ()
        status: Status = "missing" if answer.refused else "covered"
        assessment = Assessment(
            required=tuple(RequiredInfo(item=item, status=status) for item in plan.required_info)
        )
    else:
        return answer
    return StructuredAnswer(
        **dict(answer),
        question_type=plan.question_type,
        required_info=assessment.required,
        sub_queries=searches,
        coverage_map={
            each.item: tuple(evidence.chunk_id for evidence in each.evidence)
            for each in assessment.required
        },
        entities=assessment.entities,
        gaps=assessment.gaps,
        contradictions=tuple(state["contradictions"]),
        confidence=assessment.confidence,
        temporal_coverage=assessment.temporal_coverage,
        timings_ms=_timings(state),
    )


def _timings(state: AskState) -> dict[str, float]:
    """Milliseconds of each phase and of all, both passes of retrieval together."""
    seconds = state.get("phase_seconds", {})
    timings = {phase: round(1000 * seconds.get(phase, 0.0), 1) for phase in PHASES}
    return {**timings, "total": round(sum(timings.values()), 1)}
