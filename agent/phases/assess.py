"""Assessment: quality of the drafts, 0-400, measured by code."""

from agent.models import QualityAssessment, SectionDraft
from agent.state import ResearchState
from agent.step import Step, Update, node
from agent.tiers import REVISION_BELOW
from services.extractive import coverage, facets

DIMENSION = 100.0


@node("assess")
async def quality_check(state: ResearchState, step: Step) -> Update:
    """Scores the drafts; a low score sends them back to synthesis once."""
    unanswered = [summary for summary in state.get("task_summaries", []) if summary.gaps]
    answered = 1 - len(unanswered) / len(state["todo_list"])
    quality = assess(state["drafts"], answered, state["query"], state["detected_language"])
    revisions = state.get("revisions", 0)
    if quality.total < REVISION_BELOW and revisions == 0:
        return {"quality_assessment": quality, "revisions": 1}
    return {"quality_assessment": quality.model_copy(update={"revised": revisions > 0})}


def assess(
    drafts: list[SectionDraft], answered: float, question: str, language: str
) -> QualityAssessment:
    """Four dimensions of 0-100.

    factual_accuracy: share of sentences that their quotes support; semantic_validity: share of
    the question's facets that the answer covers; structural_integrity: share of tasks that found
    something (``answered``, 0-1); citation_correctness: share of citations whose quote was
    verified.
    """
    sentences = [sentence for draft in drafts for sentence in draft.sentences]
    citations = [citation for sentence in sentences for citation in sentence.citations]
    texts = [sentence.text for sentence in sentences]
    covered = coverage(facets(question, language), texts, language)
    dimensions = {
        "factual_accuracy": _share([sentence.supported for sentence in sentences]),
        "semantic_validity": DIMENSION * covered.score,
        "structural_integrity": DIMENSION * answered,
        "citation_correctness": _share([citation.verified for citation in citations]),
    }
    rounded = {name: round(value, 1) for name, value in dimensions.items()}
    remarks = tuple(f"not covered: {facet.text}" for facet in covered.missing)
    return QualityAssessment(**rounded, total=round(sum(rounded.values()), 1), remarks=remarks)


def _share(values: list[bool]) -> float:
    """Share of true values as 0-100; 0 for none."""
    return DIMENSION * sum(values) / len(values) if values else 0.0
