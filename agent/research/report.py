"""The research report as others script against it."""

from collections.abc import Mapping, Sequence
from typing import Any

from agent.models import ReferenceRecord, Report, TaskFinding
from agent.step import usage_json
from services.domain import DocumentSpan, Evidence, Location
from services.domain.events import PhaseTimes
from services.domain.runs import RunInfo
from services.export.coverage import coverage_map, required_info
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


def _evidence(entry: Evidence) -> Json:
    fields = entry.model_dump(mode="json", exclude={"task_id", "status", "reason"})
    return {**fields, "task": entry.task_id, "restored": entry.status == "restored"}


def _reference(record: ReferenceRecord) -> Json:
    fields = record.model_dump(mode="json", exclude={"source", "task_id"})
    return {"from": record.source, "task": record.task_id, **fields}


def _dropped(entry: Evidence, findings: Sequence[TaskFinding]) -> Json:
    texts = dict.fromkeys(f.text for f in findings if entry.chunk_id in f.chunk_ids)
    names = {*DocumentSpan.model_fields, *Location.model_fields, "chunk_id", "tier", "reason"}
    fields = entry.model_dump(mode="json", include=names)
    return {**fields, "score": entry.relevance, "text": " ".join(texts), "task": entry.task_id}


def _dump(values: Sequence[Any]) -> list[Json]:
    return [value.model_dump(mode="json") for value in values]
