"""HTTP API: what people decide about answers and plans, and what a run can be replayed by."""

import json
from typing import Annotated

from fastapi import APIRouter, Path, Query
from fastapi.responses import Response
from pydantic_core import to_jsonable_python

from app.api import values
from app.api.access import Reader, TokenFirst, Writer
from app.api.values import NOT_NUL, Thread, under
from services.domain.plans import PlanCase
from services.library.thresholds import Thresholds

router = APIRouter(route_class=TokenFirst, tags=["research"])
Turn = Annotated[int, Query(ge=1, le=10_000, description="Of a conversation: which answer.")]
FORGOTTEN = under("forgotten", int)
Case = Annotated[str, Path(max_length=64, pattern=NOT_NUL)]


@router.get("/runs/{thread}/review")
def review(engine: Reader, thread: Thread, turn: Turn = 1) -> values.JsonObject:
    """List the doubtful sentences of an answer, the decisions about them, and who signed."""
    listed: values.JsonObject = to_jsonable_python(engine.reviews.listed(thread, turn))
    return listed


@router.post("/runs/{thread}/review")
def decide(engine: Writer, thread: Thread, on: values.Verdict) -> values.JsonObject:
    """Decide about a doubtful sentence, or add a note to any; `open` undoes a decision."""
    engine.reviews.decide(thread, on.sentence, on.decision, on.text, on.turn)
    return review(engine, thread, on.turn)


@router.post("/runs/{thread}/review/sign")
def sign(engine: Writer, thread: Thread, turn: Turn = 1) -> values.JsonObject:
    """Sign an answer once all doubtful sentences are decided."""
    engine.reviews.sign(thread, turn)
    return review(engine, thread, turn)


@router.get("/runs/{thread}/trace", response_model=values.JsonObject)
def trace(engine: Reader, thread: Thread) -> Response:
    """Return a finished thread with its model's replies, to verify or replay it."""
    kept = json.dumps(engine.threads.trace(thread))  # as it is kept: a replay compares each byte
    return Response(kept, media_type="application/json")


@router.get("/plans", response_model=under("plans", list[PlanCase]))
def plans(engine: Reader) -> dict[str, list[PlanCase]]:
    """List your remembered plans, newest first."""
    return {"plans": engine.plans.list()}


@router.delete("/plans", response_model=FORGOTTEN)
def forget_all(engine: Writer) -> dict[str, int]:
    """Forget all your plans; threads and reports stay."""
    return {"forgotten": engine.plans.forget(None)}


@router.get("/plans/{case}")
def plan(engine: Reader, case: Case) -> PlanCase:
    """Show a plan with its tasks, rating, penalties, cost and where it helped."""
    return engine.plans.get(case)


@router.delete("/plans/{case}", response_model=FORGOTTEN)
def forget(engine: Writer, case: Case) -> dict[str, int]:
    """Forget a plan."""
    return {"forgotten": engine.plans.forget(case)}


@router.get("/thresholds", tags=["ask"])
def thresholds(engine: Reader, collections: values.Searched = None) -> Thresholds:
    """Show the scores at which questions get more depth, with the effect of votes."""
    return engine.answers.thresholds(collections)
