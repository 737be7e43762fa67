"""The last step of a turn: the answer as one value, sent out and kept for the next turn."""

import asyncio
import time
from collections.abc import Iterator, Sequence
from html import escape
from typing import Any, Final

from agent.ask.models import (
    AgentTrace,
    Answer,
    AnswerBody,
    Coverage,
    NumberedCitation,
    PastTurn,
    Reply,
    StructuredAnswer,
)
from agent.ask.retrieve import remember
from agent.ask.route import looked_again, names_of
from agent.ask.scan import count_for_search
from agent.ask.state import AskState
from agent.ask.structured import structure_of_count
from agent.context import Context
from agent.prompts import say
from agent.sentences import paragraphs, readable_alone, standings_of, unproven, with_recognised
from agent.sources import cited_location, sources_of
from agent.step import Step, Update, fallen_back, timed, unused, usage_json
from services.domain import Citation, CitedSentence, QuoteKey, SearchFilter, events
from services.domain.notices import Notice
from services.evidence.highlighting import query_words_in

PHASES = ("decomposition", "retrieval", "critique", "synthesis")
_TAGS: Final = {"##": "h3", ">": "blockquote"}


@timed("finish")
async def finish_turn(state: AskState, step: Step) -> Update:
    """Number the citations, name the sources, and send the answer."""
    began, understanding = time.monotonic(), state["understanding"]
    reply = await asyncio.to_thread(_readable, state["reply"], understanding.question, step.context)
    citations = numbered(reply.sentences, understanding.language, step.context)
    answer = await asyncio.to_thread(_answer, state, reply, citations, step.context)
    _emit(state, as_html(reply, citations, understanding.language), answer, step, began)
    await asyncio.to_thread(remember, state, step.context)
    past = PastTurn(
        question=understanding.question,
        names=names_of(
            understanding.question, understanding.language, understanding.classification.entities
        ),
        answer=as_speech(reply),
        passages=tuple(_cited_passages(state, citations)),
    )
    return {"answer": answer, "conversation": [past]}


def _cited_passages(state: AskState, citations: Sequence[NumberedCitation]) -> Iterator[str]:
    for entry in state["evidence"]:
        inside = (
            entry.start <= citation.start < entry.end
            for citation in citations
            if citation.document_id == entry.document_id
        )
        if any(inside):
            yield entry.chunk_id


def _readable(reply: Reply, question: str, context: Context) -> Reply:
    """Return the reply with quotes that can be read alone, and their words that decide."""
    texts = context.catalog.documents
    if reply.listed or reply.reads:
        sentences = tuple(with_recognised(sentence, texts) for sentence in reply.sentences)
        return reply.model_copy(update={"sentences": sentences})
    lines = readable_alone(reply.sentences, texts, reply.headings)
    sentences = tuple(
        sentence.model_copy(
            update={"decisive": query_words_in(f"{sentence.case} {sentence.text}", question)}
        )
        for _, sentence in lines
    )
    headings = tuple(reply.headings[number] for number, _ in lines) if reply.headings else ()
    return reply.model_copy(update={"sentences": sentences, "headings": headings})


def _answer(
    state: AskState, reply: Reply, citations: tuple[NumberedCitation, ...], context: Context
) -> Answer:
    understanding, rewriting = state["understanding"], state["rewriting"]
    route = looked_again(state["route"]) if reply.rounds > 1 else state["route"]
    summary, run, model = state["found"], state.get("agent"), context.tasks.model
    used, warnings = state.get("usage", []), state.get("warnings", [])
    unique = [warning for n, warning in enumerate(warnings) if warning not in warnings[:n]]
    seconds = state.get("phase_seconds", {})
    usage = usage_json(used, events.PhaseTimes(seconds, seconds), model.name if model else "none")
    fields = dict(
        {name: getattr(reply, name) for name in AnswerBody.model_fields}
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
        coverage=reply.coverage or _search_coverage(state, context),
        sweep_sections=_sweep_sections(state, context),
        from_cache=state["recalled"] or (summary is not None and summary.from_cache),
        agent=run.trace if run else AgentTrace(),
        agent_steps=run.told if run else (),
        found=summary,
        warnings=(*unused(used, model), *map(Notice.model_validate, unique)),
        usage=usage | _quotes_only(state, context),
    )
    structure = state["structure"]
    if structure is None:
        if state["options"].depth != "structured":
            return Answer(**fields)
        structure = structure_of_count(understanding, is_answered=not reply.refused)
    timings = {phase: round(1000 * seconds.get(phase, 0.0), 1) for phase in PHASES}
    timings["total"] = round(sum(timings.values()), 1)
    return StructuredAnswer(**fields, **dict(structure), timings_ms=timings)


def _sweep_sections(state: AskState, context: Context) -> int:
    """Return how many sections a sweep would read that the question may call for, else 0."""
    understanding = state["understanding"]
    asks_for_all = understanding.scan is not None or understanding.asks_documents
    if not (asks_for_all and state["reads"] and state["route"].way == "search"):
        return 0
    documents = context.catalog.corpus.documents(context.scope, SearchFilter())
    sections = sum(max(document.sections, 1) for document in documents)
    read = {(span.document, span.section) for span in state["reply"].read}
    return sections if sections > len(read) else 0


