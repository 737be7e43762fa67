"""Which parts of a question the evidence answers, and which quotes stand under each in a report.

One measure, from clarification to the report, before a word of it is written.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from agent.context import Context
from agent.models import PartAnswered
from agent.prompts.research import REMINDER, content, repeats
from agent.ranking import LEAST_SHARE, MOST_COMPARED, RankedSentence, overlapping, ranked
from agent.research.evidence import as_sentence
from agent.research.state import ResearchState, kept_evidence
from services.domain import Certainty, Evidence, EvidenceSentence, Language, QuoteKey
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


@dataclass(frozen=True)
class Section:
    """A part of the report: a part of the question and the quotes for it, best first.

    ``answered`` is what the report keeps of it.
    """

    task_id: int | None
    quotes: tuple[EvidenceSentence, ...]
    answered: PartAnswered


@dataclass(frozen=True)
class Outline:
    """``best`` are the quotes for the whole question, ``sections`` share out all others."""

    certainty: Certainty
    best: tuple[EvidenceSentence, ...]
    sections: tuple[Section, ...]


def outlined(state: ResearchState, context: Context) -> Outline:
    """Judges the parts of the question beside the evidence and gives each its quotes.

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
    topics = topics_of(state)
    parts = _with_restored(judge_parts(topics, pairs, language, context), restored)
    (whole,) = (
        [parts[0]]
        if topics == (state["query"],)
        else judge_parts([state["query"]], pairs, language, context)
    )
    dealt = deal(parts, [sentence for _, sentence in chosen], restored)
    sections = [
        Section(
            task_id=_task_of(part.text, state),
            quotes=tuple(own),
            answered=PartAnswered(
                text=heading_of(part.text),
                certainty=part.certainty,
                chunk_ids=tuple(dict.fromkeys(sentence.chunk_id for sentence in own)),
            ),
        )
        for part, own in zip(parts, dealt, strict=True)
    ]
    return Outline(
        certainty=overall(part.certainty for part in parts),
        best=_best(whole, parts),
        sections=tuple(sections),
    )


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
) -> list[list[EvidenceSentence]]:
    """The quotes of each part, best first; each goes to the part that it answers best.

    The best of a part stays with it. Beside it stands only what answers nearly as surely, and,
    whatever it is worth, what was restored.
    """
    dealt: list[list[EvidenceSentence]] = [[] for _ in parts]
    order = sorted(range(len(parts)), key=lambda n: -parts[n].score)
    for number in order:
        part = parts[number]
        if part.certainty != "refused":
            near = (s for score, s in part.ranked if score >= LEAST_SHARE * part.score)
            dealt[number] = [s for s in near if not _taken(s, dealt)][:1]
    scores = [{s.key: score for score, s in part.ranked} for part in parts]
    homes = [(s, _home(s, scores)) for s in (*restored, *chosen)]
    for sentence, number in sorted(homes, key=lambda each: -scores[each[1]][each[0].key]):
        enough = scores[number][sentence.key] >= LEAST_SHARE * parts[number].score
        wanted = sentence in restored or (enough and parts[number].certainty != "refused")
        if wanted and not _taken(sentence, dealt):
            dealt[number].append(sentence)
    return [_restored_first(own, restored) for own in dealt]


def _with_restored(parts: list[Part], restored: Sequence[EvidenceSentence]) -> list[Part]:
    """A part that a restored sentence goes to is not refused."""
    scores = [{s.key: score for score, s in part.ranked} for part in parts]
    homes = {_home(sentence, scores) for sentence in restored}
    return [
        replace(part, certainty="perhaps") if n in homes and part.certainty == "refused" else part
        for n, part in enumerate(parts)
    ]


def _best(whole: Part, parts: Sequence[Part]) -> tuple[EvidenceSentence, ...]:
    """For the lead: of the whole question, or of the part that is answered most surely."""
    surest = max(parts, key=lambda part: part.score)
    first = whole if whole.certainty == "answered" else surest
    found = [s for _, s in first.ranked[:1]]
    found += [s for part in parts if part.certainty == "answered" for _, s in part.ranked[:1]]
    found += [s for score, s in first.ranked if score >= LEAST_SHARE * first.score]
    return tuple(s for n, s in enumerate(found) if not _taken(s, [found[:n]]))


def _restored_first(
    quotes: list[EvidenceSentence], restored: Sequence[EvidenceSentence]
) -> list[EvidenceSentence]:
    """What was restored behind the best, before all others."""
    behind = quotes[1:]
    return [
        *quotes[:1],
        *(each for each in behind if each in restored),
        *(each for each in behind if each not in restored),
    ]


def _home(sentence: EvidenceSentence, scores: Sequence[dict[QuoteKey, float]]) -> int:
    return max(range(len(scores)), key=lambda n: scores[n][sentence.key])


def _taken(sentence: EvidenceSentence, shown: Iterable[Iterable[EvidenceSentence]]) -> bool:
    return any(overlapping(sentence, own) for own in shown)


def _task_of(part: str, state: ResearchState) -> int | None:
    """The task that asks for a part of the question."""
    asked = (item.id for item in state["todo_list"] if item.task.casefold() == part.casefold())
    return next(asked, None)
