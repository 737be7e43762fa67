"""A question is refused only if nothing is near and its rare words stand nowhere."""

from collections.abc import Iterator

import pytest

from agent.engine.engine import Engine, connect_to
from services.domain import Principal
from services.retrieval.lexical import TantivyIndex
from tests.support.desk import ask, make_services, open_desk

FACTS = """# Lease of flat 7

Rent: 650 euros
Landlord: Cleo Brandt

## House rules

Smoking is banned. Quiet starts at ten.

## Minutes

For Norwick: A. Miller. The gate of the garden is closed. The gate of the yard is open.
"""


@pytest.fixture(scope="module")
def desk(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Engine]:
    folder = tmp_path_factory.mktemp("rare")
    services = make_services(folder / "home", lexical=lambda: TantivyIndex(folder / "words"))
    with connect_to(services, Principal()) as client:
        (folder / "facts.md").write_text(FACTS, encoding="utf-8")
        client.library.ingest([folder / "facts.md"], "facts", language="en")
        yield client


@pytest.mark.parametrize("depth", ["fast", "structured"])
@pytest.mark.parametrize(
    ("question", "shown"),
    [
        # Too short to be quoted as a sentence of its own.
        ("Who is the landlord?", "Landlord: Cleo Brandt"),
        ("May I smoke there?", "Smoking is banned."),
        # A name counts whatever else was asked of it.
        ("Who inked the contract on behalf of Norwick?", "For Norwick: A. Miller."),
    ],
)
def test_a_passage_with_the_rare_words_is_shown(
    desk: Engine, question: str, shown: str, depth: str
) -> None:
    turn = ask(desk, question, depth=depth)
    assert turn["certainty"] == "perhaps" and not turn["refused"]
    assert shown in " ".join(turn["answer"].split())


@pytest.mark.parametrize(
    "question",
    [
        "Who bakes apple pies with cinnamon?",
        # One of many words, and no name, is too little.
        "How do pies rise in a closed oven without yeast?",
    ],
)
def test_what_stands_nowhere_is_refused(desk: Engine, question: str) -> None:
    turn = ask(desk, question)
    assert turn["refused"] and turn["sentences"] == []


def test_a_part_of_a_question_is_missing_only_if_its_words_are(desk: Engine) -> None:
    both = "Who is the landlord? How do volcanoes erupt?"
    turn = ask(desk, both)
    assert "Cleo Brandt" in turn["answer"] and "volcanoes" in turn["closing"]
    assert "landlord" not in turn["closing"]


LIMIT = "Welcher Grenzwert gilt für Beschäftigte unter 18 Jahren"
EXCEPTION = "Welche Ausnahmen kann die Behörde zulassen"
MOON = "Welche Farbe hat der Mond"
COW = "Wie viel Milch gibt eine Kuh"


@pytest.fixture(scope="module")
def law(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Engine]:
    with open_desk(tmp_path_factory.mktemp("parts")) as desk:
        yield desk


@pytest.mark.parametrize("depth", ["fast", "enhanced"])
@pytest.mark.parametrize(
    ("question", "certainty", "missing"),
    [
        (f"{LIMIT}?", "perhaps", ()),
        (f"{LIMIT}? {EXCEPTION}?", "perhaps", ()),
        (f"{LIMIT}? {MOON}?", "perhaps", (MOON,)),
        (f"{MOON}? {LIMIT}?", "perhaps", (MOON,)),
        (f"{MOON}? {COW}?", "refused", ()),
    ],
)
def test_a_part_without_an_answer_is_named_and_spoils_no_other(
    law: Engine, depth: str, question: str, certainty: str, missing: tuple[str, ...]
) -> None:
    turn = ask(law, question, depth=depth)
    assert turn["certainty"] == certainty
    named = turn["answer"].partition("Nicht in den Dokumenten gefunden: ")[2].casefold()
    assert [part for part in (LIMIT, EXCEPTION, MOON, COW) if part.casefold() in named] == list(
        missing
    )
    assert ("70 Dezibel" in turn["answer"]) == (certainty == "perhaps")
