"""Server-sent events out of the one log, which go on where they were cut off."""

import json
from collections.abc import AsyncIterator
from contextlib import suppress
from typing import Annotated, Any, Final

from fastapi import Depends, Header
from fastapi.responses import StreamingResponse
from pydantic_core import to_jsonable_python

from app.api.doors import News, S
from app.api.values import After
from services.domain.errors import NotFound
from services.domain.runs import ACTIVE
from services.locale import rendered

STREAM: Final[dict[int | str, dict[str, Any]]] = {
    200: {
        "description": "Events: `id` is their `seq`, `event` their kind, `data` JSON. The last "
        "one, `end`, tells the status.",
        "content": {
            "text/event-stream": {
                "schema": {"type": "object", "description": "One event."},
                "example": {"id": "7", "event": "phase_started", "data": '{"phase": "plan"}'},
            }
        },
    },
}


def last_seen(
    after: After = 0,
    last_event_id: Annotated[
        str | None, Header(pattern=r"^[0-9]{1,15}$", description="Goes on after this event.")
    ] = None,
) -> int:
    """After which event to go on: what a browser sends when it reconnects counts."""
    return int(last_event_id) if last_event_id else after


LastSeen = Annotated[int, Depends(last_seen)]


def as_stream(lines: AsyncIterator[str]) -> StreamingResponse:
    """A stream that no proxy keeps or holds back."""
    headers = {"Cache-Control": "no-store", "X-Accel-Buffering": "no"}
    return StreamingResponse(lines, media_type="text/event-stream", headers=headers)


async def stream_of(news: News[S]) -> AsyncIterator[str]:
    """Each event as it comes, a comment where none did for a while, and the status at the end.

    A server that stops ends the stream without that, so that the program comes back; so does what
    is deleted meanwhile.
    """
    with suppress(NotFound):
        async for state, records in news:
            for record in records:
                data = rendered(to_jsonable_python(record.event))
                yield message(record.event.kind, data | {"at": record.at}, record.seq)
            if not records:
                at_work = state.status in ACTIVE
                yield ": at work\n\n" if at_work else message("end", {"status": state.status})


def message(kind: str, data: object, seq: int | None = None) -> str:
    """One event as it is sent."""
    number = "" if seq is None else f"id: {seq}\n"
    return f"{number}event: {kind}\ndata: {json.dumps(data, ensure_ascii=True)}\n\n"
