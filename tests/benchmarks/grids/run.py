"""Read a unit of a set through the product, and return what came of it."""

import asyncio
from collections.abc import Callable, Iterable
from random import Random
from types import SimpleNamespace
from typing import Any, Final, cast

from agent.context import Context
from agent.engine.engine import Engine, connect_to
from agent.engine.grids import columns_of
from agent.grid.sweep import find_contradictions
from agent.step import Step
from services.build import Services
from services.domain import Principal
from services.domain.answers import Citation
from services.domain.events import EventKey
from services.domain.grids import Finding
from services.models.tasks import TaskRunner
from services.settings import Settings
from tests.benchmarks.common import Row
from tests.benchmarks.grids.gold import Unit
from tests.benchmarks.reading.run import PATIENCE_S

COLLECTION: Final = "grids"
MOST_RUNS: Final = 3
"""Runs until what a model failed to read is given up."""


def read_unit(
    set_: str, unit: Unit, settings: Settings, make: Callable[[Settings], Services] = Services
) -> Row:
    """Return what was read of a unit in the home of ``settings``, with its calls and tokens."""
    services = make(settings)
    if set_ == "contradictions":
        return asyncio.run(_compare(unit, services))
    engine = connect_to(services, Principal())
    try:
        engine.library.ingest([unit.documents], COLLECTION)
        return _grid(unit, engine) if set_ == "grid" else _sweep(unit, engine)
    finally:
        engine.close()


def _read(engine: Engine, thread: str) -> Row:
    """Read a thread until nothing is left, and return what that took."""
    for _ in range(MOST_RUNS):
        engine.grids.run(thread)
        for _ in engine.threads.follow(thread):
            pass
        table = engine.grids.table(thread)
        if table.cells_read == len(table.cells):
            break
    warnings = [str(warning) for warning in table.warnings]
    return {"calls": table.calls, "tokens": table.tokens, "warnings": warnings}


def _grid(unit: Unit, engine: Engine) -> Row:
    thread = engine.grids.create(unit.name, columns_of(unit.columns), collections=[COLLECTION])
    spent = _read(engine, thread)
    table = engine.grids.table(thread)
    names = {row.id: row.name for row in table.rows}
    cells = []
    for shown in table.cells:
        reading = engine.grids.cell(thread, shown.row, shown.column).reading
        cells.append(
            {
                "document": names[shown.row],
                "column": shown.column,
                "state": shown.state,
                "findings": _stored(reading.findings if reading else ()),
                "read_all": bool(reading and reading.sections_read == reading.sections),
            }
        )
    return {**spent, "cells": cells}


def _sweep(unit: Unit, engine: Engine) -> Row:
    thread = engine.grids.sweep(unit.rows[0]["question"], collections=[COLLECTION])
    spent = _read(engine, thread)
    result = engine.grids.result(thread)
    groups = [
        {"value": group.value, "findings": _stored(group.findings)} for group in result.groups
    ]
    counts = {"sections_read": result.sections_read, "sections": result.sections}
    return {**spent, **counts, "groups": groups}


def _stored(findings: Iterable[Finding]) -> list[Row]:
    """Return findings as they are scored."""
    return [
        {
            "value": finding.value,
            "normal": finding.normal,
            "claim": finding.claim,
            "doubt": finding.doubt,
            "quotes": [
                {"document": c.document, "section": c.section_title, "text": c.full_quote}
                for c in finding.citations
            ],
            "spans": [[c.document, c.start, c.end] for c in finding.citations],
        }
        for finding in findings
    ]


async def _compare(unit: Unit, services: Services) -> Row:
    """Compare the statements of a group of pairs, mixed by chance that is always the same."""
    findings, sides = [], {}
    for row in unit.rows:
        for side in ("first", "second") if "second" in row else ("first",):
            finding = _statement(row[side])
            findings.append(finding)
            sides[finding.claim] = (row["id"], side)
    Random(unit.name).shuffle(findings)
    model = await services.chat_model()
    tasks = TaskRunner(model, deadline_s=PATIENCE_S)
    context: Any = SimpleNamespace(tasks=tasks, record=lambda *_: None)
    key = EventKey(thread_id=unit.name, checkpoint="", n=0)
    step = Step(cast(Context, context), key)
    try:
        found = await find_contradictions(findings, unit.rows[0]["language"], step)
    finally:
        await services.aclose()
    return {
        "calls": sum(usage.model_calls for usage in step.usage),
        "tokens": sum(usage.prompt_tokens + usage.completion_tokens for usage in step.usage),
        "pairs": [
            {"ids": sorted({sides[p.first.claim][0], sides[p.second.claim][0]}), "why": p.why}
            for p in found
        ],
    }


def _statement(row: Row) -> Finding:
    citation = Citation(
        document_id=row["document"],
        document=row["document"],
        section=row["section"],
        page=None,
        start=0,
        end=len(row["quote"]),
        quote=row["quote"],
        verified=True,
    )
    return Finding(value="", normal="", claim=row["claim"], citations=(citation,))
