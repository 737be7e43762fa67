"""The answer where no model reads: the quotes that come closest to each subquestion.

Subquestions are the pieces of required information on the structured route, elsewhere the questions
that the message lists.

Passages with the rare words of a question are shown, however far away they seem, since a cosine
says little of a name or a number. A question is refused only if nothing is near and these words
stand nowhere.
"""

import asyncio
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from operator import itemgetter
from typing import Final

from agent.ask.changes import add_areas, add_changes, compare_documents
from agent.ask.models import Depth, Line, Reply
from agent.ask.state import AskState
from agent.context import Context
from agent.passages import plain_sentences
from agent.prompts import say
from agent.prompts.ask import quoted_items
from agent.sentences import (
    RankedSentence,
    closest_excerpts,
    distinct,
    nearly_as_sure,
    overlapping,
    rank_passages,
    rank_sentences,
    verbatim,
)
from agent.step import Step, TurnStep, Update, timed
from services.domain import EvidenceSentence, Language, PassageSpan, QuoteKey
from services.evidence.highlighting import named_share
from services.evidence.ranking import certainty
from services.language.query.values import Understanding
from services.language.text.layout import names_cells
from services.language.text.words import has_stem, stem, tokens
from services.language.vocabulary import FUNCTION_WORDS
from services.retrieval.named import named_sections, question_filter
from services.structured.rules import decompose_by_rules, differing_values, sort_by_date
from services.structured.values import STATUS, Contradiction, QuestionType, Status

MAX_LIST_QUOTES: Final = 8
"""Sentences that are quoted of an enumeration."""

MAX_QUOTES: Final[Mapping[Depth, tuple[int, ...]]] = {
    "fast": (3, 2, 1),
    "enhanced": (5, 3, 2),
    "structured": (3, 2, 1),
    "agent": (3, 2, 1),
}
"""Sentences quoted of each subquestion, by the number of subquestions; the last holds for more."""


@dataclass(frozen=True)
class Subquestion:
    """A subquestion with its sentences, the most certain answer first; ``relevance``, 0-1, and
    ``named``, whose section it names, are by chunk id."""

    text: str
    status: Status
    ranked: tuple[RankedSentence, ...]
    relevance: Mapping[str, float] = field(default_factory=dict)
    named: frozenset[str] = frozenset()

    def merge(self, other: "Subquestion") -> "Subquestion":
        """Return the subquestion with the sentences of other passages, too."""
        ranked = sorted((*self.ranked, *other.ranked), key=lambda pair: (-pair[0], pair[1].key))
        named = self.named | other.named
        status = STATUS[certainty([score for score, _ in ranked], named=bool(named))]
        relevance = {**self.relevance, **other.relevance}
        return Subquestion(self.text, status, tuple(ranked), relevance, named)


@dataclass(frozen=True)
class Findings:
    """The subquestions of a question that some sentence may answer; the others are missing."""

    language: Language
    depth: Depth
    subquestions: list[Subquestion]
    missing: tuple[str, ...] = ()
    kind: QuestionType = "factual"

    @classmethod
    def of(
        cls, subquestions: Sequence[Subquestion], state: AskState, kind: QuestionType = "factual"
    ) -> "Findings":
        """Return the findings of ranked subquestions; without any the question is missing."""
        missing = tuple(sub.text for sub in subquestions if sub.status == "missing")
        return cls(
            language=state["understanding"].language,
            depth=state["route"].depth,
            subquestions=[sub for sub in subquestions if sub.status != "missing"],
            missing=missing if subquestions else (state["understanding"].question,),
            kind=kind,
        )

    @property
    def count(self) -> int:
        """How many subquestions the question has."""
        return len(self.subquestions) + len(self.missing)

    @property
    def answered(self) -> list[Subquestion]:
        """The subquestions that are surely answered."""
        return [sub for sub in self.subquestions if sub.status == "covered"]


