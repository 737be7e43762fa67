"""What readers reply to the items by which models are tested: one that is right, and others."""

import json
from typing import Any

from agent.reading_test.items import ITEMS, DeclineItem, ReadItem, VerifyItem
from services.models.base import ChatRequest
from tests.support.scripted_model import prompt_of

Item = ReadItem | DeclineItem | VerifyItem


def item_of(prompt: str) -> Item | None:
    return next((each for each in ITEMS if each.question in prompt), None)


def right(item: Item) -> dict[str, Any]:
    """The right reply: the lines that answer, a refusal, or the words that are wrong."""
    match item:
        case ReadItem():
            lines = [_line(item, words) for words in item.says]
            return {"answered": "yes", "claims": lines, "missing": ""}
        case DeclineItem():
            return {"answered": "no", "claims": [], "missing": item.question}
    return readings(item, [each.fault[0] if each.fault else "" for each in item.statement])


def readings(item: VerifyItem, missing: list[str]) -> dict[str, Any]:
    found = [{"number": n, "missing": words} for n, words in enumerate(missing, start=1)]
    return {"readings": found}


def _line(item: ReadItem, words: tuple[str, ...]) -> dict[str, Any]:
    number = item.proof[0]
    lines = item.section[number - 1].text.splitlines()
    line = next(line for line in lines if any(word in line for word in words))
    return {"text": line, "sources": [{"passage": number, "quote": line}]}


def reply_to(prompt: str) -> str:
    """The right reply to the item that a prompt asks, "" where it asks none."""
    item = item_of(prompt)
    return "" if item is None else json.dumps(right(item), ensure_ascii=False)


def faithful(request: ChatRequest) -> str:
    return reply_to(prompt_of(request))
