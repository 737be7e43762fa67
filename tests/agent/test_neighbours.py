"""What stands around the sections that an answer cites, over a real catalog."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from agent.engine.engine import Engine
from services.domain import Principal
from services.export.neighbourhood import Neighbourhood, sentences
from services.library.relations import neighbourhood_of
from tests.support.desk import ask, open_desk

ORDER = """Verordnung über die Messung von Lärm (LärmV)

§ 1 Messgeräte

(1) Ob der Grenzwert nach § 2 LärmG eingehalten ist, wird mit geeichten Geräten gemessen.

§ 2 Aufzeichnung

(1) Die Messung nach § 99 wird aufgezeichnet.
"""


@pytest.fixture
def owner(tmp_path: Path) -> Iterator[Engine]:
    with open_desk(tmp_path) as client:
        file = tmp_path / "LaermV.txt"
        file.write_text(ORDER, encoding="utf-8")
        client.library.ingest([file], "messung")
        yield client


def around(client: Engine, section: str, *collections: str) -> Neighbourhood:
    """The neighbourhood of one section of the law."""
    law = next(each for each in client.library.documents() if each.document == "LaermG.txt")
    place = {"document_id": law.document_id, "document": law.document, "section": section}
    catalog = client._services.catalog
    scope = catalog.collections.scope(Principal(), collections or None)
    return neighbourhood_of([place], catalog, scope)


def test_references_count_in_either_direction_and_across_documents(owner: Engine) -> None:
    found = around(owner, "§ 2")
    assert found.cited == ("LärmG § 2",)
    assert found.links == (
        ("LärmG § 1", "LärmG § 2"),
        ("LärmG § 2", "LärmG § 3"),
        ("LärmV § 1", "LärmG § 2"),
    )
    assert found.left_out == 0
    assert sentences(found, "en") == [
        "LärmG § 2 refers to LärmG § 3.",
        "LärmG § 1, LärmV § 1 refer to LärmG § 2.",
    ]


def test_what_may_not_be_read_is_not_there(owner: Engine) -> None:
    assert len(around(owner, "§ 2", "laerm").links) == 2
    elsewhere = around(owner, "§ 2", "messung")
    assert elsewhere.cited == ("LaermG § 2",) and not elsewhere.links


def test_a_section_without_references_stands_alone(owner: Engine) -> None:
    found = around(owner, "§ 4")
    assert found.cited == ("LärmG § 4",) and sentences(found, "de") == []


def test_an_answer_has_the_neighbourhood_of_what_it_cites(owner: Engine) -> None:
    turn = ask(owner, "Welcher Grenzwert gilt für Beschäftigte?", collections=["laerm"])
    found = owner.answers.neighbourhood(turn["thread_id"], 1)
    assert found.cited == ("LärmG § 2",) and len(found.links) == 2
    assert owner.answers.neighbourhood(turn["thread_id"], 2).cited == ()
