"""What readers of every kind make of the sixteen items, and how many of them may be wrong."""

import asyncio
import json
from collections import Counter
from collections.abc import Callable
from typing import Any

import pytest

from agent.reading_test.items import ITEMS, DeclineItem, ReadItem, VerifyItem, run_items
from services.domain.errors import (
    InvalidGeneration,
    ModelTimeout,
    ModelUnavailable,
    NoAnswer,
    RabbitholeError,
    TruncatedGeneration,
)
from services.domain.model_checks import ItemResult, ReadingTestResult
from services.models.base import ChatRequest
from tests.support.reading_test_replies import Item, item_of, readings, right
from tests.support.scripted_model import ScriptedModel, prompt_of

Reader = Callable[[Item], dict[str, Any]]


def results_of(reader: Reader, slots: int = 1) -> tuple[ItemResult, ...]:
    def reply(request: ChatRequest) -> str:
        item = item_of(prompt_of(request))
        assert item is not None
        return json.dumps(reader(item), ensure_ascii=False)

    return taken_by(ScriptedModel(default=reply, slots=slots))


def taken_by(model: ScriptedModel) -> tuple[ItemResult, ...]:
    async def run() -> tuple[ItemResult, ...]:
        return tuple([result async for result in run_items(model, 5.0)])

    return asyncio.run(run())


def wrong(items: tuple[ItemResult, ...]) -> Counter[str]:
    return Counter(each.kind for each in items if each.problem is not None)


def passes(items: tuple[ItemResult, ...]) -> bool | None:
    return ReadingTestResult.of("m", "", items, at=1.0).passed


def lying_quotes(item: Item) -> dict[str, Any]:
    """What answers, with quotes of which a word is another."""
    reply = right(item)
    for claim in reply.get("claims", ()):
        claim["sources"][0]["quote"] = f"Gewiss: {claim['text']}"
    return reply


def quotes_beside(item: Item) -> dict[str, Any]:
    """What answers, with a quote of a section that does not decide."""
    reply = right(item)
    if isinstance(item, ReadItem):
        number = next(n for n in range(1, 4) if n not in item.proof)
        quote = item.section[number - 1].text.splitlines()[0]
        reply["claims"][0]["sources"] = [{"passage": number, "quote": quote}]
    return reply


def adds_a_number(item: Item) -> dict[str, Any]:
    """What answers, with its quote and a number that stands nowhere."""
    reply = right(item)
    for claim in reply.get("claims", ()):
        claim["text"] += " (777 Euro)"
    return reply


def never_declines(item: Item) -> dict[str, Any]:
    """Of what does not answer the line that comes nearest."""
    if not isinstance(item, DeclineItem):
        return right(item)
    section = next(
        (n, line)
        for n, each in enumerate(item.section, start=1)
        for line in each.text.splitlines()
        if any(word.casefold() in line.casefold() for word in item.subject)
    )
    claim = {"text": section[1], "sources": [{"passage": section[0], "quote": section[1]}]}
    return {"answered": "yes", "claims": [claim], "missing": ""}


def partly(item: Item) -> dict[str, Any]:
    """Of what does not answer the neighbouring case, and that what was asked is missing."""
    if not isinstance(item, DeclineItem):
        return right(item)
    text = item.section[0].text.splitlines()[-1]
    claim = {"text": text, "sources": [{"passage": 1, "quote": text}]}
    return {"answered": "partly", "claims": [claim], "missing": item.question}


def always_declines(item: Item) -> dict[str, Any]:
    if isinstance(item, VerifyItem):
        return right(item)
    return {"answered": "no", "claims": [], "missing": item.question}


def accuses_all(item: Item) -> dict[str, Any]:
    if not isinstance(item, VerifyItem):
        return right(item)
    return readings(item, [each.text for each in item.statement])


def accuses_none(item: Item) -> dict[str, Any]:
    if not isinstance(item, VerifyItem):
        return right(item)
    return readings(item, [""] * len(item.statement))


def copies_instructions(item: Item) -> dict[str, Any]:
    if isinstance(item, VerifyItem):
        return readings(item, ["missing: the words of the statement"] * len(item.statement))
    said = "claims: the answer, the most direct sentence first"
    claim = {"text": said, "sources": [{"passage": 1, "quote": "copied letter for letter"}]}
    return {"answered": "yes", "claims": [claim], "missing": ""}


@pytest.mark.parametrize("slots", [1, 4])
def test_who_reads_rightly_gets_every_item_right(slots: int) -> None:
    items = results_of(right, slots)
    assert len(items) == 16 and wrong(items) == Counter() and passes(items)
    assert Counter(each.language for each in items) == {"de": 8, "en": 8}
    assert [each.question for each in items] == [each.question for each in ITEMS]
    assert all(each.reply for each in items)


@pytest.mark.parametrize(
    ("reader", "expected"),
    [
        (lying_quotes, {"read": 6}),
        (quotes_beside, {"read": 6}),
        (adds_a_number, {"read": 6}),
        (never_declines, {"decline": 4}),
        (always_declines, {"read": 6}),
        (accuses_all, {"verify": 6}),
        (accuses_none, {"verify": 6}),
        (copies_instructions, {"read": 6, "decline": 4, "verify": 6}),
    ],
)
def test_each_bad_reader_fails_where_it_is_bad(reader: Reader, expected: dict[str, int]) -> None:
    items = results_of(reader)
    assert wrong(items) == expected and not passes(items)


def test_a_neighbouring_case_may_be_told_where_what_is_asked_is_called_missing() -> None:
    assert wrong(results_of(partly)) == Counter()


@pytest.mark.parametrize("kind", ["read", "decline", "verify"])
@pytest.mark.parametrize(("misses", "may"), [(1, True), (2, False)])
def test_one_item_of_each_kind_may_be_wrong(kind: str, misses: int, may: bool) -> None:
    """Of the others one is wrong, too."""
    bad = {"read": always_declines, "decline": never_declines, "verify": accuses_none}
    left = Counter({each: misses if each == kind else 1 for each in bad})

    def reader(item: Item) -> dict[str, Any]:
        if left[item.kind] == 0:
            return right(item)
        left[item.kind] -= 1
        return bad[item.kind](item)

    items = results_of(reader)
    assert wrong(items)[kind] == misses and wrong(items).total() == misses + 2
    assert passes(items) is may


def failing(error: Exception, kind: str) -> ScriptedModel:
    """Replies rightly but to the items of a kind, where it fails."""

    def reply(request: ChatRequest) -> str:
        item = item_of(prompt_of(request))
        assert item is not None
        if item.kind == kind:
            raise error
        return json.dumps(right(item))

    return ScriptedModel(default=reply, slots=3)


@pytest.mark.parametrize("kind", ["read", "decline", "verify"])
@pytest.mark.parametrize(
    "fault", [ModelUnavailable("HTTP 429"), ModelTimeout("120 s"), NoAnswer("it broke off")]
)
def test_a_fault_of_the_server_ends_it_without_a_result(fault: RabbitholeError, kind: str) -> None:
    with pytest.raises(type(fault), match=str(fault)):
        taken_by(failing(fault, kind))


@pytest.mark.parametrize("own", [TruncatedGeneration("too long"), InvalidGeneration("no JSON")])
def test_what_a_model_writes_badly_is_its_own(own: RabbitholeError) -> None:
    items = taken_by(failing(own, "decline"))
    assert wrong(items) == {"decline": 4}
    assert all(str(own) in str(each.problem) for each in items if each.kind == "decline")
