"""Which sentences of the passages answer the question."""

from dataclasses import dataclass

from agent.ask.context import AskContext
from agent.ask.state import AskState
from agent.passages import quotable
from agent.ranking import MOST_COMPARED, ranked
from services.evidence import EvidenceSentence


@dataclass(frozen=True)
class Best:
    """``pool`` is every sentence of the passages, ``ranked`` the judged ones, best first.

    ``for_parts`` has the best of each part of a question that has several, each once.
    """

    pool: list[EvidenceSentence]
    ranked: list[tuple[float, EvidenceSentence]]
    for_parts: list[EvidenceSentence]

    @property
    def score(self) -> float:
        """How surely the best one answers, 0-1."""
        return max((score for score, _ in self.ranked), default=0.0)


def best_sentences(state: AskState, context: AskContext) -> Best:
    """Ranks the sentences of the evidence by how surely they answer the question and its parts."""
    entries, known = state["evidence"], state["understanding"]
    chunks = context.catalog.chunks.get([e.chunk_id for e in entries], scope=context.scope)
    pairs = [
        (entry.score, sentence)
        for entry in entries
        if entry.chunk_id in chunks
        for sentence in quotable(chunks[entry.chunk_id], context)
    ]
    compared = pairs[:MOST_COMPARED]
    parts = known.subquestions
    by_part = [ranked(part, compared, known.language, context)[:1] for part in parts]
    firsts = [sentence for best in by_part if len(parts) > 1 for _, sentence in best]
    return Best(
        pool=[sentence for _, sentence in pairs],
        ranked=ranked(known.question, compared, known.language, context),
        for_parts=[each for n, each in enumerate(firsts) if each not in firsts[:n]],
    )
