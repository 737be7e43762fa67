"""Synthesis: the answer first, then one section a part of the question, each sentence checked."""

import asyncio
from collections.abc import Sequence
from typing import Final

from agent.drafting import carried, quoted, readable
from agent.examination import model_reads
from agent.models import SectionDraft
from agent.prompts.research import WriteInput, WritePart
from agent.ranking import overlapping, said
from agent.research.outline import Part, outlined, overall
from agent.research.state import ResearchState, kept_evidence
from agent.second_reading import checked
from agent.step import Step, Update, node
from services.domain import Certainty, CitedSentence, EvidenceSentence
from services.domain.notices import Notice
from services.evidence.ranking import CARDS

LEAD_SENTENCES: Final = 2
LEAD_QUOTES: Final = 4
PART_QUOTES: Final = 3
QUOTES_AFTER_PROSE: Final = 2
PROMPT_WITHOUT_MODEL = Notice.of(
    "The synthesis prompt that was set has no effect: no language model is used."
)


@node
async def synthesize(state: ResearchState, step: Step) -> Update:
    """Writes lead and sections in the question's language; quotes stay untouched."""
    unheard = state["options"].synthesis_prompt and step.context.tasks.model is None
    if unheard and not state.get("revisions"):
        step.warn(PROMPT_WITHOUT_MODEL)
    reads = await model_reads(step)
    best, parts = await asyncio.to_thread(outlined, state, step.context)
    pool = await asyncio.to_thread(step.context.passages.pool, kept_evidence(state))
    writer = _Writer(state, step, pool, asks=step.context.tasks.model is not None and reads)
    drafts = [await writer.lead(best[:LEAD_QUOTES], overall(part.certainty for part in parts))]
    for number, part in enumerate(parts, start=1):
        drafts.append(await writer.section(number, part, alone=len(parts) == 1))
    return {
        "drafts": with_certainty(drafts, parts),
        "reads": reads,
        "parts": [part.answered for part in parts],
        "todo_list": [task.model_copy(update={"completed": True}) for task in state["todo_list"]],
    }


def with_certainty(drafts: Sequence[SectionDraft], parts: Sequence[Part]) -> list[SectionDraft]:
    """The drafts with how surely all of them together answer the part of each.

    What a section shows claims nothing less than that it comes closest.
    """
    sentences = [sentence for draft in drafts for sentence in draft.sentences]
    sure = [drafts[0]]
    for part, draft in zip(parts, drafts[1:], strict=True):
        shown = part.certainty != "refused" and bool(draft.sentences)
        update = {"certainty": said(part.ranked, sentences, named=shown)}
        sure.append(draft.model_copy(update=update))
    return sure


class _Writer:
    """Writes the sections of one report over one pool of evidence; no sentence stands twice.

    The model is asked, or quotes stand alone.
    """

    def __init__(
        self, state: ResearchState, step: Step, pool: list[EvidenceSentence], *, asks: bool
    ) -> None:
        self._state = state
        self._asks = asks
        self._step = step
        self._pool = pool
        self._anchor = state["query_anchor"]
        self._shown: list[CitedSentence] = []

    async def lead(self, best: Sequence[EvidenceSentence], sure: Certainty) -> SectionDraft:
        """The answer in a sentence or two; nothing where no part of the question is answered."""
        draft = SectionDraft(heading="", sentences=(), certainty=sure)
        if sure != "answered":
            return draft
        proven, degraded = await self._prose(self._anchor.original_query, best, part="lead")
        own = proven[:LEAD_SENTENCES]
        if not own or (degraded and not carried(best[0], own)):
            # What answers best was thrown out: its quote leads, and no side sentence does.
            own = [*self._quotes(best[:1]), *own[: LEAD_SENTENCES - 1]]
        return draft.model_copy(update={"sentences": self._said(own), "degraded": degraded})

    async def section(self, number: int, part: Part, *, alone: bool) -> SectionDraft:
        """What a part of the question is answered by; of an unsure one quotes that claim nothing.

        The lead has answered the only part of a question: its section holds the quotes.
        """
        sure, heading = part.certainty, part.answered.text
        proven: list[CitedSentence] = []
        degraded = None
        if sure == "answered" and not alone:
            best = part.quotes[:PART_QUOTES]
            proven, degraded = await self._prose(heading, best, part=f"part {number}")
        missing = [quote for quote in part.quotes if not carried(quote, proven)]
        most = QUOTES_AFTER_PROSE if proven else PART_QUOTES if sure == "answered" else CARDS
        own = [*proven, *self._quotes(missing)[:most]]
        return SectionDraft(
            heading=heading,
            sentences=self._said(own),
            degraded=degraded,
            certainty=sure,
        )

    def _quotes(self, quotes: Sequence[EvidenceSentence]) -> list[CitedSentence]:
        """Quotes that do not stand in the report yet, nor share words with one that does."""
        shown = [sentence.quoted for sentence in self._shown if sentence.quoted]
        fresh = [quote for quote in quotes if not overlapping(quote, shown)]
        return [quoted(quote, self._step.context) for quote in fresh]

    def _said(self, sentences: Sequence[CitedSentence]) -> tuple[CitedSentence, ...]:
        self._shown += sentences
        return tuple(sentences)

    async def _prose(
        self, asked: str, quotes: Sequence[EvidenceSentence], *, part: str
    ) -> tuple[list[CitedSentence], Notice | None]:
        """The model's sentences that are proven and not said yet, and what is told of all others.

        Quotes stand in for those, and for all of them where the report is written once more.
        """
        revised = self._state.get("revisions", 0) > 0
        if not quotes or revised or not self._asks:
            return [], None
        options = self._state["options"]
        language, context = self._anchor.detected_language, self._step.context
        shown = await asyncio.to_thread(readable, quotes, language, context, options)
        if not shown:
            return [], Notice.of(
                "quotes alone: no passage fits into maxTokens={most}", most=options.max_tokens
            )
        text = await self._step.run(
            WritePart(),
            WriteInput(
                task=asked,
                language=language,
                sentences=tuple(shown),
                context="; ".join(self._anchor.hitl_refinements),
                instructions=options.synthesis_prompt,
            ),
            part=part,
        )
        places = [each.place for each in shown]
        wanted = " ".join([self._anchor.original_query, asked, *self._anchor.hitl_refinements])
        prose = await checked(text, self._pool, language, places, wanted, self._step)
        said = {sentence.text for sentence in self._shown}
        proven = [each for each in prose.proven if each.text not in said]
        left_out = [*prose.left_out, *(f"{each.text} ({each.reason})" for each in prose.loose)]
        told = None
        if left_out:
            told = Notice.of("left out for lack of support: {what}", what=" | ".join(left_out))
        return proven, told
