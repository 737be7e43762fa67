"""Which evidence a sentence of an answer rests on."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import combinations
from typing import Final

from services.citations.support import Judgement, Support, content_words, judge
from services.quantities import Quantity, agreement, quantities
from services.text import compound_match, stem_sequence
from services.types import CaseSpan, Language, Value

_SHORTLIST: Final = 40
_CANDIDATES: Final = 8
_PAIRED: Final = 5
_NUMBER_WEIGHT: Final = 0.5
_SECOND: Final = 0.85
_LEAST_SHARE: Final = 0.2
_MARGIN: Final = 0.05
_SURE: Final = 0.8
_WHOLE: Final = 0.8
_ADDED: Final = 0.2


class EvidenceSentence(Value):
    """A sentence of a document that an answer may rest on.

    ``text`` stands at ``start``/``end`` of the document's text, ``context`` is the passage that it
    is from, ``case`` what it cannot be read without.
    """

    document_id: str
    document: str
    section: str
    page: int | None
    start: int
    end: int
    text: str
    context: str
    case: CaseSpan | None = None

    @property
    def whole(self) -> str:
        """The quote with its case before it, which is what it proves."""
        return f"{self.case.text} {self.text}" if self.case else self.text


class Aligned(Value):
    """Evidence for a sentence. Where two prove it only together, ``support`` is that of both."""

    evidence: EvidenceSentence
    support: Support


@dataclass(frozen=True)
class _Candidate:
    """One or two evidence sentences and what they are worth."""

    items: tuple[EvidenceSentence, ...]
    verdict: Judgement

    @property
    def ok(self) -> bool:
        return self.verdict.support.ok

    @property
    def closeness(self) -> float:
        return self.verdict.closeness

    @property
    def against(self) -> bool:
        """Whether this is evidence against the sentence, not only against it in a special case."""
        return self.verdict.support.contradicted and not self.verdict.special

    def aligned(self) -> list[Aligned]:
        return [Aligned(evidence=item, support=self.verdict.support) for item in self.items]


def align(
    sentence: str, evidence: Sequence[EvidenceSentence], language: Language, limit: int = 2
) -> list[Aligned]:
    """Find the evidence that supports a sentence.

    Args:
        sentence: of an answer.
        evidence: what may support it, some hundreds at most.
        language: of both.
        limit: how many to return at most; with 2 or more, two sentences may together carry what
            one does not.

    Returns:
        Supporting evidence, best first. If nothing supports the sentence, or evidence with clearly
        more of its words contradicts it, the closest candidate with what is wrong about it;
        nothing if no words are shared.
    """
    judged = [
        _Candidate((item,), _judge(sentence, (item,), language))
        for item in _nearest(sentence, evidence, language)
    ]
    if not judged or limit < 1:
        return []
    judged.sort(key=_rank)
    ceiling = max((one.closeness for one in judged if one.against), default=0.0)
    supporting = [one for one in judged if one.ok and _outweighs(one, ceiling)]
    if limit > 1 and (not supporting or supporting[0].verdict.said < _WHOLE):
        supporting = _pairs(sentence, judged[:_PAIRED], language, ceiling) or supporting
    if supporting:
        best = supporting[0].verdict.support.score
        supporting = [one for one in supporting if one.verdict.support.score >= _SECOND * best]
        aligned = [one for candidate in supporting for one in candidate.aligned()]
        return aligned[: max(limit, len(supporting[0].items))]
    return _contradicted(judged)


def _nearest(
    sentence: str, evidence: Sequence[EvidenceSentence], language: Language
) -> list[EvidenceSentence]:
    """Candidates by shared words, rare ones counting more, then by shared numbers."""
    postings = _postings(tuple(item.whole for item in evidence), language)
    scores = [0.0] * len(evidence)
    total = 0.0
    for word in content_words(sentence, language):
        strengths = _strengths(word, postings)
        rarity = math.log(1.0 + len(evidence) / (1.0 + sum(strengths.values())))
        total += rarity
        for index, strength in strengths.items():
            scores[index] += rarity * strength
    claims = quantities(sentence, language)
    shortlist = sorted(range(len(evidence)), key=lambda index: -scores[index])[:_SHORTLIST]
    final = {
        index: scores[index] / total
        + _NUMBER_WEIGHT * _number_share(claims, evidence[index].whole, language)
        for index in shortlist
        if scores[index] > 0.0
    }
    return [evidence[index] for index in sorted(final, key=lambda i: -final[i])[:_CANDIDATES]]


@lru_cache(maxsize=16)
def _postings(texts: tuple[str, ...], language: Language) -> dict[str, list[int]]:
    """Stem -> texts that have it; an answer's sentences are all aligned with the same evidence."""
    postings: dict[str, list[int]] = {}
    for index, text in enumerate(texts):
        for stem in dict.fromkeys(stem_sequence(text, language)):
            postings.setdefault(stem, []).append(index)
    return postings


