"""Which sentences are quoted for each item, as the type of the question wants it."""

from collections.abc import Sequence
from typing import Final

from agent.ask.answer import LEAST_SHARE
from agent.ask.structured.comparing import contrasting, pairs
from agent.ask.structured.sentences import ItemBest
from services.evidence import EvidenceSentence
from services.extractive.questions import topic
from services.structured.coverage import words_of
from services.structured.form import is_item, lists
from services.structured.values import QuestionType
from services.structured.wanted import gives, wanted_answer
from services.text import has_stem
from services.types import Language

OF_ONE_ITEM: Final = 4
OF_A_LIST: Final = 12
OF_EACH: Final = {1: OF_ONE_ITEM, 2: 3}
OF_MANY: Final = 2
WORTH_ADDING: Final = 0.75
"""Share of the best sentence's worth from which another is quoted for a word that it adds."""

NEARLY_AS_GOOD: Final = 0.75
"""Share from which one of the same place is quoted though it adds no word."""

AS_GOOD: Final = 0.9
"""Share from which one of another place is."""

NEAR: Final = 1_500
"""Characters between two items of one list."""


def selected(
    best: Sequence[ItemBest], kind: QuestionType, language: Language
) -> list[tuple[str, list[EvidenceSentence]]]:
    """Of each item the sentences to quote, best first.

    A comparison has sentences of both sides that say the same kind of thing; a list is quoted
    whole; a history has what each document says; of a fact there is only what adds to it.
    """
    most = OF_EACH.get(len(best), OF_MANY)
    if kind == "comparison" and len(best) == 2:
        return _compared(best[0], best[1], most, language)
    if kind == "enumeration":
        return [(each.item, _listed(each, most, language)) for each in best]
    if kind == "temporal" and len(best) == 1 and wanted_answer(best[0].item) == "change":
        return [(best[0].item, _of_each_document(best[0]))]
    near = 0.0 if kind == "factual" else NEARLY_AS_GOOD if len(best) == 1 else AS_GOOD
    return [(each.item, _adding(each, most, language, near)) for each in best]


def _adding(
    best: ItemBest, most: int, language: Language, near: float = 0.0
) -> list[EvidenceSentence]:
    """The best sentence, and others that have what it lacks of the item.

    Others that add nothing count from ``near`` (share of the worth of the best) at the same place
    and from 0.9 elsewhere, none where it is 0. Where nothing has what is wanted, one is enough.
    """
    (highest, first), *others = best.ranked
    chosen = [first]
    words = words_of(topic(best.item), language)
    for score, sentence in others:
        if len(chosen) >= most or score < WORTH_ADDING * highest:
            break
        least = near if _same_place(sentence, first) else AS_GOOD
        close = near > 0 and score >= least * highest
        if close or _adds(sentence, chosen, best.item, words, language):
            chosen.append(sentence)
    wanted = wanted_answer(best.item)
    return chosen if any(gives(wanted, each.text, (), language) for each in chosen) else [first]


def _same_place(one: EvidenceSentence, other: EvidenceSentence) -> bool:
    return (one.document_id, one.section) == (other.document_id, other.section)


def _adds(
    sentence: EvidenceSentence,
    chosen: Sequence[EvidenceSentence],
    item: str,
    words: Sequence[str],
    language: Language,
) -> bool:
    """Whether a sentence has a word of the item, or the kind of answer, that the others lack."""
    wanted = wanted_answer(item)
    if not any(gives(wanted, each.text, (), language) for each in chosen):
        return gives(wanted, sentence.text, (), language)
    said = "\n".join(each.text for each in chosen)
    return any(
        has_stem(word, sentence.text, language) and not has_stem(word, said, language)
        for word in words
    )


def _listed(best: ItemBest, most: int, language: Language) -> list[EvidenceSentence]:
    """The whole list that the best sentence is an item of; else the best sentences that list."""
    first = best.ranked[0][1]
    if is_item(first.text):
        return _members(first, [sentence for _, sentence in best.ranked])[:OF_A_LIST]
    if lists(first.text):
        return _adding(best, most, language, AS_GOOD)
    return _adding(best, most + 2, language, NEARLY_AS_GOOD)


def _members(
    item: EvidenceSentence, sentences: Sequence[EvidenceSentence]
) -> list[EvidenceSentence]:
    """The items of one list in the order of the text; numbers that begin anew are another list."""
    same = [
        each
        for each in sentences
        if _same_place(each, item)
        and is_item(each.text)
        and _marker(each.text)[0] == _marker(item.text)[0]
    ]
    same.sort(key=lambda each: each.start)
    runs: list[list[EvidenceSentence]] = []
    for each in same:
        follows = runs and _follows(runs[-1][-1], each)
        if follows:
            runs[-1].append(each)
        else:
            runs.append([each])
    return next(run for run in runs if item in run)


def _follows(before: EvidenceSentence, after: EvidenceSentence) -> bool:
    (_, one), (_, other) = _marker(before.text), _marker(after.text)
    return after.start - before.end <= NEAR and (one < other or one == other == (0, ""))


def _marker(text: str) -> tuple[str, tuple[int, str]]:
    """The kind of an item's mark, and its place in the order of a numbered list."""
    mark = text.split(maxsplit=1)[0].strip("().")
    digits = "".join(sign for sign in mark if sign.isdigit())
    if digits:
        return "number", (int(digits), mark.removeprefix(digits))
    return ("letter", (0, mark)) if mark.isalpha() else (mark, (0, ""))


def _of_each_document(best: ItemBest) -> list[EvidenceSentence]:
    """The best sentence of every document that is nearly as good as the best."""
    highest = best.ranked[0][0]
    chosen: dict[str, EvidenceSentence] = {}
    for score, sentence in best.ranked:
        if score >= LEAST_SHARE * highest:
            chosen.setdefault(sentence.document_id, sentence)
    if len(chosen) > 1:
        return list(chosen.values())[:OF_ONE_ITEM]
    near = [each for score, each in best.ranked if score >= NEARLY_AS_GOOD * highest]
    return near[:OF_ONE_ITEM]


def _compared(
    first: ItemBest, second: ItemBest, most: int, language: Language
) -> list[tuple[str, list[EvidenceSentence]]]:
    """Sentences of both sides in pairs, what each says of the same; without pairs the best."""
    left: list[EvidenceSentence] = []
    right: list[EvidenceSentence] = []
    for side, sentence in contrasting(first, second, language):
        (left if side is first else right).append(sentence)
    for one, other in pairs(first, second, language):
        if len(left) < most and one not in left + right and other not in left + right:
            left.append(one)
            right.append(other)
    return [
        (side.item, chosen or _adding(side, most, language))
        for side, chosen in ((first, left), (second, right))
    ]
