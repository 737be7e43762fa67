"""Which sentences are quoted: the surest, others near it, whole lists, a history by day."""

from types import SimpleNamespace
from typing import Any, cast

import pytest

from agent.ask.changes import add_areas
from agent.ask.models import Depth, Reply
from agent.ask.quotes import Findings, Subquestion, best_subquestions, choose_quotes
from agent.ask.state import AskState
from agent.context import Context
from agent.sentences import verbatim
from services.domain import Certainty, EvidenceSentence, Scope
from services.domain.answers import CaseSpan
from services.graph.values import Community
from services.language.query.values import Classification, QueryType
from services.structured.values import QuestionType, Status

LIST = "Exempt are: 1. patients, 2. carers and 3. staff. Fences are not needed."
LEAD = CaseSpan(text="Exempt are:", start=0, end=11)
DAYS = {"old": "2014-09-29", "new": "2019-08-28"}
PERHAPS: dict[str, Any] = {"status": "partial"}


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


class Slices(dict[int, str]):
    """A text of which the quotes are known that begin at some places."""

    def __getitem__(self, span: slice) -> str:  # type: ignore[override]
        return super().__getitem__(span.start)


def chosen(
    *ranked: tuple[float, EvidenceSentence],
    kind: QuestionType = "factual",
    count: int = 1,
    status: Status = "covered",
    depth: Depth = "structured",
) -> list[EvidenceSentence]:
    texts = {each.start: each.quote for _, each in ranked}
    catalog = SimpleNamespace(
        filters=SimpleNamespace(dates=lambda ids, scope: DAYS),
        documents=SimpleNamespace(text=lambda document: Slices(texts)),
    )
    context = SimpleNamespace(catalog=catalog, scope=Scope(user="local", collections=("c",)))
    subquestion = Subquestion("item", status, ranked)
    found = Findings("de", depth, [subquestion], ("other",) * (count - 1), kind=kind)
    return choose_quotes(subquestion, found, cast(Context, context))


FIRST = sentence("Der Grenzwert der Haut beträgt 500 Millisievert.", 0)
NEAR = sentence("Für Beschäftigte wird der Grenzwert gemessen.", 100)
THIRD = sentence("Die Behörde kann Ausnahmen zulassen.", 200)
FAR = sentence("Die Kantine hat bis drei Uhr geöffnet.", 300)
INSIDE, AGAIN = sentence("Der Grenzwert der Haut", 0), sentence(FIRST.quote, 50, "other")
OLD, NEW = sentence("Union was introduced.", 0, "old"), sentence("Now it is |.", 0, "new")
WHOLE = sentence("Exempt are: 1. patients, 2. carers and 3. staff.", 0)
ITEMS = [
    sentence(text, LIST.index(text), case=LEAD)
    for text in ("1. patients,", "2. carers and", "3. staff.")
]
OTHER = sentence("Fences are not needed.", LIST.index("Fences"))


