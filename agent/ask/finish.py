"""The last step of a turn: the answer as one value, told and kept for the next turn."""

import asyncio
import time
from collections.abc import Iterator, Sequence
from typing import Any

from agent.ask.compose import as_html, as_speech, as_text, numbered
from agent.ask.memory import keep
from agent.ask.models import (
    AgentTrace,
    Answer,
    Coverage,
    NumberedCitation,
    PastTurn,
    Reply,
    Said,
    StructuredAnswer,
)
from agent.ask.parts import of_assessment
from agent.ask.rewrite import names_of
from agent.ask.route import may_be_recalled
from agent.ask.scan import counted_beside
from agent.ask.state import AskState
from agent.ask.step import timed
from agent.context import Context
from agent.drafting import standings_of
from agent.prompts import say
from agent.quoting import readable_alone, with_recognised
from agent.ranking import said
from agent.research.report import fallen_back, unused, usage_json
from agent.sources import sources_of
from agent.step import Step, Update
from services.domain.events import (
    ExecutionComplete,
    FinalAnswer,
    PhaseTimes,
    TokenCount,
    TokenUpdate,
    total_seconds,
)
from services.domain.notices import Notice
from services.evidence.highlighting import query_words_in
from services.structured.decomposition import decompose_by_rules, format_dates
from services.structured.fusion import confidence
from services.structured.values import STATUS, Assessment, RequiredInfo, Status, SubQuerySearch

PHASES = ("decomposition", "retrieval", "critique", "synthesis")


@timed("finish")
async def finish_turn(state: AskState, step: Step) -> Update:
    """Numbers the citations, names the sources, tells the end."""
    began, understanding = time.monotonic(), state["understanding"]
    reply = await asyncio.to_thread(_readable, state["reply"], understanding.question, step.context)
    citations = numbered(reply.sentences, understanding.language, step.context)
    answer = await asyncio.to_thread(_answer, state, reply, citations, step.context)
    _tell(state, as_html(reply, citations, understanding.language), answer, step, began)
    if state["options"].answer_cache and may_be_recalled(state["route"]) and not state["recalled"]:
        await asyncio.to_thread(keep, state, step.context)
    past = PastTurn(
        question=understanding.question,
        names=names_of(
            understanding.question, understanding.language, understanding.classification.entities
        ),
        answer=as_speech(reply),
        passages=tuple(_cited(state, citations)),
    )
    return {"answer": answer, "conversation": [past]}


def _cited(state: AskState, citations: Sequence[NumberedCitation]) -> Iterator[str]:
    """The passages that an answer cites."""
    for entry in state["evidence"]:
        inside = (
            entry.start <= each.start < entry.end
            for each in citations
            if each.document_id == entry.document_id
        )
        if any(inside):
            yield entry.chunk_id


def _readable(reply: Reply, question: str, context: Context) -> Reply:
    """Return the reply with quotes that can be read alone, and their words that decide.

    A list names places only, and a model that read has chosen the words itself.
    """
    texts = context.catalog.documents
    if reply.listed or reply.reads:
        sentences = tuple(with_recognised(each, texts) for each in reply.sentences)
        return reply.model_copy(update={"sentences": sentences})
    lines = readable_alone(reply.sentences, texts, reply.headings)
    sentences = tuple(
        sentence.model_copy(
            update={"decisive": query_words_in(f"{sentence.case} {sentence.text}", question)}
        )
        for _, sentence in lines
    )
    shown = tuple(reply.headings[number] for number, _ in lines) if reply.headings else ()
    return reply.model_copy(update={"sentences": sentences, "headings": shown})


def _answer(
    state: AskState,
    reply: Reply,
    citations: tuple[NumberedCitation, ...],
    context: Context,
) -> Answer:
    """The turn; on the structured route with its plan, coverage and times."""
    understanding, rewriting, route = state["understanding"], state["rewriting"], state["route"]
    found, run, model = state["found"], state.get("agent"), context.tasks.model
    used, all_told = state.get("usage", []), state.get("warnings", [])
    warned = [each for n, each in enumerate(all_told) if each not in all_told[:n]]
    seconds = state.get("phase_seconds", {})
    usage = usage_json(used, PhaseTimes(seconds, seconds), model.name if model else "none")
    values = dict(
        {name: getattr(reply, name) for name in Said.model_fields}
        | {"degraded": (*fallen_back(used), *reply.degraded)},
        turn=state["turn"],
        question=state["question"],
        question_rewritten=rewriting.question if rewriting.by else None,
        rewritten_because=rewriting.because,
        answer=as_text(reply, citations, understanding.language),
        language=understanding.language,
        **dict(route),
        refused=reply.refused,
        complexity=state["complexity"],
        classification=understanding.classification,
        subquestions=understanding.subquestions,
        citations=citations,
        sources=tuple(sources_of(reply.sentences, context)),
        standings=standings_of(reply.sentences),
        coverage=reply.coverage or _sampled(state, context),
        from_cache=state["recalled"] or (found is not None and found.from_cache),
        agent=run.trace if run else AgentTrace(),
        agent_steps=run.told if run else (),
        found=found,
        warnings=(*unused(used, model), *(Notice.model_validate(each) for each in warned)),
        usage=usage | _spared(state, context),
    )
    if state["options"].depth != "structured" and state["gathered"] is None:
        return Answer(**values)
    return StructuredAnswer(**values, **_structure(state, context))


