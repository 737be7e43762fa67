"""Which parts of a question the evidence answers, and which quotes stand under each in a report.

One measure, from clarification to the report, before a word of it is written.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Final

from agent.context import Context
from agent.expect import Expected, in_their_words
from agent.models import PartAnswered, SectionDraft
from agent.prompts.research import REMINDER, content, repeats
from agent.quoting import shown_alone
from agent.ranking import MOST_COMPARED, RankedSentence, beside, overlapping, ranked
from agent.research.evidence import as_sentence
from agent.research.state import ResearchState, kept_evidence
from services.domain import Certainty, Evidence, EvidenceSentence, Language, QuoteKey
from services.evidence.anaphora import is_whole
from services.evidence.ranking import certainty
from services.ingestion.references import detect_references
from services.structured.values import CREDIT, STATUS

AS_SURE: Final = 0.95
"""Share of the best one's score from which on a quote answers as surely."""
NEARLY: Final = 0.85
"""The same of one that answers nearly as surely."""
OPENINGS: Final = 10
"""Quotes that are judged for the opening of a report."""


@dataclass(frozen=True)
class Part:
    """A part of a question and the sentences of the evidence, by how surely they answer it.

    ``quotes`` are those that stand under it in the report, best first.
    """

    text: str
    certainty: Certainty
    ranked: tuple[RankedSentence, ...]
    quotes: tuple[EvidenceSentence, ...] = ()

    @property
    def score(self) -> float:
        """How surely the best one answers, 0-1."""
        return self.ranked[0][0] if self.ranked else 0.0

    @property
    def near(self) -> list[EvidenceSentence]:
        """Those that answer nearly as surely as the best, itself first."""
        return [sentence for _, sentence in beside(self.ranked)]

    @cached_property
    def scores(self) -> dict[QuoteKey, float]:
        """How surely each one answers, 0-1."""
        return {sentence.key: score for score, sentence in self.ranked}

    @property
    def answered(self) -> PartAnswered:
        """What the report keeps of it."""
        return PartAnswered(
            text=heading_of(self.text),
            certainty=self.certainty,
            chunk_ids=tuple(dict.fromkeys(quote.chunk_id for quote in self.quotes)),
        )


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
    expected: Expected,
) -> list[Part]:
    """Each part with its certainty; ``pairs`` are as `nearest_sentences` gives them."""
    compared = [(relevance_of(entry), sentence) for entry, sentence in pairs]
    parts = []
    for text in texts:
        best = ranked([text], compared, language, context, in_their_words(text, expected))
        sure = certainty([score for score, _ in best[:1]], named=_names_section(text, best))
        parts.append(Part(text=text, certainty=sure, ranked=tuple(best)))
    return parts


def coverage(parts: Sequence[Part | SectionDraft]) -> float:
    """Share of the parts that are answered, 0-1; what perhaps answers counts half."""
    return sum(CREDIT[STATUS[part.certainty]] for part in parts) / len(parts) if parts else 0.0


def overall(certainties: Iterable[Certainty]) -> Certainty:
    """That of the best part."""
    return max(certainties, key=lambda each: CREDIT[STATUS[each]], default="refused")


def _names_section(text: str, ranked: Sequence[RankedSentence]) -> bool:
    """Whether a question names a section of the sentences."""
    labels = {reference.label for reference in detect_references(text) if reference.label}
    return any(sentence.section in labels for _, sentence in ranked)


def outlined(
    state: ResearchState, context: Context
) -> tuple[tuple[EvidenceSentence, ...], list[Part]]:
    """The quotes for the lead, best first, and the judged parts of the question with all others.

    Quotes are those that extraction chose; what answers a part best is one even if no task chose
    it. What a person restored is always shown: no measure overrules it.
    """
    entries = {entry.chunk_id: entry for entry in kept_evidence(state)}
    quotes = [quote for quote in state.get("preserved_quotes", []) if quote.chunk_id in entries]
    passages = context.passages.get(quote.chunk_id for quote in quotes)
    chosen = [(entries[q.chunk_id], as_sentence(q, passages.get(q.chunk_id))) for q in quotes]
    pairs = [*chosen, *nearest_sentences(entries.values(), context)]
    restored = [sentence for entry, sentence in chosen if entry.status == "restored"]
    language = state["query_anchor"].detected_language
    judged = judge_parts(topics_of(state), pairs, language, context, state.get("expected", {}))
    relevance = {sentence.key: relevance_of(entry) for entry, sentence in pairs}
    parts = deal(judged, [sentence for _, sentence in chosen], restored)
    return lead_quotes(parts, relevance, language, context), parts


