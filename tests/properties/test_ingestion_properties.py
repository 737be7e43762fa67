"""No text ends an ingestion: what any file holds goes the whole way, or is named as unreadable."""

from collections.abc import Iterator
from uuid import uuid4

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from agent.engine.engine import Engine
from services.domain import SearchRequest
from tests.support.desk import ask, open_desk

WORDS = st.lists(st.sampled_from(["something", "else", "how", "to", "und", "of-the"]), max_size=5)
HYPHENATED = st.lists(WORDS.map("-".join), max_size=9).map(", ".join)
HASHES = st.binary(min_size=16, max_size=32).map(bytes.hex)
CODE = st.sampled_from(["def f(x): return x[0]\n", "`a.b_c()` @x", "```\nif (a) { b() }\n```"])
TABLES = st.lists(st.integers(), max_size=4).map(lambda row: f"|{'|'.join(map(str, row))}|")
EMOJI = st.text("😀👩‍🔬🏳️‍🌈❤️", max_size=8)
FROM_THE_RIGHT = st.text("שלום مرحبا ‏-", max_size=20)
HEADINGS = st.sampled_from(["# ", "## §", "§ 1 ", "1.2 ", "Anlage 3", "(1) "])
PIECES = st.one_of(
    HYPHENATED, HASHES, CODE, TABLES, EMOJI, FROM_THE_RIGHT, HEADINGS, st.text(max_size=40)
)
TEXTS = st.lists(PIECES, max_size=12).map("\n\n".join) | st.characters(codec="utf-8")


@pytest.fixture(scope="module")
def desk(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Engine]:
    with open_desk(tmp_path_factory.mktemp("texts") / "home") as client:
        yield client


@settings(max_examples=25)
@given(texts=st.lists(TEXTS, min_size=1, max_size=3))
def test_every_text_goes_the_whole_way_or_is_named(
    desk: Engine, tmp_path_factory: pytest.TempPathFactory, texts: list[str]
) -> None:
    folder = tmp_path_factory.mktemp("files")
    for number, text in enumerate(texts):
        name = f"{number}.{('txt', 'md')[number % 2]}"
        (folder / name).write_text(text, encoding="utf-8", newline="")
    collection = uuid4().hex
    report = desk.library.ingest([folder], collection)
    assert len(report.files) == len(texts)
    assert not [each.error for each in report.files if "error in Rabbithole" in str(each.error)]
    assert report.warnings == ()
    for text in texts:
        desk.library.find(SearchRequest(query=text[:500].strip() or "?", collections=(collection,)))


@pytest.mark.parametrize(
    "question", ["Is there a how-to?", "something-else?", "Was ist und-oder?", "?", "😀", "ما هذا"]
)
def test_no_question_ends_an_answer(desk: Engine, question: str) -> None:
    assert ask(desk, question)["turn"]