def _quotes_only(state: AskState, context: Context) -> dict[str, Any]:
    """Return the usage entry for an answer that was searched for, but not read by the model."""
    searched = state["route"].way == "search" and not state["reply"].refused
    is_quoted = searched and not state["reads"] and context.tasks.model is not None
    return {"reads": "no"} if is_quoted else {}


def _search_coverage(state: AskState, context: Context) -> Coverage:
    """Return on how many passages an answer rests; warn where all of them are asked about."""
    understanding, read = state["understanding"], len(state["evidence"])
    language, request = understanding.language, understanding.scan
    count = count_for_search(understanding, context)
    if state["reply"].refused and count is None:
        return Coverage(whole=False)
    passages = sum(
        collection.chunks for collection in context.catalog.collections.within(context.scope)
    )
    statements = [count.statement if count else None]
    statements += [say(language, "read", read, passages) if read < passages else None]
    is_about_all = request is not None and (count is not None or request.sure)
    return (count or Coverage(whole=False)).model_copy(
        update={
            "statement": " ".join(filter(None, statements)) or None,
            "warning": say(language, "sampled", read) if is_about_all else None,
        }
    )


def _emit(state: AskState, html: str, answer: Answer, step: Step, began: float) -> None:
    """Send the answer, its tokens and how long the turn worked, without the wait for a person."""
    usage = state.get("usage", [])
    tokens = events.TokenCount(
        input=sum(task.prompt_tokens for task in usage),
        output=sum(task.completion_tokens for task in usage),
    )
    step.emit(
        events.TokenUpdate(
            part="answer", text=answer.answer, total_input=tokens.input, total_output=tokens.output
        )
    )
    step.emit(
        events.FinalAnswer(
            html=html,
            sources=tuple(source.model_dump(mode="json") for source in answer.sources),
            tts_payload=None,
            answer=answer.model_dump(mode="json"),
        )
    )
    elapsed = events.total_seconds(state.get("phase_seconds", {})) + time.monotonic() - began
    step.emit(events.ExecutionComplete(duration_ms=round(1000 * elapsed, 1), tokens=tokens))


def numbered(
    sentences: Sequence[CitedSentence], language: str, context: Context
) -> tuple[NumberedCitation, ...]:
    """Return every cited quote under a number, in order of first citation."""
    unique: dict[QuoteKey, Citation] = {}
    for sentence in sentences:
        for citation in sentence.citations:
            unique.setdefault(citation.key, citation)
    return tuple(
        NumberedCitation(
            **citation.model_dump(),
            number=number,
            place=cited_location(citation, language, context),
        )
        for number, citation in enumerate(unique.values(), start=1)
    )


def as_text(reply: Reply, citations: Sequence[NumberedCitation], language: str) -> str:
    """Return Markdown: prose as paragraphs, verbatim sentences as quotes, each with its numbers."""
    if reply.listed:
        body = [_list(reply, citations)]
    else:
        headings = reply.headings or [""] * len(reply.sentences)
        lines = ((above, "prose", s) for above, s in zip(headings, reply.sentences, strict=True))
        body = paragraphs(lines, lambda sentence: _marks(sentence, citations, language))
    return "\n\n".join(text for text in (reply.opening, *body, reply.closing) if text)


def _list(reply: Reply, citations: Sequence[NumberedCitation]) -> str:
    names = {c.key: f"{c.place} [{c.number}]" for c in citations}
    lines = [
        f"- {names[sentence.citations[0].key]}{f' ({note})' if note else ''}"
        for sentence, note in zip(reply.sentences, reply.notes, strict=True)
    ]
    return "\n".join(lines)


def as_html(reply: Reply, citations: Sequence[NumberedCitation], language: str) -> str:
    """Return the reply as HTML; text of documents and models is escaped."""
    html = []
    for line in filter(None, as_text(reply, citations, language).splitlines()):
        mark, _, text = line.partition(" ")
        tag = _TAGS.get(mark, "p")
        html.append(f"<{tag}>{escape(text if mark in _TAGS else line)}</{tag}>")
    return "".join(html)


def as_speech(reply: Reply) -> str:
    """Return the reply without numbers and marks."""
    sentences = () if reply.listed else reply.sentences
    spoken = (f"{sentence.case} {sentence.text}" for sentence in sentences)
    return " ".join(" ".join([reply.opening, *spoken, reply.closing]).split())


def _marks(sentence: CitedSentence, citations: Sequence[NumberedCitation], language: str) -> str:
    """Return ``[1][3]``, with a warning where these quotes are no proof."""
    warning = "" if sentence.supported else f"[⚠ {unproven(sentence, language)}]"
    keys = {citation.key for citation in sentence.citations}
    numbers = [c.number for c in citations if c.key in keys]
    return "".join(f"[{number}]" for number in numbers) + warning
