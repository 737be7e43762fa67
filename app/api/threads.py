"""HTTP API: quick answers, research and what steers it, reports, exports, verification."""

from collections.abc import Callable
from typing import Annotated, Any
from urllib.parse import quote

from fastapi import APIRouter, Body, Query
from fastapi.concurrency import run_in_threadpool
from fastapi.responses import Response, StreamingResponse

from agent.engine.engine import Engine
from agent.engine.exports import FORMATS, file_stem
from agent.research.checkpoint_info import CheckpointInfo
from app.api import values
from app.api.access import Reader, Shared, TokenFirst, Writer
from app.api.events import STREAM, LastSeen, as_stream, stream_of
from app.api.problems import responses
from app.api.values import Thread, under
from services.domain import SearchResult
from services.domain.errors import NotFound, TryAgain, error_of
from services.domain.events import RunFinished
from services.domain.runs import RunInfo
from services.library.thresholds import VoteInfo

router = APIRouter(route_class=TokenFirst)
Format = Annotated[str, Query(pattern=f"^({'|'.join(FORMATS)})$", examples=["md"])]


@router.post("/ask", tags=["ask"], responses=responses(502))
async def ask(doors: Shared, engine: Reader, wanted: values.Ask) -> values.Asked | values.Started:
    """Answer a question, with a numbered source for every sentence.

    The turn is what `rabbithole ask --json` prints.
    """
    started = await doors.starting(engine, lambda: begin(engine, wanted))
    if not wanted.wait:
        return started
    run = await doors.finish(engine, started.thread_id, started.after)
    return values.Asked.model_validate(await run_in_threadpool(turn_of, engine, run, started))


@router.post("/search", tags=["ask"])
def search(engine: Reader, wanted: values.SearchFor) -> SearchResult:
    """Find passages, with relevance (0-1) and how each was found."""
    return engine.library.find(wanted)


@router.post("/classify", tags=["ask"])
def classify(engine: Reader, wanted: values.Classify) -> values.JsonObject:
    """Classify a question by type, entities and complexity, without a language model."""
    return engine.answers.classify(wanted.question, wanted.collections)


def begin(engine: Engine, wanted: values.Ask) -> values.Started:
    """Asks; returns when the turn is under way."""
    if wanted.thread_id is not None:
        engine.threads.run(wanted.thread_id)  # here a thread goes on, and none gets a name
    options = dict(wanted)
    del options["wait"]
    asked = engine.answers.ask(**options)
    return values.Started(thread_id=asked.thread_id, after=asked.after, turn=asked.turn)


def turn_of(engine: Engine, run: RunInfo, started: values.Started) -> dict[str, Any]:
    """The turn that has ended, or what it asks back.

    Raises:
        TryAgain: it was stopped before its end.
        RabbitholeError: it failed.
    """
    if run.pending is not None:
        return {"thread_id": run.thread_id, "pending": run.pending}
    turns = engine.answers.turns(run.thread_id)
    number = started.turn or 1
    if run.status == "failed" and run.error is not None:
        events = engine.threads.events(run.thread_id, started.after)
        kinds = [each.event.error_type for each in events if isinstance(each.event, RunFinished)]
        raise error_of(kinds[-1] if kinds else None)(run.error)
    if len(turns) < number:
        raise TryAgain("The answer was stopped ({status}). Ask again.", status=run.status)
    return turns[number - 1]


@router.post("/research", status_code=202, tags=["research"])
async def research(doors: Shared, engine: Writer, wanted: values.Research) -> values.Started:
    """Start a research run; its events show what it does and when it waits for you."""
    thread = await doors.starting(engine, lambda: engine.threads.start(**dict(wanted)))
    return values.Started(thread_id=thread, after=0)


@router.get("/runs", tags=["research"], response_model=under("runs", list[RunInfo]))
def runs(engine: Reader) -> dict[str, list[RunInfo]]:
    """List your research runs and conversations, newest first."""
    return {"runs": engine.threads.runs()}


@router.get("/runs/{thread}", tags=["research"])
def run(engine: Reader, thread: Thread) -> RunInfo:
    """Show the state of a thread; `pending` is what it waits for."""
    return engine.threads.run(thread)


@router.patch("/runs/{thread}", tags=["research"])
def rename(engine: Writer, thread: Thread, to: values.Rename) -> RunInfo:
    """Give a thread a title."""
    engine.threads.rename(thread, to.title)
    return engine.threads.run(thread)


@router.delete("/runs/{thread}", status_code=204, tags=["research"])
def delete(engine: Writer, thread: Thread) -> None:
    """Delete a thread with its events and its report."""
    engine.threads.delete(thread)


@router.get("/runs/{thread}/events", tags=["research"], responses=STREAM)
def events(doors: Shared, engine: Reader, thread: Thread, after: LastSeen) -> StreamingResponse:
    """Stream the events of a thread until it waits for you or has ended."""
    engine.threads.run(thread)
    return as_stream(stream_of(doors.thread(engine, thread, after)))


