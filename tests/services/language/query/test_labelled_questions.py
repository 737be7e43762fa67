"""The labelled questions and follow-ups are well formed, and their halves follow the hash."""

import hashlib
import json
from collections import Counter, defaultdict
from functools import cache
from pathlib import Path
from typing import Any

import pytest

DATA = Path(__file__).parents[3] / "data"
LANGUAGES = ("en", "de", "fr", "es")
TYPES = {
    "FACTUAL",
    "RELATIONAL",
    "COMPARATIVE",
    "EXPLORATORY",
    "PROCEDURAL",
    "ANALYTICAL",
    "UNKNOWN",
}
REQUIRED = {"id", "language", "question", "type", "half"}
OPTIONAL = {"exhaustive", "database_meta", "conditional", "temporal"}
FOLLOW_UP = {"id", "language", "turns", "follow_up", "needs_context", "must_contain"}


@cache
def records(name: str) -> list[dict[str, Any]]:
    lines = (DATA / f"{name}.jsonl").read_text(encoding="utf-8").splitlines()
    return [json.loads(line) for line in lines]


def questions(name: str) -> list[dict[str, Any]]:
    return records(f"query_types/{name}")


def digest(question: str) -> str:
    return hashlib.sha256(question.encode("utf-8")).hexdigest()


def plain(question: str) -> str:
    """The question without case, spacing and punctuation."""
    return "".join(character for character in question.casefold() if character.isalnum())


@pytest.mark.parametrize(
    ("name", "optional"), [("questions", OPTIONAL), ("fresh", set()), ("third", set())]
)
def test_questions_are_well_formed_and_unique(name: str, optional: set[str]) -> None:
    found = questions(name)
    assert {record["type"] for record in found} == TYPES
    for record in found:
        assert REQUIRED <= record.keys() <= REQUIRED | optional, record
        assert record["language"] in LANGUAGES, record
        assert record["question"] and record["question"] == record["question"].strip(), record
        assert record["id"] == f"{record['language']}-{digest(record['question'])[:8]}"
        assert all(record[label] is True for label in OPTIONAL & record.keys()), record
    assert len({record["id"] for record in found}) == len(found)
    assert len({plain(record["question"]) for record in found}) == len(found)
    if name != "questions":
        known = {record["id"] for record in questions("questions")}
        assert not known & {record["id"] for record in found}


def test_every_language_has_enough_of_everything() -> None:
    found = questions("questions")
    cells = Counter((record["language"], record["type"]) for record in found)
    labels = Counter((record["language"], label) for record in found for label in record)
    for language in LANGUAGES:
        assert labels[language, "id"] >= 80
        assert min(cells[language, query_type] for query_type in TYPES) >= 9, language
        assert min(labels[language, label] for label in OPTIONAL) >= 3, language
    assert {record["language"] for record in questions("fresh")} == set(LANGUAGES)


def test_lines_and_halves_are_in_the_order_of_the_hash() -> None:
    found = questions("questions")
    keys = [(LANGUAGES.index(record["language"]), digest(record["question"])) for record in found]
    assert keys == sorted(keys)
    cells: dict[tuple[str, str], list[str]] = defaultdict(list)
    for record in found:
        cells[record["language"], record["type"]].append(record["half"])
    for halves in cells.values():
        assert halves == [("dev", "held")[place % 2] for place in range(len(halves))]
    for record in questions("fresh"):
        even = int(digest(record["question"])[0], 16) % 2 == 0
        assert record["half"] == ("first" if even else "second"), record["id"]


def test_additional_labels_go_with_the_types_of_the_guide() -> None:
    for record in questions("questions"):
        if "database_meta" in record:
            assert record["type"] == "FACTUAL" and "exhaustive" not in record, record
        assert record["type"] != "UNKNOWN" or not OPTIONAL & record.keys(), record


def test_follow_ups_are_well_formed_and_can_be_met() -> None:
    found = records("follow_ups/follow_ups")
    for record in found:
        assert record.keys() == FOLLOW_UP and record["turns"], record
        assert all(turn.keys() == {"question", "answer"} for turn in record["turns"]), record
        assert all(all(turn.values()) for turn in record["turns"]), record
        assert record["follow_up"] and record["must_contain"], record
        assert isinstance(record["needs_context"], bool), record
        assert record["id"].startswith(f"{record['language']}-"), record
        assert "’" not in json.dumps(record, ensure_ascii=False), record
        follow_up = record["follow_up"].casefold()
        earlier = " ".join(text for turn in record["turns"] for text in turn.values()).casefold()
        wanted = [string.casefold() for string in record["must_contain"]]
        assert all(string in earlier or string in follow_up for string in wanted), record
        in_follow_up = all(string in follow_up for string in wanted)
        assert in_follow_up is not record["needs_context"], record
    cells = Counter((record["language"], record["needs_context"]) for record in found)
    numbers = ((True, 7), (False, 3))
    assert cells == {(language, needs): n for language in LANGUAGES for needs, n in numbers}
    for key in ("id", "follow_up"):
        assert len({record[key].casefold() for record in found}) == len(found)
