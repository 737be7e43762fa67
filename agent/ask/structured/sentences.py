"""Which sentences of the evidence say something to each piece of required information."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from agent.ask.context import AskContext
from agent.ask.sentences import MOST_COMPARED, VALUE_BONUS
from agent.ask.state import AskState
from agent.ask.structured.assess import asked_for
from agent.ask.structured.documents import named_in
from agent.ask.structured.passages import (
    Passage,
    Place,
    beside,
    leads_of,
    passages_of,
    place_of,
)
from agent.passages import above
from agent.ranking import score_texts
from services.citations import EvidenceSentence
from services.evidence import refers_back
from services.extractive import rank_sentences as score_words
from services.extractive.definitions import defined_term, defines
from services.extractive.questions import topic
from services.quantities import quantities
from services.structured.coverage import own_words, share_of_words, words_of
from services.structured.form import (
    ASIDE,
    CUT,
    LEANING,
    LIST_BONUS,
    burden,
    is_aside,
    is_item,
    lists,
    tells_itself,
)
from services.structured.leads import Lead, needs_lead
from services.structured.wanted import LEAST_SHARE, WantedAnswer, gives, wanted_answer
from services.types import Chunk, Language

WANTED_BONUS: Final[Mapping[WantedAnswer, float]] = {
    "time": 0.25,
    "occasion": 0.25,
    "reason": 0.4,
    "change": 0.25,
    "consequence": 0.25,
}
"""What a sentence is worth more that has what the item wants."""

DEFINITION_BONUS: Final = 0.4
"""What a sentence is worth more that says what the item is, where that is asked or compared."""

HEADED_BONUS: Final = 0.3
"""What an item of a list is worth more in the section that is headed as what is to be listed."""

FIELD_BONUS: Final = 1.0
"""What a field of a document's head is worth more that the item asks for."""

OWN_BONUS: Final = 0.4
"""What a sentence with the words is worth more that only this item has, none of the others."""


@dataclass(frozen=True)
class ItemBest:
    """The sentences of an item's evidence by what they say to it, best first."""

    item: str
    ranked: tuple[tuple[float, EvidenceSentence], ...]


@dataclass(frozen=True)
class Sentences:
    """``pool`` is every sentence of the evidence, ``best`` those of each item that has some.

    ``leads`` has what leads to a sentence, by its document and start.
    """

    pool: list[EvidenceSentence]
    best: list[ItemBest]
    leads: Mapping[Place, Lead]