STEERED: dict[str, Any] = {"status_code": 202, "tags": ["research"]}


def steered(engine: Engine, thread: str, steer: Callable[[], None]) -> values.Started:
    """Does something to a thread; its events from then on tell what came of it."""
    after = engine.threads.last_event(thread)
    steer()
    return values.Started(thread_id=thread, after=after)


@router.post("/runs/{thread}/answer", **STEERED)
def answer(engine: Writer, thread: Thread, to: values.Reply) -> values.Started:
    """Answer the questions of a research run; `/end` skips to the plan."""
    return steered(engine, thread, lambda: engine.threads.answer(thread, to.interrupt_id, to.text))


@router.post("/runs/{thread}/approve", **STEERED)
def approve(engine: Writer, thread: Thread, to: values.Approval) -> values.Started:
    """Approve the plan as proposed or edited."""
    return steered(
        engine, thread, lambda: engine.threads.approve(thread, to.interrupt_id, to.items)
    )


@router.post("/runs/{thread}/correct", **STEERED)
def correct(engine: Writer, thread: Thread, to: values.Reply) -> values.Started:
    """Correct an assumption: `A1: …` replaces the first one."""
    return steered(engine, thread, lambda: engine.threads.correct(thread, to.interrupt_id, to.text))


@router.post("/runs/{thread}/pause", **STEERED)
def pause(engine: Writer, thread: Thread) -> values.Started:
    """Pause a thread."""
    return steered(engine, thread, lambda: engine.threads.pause(thread))


@router.post("/runs/{thread}/resume", **STEERED)
def resume(engine: Writer, thread: Thread) -> values.Started:
    """Resume a paused thread."""
    return steered(engine, thread, lambda: engine.threads.resume(thread))


@router.post("/runs/{thread}/cancel", **STEERED)
def cancel(engine: Writer, thread: Thread) -> values.Started:
    """Cancel a thread, with a report of what was found so far."""
    return steered(engine, thread, lambda: engine.threads.cancel(thread))


@router.post("/runs/{thread}/restore", **STEERED)
def restore(engine: Writer, thread: Thread, what: values.Restore) -> values.Started:
    """Restore dropped findings of a report; it is then written again."""
    return steered(engine, thread, lambda: engine.threads.restore_evidence(thread, what.chunk_ids))


@router.get(
    "/runs/{thread}/checkpoints",
    tags=["research"],
    response_model=under("checkpoints", list[CheckpointInfo]),
)
def checkpoints(engine: Reader, thread: Thread) -> dict[str, list[CheckpointInfo]]:
    """List the steps at which a thread can be forked, oldest first."""
    return {"checkpoints": engine.threads.checkpoints(thread)}


@router.post("/runs/{thread}/fork", **STEERED)
def fork(engine: Writer, thread: Thread, at: values.Fork) -> values.Started:
    """Start a new thread from a checkpoint; the old one stays as it is."""
    new = engine.threads.fork(thread, at.checkpoint_id)
    return values.Started(thread_id=new, after=0)


@router.post("/runs/{thread}/vote", tags=["research"])
def vote(engine: Reader, thread: Thread, ballot: values.Ballot) -> VoteInfo:
    """Say whether an answer or a report helped."""
    return engine.answers.vote(thread, ballot.up, ballot.text, turn=ballot.turn)


@router.get("/runs/{thread}/report", tags=["research"])
def report(engine: Reader, thread: Thread) -> values.JsonObject:
    """Return a report, or all turns of a conversation, like `rabbithole runs show`.

    With every sentence go its standing and its citations: document, page, section, characters.
    """
    found = engine.threads.report(thread)
    if found is None:
        raise NotFound("Thread {thread} has no report yet.", thread=thread)
    return found


@router.get(
    "/runs/{thread}/export",
    tags=["research"],
    response_class=Response,
    responses={
        200: {
            "description": "The file.",
            "content": {each.media_type: {} for each in FORMATS.values()},
        }
    },
)
def export(engine: Reader, thread: Thread, format: Format, appendix: bool = True) -> Response:
    """Export a report or a conversation as a file named after its question."""
    content = engine.threads.export_report(thread, format, appendix=appendix)
    name = quote(f"{file_stem(engine.threads.run(thread).question)}.{format}")
    headers = {"Content-Disposition": f"attachment; filename*=UTF-8''{name}"}
    return Response(content, media_type=FORMATS[format].media_type, headers=headers)


@router.post("/verify", tags=["research"])
def verify(
    engine: Reader, report: Annotated[values.JsonObject, Body(examples=[{"answer": "…"}])]
) -> values.JsonObject:
    """Check every citation of a report, an answer or a trace against what you may read."""
    return engine.threads.verify(report)
