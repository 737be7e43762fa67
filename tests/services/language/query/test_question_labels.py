"""The labelled questions are well formed, and their halves follow the hash."""

import hashlib
import json
from collections import Counter, defaultdict
from pathlib import Path
from typing import Any

import pytest

FOLDER = Path(__file__).parents[3] / "data" / "query_types"
QUESTIONS = FOLDER / "questions.jsonl"
FRESH = FOLDER / "fresh.jsonl"
THIRD = FOLDER / "third.jsonl"
LANGUAGES = ("en", "de", "fr", "es")
TYPES = (
    "FACTUAL",
    "RELATIONAL",
    "COMPARATIVE",
    "EXPLORATORY",
    "PROCEDURAL",
    "ANALYTICAL",
    "UNKNOWN",
)
REQUIRED = {"id", "language", "question", "type", "half"}
OPTIONAL = {"exhaustive", "database_meta", "conditional", "temporal"}


def digest(question: str) -> str:
    return hashlib.sha256(question.encode("utf-8")).hexdigest()


def plain(question: str) -> str:
    """The question without case, spacing and punctuation."""
    return "".join(character for character in question.casefold() if character.isalnum())


@pytest.fixture(scope="module")
def records() -> list[dict[str, Any]]:
    lines = QUESTIONS.read_text(encoding="utf-8").splitlines()
    return [json.loads(line) for line in lines]


def test_fields(records: list[dict[str, Any]]) -> None:
    for record in records:
        assert record.keys() >= REQUIRED, record
        assert record.keys() <= REQUIRED | OPTIONAL, record
        assert record["language"] in LANGUAGES, record
        assert record["type"] in TYPES, record
        assert record["question"] and record["question"] == record["question"].strip(), record
        assert all(record[label] is True for label in OPTIONAL & record.keys()), record


def test_counts(records: list[dict[str, Any]]) -> None:
    languages = Counter(record["language"] for record in records)
    cells = Counter((record["language"], record["type"]) for record in records)
    for language in LANGUAGES:
        assert languages[language] >= 80
        for query_type in TYPES:
            assert cells[language, query_type] >= 9, (language, query_type)


def test_ids_and_questions_are_unique(records: list[dict[str, Any]]) -> None:
    assert max(Counter(record["id"] for record in records).values()) == 1
    assert max(Counter(plain(record["question"]) for record in records).values()) == 1
    for record in records:
        assert record["id"] == f"{record['language']}-{digest(record['question'])[:8]}"


def test_lines_are_in_the_order_of_the_hash(records: list[dict[str, Any]]) -> None:
    keys = [(LANGUAGES.index(record["language"]), digest(record["question"])) for record in records]
    assert keys == sorted(keys)


def test_halves_alternate_by_hash(records: list[dict[str, Any]]) -> None:
    cells: dict[tuple[str, str], list[dict[str, Any]]] = defaultdict(list)
    for record in records:
        cells[record["language"], record["type"]].append(record)
    for cell in cells.values():
        cell.sort(key=lambda record: digest(record["question"]))
        expected = [("dev", "held")[place % 2] for place in range(len(cell))]
        assert [record["half"] for record in cell] == expected


def test_additional_labels_go_with_the_types_of_the_guide(records: list[dict[str, Any]]) -> None:
    for record in records:
        if "database_meta" in record:
            assert record["type"] == "FACTUAL", record
            assert "exhaustive" not in record, record
        if record["type"] == "UNKNOWN":
            assert not OPTIONAL & record.keys(), record


def test_every_language_has_every_additional_label(records: list[dict[str, Any]]) -> None:
    found = Counter((record["language"], label) for record in records for label in record)
    for language in LANGUAGES:
        for label in OPTIONAL:
            assert found[language, label] >= 3, (language, label)


@pytest.fixture(scope="module")
def fresh() -> list[dict[str, Any]]:
    return [json.loads(line) for line in FRESH.read_text(encoding="utf-8").splitlines()]


def test_questions_of_the_third_set_are_well_formed(records: list[dict[str, Any]]) -> None:
    third = [json.loads(line) for line in THIRD.read_text(encoding="utf-8").splitlines()]
    assert {record["type"] for record in third} == set(TYPES)
    for record in third:
        assert record.keys() == REQUIRED, record
        assert record["id"] == f"{record['language']}-{digest(record['question'])[:8]}"
    assert not {record["id"] for record in third} & {record["id"] for record in records}


def test_fresh_questions_are_well_formed(fresh: list[dict[str, Any]]) -> None:
    assert {record["language"] for record in fresh} == set(LANGUAGES)
    assert {record["type"] for record in fresh} == set(TYPES)
    for record in fresh:
        assert record.keys() == REQUIRED, record
        assert record["id"] == f"{record['language']}-{digest(record['question'])[:8]}"


def test_halves_of_the_fresh_questions_follow_the_hash(fresh: list[dict[str, Any]]) -> None:
    for record in fresh:
        even = int(digest(record["question"])[0], 16) % 2 == 0
        assert record["half"] == ("first" if even else "second"), record["id"]


def test_fresh_questions_are_not_among_the_others(
    fresh: list[dict[str, Any]], records: list[dict[str, Any]]
) -> None:
    ids = [record["id"] for record in fresh]
    assert len(set(ids)) == len(ids)
    assert not set(ids) & {record["id"] for record in records}
