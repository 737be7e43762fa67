"""Which sentences are quoted of each part: the surest, others near it, whole lists, by day."""

from types import SimpleNamespace
from typing import cast

import pytest

from agent.ask.answer import said_parts
from agent.ask.budgets import BUDGETS
from agent.ask.models import Depth
from agent.ask.parts import Findings, Part, quotes_of
from agent.ask.step import AskContext
from agent.drafting import verbatim
from services.domain import EvidenceSentence, Scope
from services.domain.answers import CaseSpan
from services.structured.values import QuestionType, Status

LIST = "Exempt are: 1. patients, 2. carers and 3. staff. Fences are not needed."
LEAD = CaseSpan(text="Exempt are:", start=0, end=11)


def sentence(
    text: str, start: int, document: str = "d", case: CaseSpan | None = None
) -> EvidenceSentence:
    return EvidenceSentence(
        document_id=document,
        document=f"{document}.txt",
        section="§ 1",
        page=None,
        start=start,
        end=start + len(text),
        quote=text,
        context=text,
        case=case,
    )


def chosen(
    *ranked: tuple[float, EvidenceSentence],
    kind: QuestionType = "factual",
    count: int = 1,
    status: Status = "covered",
    days: dict[str, str] | None = None,
    depth: Depth = "structured",
) -> list[EvidenceSentence]:
    texts = {each.start: each.quote for _, each in ranked}
    catalog = SimpleNamespace(
        filters=SimpleNamespace(dates=lambda ids, scope: days or {}),
        documents=SimpleNamespace(text_slice=lambda document, start, end: texts[start]),
    )
    context = SimpleNamespace(catalog=catalog, scope=Scope(user="local", collections=("c",)))
    part = Part("item", status, ranked)
    found = Findings([], [part], ("other",) * (count - 1), kind=kind)
    return quotes_of(part, found, BUDGETS[depth], "de", cast(AskContext, context))


FIRST = sentence("Der Grenzwert der Haut beträgt 500 Millisievert.", 0)
NEAR = sentence("Für Beschäftigte wird der Grenzwert gemessen.", 100)
THIRD = sentence("Die Behörde kann Ausnahmen zulassen.", 200)
FAR = sentence("Die Kantine hat bis drei Uhr geöffnet.", 300)


def test_beside_the_best_only_what_answers_nearly_as_surely_is_quoted() -> None:
    assert chosen((0.9, FIRST), (0.8, NEAR), (0.3, FAR)) == [FIRST, NEAR]
    assert chosen((0.9, FIRST), (0.9, NEAR), (0.9, THIRD), count=2) == [FIRST, NEAR]
    assert chosen((0.9, FIRST), (0.9, NEAR), count=3) == [FIRST]


def test_the_same_place_or_text_is_quoted_once() -> None:
    part = sentence("Der Grenzwert der Haut", 0)
    again = sentence(FIRST.quote, 50, "other")
    assert chosen((0.9, FIRST), (0.9, part), (0.9, again)) == [FIRST]


def test_of_an_enumeration_the_whole_list_is_quoted() -> None:
    whole = sentence("Nötig sind: 1. ein Antrag, 2. ein Nachweis, 3. eine Gebühr.", 0)
    item = sentence("2. ein Nachweis,", whole.quote.index("2."))
    ranked = (0.9, item), (0.2, whole)
    assert chosen(*ranked, kind="enumeration") == [whole]
    assert chosen(*ranked) == [item]


def unit(text: str, case: CaseSpan | None = None) -> EvidenceSentence:
    return sentence(text, LIST.index(text), case=case)


WHOLE = unit("Exempt are: 1. patients, 2. carers and 3. staff.")
ITEMS = [unit(text, LEAD) for text in ("1. patients,", "2. carers and", "3. staff.")]
OTHER = unit("Fences are not needed.")


@pytest.mark.parametrize(
    ("ranked", "quoted"),
    [
        ((ITEMS[2], ITEMS[0], ITEMS[1], WHOLE, OTHER), [WHOLE, OTHER]),
        ((ITEMS[1], OTHER, WHOLE), [ITEMS[1], OTHER]),
        ((ITEMS[1], ITEMS[0], OTHER), [ITEMS[1], OTHER]),
    ],
)
def test_two_items_bring_the_whole_list_to_a_quick_answer(
    ranked: tuple[EvidenceSentence, ...], quoted: list[EvidenceSentence]
) -> None:
    assert chosen(*((0.9, each) for each in ranked), depth="fast") == quoted


def test_a_history_goes_by_its_days() -> None:
    old, new = sentence("Union was introduced.", 0, "old"), sentence("Now it is |.", 0, "new")
    days = {"old": "2014-09-29", "new": "2019-08-28"}
    assert chosen((0.9, new), (0.8, old), kind="temporal", days=days) == [old, new]


def test_what_is_only_perhaps_an_answer_is_shown_once_for_each_part() -> None:
    ranked = (0.4, FIRST), (0.1, NEAR), (0.1, THIRD), (0.1, FAR)
    assert chosen(*ranked, status="partial") == [FIRST, NEAR, THIRD]
    assert chosen(*ranked, status="partial", count=2) == [FIRST]


def test_a_sentence_speaks_to_the_part_that_its_place_answers_most_surely() -> None:
    parts = [
        Part("skin", "covered", ((0.9, FIRST), (0.5, NEAR))),
        Part("workers", "covered", ((0.8, NEAR), (0.2, FIRST))),
    ]
    assert said_parts(parts, [verbatim(FIRST)]) == {"skin"}
    assert said_parts(parts, [verbatim(FIRST), verbatim(NEAR)]) == {"skin", "workers"}
    assert said_parts(parts, [verbatim(FAR)]) == set()
