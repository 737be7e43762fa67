"""What is still to be read for a grid or a sweep, and what that takes."""

from math import ceil
from typing import Final

from agent.context import Context
from agent.grid.cells import MOST_QUESTIONS, ROOM
from agent.grid.graph import GridState, write_rows
from agent.grid.models import GridOptions
from services.domain.grids import Estimate, GridRow
from services.models.base import CHARS_PER_TOKEN, ChatModel

WRITTEN_TOKENS: Final = 400
"""Tokens that a model writes in a call."""
PROMPT_TOKENS: Final = 700
"""Tokens of a prompt without passages."""


def estimate(state: GridState, context: Context, *, reads: bool) -> Estimate:
    """Write down the rows as they are now; return what reading the rest of them takes.

    Every batch of sections is read in one call, and what it says is verified in another.
    """
    write_rows(state, context, reads=reads)
    grids, thread_id = context.catalog.grids, state["thread_id"]
    read, total = grids.counts(thread_id)
    unread = [row_id for _, row_id in grids.unread(thread_id, -1, total)]
    rows = grids.rows(thread_id, unread)
    model = context.tasks.model
    if model is None or not reads:
        return Estimate(
            cells=total, cells_left=total - read, calls=0, tokens=0, seconds=None, reads=False
        )
    tokens = list(map(_tokens, rows))
    if state["kind"] == "sweep":
        batches, passages = ceil(sum(tokens) / ROOM), sum(tokens)
    else:
        columns = len(GridOptions.model_validate(state["spec"]).columns)
        groups = ceil(columns / MOST_QUESTIONS)
        batches = groups * sum(max(1, ceil(of_row / ROOM)) for of_row in tokens)
        passages = groups * sum(tokens)
    calls = 2 * batches
    sent = 2 * passages + calls * PROMPT_TOKENS
    return Estimate(
        cells=total,
        cells_left=total - read,
        calls=calls,
        tokens=sent,
        seconds=_seconds(model, calls, sent),
        reads=True,
        counts=str(state["spec"].get("counts", "")),
    )


def _tokens(row: GridRow) -> int:
    """Return the tokens of a row's text; what a sweep listed is read about in one batch."""
    if not row.text_id:
        return ROOM
    return ceil((row.end - row.start) / CHARS_PER_TOKEN)


def _seconds(model: ChatModel, calls: int, tokens: int) -> float:
    reading = tokens / max(model.prompt_tokens_per_s, 1.0)
    writing = calls * WRITTEN_TOKENS / max(model.output_tokens_per_s, 1.0)
    return round((reading + writing) / max(model.slots, 1), 1)
