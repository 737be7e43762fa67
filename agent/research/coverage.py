"""Which parts of a question the evidence answers: one measure, from clarification to the report."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from agent.context import Context
from agent.ranking import MOST_COMPARED, RankedSentence, ranked
from services.domain import Certainty, Evidence, EvidenceSentence, Language
from services.evidence.ranking import certainty
from services.ingestion.references import detect_references
from services.structured.values import CREDIT, STATUS


@dataclass(frozen=True)
class Part:
    """A part of a question and the sentences of the evidence, by how surely they answer it."""

    text: str
    certainty: Certainty
    ranked: tuple[RankedSentence, ...]

    @property
    def score(self) -> float:
        """How surely the best one answers, 0-1."""
        return self.ranked[0][0] if self.ranked else 0.0


def nearest_sentences(
    entries: Iterable[Evidence], context: Context
) -> list[tuple[Evidence, EvidenceSentence]]:
    """The sentences of the nearest passages, each with its evidence."""
    best = sorted(entries, key=lambda entry: (-relevance_of(entry), entry.chunk_id))
    return context.passages.sentences_of(best)[:MOST_COMPARED]


def relevance_of(entry: Evidence) -> float:
    """As validation measured it, before that as it was found."""
    return entry.score if entry.relevance is None else entry.relevance


def judge_parts(
    texts: Iterable[str],
    pairs: Sequence[tuple[Evidence, EvidenceSentence]],
    language: Language,
    context: Context,
) -> list[Part]:
    """Each part with its certainty; ``pairs`` are as `nearest_sentences` gives them."""
    compared = [(relevance_of(entry), sentence) for entry, sentence in pairs]
    found = []
    for text in texts:
        best = ranked([text], compared, language, context)
        sure = certainty([score for score, _ in best[:1]], named=_names_section(text, best))
        found.append(Part(text=text, certainty=sure, ranked=tuple(best)))
    return found


def coverage(parts: Sequence[Part]) -> float:
    """Share of the parts that are answered, 0-1; what perhaps answers counts half."""
    return sum(CREDIT[STATUS[part.certainty]] for part in parts) / len(parts) if parts else 0.0


def overall(certainties: Iterable[Certainty]) -> Certainty:
    """That of the best part."""
    return max(certainties, key=lambda each: CREDIT[STATUS[each]], default="refused")


def _names_section(text: str, found: Sequence[RankedSentence]) -> bool:
    """Whether a question names a section that was found."""
    labels = {reference.label for reference in detect_references(text) if reference.label}
    return any(sentence.section in labels for _, sentence in found)