def rank_subquestion(
    text: str, query: str, passages: Sequence[PassageSpan], language: Language, context: Context
) -> Subquestion:
    """Rank the sentences of passages by ``query``; ``text`` is the subquestion as it is listed."""
    sections = named_sections(query, context.scope, context.catalog)
    named = [p.chunk_id for p in passages if (p.document_id, p.section) in sections]
    ids = [passage.chunk_id for passage in passages]
    near = context.retriever.relevances(query, ids, scope=context.scope, named=named)
    nearest = context.passages.get(sorted(near, key=lambda name: -near[name]))
    pairs = ((near[name], passage) for name, passage in nearest.items())
    ranked = rank_passages(query, pairs, language, context)
    status = STATUS[certainty([score for score, _ in ranked], named=bool(named))]
    return Subquestion(text, status, tuple(ranked), near, frozenset(named))


def rank_subquestions(state: AskState, context: Context) -> Findings:
    """Rank the evidence for each subquestion, or for the question if it is only one."""
    understanding, question = state["understanding"], state["understanding"].question
    if not state["evidence"]:
        return Findings.of([], state)
    plan = [
        (query.target_info, query.query) for query in decompose_by_rules(understanding).sub_queries
    ]
    texts = plan if len(plan) > 1 else [(question, question)]
    evidence, language = state["evidence"], understanding.language
    subquestions = [
        rank_subquestion(text, query, evidence, language, context) for text, query in texts
    ]
    return Findings.of(subquestions, state)


def choose_quotes(sub: Subquestion, findings: Findings, context: Context) -> list[EvidenceSentence]:
    """Return the sentences to quote: the best, and others that answer nearly as surely.

    Items of a list become the list; of an enumeration the longest unit around each is quoted; a
    history is ordered by date. If nothing surely answers, one excerpt is shown, or three if nothing
    else was asked.
    """
    if sub.status == "partial":
        return closest_excerpts(sub.ranked, context)[: None if findings.count == 1 else 1]
    limits, sentences = MAX_QUOTES[findings.depth], sub.ranked
    limit = limits[min(findings.count, len(limits)) - 1]
    if findings.kind == "enumeration":
        limit, sentences = MAX_LIST_QUOTES, tuple(_longest_units(sub.ranked))
    chosen: list[EvidenceSentence] = []
    for _, sentence in distinct(nearly_as_sure(sentences)):
        is_new = len(chosen) < limit and not overlapping(sentence, chosen)
        if is_new and not _join_list(sentence, chosen, sub.ranked):
            chosen.append(sentence)
    if findings.kind == "temporal":
        return _by_date(chosen, findings.language, context)
    return chosen


def _join_list(
    sentence: EvidenceSentence, chosen: list[EvidenceSentence], ranked: Sequence[RankedSentence]
) -> bool:
    """Replace the chosen item of a list by the list if a sentence is another item; say if it is."""
    for number, other in enumerate(chosen):
        same_list = (other.document_id, other.case) == (sentence.document_id, sentence.case)
        if other.case is not None and same_list:
            both = (s for _, s in ranked if s.contains(other) and s.contains(sentence))
            chosen[number] = min(both, key=lambda unit: unit.end - unit.start, default=other)
            return True
    return False


def _longest_units(ranked: Sequence[RankedSentence]) -> Iterator[RankedSentence]:
    for score, sentence in ranked:
        around = (other for _, other in ranked if other.contains(sentence))
        yield score, max(around, key=lambda unit: unit.end - unit.start)


def _by_date(
    sentences: list[EvidenceSentence], language: Language, context: Context
) -> list[EvidenceSentence]:
    documents = [sentence.document_id for sentence in sentences]
    days = context.catalog.filters.dates(documents, scope=context.scope)
    return sort_by_date([(s.quote, days.get(s.document_id), s) for s in sentences], language)


MAX_COMPARED: Final = 6
"""Sentences of a subquestion whose values are compared."""
MAX_CONTRADICTIONS: Final = 2
MIN_NAMED: Final = 0.5
"""Share of the words of a question that a row must name to be quoted for these."""


@timed("answer")
async def write_answer(state: AskState, step: TurnStep) -> Update:
    """Quote what comes closest among the passages that were found, or how documents differ."""
    if compared := await asyncio.to_thread(compare_documents, state, step.context):
        return {"reply": compared}
    findings = await asyncio.to_thread(rank_subquestions, state, step.context)
    return {"reply": await quote_findings(findings, state, step)}


