"""A finished run as a trace, made from the catalog alone.

Written by one version and read by another: unknown fields are skipped.
"""

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Final, Literal

from pydantic import Field, JsonValue, ValidationError

from services.build import Services
from services.catalog import Catalog
from services.domain import Principal, Value
from services.domain.errors import InvalidInput
from services.domain.events import (
    AnswerGiven,
    AssumptionsCorrected,
    EventRecord,
    EvidenceRestored,
    ExecutionStart,
    KnowledgeRetrievalComplete,
    PlanApproved,
    PlanRecalled,
)
from services.domain.runs import RunInfo
from services.locale import rendered
from services.models.recording import Reply

Json = dict[str, Any]
PAGE: Final = 500


class TracedDocument(Value, extra="ignore"):
    document: str
    document_id: str


class TracedTurn(Value, extra="ignore"):
    """A question with its options.

    ``passages`` are the chunk ids that a quick answer found; ``reads``: its model reads.
    """

    question: str
    options: dict[str, JsonValue]
    model: str
    passages: tuple[str, ...] = ()
    reads: bool = False


class HumanAnswer(Value, extra="ignore"):
    """What a person said to an open question, in the form in which it resumes the run."""

    interrupt: Literal["clarification", "plan"]
    value: JsonValue


class Trace(Value, extra="ignore"):
    """A run: what was asked, answered by people and by the model, and what came out.

    ``restored`` says that a person brought evidence back afterwards, which is not replayed.
    """

    trace: Literal[1] = 1
    thread_id: str
    kind: Literal["research", "ask"]
    collections: tuple[str, ...]
    documents: tuple[TracedDocument, ...]
    turns: tuple[TracedTurn, ...] = Field(min_length=1)
    answers: tuple[HumanAnswer, ...] = ()
    replies: tuple[Reply, ...] = ()
    recalled: tuple[PlanRecalled, ...] = ()
    restored: bool = False
    report: dict[str, JsonValue]


def read_trace(path: Path) -> Trace:
    """The trace in a file.

    Raises:
        InvalidInput: the file cannot be read or holds no trace.
    """
    try:
        return Trace.model_validate(json.loads(path.read_bytes()))
    except OSError as problem:
        raise InvalidInput(
            "{file} cannot be read: {cause}. Name the file of a trace.",
            file=path.name,
            cause=problem.strerror,
        ) from problem
    except (ValidationError, ValueError, RecursionError) as problem:
        raise InvalidInput(
            "{file} is no trace that this version can read. Make one with `rabbithole trace "
            "export THREAD -o trace.json`.",
            file=path.name,
        ) from problem


def make_trace(services: Services, principal: Principal, thread_id: str) -> Trace:
    """All that replaying a thread needs besides its documents.

    Raises:
        NotFound: there is no such thread among the principal's.
        InvalidInput: it has no report yet.
    """
    catalog = services.catalog
    run = catalog.runs.get(principal, thread_id)
    report: Json | None = rendered(catalog.runs.report(principal, thread_id))
    if report is None or run.status != "done":
        raise InvalidInput(
            "Thread {thread} has no finished report to replay, it is {status}. Bring it to "
            "its end with `rabbithole resume {thread}`.",
            thread=thread_id,
            status=run.status,
        )
    events = list(all_events(catalog, thread_id))
    return Trace(
        thread_id=thread_id,
        kind=run.kind,
        collections=run.collections,
        documents=tuple(documents_of(services, principal, run.collections, run.documents)),
        turns=tuple(turns_of(run, report, events)),
        answers=tuple(human_answers(each.event for each in events)),
        replies=tuple(_replies(catalog, principal, run)),
        recalled=tuple(e.event for e in events if isinstance(e.event, PlanRecalled)),
        restored=any(isinstance(each.event, EvidenceRestored) for each in events),
        report=report,
    )


def all_events(catalog: Catalog, thread_id: str) -> Iterator[EventRecord]:
    """The log of a thread, oldest first."""
    after = 0
    while found := catalog.events.since(thread_id, after, PAGE):
        yield from found
        after = found[-1].seq


def documents_of(
    services: Services,
    principal: Principal,
    collections: Sequence[str],
    chosen: Sequence[str] = (),
) -> list[TracedDocument]:
    """Name and hash of every document of the collections, each once, in order of name.

    Of chosen ones only, if there are any.
    """
    scope = services.catalog.collections.scope(principal, collections)
    within = services.catalog.filters.narrowed(scope, chosen).documents
    found = {
        (each.document, each.document_id)
        for collection in collections
        for each in services.library.documents(principal, collection)
        if within is None or each.document_id in within
    }
    return [TracedDocument(document=name, document_id=key) for name, key in sorted(found)]


def turns_of(
    run: RunInfo, report: Mapping[str, Any], events: Iterable[EventRecord]
) -> Iterator[TracedTurn]:
    """Questions with their options; a research is one."""
    if run.kind == "research":
        usage = report["usage"]
        yield TracedTurn(
            question=run.question,
            options=dict(run.options),
            model=str(usage["model"]),
            reads=usage.get("reads") != "no",
        )
        return
    options: dict[int, Json] = {}
    reads: dict[int, bool] = {}
    passages: dict[int, list[str]] = {}
    number = 0
    for record in events:
        match record.event:
            case ExecutionStart() as event:  # one that was begun again counts anew
                number = event.turn
                options[number], passages[number] = event.options, []
                reads[number] = event.reads
            case KnowledgeRetrievalComplete() as event:
                found = (each.chunk_id for each in event.sources)
                passages.setdefault(number, []).extend(found)
    for turn in report["turns"]:
        yield TracedTurn(
            question=turn["question"],
            options=options.get(turn["turn"], {}),
            model=str(turn["usage"]["model"]),
            passages=tuple(passages.get(turn["turn"], ())),
            reads=reads.get(turn["turn"], False),
        )


def human_answers(events: Iterable[object]) -> list[HumanAnswer]:
    """What people said, in order; of a turn that was begun again what was said since."""
    answers: list[HumanAnswer] = []
    before: dict[int, int] = {}
    for event in events:
        match event:
            case ExecutionStart():
                del answers[before.setdefault(event.turn, len(answers)) :]
            case AnswerGiven():
                answers.append(HumanAnswer(interrupt="clarification", value=event.text))
            case AssumptionsCorrected(at="plan"):
                answers.append(HumanAnswer(interrupt="plan", value={"correction": event.text}))
            case PlanApproved():
                items = [item.model_dump(mode="json") for item in event.items]
                changed = {"items": items if event.changes else None}
                answers.append(HumanAnswer(interrupt="plan", value=changed))
    return answers


def _replies(catalog: Catalog, principal: Principal, run: RunInfo) -> list[Reply]:
    """Those of the thread; a fork goes on from what was answered in the thread before."""
    replies = catalog.replies.of_thread(run.thread_id)
    runs = {each.thread_id: each for each in catalog.runs.list(principal)}
    while run.parent_thread in runs:
        run = runs[run.parent_thread]
        replies = [*catalog.replies.of_thread(run.thread_id), *replies]
    return replies
