"""Assessment: quality of the drafts, 0-400, measured by code."""

import asyncio

from agent.context import Context
from agent.models import QualityAssessment, SectionDraft
from agent.research.outline import Part, coverage, heading_of, judge_parts, topics_of
from agent.research.state import ResearchState, kept_evidence
from agent.research.tiers import REVISION_BELOW
from agent.step import Step, Update, node
from services.domain.notices import Notice

DIMENSION = 100.0


@node
async def quality_check(state: ResearchState, step: Step) -> Update:
    """Scores the drafts; a low score sends them back to synthesis once."""
    unanswered = [summary for summary in state.get("task_summaries", []) if summary.gaps]
    answered = 1 - len(unanswered) / len(state["todo_list"])
    parts = await asyncio.to_thread(judged_again, state, step.context)
    quality = assess(state["drafts"], answered, parts)
    revisions = state.get("revisions", 0)
    if quality.total < REVISION_BELOW and revisions == 0:
        return {"quality_assessment": quality, "revisions": 1}
    return {"quality_assessment": quality.model_copy(update={"revised": revisions > 0})}


def judged_again(state: ResearchState, context: Context) -> list[Part]:
    """The parts of the question beside what the drafts cite as proof, and nothing else."""
    cited = {
        citation.key
        for draft in state["drafts"]
        for sentence in draft.sentences
        if sentence.supported
        for citation in sentence.citations
    }
    pairs = [
        (entry, sentence)
        for entry, sentence in context.passages.sentences_of(kept_evidence(state))
        if sentence.key in cited
    ]
    return judge_parts(topics_of(state), pairs, state["detected_language"], context)


def assess(drafts: list[SectionDraft], answered: float, parts: list[Part]) -> QualityAssessment:
    """Four dimensions of 0-100.

    factual_accuracy: share of sentences that are proof; semantic_validity: share of the
    question's parts that what is cited answers (``parts``); structural_integrity: share of tasks
    that found something (``answered``, 0-1); citation_correctness: share of citations whose quote
    was verified.
    """
    sentences = [sentence for draft in drafts for sentence in draft.sentences]
    citations = [citation for sentence in sentences for citation in sentence.citations]
    dimensions = {
        "factual_accuracy": _share([sentence.supported for sentence in sentences]),
        "semantic_validity": DIMENSION * coverage(parts),
        "structural_integrity": DIMENSION * answered,
        "citation_correctness": _share([citation.verified for citation in citations]),
    }
    rounded = {name: round(value, 1) for name, value in dimensions.items()}
    missing = [heading_of(part.text) for part in parts if part.certainty == "refused"]
    remarks = tuple(Notice.of("not covered: {facet}", facet=text) for text in missing)
    return QualityAssessment(**rounded, total=round(sum(rounded.values()), 1), remarks=remarks)


def _share(values: list[bool]) -> float:
    """Share of true values as 0-100; 0 for none."""
    return DIMENSION * sum(values) / len(values) if values else 0.0
