"""The follow-up conversations are well formed and can be met."""

import json
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

FOLLOW_UPS = Path(__file__).parents[3] / "data" / "follow_ups" / "follow_ups.jsonl"
FIELDS = {"id", "language", "turns", "follow_up", "needs_context", "must_contain"}


@pytest.fixture(scope="module")
def records() -> list[dict[str, Any]]:
    lines = FOLLOW_UPS.read_text(encoding="utf-8").splitlines()
    return [json.loads(line) for line in lines]


def test_fields(records: list[dict[str, Any]]) -> None:
    for record in records:
        assert record.keys() == FIELDS, record
        assert record["turns"], record
        assert all(turn.keys() == {"question", "answer"} for turn in record["turns"]), record
        assert all(all(turn.values()) for turn in record["turns"]), record
        assert record["follow_up"] and record["must_contain"], record
        assert isinstance(record["needs_context"], bool), record
        assert "’" not in json.dumps(record, ensure_ascii=False), record


def test_counts(records: list[dict[str, Any]]) -> None:
    cells = Counter((record["language"], record["needs_context"]) for record in records)
    assert cells == {
        (language, needs): number
        for language in ("en", "de", "fr", "es")
        for needs, number in ((True, 7), (False, 3))
    }


def test_ids_and_follow_ups_are_unique(records: list[dict[str, Any]]) -> None:
    assert len({record["id"] for record in records}) == len(records)
    assert len({record["follow_up"].casefold() for record in records}) == len(records)
    assert all(record["id"].startswith(f"{record['language']}-") for record in records)


def test_strings_come_from_the_conversation(records: list[dict[str, Any]]) -> None:
    for record in records:
        follow_up = record["follow_up"].casefold()
        earlier = " ".join(text for turn in record["turns"] for text in turn.values()).casefold()
        wanted = [string.casefold() for string in record["must_contain"]]
        assert all(string in earlier or string in follow_up for string in wanted), record
        in_follow_up = all(string in follow_up for string in wanted)
        assert in_follow_up is not record["needs_context"], record