def _strengths(word: str, postings: Mapping[str, Sequence[int]]) -> dict[int, float]:
    """How well each text that has a word, or a compound with it, has it."""
    found: dict[int, float] = {}
    for stem, indices in postings.items():
        if word in stem or stem in word:
            strength = compound_match(word, stem)
            for index in indices if strength else ():
                found[index] = max(found.get(index, 0.0), strength)
    return found


def _number_share(claims: Sequence[Quantity], text: str, language: Language) -> float:
    """Share of the sentence's numbers that a text has, 0-1."""
    if not claims:
        return 0.0
    found = quantities(text, language)
    return sum(agreement(claim, found) in ("full", "weak") for claim in claims) / len(claims)


def _judge(sentence: str, items: Sequence[EvidenceSentence], language: Language) -> Judgement:
    """Support by one or more evidence sentences taken together."""
    return judge(
        sentence,
        "\n".join(item.whole for item in items),
        language,
        sections=[item.section for item in items],
        documents=[item.document for item in items],
        context="\n".join(item.context for item in items),
    )


def _rank(candidate: _Candidate) -> tuple[bool, float]:
    return not candidate.ok, -candidate.verdict.support.score


def _contradicted(judged: Sequence[_Candidate]) -> list[Aligned]:
    """The candidate with most words, not supporting even if it would on its own."""
    closest = max(judged, key=lambda one: one.closeness)
    support = closest.verdict.support
    if support.ok:
        problems = ("closer evidence says otherwise",)
        support = Support(ok=False, score=support.score / 2, contradicted=True, problems=problems)
    return [Aligned(evidence=closest.items[0], support=support)]


def _pairs(
    sentence: str, judged: Sequence[_Candidate], language: Language, ceiling: float
) -> list[_Candidate]:
    """The best two that support the sentence together and have clearly more of it than one."""
    usable = [one for one in judged if _may_contribute(one)]
    pairs = (
        _Candidate(items, _judge(sentence, items, language))
        for one, other in combinations(usable, 2)
        for items in [(*one.items, *other.items)]
        if max(one.closeness, other.closeness) >= ceiling
    )
    alone = max((one.verdict.said for one in judged), default=0.0)
    supporting = [
        pair
        for pair in pairs
        if pair.ok and pair.closeness > ceiling and pair.verdict.said >= alone + _ADDED
    ]
    return sorted(supporting, key=_rank)[:1]


def _outweighs(candidate: _Candidate, ceiling: float) -> bool:
    """Whether evidence holds against evidence that contradicts the sentence.

    The more of the sentence it has, the less it matters that something else is close, too: the
    limits for two groups of people differ in a few words.
    """
    if candidate.closeness >= _SURE:
        return candidate.closeness + _MARGIN > ceiling
    return candidate.closeness > ceiling or (
        candidate.closeness == ceiling and not candidate.verdict.special
    )


def _may_contribute(candidate: _Candidate) -> bool:
    """Whether evidence may be one of two: it says something of the sentence and nothing against it.

    Otherwise ``unter 18 Jahren … 1 Millisievert`` and ``… 20 Millisievert`` would together prove
    20 Millisievert for those under 18.
    """
    verdict = candidate.verdict
    return (
        verdict.closeness >= _LEAST_SHARE
        and not verdict.support.contradicted
        and not verdict.elsewhere
    )