def topics_of(state: ResearchState) -> tuple[str, ...]:
    """The parts of the question, and tasks that a person added to the plan."""
    language = state["query_anchor"].detected_language
    parts = state["options"].research_queries or state["query_analysis"].facets
    topics = list(dict.fromkeys(parts or (state["query"],)))
    proposed = {item.task.strip() for item in state["todo_proposal"]}
    for item in state["todo_list"]:
        seen = [content(topic, language) for topic in topics]
        if item.task not in proposed and not repeats(content(item.task, language), seen):
            topics.append(item.task)
    return tuple(topics)


def heading_of(part: str) -> str:
    """A part in its own words, without what it takes along from the whole question."""
    text = REMINDER.sub("", part).strip() or part
    return text[0].upper() + text[1:]


def deal(
    parts: Sequence[Part],
    chosen: Sequence[EvidenceSentence],
    restored: Sequence[EvidenceSentence] = (),
) -> list[Part]:
    """The parts with their quotes, best first; each quote goes to the part that it answers best.

    The best of a part stays with it. Beside it stands only what answers nearly as surely and,
    whatever it is worth, what was restored: a part that this goes to is not refused.
    """

    def home(sentence: EvidenceSentence) -> int:
        return max(range(len(parts)), key=lambda n: parts[n].scores[sentence.key])

    def taken(sentence: EvidenceSentence) -> bool:
        return any(overlapping(sentence, own) for own in dealt)

    homes = [(sentence, home(sentence)) for sentence in (*restored, *chosen)]
    certain = [part.certainty for part in parts]
    for _, number in homes[: len(restored)]:
        certain[number] = "perhaps" if certain[number] == "refused" else certain[number]
    dealt: list[list[EvidenceSentence]] = [[] for _ in parts]
    for number in sorted(range(len(parts)), key=lambda n: -parts[n].score):
        if certain[number] != "refused":
            dealt[number] = [s for s in parts[number].near if not taken(s)][:1]
    for sentence, number in sorted(homes, key=lambda each: -parts[each[1]].scores[each[0].key]):
        near = sentence in parts[number].near
        shown = sentence in restored or (near and certain[number] != "refused")
        if shown and not taken(sentence):
            dealt[number].append(sentence)
    # What was restored stands behind the best, before all others.
    ordered = [[*own[:1], *sorted(own[1:], key=lambda q: q not in restored)] for own in dealt]
    return [
        replace(part, certainty=sure, quotes=tuple(own))
        for part, sure, own in zip(parts, certain, ordered, strict=True)
    ]


def lead_quotes(
    parts: Sequence[Part],
    relevance: Mapping[QuoteKey, float],
    language: Language,
    context: Context,
) -> tuple[EvidenceSentence, ...]:
    """For the lead: what opens the answer to the first part that has one, then what is near.

    Quotes are judged anew as they are shown: with their case, in their paragraph or list. One that
    then answers far less surely than another opens nothing.
    """
    sure = [part for part in parts if part.certainty == "answered"]
    if not sure:
        return ()
    part, texts = sure[0], context.catalog.documents
    near = [s for s in part.near if part.scores[s.key] >= NEARLY * part.score]
    if all(each.case is None and not is_whole(each.quote) for each in near):
        near = part.near
    shown = {shown_alone(each, texts).key: each for each in near[:OPENINGS][::-1]}
    pieces = {key: shown_alone(each, texts) for key, each in shown.items()}
    asked = [(relevance[shown[key].key], piece) for key, piece in pieces.items()]
    again = {piece.key: score for score, piece in ranked([part.text], asked, language, context)}
    least = NEARLY * max(again.values())
    units = sorted((-part.scores[each.key], key) for key, each in shown.items())
    first = opening([(-score, pieces[key]) for score, key in units if again[key] >= least])
    best = [shown[first.key], *(quote for each in sure for quote in each.near)]
    return tuple(s for n, s in enumerate(best) if not overlapping(s, best[:n]))


def opening(pieces: Sequence[RankedSentence]) -> EvidenceSentence:
    """Which of the pieces, best first, an answer begins with.

    A fragment is the last choice. What needs no case goes before what answers hardly more surely,
    unless that begins with it.
    """
    whole = [each for each in pieces if each[1].case or is_whole(each[1].quote)] or pieces
    score, best = whole[0]
    free = [s for sure, s in whole if s.case is None and sure >= AS_SURE * score]
    lead_in = best.case
    return next(
        (s for s in free if lead_in is None or s.end <= lead_in.start or s.start >= lead_in.end),
        best,
    )
