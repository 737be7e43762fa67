"""Which sentences are quoted for each item: the surest, others near it, whole lists, by day."""

from types import SimpleNamespace
from typing import cast

from agent.ask.step import AskContext
from agent.ask.structured.selection import RankedItem, selected
from agent.ask.structured.synthesis import said_items
from agent.drafting import verbatim
from services.domain import EvidenceSentence, Scope
from services.structured.values import QuestionType, Status

SCOPE = Scope(user="local", collections=("c",))


def sentence(text: str, start: int, document: str = "d") -> EvidenceSentence:
    return EvidenceSentence(
        document_id=document,
        document=f"{document}.txt",
        section="§ 1",
        page=None,
        start=start,
        end=start + len(text),
        quote=text,
        context=text,
    )


def chosen(
    *ranked: tuple[float, EvidenceSentence],
    kind: QuestionType = "factual",
    items: int = 1,
    status: Status = "covered",
    days: dict[str, str] | None = None,
) -> list[EvidenceSentence]:
    filters = SimpleNamespace(dates=lambda ids, scope: days or {})
    texts = {each.start: each.quote for _, each in ranked}
    documents = SimpleNamespace(text_slice=lambda document, start, end: texts[start])
    catalog = SimpleNamespace(filters=filters, documents=documents)
    context = SimpleNamespace(catalog=catalog, scope=SCOPE)
    best = RankedItem("item", status, ranked)
    return selected(best, kind, items, "de", cast(AskContext, context))


FIRST = sentence("Der Grenzwert der Haut beträgt 500 Millisievert.", 0)
NEAR = sentence("Für Beschäftigte wird der Grenzwert gemessen.", 100)
THIRD = sentence("Die Behörde kann Ausnahmen zulassen.", 200)
FAR = sentence("Die Kantine hat bis drei Uhr geöffnet.", 300)


def test_beside_the_best_only_what_answers_nearly_as_surely_is_quoted() -> None:
    assert chosen((0.9, FIRST), (0.8, NEAR), (0.3, FAR)) == [FIRST, NEAR]
    assert chosen((0.9, FIRST), (0.9, NEAR), (0.9, THIRD), items=2) == [FIRST, NEAR]
    assert chosen((0.9, FIRST), (0.9, NEAR), items=3) == [FIRST]


def test_the_same_place_or_text_is_quoted_once() -> None:
    part = sentence("Der Grenzwert der Haut", 0)
    again = sentence(FIRST.quote, 50, "other")
    assert chosen((0.9, FIRST), (0.9, part), (0.9, again)) == [FIRST]


def test_of_an_item_in_a_list_the_whole_list_is_quoted() -> None:
    whole = sentence("Nötig sind: 1. ein Antrag, 2. ein Nachweis, 3. eine Gebühr.", 0)
    item = sentence("2. ein Nachweis,", whole.quote.index("2."))
    ranked = (0.9, item), (0.2, whole)
    assert chosen(*ranked, kind="enumeration") == [whole]
    assert chosen(*ranked) == [item]


def test_a_history_goes_by_its_days() -> None:
    old, new = sentence("Union was introduced.", 0, "old"), sentence("Now it is |.", 0, "new")
    days = {"old": "2014-09-29", "new": "2019-08-28"}
    assert chosen((0.9, new), (0.8, old), kind="temporal", days=days) == [old, new]


def test_what_is_only_perhaps_an_answer_is_shown_once_for_each_item() -> None:
    ranked = (0.4, FIRST), (0.1, NEAR), (0.1, THIRD), (0.1, FAR)
    assert chosen(*ranked, status="partial") == [FIRST, NEAR, THIRD]
    assert chosen(*ranked, status="partial", items=2) == [FIRST]


def test_a_sentence_speaks_to_the_item_that_its_place_answers_most_surely() -> None:
    best = [
        RankedItem("skin", "covered", ((0.9, FIRST), (0.5, NEAR))),
        RankedItem("workers", "covered", ((0.8, NEAR), (0.2, FIRST))),
    ]
    assert said_items(best, [verbatim(FIRST)]) == {"skin"}
    assert said_items(best, [verbatim(FIRST), verbatim(NEAR)]) == {"skin", "workers"}
    assert said_items(best, [verbatim(FAR)]) == set()