def _spared(state: AskState, context: Context) -> dict[str, Any]:
    """That the model in use does not read, where an answer was searched for."""
    searched = state["route"].way == "search" and not state["reply"].refused
    quoted = searched and not state["reads"] and context.tasks.model is not None
    return {"reads": "no"} if quoted else {}


def _sampled(state: AskState, context: Context) -> Coverage:
    """Of an answer that a search gave: on how much it rests; one about everything is warned.

    What only may ask where a word stands is told in how many places it does.
    """
    understanding, read = state["understanding"], len(state["evidence"])
    language, wish = understanding.language, understanding.scan
    beside = counted_beside(understanding, context)
    if state["reply"].refused and beside is None:
        return Coverage(whole=False)
    passages = sum(each.chunks for each in context.catalog.collections.within(context.scope))
    told = [beside.statement if beside else None]
    told += [say(language, "read", read, passages) if read < passages else None]
    asks_all = wish is not None and (beside is not None or wish.sure)
    return (beside or Coverage(whole=False)).model_copy(
        update={
            "statement": " ".join(filter(None, told)) or None,
            "warning": say(language, "sampled", read) if asks_all else None,
        }
    )


def _tell(state: AskState, html: str, answer: Answer, step: Step, began: float) -> None:
    """The answer, its tokens and how long the turn worked; waiting for a person is no work."""
    usage = state.get("usage", [])
    tokens = TokenCount(
        input=sum(task.prompt_tokens for task in usage),
        output=sum(task.completion_tokens for task in usage),
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
            html=html,
            sources=tuple(source.model_dump(mode="json") for source in answer.sources),
            tts_payload=None,
            answer=answer.model_dump(mode="json"),
        )
    )
    elapsed = total_seconds(state.get("phase_seconds", {})) + time.monotonic() - began
    step.emit(ExecutionComplete(duration_ms=round(1000 * elapsed, 1), tokens=tokens))


def _told(state: AskState, context: Context) -> Assessment:
    """The assessment with the status that each piece has by what the answer says of it."""
    assessment = state["assessment"]
    ranked = {part.text: part.ranked for part in of_assessment(state, context).parts}
    sentences = state["reply"].sentences
    required = tuple(
        each.model_copy(
            update={
                "status": STATUS[
                    said(ranked.get(each.item, ()), sentences, named=each.status != "missing")
                ]
            }
        )
        for each in assessment.required
    )
    return assessment.model_copy(update={"required": required})


def _structure(state: AskState, context: Context) -> dict[str, Any]:
    """What the structured route adds: plan, coverage, and times in milliseconds.

    A question that somebody asked to be taken apart, but that the catalog or all of the corpus
    answered, has the same fields: its pieces by the rules, and no passages.
    """
    gathered, seconds = state["gathered"], state.get("phase_seconds", {})
    searches: tuple[SubQuerySearch, ...] = ()
    ranking: tuple[tuple[str, float], ...] = ()
    if gathered is not None:
        plan, assessment = state["plan"], _told(state, context)
        searches, ranking = gathered.searches, gathered.ranking
    elif state["reply"].reads:
        plan, assessment = state["plan"], state["assessment"]
        searches = tuple(
            SubQuerySearch(**dict(each), weights={}, found={}) for each in plan.sub_queries
        )
    else:
        plan = decompose_by_rules(state["understanding"])
        status: Status = "missing" if state["reply"].refused else "covered"
        required = (RequiredInfo(item=item, status=status) for item in plan.required_info)
        assessment = Assessment(required=tuple(required))
    timings = {phase: round(1000 * seconds.get(phase, 0.0), 1) for phase in PHASES}
    return {
        "question_type": plan.question_type,
        "entity_hints": plan.entity_hints,
        "topic_hints": plan.topic_hints,
        "temporal_scope": format_dates(state["understanding"].dates),
        "required_info": assessment.required,
        "sub_queries": searches,
        "coverage_map": {
            each.item: tuple(passage.chunk_id for passage in each.evidence)
            for each in assessment.required
        },
        "entities": assessment.entities,
        "gaps": assessment.gaps,
        "contradictions": tuple(state["contradictions"]),
        "confidence": confidence(assessment.coverage, ranking),
        "temporal_coverage": assessment.temporal_coverage,
        "timings_ms": {**timings, "total": round(sum(timings.values()), 1)},
    }
