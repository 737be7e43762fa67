"""HTTP API: quick answers, research, reports, exports, reviews and remembered plans."""

import json
from collections.abc import Callable, Iterable
from typing import Annotated, Any
from urllib.parse import quote

from fastapi import APIRouter, Body, Path, Query
from fastapi.concurrency import run_in_threadpool
from fastapi.responses import Response, StreamingResponse
from pydantic_core import to_jsonable_python

from agent.engine.engine import Engine
from agent.engine.exports import FORMATS, file_stem
from agent.engine.exports import Format as ExportFormat
from agent.research.state import CheckpointInfo
from app.api import values
from app.api.events import STREAM, LastEvent, as_stream, stream_of
from app.api.gateway import Gateway, Reader, TokenFirst, Writer
from app.api.problems import responses
from app.api.values import NOT_NUL, Thread, under
from services.domain import SearchResult
from services.domain.errors import NotFound, TryAgain, error_class
from services.domain.events import RunFinished
from services.domain.plan_cases import PlanCase
from services.domain.runs import RunInfo
from services.library.thresholds import Thresholds, VoteInfo

router = APIRouter(route_class=TokenFirst, tags=["research"])
answers = APIRouter(route_class=TokenFirst, tags=["ask"])
FORGOTTEN = under("forgotten", int)
Case = Annotated[str, Path(max_length=64, pattern=NOT_NUL)]
Turn = Annotated[int, Query(ge=1, le=10_000, description="Of a conversation: which answer.")]
Format = Annotated[str, Query(pattern=f"^({'|'.join(FORMATS)})$", examples=["md"])]


def file_responses(formats: Iterable[ExportFormat]) -> dict[int | str, dict[str, Any]]:
    """Describe the files that a call returns."""
    content: dict[str, Any] = {format_.media_type: {} for format_ in formats}
    return {200: {"description": "The file.", "content": content}}


@answers.post("/ask", responses=responses(502))
async def ask(
    gateway: Gateway, engine: Reader, request: values.Ask
) -> values.AskResult | values.Started:
    """Answer a question, with a numbered source for every sentence.

    The turn is what `rabbithole ask --json` prints.
    """
    started = await gateway.start(engine, lambda: begin(engine, request))
    if not request.wait:
        return started
    run = await gateway.finish(engine, started.thread_id, started.after)
    return values.AskResult.model_validate(await run_in_threadpool(turn_of, engine, run, started))


@answers.post("/search")
def search(engine: Reader, request: values.SearchFor) -> SearchResult:
    """Find passages, with relevance (0-1) and how each was found."""
    return engine.library.find(request)


@answers.post("/classify")
def classify(engine: Reader, request: values.Classify) -> values.JsonObject:
    """Classify a question by type, entities and complexity, without a language model."""
    return engine.answers.classify(request.question, request.collections)


def begin(engine: Engine, request: values.Ask) -> values.Started:
    """Ask a question, and return when its turn has started."""
    if request.thread_id is not None:
        engine.threads.run(request.thread_id)  # a call cannot start a thread under an id it gives
    options = dict(request)
    del options["wait"]
    started = engine.answers.ask(**options)
    return values.Started(thread_id=started.thread_id, after=started.after, turn=started.turn)


def turn_of(engine: Engine, run: RunInfo, started: values.Started) -> dict[str, Any]:
    """Return the turn that has ended, or its questions; raise TryAgain or why it failed."""
    if run.pending is not None:
        return {"thread_id": run.thread_id, "pending": run.pending}
    turns = engine.answers.turns(run.thread_id)
    number = started.turn or 1
    if run.status == "failed" and run.error is not None:
        events = engine.threads.events(run.thread_id, started.after)
        kinds = [log.event.error_type for log in events if isinstance(log.event, RunFinished)]
        raise error_class(kinds[-1] if kinds else None)(run.error)
    if len(turns) < number:
        raise TryAgain("The answer was stopped ({status}). Ask again.", status=run.status)
    return turns[number - 1]