async def quote_findings(findings: Findings, state: AskState, step: Step) -> Reply:
    """Quote what comes closest to each subquestion; refuse where that is nothing."""
    findings = await asyncio.to_thread(_add_rare_words, findings, state, step.context)
    if not findings.subquestions:
        return refuse(state, step)
    lines = await asyncio.to_thread(_quoted_lines, findings, state, step.context)
    missing = quoted_items(findings.language, findings.missing)
    closing = [say(findings.language, "not_found", missing)] if missing else []
    if state["understanding"].asks_documents:
        cited = (citation for _, sentence in lines for citation in sentence.citations)
        documents = ", ".join(dict.fromkeys(citation.document for citation in cited))
        closing.append(say(findings.language, "in_documents", documents))
    reply = Reply(
        sentences=tuple(sentence for _, sentence in lines),
        headings=tuple(heading for heading, _ in lines),
        opening=say(findings.language, "perhaps_opening", len(lines)),
        closing=" ".join(closing),
        certainty="perhaps",
    )
    reply = await asyncio.to_thread(add_changes, reply, findings.language, step.context)
    if findings.answered:
        return reply
    return await asyncio.to_thread(add_areas, reply, state, step.context)


def refuse(state: AskState, step: Step) -> Reply:
    """Return a reply that the documents do not answer, what was searched, and what is nearest."""
    understanding, summary = state["understanding"], state["found"]
    searches = tuple(summary.searches) if summary else (understanding.question,)
    queries = quoted_items(understanding.language, searches)
    names = ", ".join(step.context.searched)
    closing = say(understanding.language, "searched_for", queries, names)
    if summary and summary.nearest:
        closing += f" {say(understanding.language, 'nearest', '; '.join(summary.nearest))}"
    return Reply(
        opening=say(understanding.language, "refusal"), closing=closing, certainty="refused"
    )


def best_subquestions(quote: EvidenceSentence, subquestions: Sequence[Subquestion]) -> set[str]:
    """Return the subquestions that a quote answers best."""
    scores = {
        sub.text: score
        for sub in subquestions
        for score, sentence in reversed(sub.ranked)
        if sentence.key == quote.key
    }
    return {text for text, score in scores.items() if score == max(scores.values())}


def _quoted_lines(findings: Findings, state: AskState, context: Context) -> list[Line]:
    """Return the quotes of each subquestion, under its heading where there are several.

    Those that the same quotes answer share a heading. The first quote of each is always shown;
    further ones only if none begins with them, quotes them before or is answered better by them.
    """
    subquestions = findings.subquestions
    chosen = {sub.text: _quotes_of(sub, findings, state, context) for sub in subquestions}
    firsts = [quotes[0] for quotes in chosen.values()]
    groups: dict[tuple[QuoteKey, ...], tuple[list[str], list[EvidenceSentence]]] = {}
    for sub in subquestions:
        first, *more = chosen[sub.text]
        if len(subquestions) > 1:
            more = [quote for quote in more if not overlapping(quote, firsts)]
            more = [quote for quote in more if sub.text in best_subquestions(quote, subquestions)]
        quotes = [first, *more]
        groups.setdefault(tuple(q.key for q in quotes), ([], quotes))[0].append(sub.text)
    quoted: list[EvidenceSentence] = []
    lines: list[Line] = []
    for titles, quotes in groups.values():
        heading = "" if findings.count == 1 else "; ".join(dict.fromkeys(titles))
        fresh = [q for n, q in enumerate(quotes) if not n or not overlapping(q, quoted)]
        quoted += fresh
        lines += [(heading, verbatim(quote)) for quote in fresh]
    return lines


def _quotes_of(
    sub: Subquestion, findings: Findings, state: AskState, context: Context
) -> list[EvidenceSentence]:
    """Return the quotes of a subquestion, its rare words and the row that names most of it."""
    quotes = choose_quotes(sub, findings, context)
    quotes += closest_row(sub.text, [sentence for _, sentence in sub.ranked], quotes)
    understanding, limit = state["understanding"], state["options"].k
    rare = quote_rare_words(sub.text, quotes, understanding, limit, context)
    return [*quotes, *rare[:1]]


def closest_row(
    question: str, sentences: Iterable[EvidenceSentence], quotes: Sequence[EvidenceSentence]
) -> list[EvidenceSentence]:
    """Return the row that names most of a question, if no line of the quotes names as much."""
    shares = [(named_share(s.quote, question), s) for s in sentences if names_cells(s.quote)]
    share, row = max(shares, key=itemgetter(0), default=(0.0, None))
    quoted = (line for quote in quotes for line in quote.quote.splitlines())
    best = max((named_share(line, question) for line in quoted), default=0.0)
    return [row] if row and share > max(best, MIN_NAMED) and not overlapping(row, quotes) else []