def sentences_of(state: AskState, context: AskContext) -> Sentences:
    """Ranks the sentences of the best passages of each item."""
    required = [each for each in state["assessment"].required if each.status != "missing"]
    passages = passages_of(required, state, context)
    led = leads_of([each for found in passages.values() for each in found])
    share = max(8, MOST_COMPARED // max(1, len(required)))
    best = [_best(item.item, passages[item.item], led, share, state, context) for item in required]
    best = [each for each in best if each.ranked]
    if state["plan"].question_type == "enumeration":
        best = [_with_rest(each, passages[each.item], led, context) for each in best]
    every = (s for found in passages.values() for each in found for s in each.sentences)
    return Sentences(list({place_of(s): s for s in every}.values()), best, led)


def _with_rest(
    best: ItemBest, passages: Sequence[Passage], led: dict[Place, Lead], context: AskContext
) -> ItemBest:
    """With the sentences beside the passage of a list, worth nothing but as the rest of it."""
    first = best.ranked[0][1]
    if not is_item(first.text):
        return best
    found = beside(first, passages, context)
    led.update({place: lead for place, lead in leads_of(found).items() if place not in led})
    have = {place_of(sentence) for _, sentence in best.ranked}
    every = (s for each in found for s in each.sentences if place_of(s) not in have)
    return ItemBest(best.item, (*best.ranked, *((0.0, sentence) for sentence in every)))


def _best(
    item: str,
    passages: Sequence[Passage],
    led: Mapping[Place, Lead],
    share: int,
    state: AskState,
    context: AskContext,
) -> ItemBest:
    language, plan = state["understanding"].language, state["plan"]
    text = asked_for(item, plan)
    pairs = [(each, sentence) for each in passages for sentence in each.sentences]
    pairs = _worth_comparing(pairs, text, language, share)
    scores = score_texts(
        [sentence.text for _, sentence in pairs],
        headings=[_above(passage.chunk, sentence, led) for passage, sentence in pairs],
        passages=[passage.weight for passage, _ in pairs],
        task=text,
        question=text,
        language=language,
        context=context,
    )
    own = own_words(item, plan.required_info, language)
    alone = named_in(item, language, context).alone
    unique: dict[Place, tuple[float, EvidenceSentence]] = {}
    for score, (passage, sentence) in zip(scores, pairs, strict=True):
        titled = "\n".join([sentence.section, *passage.chunk.heading_path[-1:], sentence.text])
        worth = score + OWN_BONUS * share_of_words(own, titled, language)
        worth += (
            FIELD_BONUS
            if sentence in passage.fields
            else _bonus(sentence.text, item, passage, state, alone=alone)
        )
        worth -= _dependence(sentence, led.get(place_of(sentence)), language)
        unique.setdefault(place_of(sentence), (worth, sentence))
    ranked = sorted(unique.values(), key=lambda p: (-p[0], p[1].document_id, p[1].start))
    return ItemBest(item, tuple(ranked))


def _dependence(sentence: EvidenceSentence, lead: Lead | None, language: Language) -> float:
    """What a sentence is worth less that cannot be read alone."""
    if lead is None or lead.kind == "list" or sentence.case:
        return 0.0
    if lead.kind == "cut":
        return CUT
    return LEANING if needs_lead(sentence.text, lead, language) else 0.0


def _above(chunk: Chunk, sentence: EvidenceSentence, led: Mapping[Place, Lead]) -> Sequence[str]:
    """The headings of a sentence; below them the lead-in of the list that it is an item of.

    A sentence that leans on the one before it stands under that.
    """
    if sentence.case:
        return above(chunk, sentence)
    lead = led.get(place_of(sentence))
    if lead and (lead.kind == "list" or (lead.kind == "before" and refers_back(sentence.text))):
        return [*chunk.heading_path, lead.text]
    return chunk.heading_path


def _worth_comparing(
    pairs: Sequence[tuple[Passage, EvidenceSentence]], text: str, language: Language, most: int
) -> list[tuple[Passage, EvidenceSentence]]:
    """The sentences whose words and passages promise most; comparing meanings takes time."""
    if len(pairs) <= most:
        return list(pairs)
    words = score_words(
        text,
        [sentence.text for _, sentence in pairs],
        language,
        contexts=[" ".join(passage.chunk.heading_path) for passage, _ in pairs],
    )
    order = sorted(range(len(pairs)), key=lambda n: (-(words[n] + pairs[n][0].weight), n))
    return [pairs[n] for n in sorted(order[:most])]


def _about(item: str, sentence: str, language: Language) -> bool:
    """Whether a sentence has half of an item's words."""
    return share_of_words(words_of(topic(item), language), sentence, language) >= LEAST_SHARE


def _bonus(sentence: str, item: str, passage: Passage, state: AskState, *, alone: bool) -> float:
    """What a sentence is worth more, or less, for what it says and how.

    ``alone``: the item is a document as such.
    """
    kind, language = state["plan"].question_type, state["understanding"].language
    bonus = -burden(sentence, item, language)
    bonus -= ASIDE * is_aside(passage.chunk.heading_path, item)
    wanted = wanted_answer(item)
    if wanted == "number" and any(each.measured for each in quantities(sentence, language)):
        bonus += VALUE_BONUS
    if (
        wanted is not None
        and wanted in WANTED_BONUS
        and gives(wanted, sentence, passage.chunk.heading_path, language)
        and (wanted != "consequence" or _about(item, sentence, language))
    ):
        bonus += WANTED_BONUS[wanted]
    term = item if kind == "comparison" else defined_term(item, language)
    if term is not None:
        bonus += DEFINITION_BONUS * defines(sentence, term, language)
    if alone and tells_itself(sentence):
        bonus += DEFINITION_BONUS
    if kind == "enumeration" and lists(sentence):
        bonus += LIST_BONUS + HEADED_BONUS * passage.headed
    return bonus