@router.post("/research", status_code=202)
async def research(gateway: Gateway, engine: Writer, request: values.Research) -> values.Started:
    """Start a research run; its events show what it does and when it waits for you."""
    thread = await gateway.start(engine, lambda: engine.threads.start(**dict(request)))
    return values.Started(thread_id=thread, after=0)


@router.get("/runs", response_model=under("runs", list[RunInfo]))
def runs(engine: Reader) -> dict[str, list[RunInfo]]:
    """List your research runs and conversations, newest first."""
    return {"runs": engine.threads.runs()}


@router.get("/runs/{thread}")
def run(engine: Reader, thread: Thread) -> RunInfo:
    """Show the state of a thread; `pending` is what it waits for."""
    return engine.threads.run(thread)


@router.patch("/runs/{thread}")
def rename(engine: Writer, thread: Thread, to: values.Rename) -> RunInfo:
    """Give a thread a title."""
    engine.threads.rename(thread, to.title)
    return engine.threads.run(thread)


@router.delete("/runs/{thread}", status_code=204)
def delete(engine: Writer, thread: Thread) -> None:
    """Delete a thread with its events and its report."""
    engine.threads.delete(thread)


@router.get("/runs/{thread}/events", responses=STREAM)
def events(gateway: Gateway, engine: Reader, thread: Thread, after: LastEvent) -> StreamingResponse:
    """Stream the events of a thread until it waits for you or has ended."""
    engine.threads.run(thread)
    return as_stream(stream_of(gateway.follow_thread(engine, thread, after)))


def steered(
    engine: Engine, thread: str, steer: Callable[..., None], *arguments: object
) -> values.Started:
    """Steer a thread, and return the last event before that."""
    after = engine.threads.last_event(thread)
    steer(thread, *arguments)
    return values.Started(thread_id=thread, after=after)


@router.post("/runs/{thread}/answer", status_code=202)
def answer(engine: Writer, thread: Thread, to: values.Reply) -> values.Started:
    """Answer the questions of a research run; `/end` skips to the plan."""
    return steered(engine, thread, engine.threads.answer, to.interrupt_id, to.text)


@router.post("/runs/{thread}/approve", status_code=202)
def approve(engine: Writer, thread: Thread, to: values.Approval) -> values.Started:
    """Approve the plan as proposed or edited."""
    return steered(engine, thread, engine.threads.approve, to.interrupt_id, to.items)


@router.post("/runs/{thread}/correct", status_code=202)
def correct(engine: Writer, thread: Thread, to: values.Reply) -> values.Started:
    """Correct an assumption: `A1: …` replaces the first one."""
    return steered(engine, thread, engine.threads.correct, to.interrupt_id, to.text)


@router.post("/runs/{thread}/pause", status_code=202)
def pause(engine: Writer, thread: Thread) -> values.Started:
    """Pause a thread."""
    return steered(engine, thread, engine.threads.pause)


@router.post("/runs/{thread}/resume", status_code=202)
def resume(engine: Writer, thread: Thread) -> values.Started:
    """Resume a paused thread."""
    return steered(engine, thread, engine.threads.resume)


@router.post("/runs/{thread}/cancel", status_code=202)
def cancel(engine: Writer, thread: Thread) -> values.Started:
    """Cancel a thread; research still reports what was found so far."""
    return steered(engine, thread, engine.threads.cancel)


@router.post("/runs/{thread}/restore", status_code=202)
def restore(engine: Writer, thread: Thread, what: values.Restore) -> values.Started:
    """Restore dropped findings of a report; it is then written again."""
    return steered(engine, thread, engine.threads.restore_evidence, what.chunk_ids)


@router.get("/runs/{thread}/checkpoints", response_model=under("checkpoints", list[CheckpointInfo]))
def checkpoints(engine: Reader, thread: Thread) -> dict[str, list[CheckpointInfo]]:
    """List the checkpoints from which a thread can be branched, oldest first."""
    return {"checkpoints": engine.threads.checkpoints(thread)}


@router.post("/runs/{thread}/fork", status_code=202)
def fork(engine: Writer, thread: Thread, at: values.Fork) -> values.Started:
    """Start a new thread from a checkpoint; the old one does not change."""
    new = engine.threads.fork(thread, at.checkpoint_id)
    return values.Started(thread_id=new, after=0)


