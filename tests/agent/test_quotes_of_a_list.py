"""Of two items of a list the whole list is quoted, and room is left for another place."""

from types import SimpleNamespace
from typing import Any

from agent.ask.answer import RankedSentences, quotes
from services.domain import EvidenceSentence
from services.domain.answers import CaseSpan

TEXT = "Exempt are: 1. patients, 2. carers and 3. staff. Fences are not needed."
LEAD = CaseSpan(text="Exempt are:", start=0, end=11)


def unit(text: str, case: CaseSpan | None = None) -> EvidenceSentence:
    start = TEXT.index(text)
    place = {"document_id": "d", "document": "d.md", "section": "§ 1", "page": None}
    return EvidenceSentence(
        **place, start=start, end=start + len(text), quote=text, context=TEXT, case=case
    )


def quoted(*ranked: EvidenceSentence) -> list[str]:
    best = RankedSentences(pool=list(ranked), ranked=[(0.9, each) for each in ranked], for_parts=[])
    state: Any = {"route": SimpleNamespace(depth="fast")}
    return [sentence.text for sentence in quotes(best, state)]


WHOLE = unit("Exempt are: 1. patients, 2. carers and 3. staff.")
ITEMS = [unit(text, LEAD) for text in ("1. patients,", "2. carers and", "3. staff.")]
OTHER = unit("Fences are not needed.")


def test_two_items_bring_the_whole_list() -> None:
    assert quoted(ITEMS[2], ITEMS[0], ITEMS[1], WHOLE, OTHER) == [WHOLE.quote, OTHER.quote]


def test_an_item_alone_stays_an_item() -> None:
    assert quoted(ITEMS[1], OTHER, WHOLE) == [ITEMS[1].quote, OTHER.quote]


def test_where_the_list_was_not_found_whole_its_best_item_stands() -> None:
    assert quoted(ITEMS[1], ITEMS[0], OTHER) == [ITEMS[1].quote, OTHER.quote]
