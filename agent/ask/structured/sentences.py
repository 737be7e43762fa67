"""Which sentences of the evidence say something to each piece of required information."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from agent.ask.context import AskContext
from agent.ask.sentences import MOST_COMPARED, VALUE_BONUS
from agent.ask.state import AskState
from agent.ask.structured.assess import asked_for
from agent.passages import quotable
from agent.ranking import score_texts
from services.citations import EvidenceSentence
from services.extractive import asks_amount
from services.extractive import rank_sentences as score_words
from services.quantities import quantities
from services.structured.coverage import share_of_words, weight_of, words_of
from services.structured.values import QuestionType, RequiredInfo
from services.types import Chunk, Language

PASSAGES: Final = 5
"""Passages of an item whose sentences are compared, the best."""

CAUSE_BONUS: Final = 0.08
"""What a sentence that gives a reason is worth more, where causes are asked for."""

OWN_BONUS: Final = 0.4
"""What a sentence with the words is worth more that only this item has, none of the others."""

_CAUSE: Final = re.compile(
    r"(?<!\w)(?:weil|da|damit|um\s+\w+.{0,80}\s+zu|wegen|aufgrund|infolge|deshalb|daher|dadurch|sodass|zum\s+zweck"
    r"|zum\s+schutz|wenn|sofern|soweit|wird|because|since|so\s+that|in\s+order\s+to|due\s+to|therefore"
    r"|thus|hence|results?\s+in|leads?\s+to|to\s+(?:avoid|allow|prevent))(?!\w)",
    re.IGNORECASE | re.DOTALL,
)


@dataclass(frozen=True)
class ItemBest:
    """The sentences of an item's evidence by what they say to it, best first."""

    item: str
    ranked: tuple[tuple[float, EvidenceSentence], ...]


@dataclass(frozen=True)
class Sentences:
    """``pool`` is every sentence of the evidence, ``best`` those of each item that has some."""

    pool: list[EvidenceSentence]
    best: list[ItemBest]


def sentences_of(state: AskState, context: AskContext) -> Sentences:
    """Ranks the sentences of the best passages of each item; the catalog is read once."""
    required = [each for each in state["assessment"].required if each.status != "missing"]
    ids = [each.chunk_id for item in required for each in item.evidence[:PASSAGES]]
    chunks = context.catalog.chunks.get(list(dict.fromkeys(ids)), scope=context.scope)
    known = {name: quotable(chunk, context) for name, chunk in chunks.items()}
    share = max(8, MOST_COMPARED // max(1, len(required)))
    best = [_best(item, state, chunks, known, share, context) for item in required]
    pool = {(s.document_id, s.start): s for found in known.values() for s in found}
    return Sentences(list(pool.values()), [each for each in best if each.ranked])


def _best(
    item: RequiredInfo,
    state: AskState,
    chunks: Mapping[str, Chunk],
    known: Mapping[str, Sequence[EvidenceSentence]],
    share: int,
    context: AskContext,
) -> ItemBest:
    language, plan = state["understanding"].language, state["plan"]
    text = asked_for(item.item, plan)
    pairs = [
        (weight_of(evidence), chunks[evidence.chunk_id], sentence)
        for evidence in item.evidence[:PASSAGES]
        for sentence in known.get(evidence.chunk_id, ())
    ]
    pairs = _worth_comparing(pairs, text, language, share)
    scores = score_texts(
        [sentence.text for _, _, sentence in pairs],
        headings=[chunk.heading_path for _, chunk, _ in pairs],
        passages=[weight for weight, _, _ in pairs],
        task=text,
        question=text,
        language=language,
        context=context,
    )
    own = own_words(item.item, plan.required_info, language)
    unique: dict[tuple[str, int], tuple[float, EvidenceSentence]] = {}
    for score, (_, chunk, sentence) in zip(scores, pairs, strict=True):
        titled = "\n".join([*chunk.heading_path[-1:], sentence.text])
        worth = score + OWN_BONUS * share_of_words(own, titled, language)
        worth += _bonus(sentence.text, text, plan.question_type, language)
        unique.setdefault((sentence.document_id, sentence.start), (worth, sentence))
    ranked = sorted(unique.values(), key=lambda p: (-p[0], p[1].document_id, p[1].start))
    return ItemBest(item.item, tuple(ranked))


def own_words(item: str, items: Sequence[str], language: Language) -> tuple[str, ...]:
    """The words that tell an item from the others; none where there are no others."""
    others = {word for each in items if each != item for word in words_of(each, language)}
    return tuple(w for w in words_of(item, language) if w not in others) if others else ()


def _worth_comparing(
    pairs: Sequence[tuple[float, Chunk, EvidenceSentence]],
    text: str,
    language: Language,
    most: int,
) -> list[tuple[float, Chunk, EvidenceSentence]]:
    """The sentences whose words and passages promise most; comparing meanings takes time."""
    if len(pairs) <= most:
        return list(pairs)
    words = score_words(
        text,
        [sentence.text for _, _, sentence in pairs],
        language,
        contexts=[" ".join(chunk.heading_path) for _, chunk, _ in pairs],
    )
    order = sorted(range(len(pairs)), key=lambda n: (-(words[n] + pairs[n][0]), n))
    return [pairs[n] for n in sorted(order[:most])]


def _bonus(sentence: str, item: str, kind: QuestionType, language: Language) -> float:
    states_value = any(each.measured for each in quantities(sentence, language))
    bonus = VALUE_BONUS if asks_amount(item) and states_value else 0.0
    return bonus + (CAUSE_BONUS if kind == "causal" and _CAUSE.search(sentence) else 0.0)