@router.post("/runs/{thread}/vote")
def vote(engine: Reader, thread: Thread, ballot: values.Ballot) -> VoteInfo:
    """Say whether an answer or a report helped."""
    return engine.answers.vote(thread, ballot.up, ballot.text, turn=ballot.turn)


@router.get("/runs/{thread}/report")
def report(engine: Reader, thread: Thread) -> values.JsonObject:
    """Return a report, or all turns of a conversation, like `rabbithole runs show`.

    With every sentence go its standing and its citations: document, page, section, characters.
    """
    stored = engine.threads.report(thread)
    if stored is None:
        raise NotFound("Thread {thread} has no report yet.", thread=thread)
    return stored


@router.get(
    "/runs/{thread}/export", response_class=Response, responses=file_responses(FORMATS.values())
)
def export(engine: Reader, thread: Thread, format: Format, appendix: bool = True) -> Response:
    """Export a report or a conversation as a file named after its question."""
    content = engine.threads.export_report(thread, format, appendix=appendix)
    return as_file(content, engine.threads.run(thread).question, FORMATS[format])


def as_file(content: bytes, title: str, format_: ExportFormat) -> Response:
    """Return a response that is saved as a file named after a title."""
    name = quote(f"{file_stem(title)}.{format_.name}")
    headers = {"Content-Disposition": f"attachment; filename*=UTF-8''{name}"}
    return Response(content, media_type=format_.media_type, headers=headers)


@router.post("/verify")
def verify(
    engine: Reader, report: Annotated[values.JsonObject, Body(examples=[{"answer": "…"}])]
) -> values.JsonObject:
    """Check every citation of a report, answer or trace against the documents that you can read."""
    return engine.threads.verify(report)


@router.get("/runs/{thread}/review")
def review(engine: Reader, thread: Thread, turn: Turn = 1) -> values.JsonObject:
    """List the doubtful and decided sentences of an answer, and who signed."""
    sentences: values.JsonObject = to_jsonable_python(engine.reviews.listed(thread, turn))
    return sentences


@router.post("/runs/{thread}/review")
def decide(engine: Writer, thread: Thread, on: values.Verdict) -> values.JsonObject:
    """Decide on a sentence, or add a note to it; `open` undoes a decision."""
    engine.reviews.decide(thread, on.sentence, on.decision, on.text, on.turn)
    return review(engine, thread, on.turn)


@router.post("/runs/{thread}/review/sign")
def sign(engine: Writer, thread: Thread, turn: Turn = 1) -> values.JsonObject:
    """Sign an answer once you have decided on all doubtful sentences."""
    engine.reviews.sign(thread, turn)
    return review(engine, thread, turn)


@router.get("/runs/{thread}/trace", response_model=values.JsonObject)
def trace(engine: Reader, thread: Thread) -> Response:
    """Return a finished thread with its model's replies, to verify or replay it."""
    content = json.dumps(engine.threads.trace(thread))  # as stored: a replay compares each byte
    return Response(content, media_type="application/json")


@router.get("/plans", response_model=under("plans", list[PlanCase]))
def plans(engine: Reader) -> dict[str, list[PlanCase]]:
    """List your remembered plans, newest first."""
    return {"plans": engine.plans.list()}


@router.delete("/plans", response_model=FORGOTTEN)
def forget_all(engine: Writer) -> dict[str, int]:
    """Forget all your plans; threads and reports are kept."""
    return {"forgotten": engine.plans.forget(None)}


@router.get("/plans/{case}")
def plan(engine: Reader, case: Case) -> PlanCase:
    """Show a plan: its tasks, rating, cost, and the threads that reused it."""
    return engine.plans.get(case)


@router.delete("/plans/{case}", response_model=FORGOTTEN)
def forget(engine: Writer, case: Case) -> dict[str, int]:
    """Forget a plan."""
    return {"forgotten": engine.plans.forget(case)}


@answers.get("/thresholds")
def thresholds(engine: Reader, collections: values.Searched = None) -> Thresholds:
    """Show the complexity thresholds for more depth, with the effect of ratings."""
    return engine.answers.thresholds(collections)
