"""Carrying out the command that builds the knowledge graph."""

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from typing import Any

from agent.engine.jobs import BuildGraph
from agent.engine.progress_log import ProgressLog
from services.build import Services
from services.domain import Principal
from services.domain.errors import Interrupted, NoModel

Result = dict[str, Any]
Change = Callable[[Callable[[], Result]], Awaitable[Result]]


def for_who_waits(kind: str, payload: Mapping[str, Any]) -> bool:
    """Whether a command is done for whoever waits for it, and given up when nobody does."""
    return kind == "build_graph" and bool(payload.get("facts"))


def given_up() -> Interrupted:
    """What is said of a reading that was given up."""
    return Interrupted(
        "Reading the facts was ended. What was read is kept; the same command goes on from there."
    )


async def build_graph(
    services: Services,
    principal: Principal,
    order: BuildGraph,
    progress: ProgressLog,
    change: Change,
) -> Result:
    """Build what is missing, or say what reading the facts takes.

    The structure waits its turn among the works (``change``). Reading facts takes long and keeps
    nobody waiting: every passage is kept as soon as it has been read.

    Raises:
        NoModel: facts are wanted and no language model is set.
    """
    library = services.library
    if order.estimate:
        model = await services.chat_model()
        cost = await asyncio.to_thread(library.facts_cost, principal, order.collection, model)
        return cost.model_dump(mode="json")

    def structure() -> Result:
        report = library.build_graph(principal, order.collection, progress.record)
        return report.model_dump(mode="json")

    with progress:
        report = await change(structure)
        if order.facts:
            model = await services.chat_model()
            if model is None:
                raise NoModel("RABBITHOLE_LLM=none names no language model")
            read = await library.read_facts(principal, order.collection, model, progress.record)
            warnings = [*report["warnings"], *(each.model_dump() for each in read.warnings)]
            report |= {**read._asdict(), "warnings": warnings}
    return report
