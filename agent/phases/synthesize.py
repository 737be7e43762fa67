"""Synthesis: a short answer to the question, then one part a task, each sentence checked."""

import asyncio

from agent.drafting import carried, checked_prose, evidence_pool, quoted
from agent.models import PreservedQuote, SectionDraft, ToDoItem
from agent.parameters import readable
from agent.prompts.synthesize import WriteInput, WritePart
from agent.ranking import rank_quotes
from agent.state import ResearchState, kept_evidence
from agent.step import Step, Update, node
from services.evidence import EvidenceSentence
from services.types import Sentence

LEAD_QUOTES = 4
PART_QUOTES = 3
QUOTES_AFTER_PROSE = 2
QUOTES_ALONE = 3
PROMPT_WITHOUT_MODEL = "The synthesis prompt that was set has no effect: no language model is used."


@node("synthesize")
async def synthesize(state: ResearchState, step: Step) -> Update:
    """Writes lead and parts in the question's language; quotes stay untouched."""
    unheard = state["options"].synthesis_prompt and step.context.tasks.model is None
    if unheard and not state.get("revisions"):
        step.warn(PROMPT_WITHOUT_MODEL)
    entries = kept_evidence(state)
    pool = evidence_pool(entries, step.context)
    kept = {entry.chunk_id for entry in entries}
    quotes = [quote for quote in state.get("preserved_quotes", []) if quote.chunk_id in kept]
    writer = _Writer(state, step, pool)
    drafts = [await writer.lead(quotes)]
    for task in state["todo_list"]:
        own = [quote for quote in quotes if quote.task_id == task.id]
        drafts.append(await writer.part(task, own))
    return {"drafts": drafts, "todo_list": [_completed(task) for task in state["todo_list"]]}


def _completed(task: ToDoItem) -> ToDoItem:
    return task.model_copy(update={"completed": True})


class _Writer:
    """Writes the parts of one answer over one pool of evidence."""

    def __init__(self, state: ResearchState, step: Step, pool: list[EvidenceSentence]) -> None:
        self._state = state
        self._step = step
        self._pool = pool
        self._anchor = state["query_anchor"]
        self._strict = state.get("revisions", 0) > 0
        self._shown: list[Sentence] = []

    async def lead(self, quotes: list[PreservedQuote]) -> SectionDraft:
        """The answer to the question itself, from the best quotes of all tasks."""
        question = self._anchor.original_query
        ranked = await asyncio.to_thread(rank_quotes, quotes, self._anchor, self._step.context)
        best = ranked[:LEAD_QUOTES]
        prose, degraded = await self._prose(question, best, part="lead")
        extra = [] if prose else best[:QUOTES_ALONE]
        return self._draft(None, "", prose, extra, degraded)

    async def part(self, task: ToDoItem, quotes: list[PreservedQuote]) -> SectionDraft:
        """The answer to one task, followed by the quotes that its prose does not carry."""
        best = quotes[:PART_QUOTES]
        prose, degraded = await self._prose(task.task, best, part=f"task {task.id}")
        verbatim = [s for s in self._shown if s.quoted]
        missing = [quote for quote in best if not carried(quote, [*prose, *verbatim])]
        extra = missing[: QUOTES_AFTER_PROSE if prose else QUOTES_ALONE]
        return self._draft(task.id, task.task, prose, extra, degraded)

    def _draft(
        self,
        task_id: int | None,
        heading: str,
        prose: list[Sentence],
        extra: list[PreservedQuote],
        degraded: str | None,
    ) -> SectionDraft:
        """A part of prose and verbatim quotes; later parts do not repeat its sentences.

        A part that says nothing else keeps its first sentence: it is the answer to its task.
        """
        known = {sentence.text for sentence in self._shown}
        prose = [sentence for sentence in prose if sentence.text not in known] or prose[:1]
        verbatim = [quoted(quote, self._step.context) for quote in extra]
        self._shown += [*prose, *verbatim]
        return SectionDraft(
            task_id=task_id,
            heading=heading,
            sentences=(*prose, *verbatim),
            degraded=degraded,
        )

    async def _prose(
        self, task: str, quotes: list[PreservedQuote], *, part: str
    ) -> tuple[list[Sentence], str | None]:
        """Checked sentences of the model, and what became of those that failed the check."""
        if not quotes:
            return [], None
        options = self._state["options"]
        texts = [quote.whole for quote in quotes]
        shown = await asyncio.to_thread(readable, texts, self._step.context, options)
        if not shown:
            return [], f"quotes alone: no passage fits into maxTokens={options.max_tokens}"
        text = await self._step.run(
            WritePart(),
            WriteInput(
                task=task,
                language=self._anchor.detected_language,
                sentences=tuple(shown),
                context="; ".join(self._anchor.hitl_refinements),
                instructions=options.synthesis_prompt,
            ),
            part=part,
        )
        prose, left_out = checked_prose(
            text, self._pool, self._anchor.detected_language, self._step.context.judge
        )
        if self._strict:
            left_out += [sentence.text for sentence in prose if not sentence.supported]
            prose = [sentence for sentence in prose if sentence.supported]
        if not left_out:
            return prose, None
        return prose, f"left out for lack of support: {' | '.join(left_out)}"