@pytest.mark.parametrize(
    ("ranked", "how", "quoted"),
    [
        # Beside the best only what answers nearly as surely, fewer where there are more parts.
        (((0.9, FIRST), (0.8, NEAR), (0.3, FAR)), {}, [FIRST, NEAR]),
        (((0.9, FIRST), (0.9, NEAR), (0.9, THIRD)), {"count": 2}, [FIRST, NEAR]),
        (((0.9, FIRST), (0.9, NEAR)), {"count": 3}, [FIRST]),
        # The same place or text once.
        (((0.9, FIRST), (0.9, INSIDE), (0.9, AGAIN)), {}, [FIRST]),
        # Of an enumeration the whole list; to a quick answer two items bring it.
        (((0.9, ITEMS[1]), (0.2, WHOLE)), {"kind": "enumeration"}, [WHOLE]),
        (((0.9, ITEMS[1]), (0.2, WHOLE)), {}, [ITEMS[1]]),
        (
            tuple((0.9, one) for one in (ITEMS[2], ITEMS[0], ITEMS[1], WHOLE, OTHER)),
            {"depth": "fast"},
            [WHOLE, OTHER],
        ),
        (((0.9, ITEMS[1]), (0.9, ITEMS[0]), (0.9, OTHER)), {"depth": "fast"}, [ITEMS[1], OTHER]),
        # A history goes by its days.
        (((0.9, NEW), (0.8, OLD)), {"kind": "temporal"}, [OLD, NEW]),
        # Of what is only perhaps an answer one place for each subquestion, three where it is all.
        (((0.4, FIRST), (0.1, NEAR), (0.1, THIRD), (0.1, FAR)), PERHAPS, [FIRST, NEAR, THIRD]),
        (((0.4, FIRST), (0.1, NEAR)), {**PERHAPS, "count": 2}, [FIRST]),
    ],
)
def test_the_surest_sentences_are_quoted(
    ranked: tuple[tuple[float, EvidenceSentence], ...],
    how: dict[str, Any],
    quoted: list[EvidenceSentence],
) -> None:
    assert chosen(*ranked, **how) == quoted


def test_a_sentence_speaks_to_the_part_that_its_place_answers_most_surely() -> None:
    subquestions = [
        Subquestion("skin", "covered", ((0.9, FIRST), (0.5, NEAR))),
        Subquestion("workers", "covered", ((0.8, NEAR), (0.2, FIRST))),
    ]
    assert best_subquestions(FIRST, subquestions) == {"skin"}
    assert best_subquestions(NEAR, subquestions) == {"workers"}
    assert best_subquestions(FAR, subquestions) == set()


AREAS = ((("A (§ 1)",), "1"), (("B (§ 2)", "C (§ 3)"), "2"), (("D",), "3"))


@pytest.mark.parametrize(
    ("kind", "confidence", "certainty", "titles", "shown"),
    [
        ("exploratory", 0.71, "perhaps", AREAS, ["", "A (§ 1)", "B (§ 2) · C (§ 3)"]),
        # What is one area as a whole is told by its sections.
        ("exploratory", 0.71, "perhaps", ((("A", "B"), "123"),), ["", "§ 1", "§ 2"]),
        ("exploratory", 0.7, "perhaps", AREAS, []),  # not sure enough of the type
        ("exploratory", 0.9, "answered", AREAS, []),
        ("exploratory", 0.9, "refused", AREAS, []),
        ("factual", 0.9, "perhaps", AREAS, []),
    ],
)
def test_areas_stand_below_what_comes_closest_to_a_wish_for_an_overview(
    kind: QueryType,
    confidence: float,
    certainty: Certainty,
    titles: tuple[tuple[tuple[str, ...], str], ...],
    shown: list[str],
) -> None:
    second = sentence("Die Behörde kann davon im Einzelfall Ausnahmen zulassen.", 200)
    whole = {"1": FIRST, "2": second, "3": sentence("3. Personal", 300)}
    areas = [
        Community(
            community_id="", members=(), topics=("Haut",), size=3, title=title, passages=tuple(ids)
        )
        for title, ids in titles
    ]
    context = SimpleNamespace(
        graph=SimpleNamespace(areas=lambda question, scope, document, limit: areas),
        scope=None,
        passages=SimpleNamespace(
            get=lambda ids: {n: SimpleNamespace(n=n, heading_path=("", f"§ {n}")) for n in ids},
            sentences=lambda passage: [whole[passage.n]],
        ),
    )
    asked = SimpleNamespace(
        question="Worum geht es?", classification=Classification(type=kind, confidence=confidence)
    )
    reply = Reply(sentences=(verbatim(NEAR),), certainty=certainty)
    state = cast(AskState, {"understanding": asked, "evidence": []})
    found = add_areas(reply, state, cast(Context, context))
    assert list(found.headings) == shown and found.certainty == certainty
    assert [each.text for each in found.sentences[1:]] == [FIRST.quote, second.quote][: len(shown)]
