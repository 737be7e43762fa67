"""Assessment: quality of the drafts, 0-400, measured by code."""

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence

from agent.models import QualityAssessment, SectionDraft, TaskSummary
from agent.research.outline import coverage
from agent.research.state import ResearchState
from agent.research.tiers import REVISION_BELOW
from agent.step import Step, Update, node
from services.domain.notices import Notice

DIMENSION = 100.0
DIMENSIONS = (
    "factual_accuracy",
    "semantic_validity",
    "structural_integrity",
    "citation_correctness",
)


@node
async def quality_check(state: ResearchState, step: Step) -> Update:
    """Scores the drafts; a low score sends them back to synthesis once, and the better stay."""
    quality = assess(state["drafts"], state.get("task_summaries", []))
    first = state.get("quality_assessment")
    if not state.get("revisions"):
        again = {"first_drafts": state["drafts"], "revisions": 1}
        return {"quality_assessment": quality, **(again if quality.total < REVISION_BELOW else {})}
    assert first is not None  # a revision comes after an assessment
    kept, helped = better(first, quality)
    drafts = state["drafts"] if helped else state.get("first_drafts", state["drafts"])
    return {"quality_assessment": kept, "drafts": drafts}


def better(first: QualityAssessment, second: QualityAssessment) -> tuple[QualityAssessment, bool]:
    """The assessment of the better drafts, with the scores of both, and whether it is the second.

    Where both are worth the same, the first ones stay.
    """
    helped = second.total > first.total
    kept = (second if helped else first).model_copy(
        update={
            "revised": True,
            "revision_helped": helped,
            "before": scores(first),
            "after": scores(second),
        }
    )
    return kept, helped


def scores(quality: QualityAssessment) -> Mapping[str, float]:
    """The four scores and their total."""
    return {name: getattr(quality, name) for name in (*DIMENSIONS, "total")}


def assess(drafts: Sequence[SectionDraft], tasks: Sequence[TaskSummary]) -> QualityAssessment:
    """Four dimensions of 0-100; whatever is below 100 has a remark that says why.

    factual_accuracy: share of the sentences that are proof. citation_correctness: share of the
    citations whose quote stands in the text. semantic_validity: share of the question's parts that
    the sentences answer, perhaps counting half. structural_integrity: share of these parts that
    are answered at least perhaps, or of the tasks that found something, whichever is less.
    """
    parts = drafts[1:]
    sentences = [sentence for draft in drafts for sentence in draft.sentences]
    verified = [citation.verified for each in sentences for citation in each.citations]
    proof = [sentence.supported for sentence in sentences]
    filled = [part.certainty != "refused" for part in parts]
    found = [not each.gaps for each in tasks]
    dimensions = {
        "factual_accuracy": _share(proof),
        "semantic_validity": DIMENSION * coverage(parts),
        "structural_integrity": min(_share(filled), _share(found)),
        "citation_correctness": _share(verified),
    }
    rounded = {name: round(value, 1) for name, value in dimensions.items()}
    return QualityAssessment(
        **rounded,
        total=round(sum(rounded.values()), 1),
        remarks=tuple(_remarks(parts, tasks, proof, verified)),
    )


def _remarks(
    parts: Sequence[SectionDraft],
    tasks: Sequence[TaskSummary],
    proof: Sequence[bool],
    verified: Sequence[bool],
) -> Iterator[Notice]:
    """Why a dimension is below 100."""
    headings = defaultdict(list)
    for part in parts:
        headings[part.certainty].append(part.heading)
    yield from (Notice.of("not covered: {facet}", facet=each) for each in headings["refused"])
    yield from (Notice.of("perhaps covered: {facet}", facet=each) for each in headings["perhaps"])
    yield from (Notice.of("a task found nothing: {task}", task=t.task) for t in tasks if t.gaps)
    if not proof:
        yield Notice.of("nothing is said that could be checked")
        return
    if loose := proof.count(False):
        yield Notice.of("sentences that are no proof: {count}", count=loose)
    unverified = verified.count(False)
    if unverified or not verified:
        yield Notice.of("quotes that are not in the text: {count}", count=unverified)


def _share(values: Sequence[bool]) -> float:
    """Share of true values as 0-100; 0 for none."""
    return DIMENSION * sum(values) / len(values) if values else 0.0