def quote_differing(findings: Findings) -> tuple[tuple[Contradiction, ...], list[Line]]:
    """Return the sentences that differ in a value, each pair once, and the same as quotes."""
    pairs: dict[frozenset[QuoteKey], Contradiction] = {}
    lines: list[Line] = []
    heading = say(findings.language, "differing")
    for sub in findings.answered:
        surest = sub.ranked[: 2 * MAX_COMPARED]
        compared = [sentence for _, sentence in distinct(surest)][:MAX_COMPARED]
        for i, j, why in differing_values(compared, findings.language):
            pair = compared[i], compared[j]
            key = frozenset(sentence.key for sentence in pair)
            if key not in pairs and len(pairs) < MAX_CONTRADICTIONS:
                first, second = (sentence.quote for sentence in pair)
                pairs[key] = Contradiction(item=sub.text, first=first, second=second, why=why)
                lines += [(heading, verbatim(sentence)) for sentence in pair]
    return tuple(pairs.values()), lines


def _add_rare_words(findings: Findings, state: AskState, context: Context) -> Findings:
    """Return the findings; a subquestion whose rare words stand somewhere is no longer missing."""
    understanding, limit = state["understanding"], state["options"].k
    quotes = {
        text: quote_rare_words(text, (), understanding, limit, context) for text in findings.missing
    }
    with_words = [
        Subquestion(text, "partial", tuple((0.0, excerpt) for excerpt in excerpts))
        for text, excerpts in quotes.items()
        if excerpts
    ]
    missing = tuple(text for text, excerpts in quotes.items() if not excerpts)
    return replace(findings, subquestions=[*findings.subquestions, *with_words], missing=missing)


def quote_rare_words(
    text: str,
    quotes: Sequence[EvidenceSentence],
    understanding: Understanding,
    limit: int,
    context: Context,
) -> list[EvidenceSentence]:
    """Return the best excerpts with words that at most ``limit`` passages have, unless quoted."""
    scope, language = context.scope, understanding.language
    rare = _rare_words(text, understanding, limit, context)
    words = list(dict.fromkeys(word for group in rare for word in group))
    premises = " ".join(quote.premise for quote in quotes)
    if not words or _has_half(premises, rare, language):
        return []
    only = question_filter(understanding, scope=scope, catalog=context.catalog).only
    query = " ".join(words)
    hits = context.retriever.search(query, scope=scope, k=limit, mode="keyword", only=only)
    near = context.retriever.relevances(text, [hit.chunk_id for hit in hits], scope=scope)
    pairs = [
        (near[hit.chunk_id], sentence)
        for hit in hits
        if _has_half(" ".join([*hit.heading_path, hit.text]), rare, language)
        for sentence in plain_sentences(hit, context.catalog.documents)
    ]
    best = rank_sentences(text, pairs, language, context)
    best.sort(key=lambda pair: not _has_any(words, pair[1].premise, language))
    excerpts = closest_excerpts(best, context)
    return [excerpt for excerpt in excerpts if _has_any(words, excerpt.premise, language)]


def _rare_words(
    text: str, understanding: Understanding, limit: int, context: Context
) -> list[list[str]]:
    """Return the rare words of a text and of each name in it, as far as there are any."""
    names = [name for name in understanding.classification.entities if name in text]
    groups = [
        [word for word in dict.fromkeys(tokens(phrase)) if word.casefold() not in FUNCTION_WORDS]
        for phrase in (text, *names)
    ]
    counts = context.retriever.frequencies(groups[0], scope=context.scope)
    rare = [[word for word in group if counts.get(word, 0) <= limit] for group in groups]
    return [group for group in rare if group]


def _has_half(text: str, rare: Sequence[Sequence[str]], language: Language) -> bool:
    """Say whether a text has at least half of the rare words of the question or of a name."""
    return any(
        2 * sum(_has_any([word], text, language) for word in group) >= len(group) for group in rare
    )


def _has_any(words: Sequence[str], text: str, language: Language) -> bool:
    return any(has_stem(stem(word, language), text, language) for word in words)
