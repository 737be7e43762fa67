"""Checkpoints in a thread's past from which it can be continued in another way."""

from typing import Final

from pydantic import computed_field

from services.domain import Value
from services.domain.events import Phase

PHASE_OF: Final[dict[str, Phase]] = {
    "hitl_init": "clarify",
    "hitl_generate_queries": "clarify",
    "hitl_retrieve_chunks": "clarify",
    "hitl_analyze_retrieval": "clarify",
    "hitl_generate_questions": "clarify",
    "hitl_await_response": "clarify",
    "hitl_process_response": "clarify",
    "hitl_finalize": "clarify",
    "generate_todo": "plan",
    "hitl_approve_todo": "plan",
    "execute_task": "extract",
    "validate_relevance": "validate",
    "synthesize": "synthesize",
    "quality_check": "assess",
    "attribute_sources": "attribute",
}
"""The phase to which a node of the graph belongs."""


class CheckpointInfo(Value, extra="ignore"):
    """A checkpoint: what comes ``next`` there, and what there was by then.

    ``at`` is ISO 8601 in UTC; ``rounds`` counts looks into the corpus, ``evidence`` passages
    that count.
    """

    id: str
    phase: Phase
    next: str
    at: str
    rounds: int = 0
    tasks: int = 0
    evidence: int = 0
    drafted: bool = False

    @computed_field  # type: ignore[prop-decorator]
    @property
    def summary(self) -> str:
        """``2 looks into the documents, 4 tasks planned, 31 passages``."""
        counts = (
            (self.rounds, "look into the documents", "looks into the documents"),
            (self.tasks, "task planned", "tasks planned"),
            (self.evidence, "passage", "passages"),
        )
        texts = [f"{count} {one if count == 1 else many}" for count, one, many in counts if count]
        return ", ".join([*texts, *(["answer drafted"] if self.drafted else [])]) or "nothing yet"
