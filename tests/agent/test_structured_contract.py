"""What ``ask --depth structured --json`` prints has the contract's keys, whatever became of it."""

from collections.abc import Iterator
from typing import Any, Final

import pytest

from agent.engine.engine import Engine
from tests.agent.test_structured import COMPARE, HALF, structured
from tests.support.desk import ask, open_desk

STATUSES: Final = {"covered", "partial", "missing"}
TYPES: Final = {"factual", "comparison", "enumeration", "temporal", "causal"}
PLACE: Final = {"chunk_id", "document_id", "document", "section", "page"}
TIMES: Final = {"decomposition", "retrieval", "critique", "synthesis", "total"}


@pytest.fixture(scope="module")
def desk(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Engine]:
    with open_desk(tmp_path_factory.mktemp("desk") / "home") as client:
        client.library.create_collection("leer")
        client.settings.set_parameter("answerCache", True)
        yield client


def fields_hold(turn: dict[str, Any]) -> None:
    """Asserts names and shapes of everything that the structured depth adds."""
    assert turn["question_type"] in TYPES
    items = [each["item"] for each in turn["required_info"]]
    assert items and set(turn["coverage_map"]) == set(items)
    for each in turn["required_info"]:
        assert each.keys() == {"item", "status", "evidence"} and each["status"] in STATUSES
        assert all(place.keys() >= PLACE for place in each["evidence"])
        assert turn["coverage_map"][each["item"]] == [p["chunk_id"] for p in each["evidence"]]
    assert turn["gaps"] == [e["item"] for e in turn["required_info"] if e["status"] == "missing"]
    for each in turn["sub_queries"]:
        assert each.keys() >= {"query", "target_info"} and each["target_info"] in items
    assert all(each.keys() >= {"name", "kind"} for each in turn["entities"])
    assert 0.0 <= turn["confidence"] <= 1.0
    assert turn["temporal_coverage"] is None or isinstance(turn["temporal_coverage"], str)
    assert set(turn["timings_ms"]) == TIMES
    assert turn["usage"]["model_calls"] == 0 and turn["from_cache"] is False


@pytest.mark.parametrize(
    ("question", "refused"),
    [
        (COMPARE, False),
        (HALF, False),
        ("Wann ist der Lärm zu messen?", False),
        ("Wer backt Apfelkuchen mit Zimt?", True),
    ],
)
def test_searched_questions_have_every_field(desk: Engine, question: str, refused: bool) -> None:
    turn = structured(desk, question)
    fields_hold(turn)
    assert (turn["depth"], turn["refused"]) == ("structured", refused)
    assert turn["sub_queries"] and not (refused and turn["confidence"])


def test_the_same_question_again_has_them_too_and_is_never_recalled(desk: Engine) -> None:
    first, second = structured(desk, COMPARE), structured(desk, COMPARE)
    fields_hold(second)
    assert second["required_info"] == first["required_info"]


@pytest.mark.parametrize(
    ("question", "way"),
    [
        ("Wie viele Dokumente sind in der Sammlung?", "catalog"),
        ("An wie vielen Stellen kommt das Wort Gehörschutz vor?", "scan"),
    ],
)
def test_what_the_catalog_or_the_corpus_answers_has_them_without_passages(
    desk: Engine, question: str, way: str
) -> None:
    turn = structured(desk, question)
    fields_hold(turn)
    assert (turn["way"], turn["sub_queries"], turn["confidence"]) == (way, [], 1.0)


def test_a_collection_without_documents_is_refused_with_every_piece_missing(desk: Engine) -> None:
    turn = ask(desk, COMPARE, collections=["leer"], depth="structured")
    fields_hold(turn)
    assert turn["refused"] and len(turn["gaps"]) == 2 and turn["confidence"] == 0.0
