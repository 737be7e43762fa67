"""The research report as others script against it."""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from agent.models import ReferenceRecord, Report, TaskFinding, TaskUsage
from services.domain import Evidence, Location
from services.domain.events import PhaseTimes
from services.domain.notices import Notice
from services.domain.runs import RunInfo
from services.export.coverage import coverage_map, required_info
from services.models.base import ChatModel
from services.models.tasks import OF_THE_MODEL
from services.structured.values import STATUS

Json = dict[str, Any]


def as_json(run: RunInfo, state: Mapping[str, Any], model: str, times: PhaseTimes) -> Json:
    """Return one JSON object for a finished thread; it has no text of documents but quotes."""
    report: Report = state["final_report"]
    evidence = sorted(
        state.get("evidence", {}).values(),
        key=lambda entry: (entry.tier, -entry.score, entry.chunk_id),
    )
    quality, findings = state.get("quality_assessment"), state.get("findings", [])
    value = {
        "thread_id": run.thread_id,
        "question": state["query"],
        "language": state["detected_language"],
        **report.model_dump(mode="json"),
        "evidence": [_evidence(entry) for entry in evidence if entry.status != "dropped"],
        "references": [_reference(record) for record in state.get("references", [])],
        "todo": _dump(state["todo_list"]),
        "todo_proposal": _dump(state["todo_proposal"]),
        "plan_changes": state.get("plan_changes", []),
        "anchor": state["query_anchor"].model_dump(mode="json"),
        "retrieval_history": _dump(state["retrieval_history"]),
        "dropped": [_dropped(entry, findings) for entry in evidence if entry.status == "dropped"],
        "task_summaries": _dump(state.get("task_summaries", [])),
        "quotes": _dump(state.get("preserved_quotes", [])),
        "clarification": {
            "reason": state.get("hitl_termination_reason"),
            "conversation": _dump(state.get("hitl_conversation_history", [])),
            "assumed_context": list(state["query_anchor"].assumed_context),
        },
        "quality": quality and quality.model_dump(mode="json"),
        "usage": usage_json(state.get("usage", []), times, model),
    }
    required = required_info(value)
    for requirement, outcome in zip(required, report.parts, strict=False):
        requirement["status"] = STATUS[outcome.certainty]
    return {**value, "required_info": required, "coverage_map": coverage_map(required)}


def fallen_back(usage: Iterable[TaskUsage]) -> tuple[Notice, ...]:
    """Name each model task that fell back to code, once, with the reason."""
    notices = (
        Notice.of("{step}: {fallback}", step=cost.task, fallback=cost.fallback)
        for cost in usage
        if cost.fallback
    )
    return tuple(dict.fromkeys(notices))


def unused(usage: Iterable[TaskUsage], model: ChatModel | None) -> tuple[Notice, ...]:
    """Say in one notice what failed with the model and why; return none where nothing did.

    A fault of the server explains more than an unusable reply of the model.
    """
    failed = [(cost.task, cost.fallback) for cost in usage if cost.fallback is not None]
    if not failed or model is None:
        return ()
    _, fallback = min(failed, key=lambda pair: pair[1].fields.get("failure") in OF_THE_MODEL)
    return (
        Notice.of(
            "{model} failed ({steps}): {reason}",
            model=model.name,
            steps=", ".join(dict.fromkeys(step for step, _ in failed)),
            reason=fallback.fields.get("reason", fallback),
        ),
    )


def usage_json(usage: Sequence[TaskUsage], times: PhaseTimes, model: str) -> Json:
    """Return the cost of a run; ``tasks`` splits it by model task.

    ``seconds`` of a phase are wall-clock time, ``work_seconds`` the sum over its steps.
    """
    tasks: dict[str, Json] = defaultdict(
        lambda: {"runs": 0, "model_calls": 0, "fallbacks": 0, "seconds": 0.0}
    )
    for item in usage:
        row = tasks[item.task]
        row["runs"] += 1
        row["model_calls"] += item.model_calls
        row["fallbacks"] += item.fallback is not None
        row["seconds"] = round(row["seconds"] + item.seconds, 2)
    return {
        "model": model,
        "model_calls": sum(item.model_calls for item in usage),
        "repairs": sum(item.repairs for item in usage),
        "fallbacks": sum(item.fallback is not None for item in usage),
        "prompt_tokens": sum(item.prompt_tokens for item in usage),
        "completion_tokens": sum(item.completion_tokens for item in usage),
        "model_seconds": round(sum(item.seconds for item in usage), 2),
        "seconds": {phase: round(value, 2) for phase, value in times.wall.items()},
        "work_seconds": {phase: round(value, 2) for phase, value in times.work.items()},
        "tasks": dict(tasks),
    }


def _evidence(entry: Evidence) -> Json:
    fields = entry.model_dump(mode="json", exclude={"task_id", "status", "reason"})
    return {**fields, "task": entry.task_id, "restored": entry.status == "restored"}


def _reference(record: ReferenceRecord) -> Json:
    fields = record.model_dump(mode="json", exclude={"source", "task_id"})
    return {"from": record.source, "task": record.task_id, **fields}


def _dropped(entry: Evidence, findings: Sequence[TaskFinding]) -> Json:
    """Return a dropped passage with the findings that rest on it."""
    texts = dict.fromkeys(f.text for f in findings if entry.chunk_id in f.chunk_ids)
    names = {"chunk_id", "document_id", *Location.model_fields, "tier", "reason"}
    fields = entry.model_dump(mode="json", include=names)
    return {**fields, "score": entry.relevance, "text": " ".join(texts), "task": entry.task_id}


def _dump(values: Sequence[Any]) -> list[Json]:
    return [value.model_dump(mode="json") for value in values]
