"""An answer with what the structured route adds to it: what was needed, found and missing."""

from agent.ask.models import Answer, StructuredAnswer
from agent.ask.state import AskState
from services.structured.decomposition import decomposed
from services.structured.values import Assessment, RequiredInfo, Status

PHASES = ("decomposition", "retrieval", "critique", "synthesis")


def with_structure(answer: Answer, state: AskState) -> Answer:
    """The same answer; on the structured route with its plan, coverage and times.

    A question that somebody asked to be taken apart, but that the catalog or all of the corpus
    answered, has the same fields: its pieces by the rules, and no passages.
    """
    gathered = state["gathered"]
    if gathered is not None:
        plan, assessment, searches = state["plan"], state["assessment"], gathered.searches
    elif state["options"].depth == "structured":
        plan, searches = decomposed(state["understanding"]), ()
        status: Status = "missing" if answer.refused else "covered"
        assessment = Assessment(
            required=tuple(RequiredInfo(item=item, status=status) for item in plan.required_info)
        )
    else:
        return answer
    return StructuredAnswer(
        **dict(answer),
        question_type=plan.question_type,
        required_info=assessment.required,
        sub_queries=searches,
        coverage_map={
            each.item: tuple(evidence.chunk_id for evidence in each.evidence)
            for each in assessment.required
        },
        entities=assessment.entities,
        gaps=assessment.gaps,
        contradictions=tuple(state["contradictions"]),
        confidence=assessment.confidence,
        temporal_coverage=assessment.temporal_coverage,
        timings_ms=_timings(state),
    )


def _timings(state: AskState) -> dict[str, float]:
    """Milliseconds of each phase and of all, both passes of retrieval together."""
    seconds = state.get("phase_seconds", {})
    timings = {phase: round(1000 * seconds.get(phase, 0.0), 1) for phase in PHASES}
    return {**timings, "total": round(sum(timings.values()), 1)}
