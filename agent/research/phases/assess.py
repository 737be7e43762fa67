"""Assessment: quality of the report, 0-400, measured by code."""

from collections.abc import Iterable, Iterator, Mapping, Sequence

from agent.models import PartAnswered, QualityAssessment, SectionDraft, TaskFinding, TaskReading
from agent.research.state import ResearchState
from agent.research.tiers import CREDIT, REVISION_BELOW
from agent.step import Step, Update, node
from services.domain.notices import Notice

DIMENSION = 100.0
DIMENSIONS = (
    "factual_accuracy",
    "semantic_validity",
    "structural_integrity",
    "citation_correctness",
)
PERHAPS = 0.5
"""Credit of a task that only quotes speak to."""


@node
async def quality_check(state: ResearchState, step: Step) -> Update:
    """Score the drafts; a low score sends them back to synthesis once, and the better ones stay."""
    quality = assess(
        state["drafts"],
        state.get("parts", []),
        {reading.task_id: reading for reading in state.get("readings", [])},
        state.get("findings", []),
    )
    first = state.get("quality_assessment")
    if not state.get("revisions"):
        again = {"first_drafts": state["drafts"], "revisions": 1}
        return {"quality_assessment": quality, **(again if quality.total < REVISION_BELOW else {})}
    assert first is not None  # a revision comes after an assessment
    better, helped = compare(first, quality)
    drafts = state["drafts"] if helped else state.get("first_drafts", state["drafts"])
    return {"quality_assessment": better, "drafts": drafts}


def compare(first: QualityAssessment, second: QualityAssessment) -> tuple[QualityAssessment, bool]:
    """Return the better assessment with the scores of both, and whether it is the second."""
    helped = second.total > first.total
    better = (second if helped else first).model_copy(
        update={
            "revised": True,
            "revision_helped": helped,
            "before": scores(first),
            "after": scores(second),
        }
    )
    return better, helped


def scores(quality: QualityAssessment) -> Mapping[str, float]:
    """Return the four scores and their total."""
    return {name: getattr(quality, name) for name in (*DIMENSIONS, "total")}


def assess(
    drafts: Sequence[SectionDraft],
    outcomes: Sequence[PartAnswered],
    readings: Mapping[int, TaskReading],
    findings: Sequence[TaskFinding],
) -> QualityAssessment:
    """Score four dimensions, 0-100 each; whatever is below 100 has a remark that says why.

    factual_accuracy: share of the sentences that are proof. citation_correctness: share of the
    citations whose quote stands in the text. semantic_validity: how much of the approved tasks is
    answered, partly or perhaps counting half. structural_integrity: share of the tasks whose
    section says something, or of the findings of the first tier that the writer used, whichever is
    less.
    """
    sections = [draft for draft in drafts if draft.task_id]
    sentences = [sentence for draft in drafts for sentence in draft.sentences]
    verified = [citation.verified for sentence in sentences for citation in sentence.citations]
    proof = [sentence.supported for sentence in sentences]
    credits = [
        _credit(outcome, readings.get(draft.task_id))
        for outcome, draft in zip(outcomes, sections, strict=False)
    ]
    unused = _unused(findings, drafts)
    dimensions = {
        "factual_accuracy": _share(proof),
        "semantic_validity": DIMENSION * sum(credits) / len(credits) if credits else 0.0,
        "structural_integrity": min(
            _share([outcome.certainty != "refused" for outcome in outcomes]),
            _share([finding not in unused for finding in _first_tier(findings)] or [True]),
        ),
        "citation_correctness": _share(verified),
    }
    rounded = {name: round(value, 1) for name, value in dimensions.items()}
    return QualityAssessment(
        **rounded,
        total=round(sum(rounded.values()), 1),
        remarks=tuple(_remarks(outcomes, credits, unused, proof, verified)),
    )


def _credit(outcome: PartAnswered, reading: TaskReading | None) -> float:
    if outcome.certainty == "refused":
        return 0.0
    if outcome.certainty == "perhaps" or reading is None:
        return PERHAPS
    return CREDIT[reading.answered]


def _first_tier(findings: Iterable[TaskFinding]) -> list[TaskFinding]:
    return [
        finding
        for finding in findings
        if finding.tier == 1 and finding.counts and finding.standing == "follows"
    ]


def _unused(findings: Sequence[TaskFinding], drafts: Sequence[SectionDraft]) -> list[TaskFinding]:
    """Return the findings of the first tier that no written sentence rests on."""
    used = {name for draft in drafts for name in draft.used}
    return [f for f in _first_tier(findings) if not f.repeats and f.id not in used]


def _remarks(
    outcomes: Sequence[PartAnswered],
    credits: Sequence[float],
    unused: Sequence[TaskFinding],
    proof: Sequence[bool],
    verified: Sequence[bool],
) -> Iterator[Notice]:
    for outcome, credit in zip(outcomes, credits, strict=False):
        if outcome.certainty == "refused":
            yield Notice.of("a task found nothing: {task}", task=outcome.text)
        elif outcome.certainty == "perhaps":
            yield Notice.of("possibly covered: {facet}", facet=outcome.text)
        elif credit < 1:
            yield Notice.of("partly covered: {facet}", facet=outcome.text)
    yield from (Notice.of("not used in the report: {finding}", finding=f.text) for f in unused)
    if not proof:
        yield Notice.of("the report says nothing that can be checked")
        return
    if loose := proof.count(False):
        yield Notice.of("unproven sentences: {count}", count=loose)
    unverified = verified.count(False)
    if unverified or not verified:
        yield Notice.of("quotes that are not in the text: {count}", count=unverified)


def _share(values: Sequence[bool]) -> float:
    """Return the share of true values, 0-100; 0 for none."""
    return DIMENSION * sum(values) / len(values) if values else 0.0
