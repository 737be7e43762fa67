"""Synthesis: a section for each approved task, the answer above them, each sentence checked."""

import asyncio

from agent.models import PartAnswered, SectionDraft, TaskFinding
from agent.research.state import ResearchState
from agent.research.writing import ReportWriter, related
from agent.step import Step, Update, node
from services.domain.notices import Notice

PROMPT_WITHOUT_MODEL = Notice.of(
    "The synthesis prompt that was set has no effect: no language model is used."
)


@node
async def synthesize(state: ResearchState, step: Step) -> Update:
    """Writes the report in the question's language over the findings that count."""
    reads = bool(state.get("reads")) and step.context.tasks.model is not None
    if state["options"].synthesis_prompt and not reads and not state.get("revisions"):
        step.warn(PROMPT_WITHOUT_MODEL)
    findings, contradictions = await related(state, step)
    writer = await asyncio.to_thread(ReportWriter, state, findings, step, asks=reads)
    drafts = await writer.drafts(contradictions)
    return {
        "drafts": drafts,
        "findings": findings,
        "parts": [_part(each, findings) for each in drafts if each.task_id],
        "todo_list": [task.model_copy(update={"completed": True}) for task in state["todo_list"]],
    }


def _part(draft: SectionDraft, findings: list[TaskFinding]) -> PartAnswered:
    own = [each for each in findings if each.counts and each.task_id == draft.task_id]
    ids = dict.fromkeys(name for each in own for name in each.chunk_ids)
    certainty = draft.certainty
    if not draft.sentences and any(each.repeats for each in own):  # it is said elsewhere
        certainty = "answered" if any(each.standing == "follows" for each in own) else "perhaps"
    return PartAnswered(text=draft.heading, certainty=certainty, chunk_ids=tuple(ids))
