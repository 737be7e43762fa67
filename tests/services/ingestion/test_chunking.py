"""Chunks: the contract of the four strategies, what sets each apart, and the limits.

What holds for every strategy stands in ``tests.contracts.chunking_contract``.
"""

from collections.abc import Sequence
from functools import partial
from itertools import pairwise

import pytest

from services.domain import ChunkSpan, ParsedDocument, SectionSpan
from services.ingestion.chunking import chunk, heading_prefix
from tests.contracts.chunking_contract import ChunkingContract, Counting, chunking


class TestParagraph(ChunkingContract):
    strategy = "paragraph"


class TestSentence(ChunkingContract):
    strategy = "sentence"


class TestFixed(ChunkingContract):
    strategy = "fixed"


class TestSemantic(ChunkingContract):
    strategy = "semantic"


PARSED = partial(ParsedDocument, title="Law", language="en", parser_version="1")


def words(text: str) -> int:
    return len(text.split())


def document(
    *sections: tuple[str, Sequence[str], str], front: str = "", pages: tuple[int, ...] = ()
) -> ParsedDocument:
    """A document of (label, heading path, body); each section starts with its last heading."""
    text, spans = front, []
    for label, path, body in sections:
        start = len(text)
        text += f"{path[-1]}\n\n{body}\n\n" if body else f"{path[-1]}\n\n"
        spans.append(
            SectionSpan(
                label=label,
                title=path[-1],
                level=len(path) - 1,
                start=start,
                end=len(text),
                heading_path=tuple(path),
            )
        )
    return PARSED(text=text, pages=pages, sections=tuple(spans))


def texts(parsed: ParsedDocument, chunks: Sequence[ChunkSpan]) -> list[str]:
    return [parsed.text[chunk.start : chunk.end] for chunk in chunks]


def paragraphs_of(
    parsed: ParsedDocument, max_tokens: int = 512, size: int = 1000
) -> list[ChunkSpan]:
    return chunk(parsed, chunking("paragraph", size, 200), Counting(words, max_tokens))


def of_section(body: str, **limits: int) -> list[str]:
    """The chunks of a document of one section."""
    parsed = document(("1 A", ["1 A"], body))
    return texts(parsed, paragraphs_of(parsed, **limits))


def cut(text: str, strategy: str, size: int = 400, overlap: int = 0) -> list[str]:
    """The chunks of a text without sections."""
    parsed = PARSED(text=text, pages=(), sections=())
    return texts(parsed, chunk(parsed, chunking(strategy, size, overlap), Counting(words)))


def sentences(count: int, length: int = 12) -> str:
    return " ".join("Word " + "and more " * length + f"in case {n} ends." for n in range(count))


def sentence(length: int, last: str = "end") -> str:
    """A sentence of so many characters."""
    return "Word" + " more" * ((length - 6 - len(last)) // 5) + f" {last}."


def test_paragraphs_of_a_section_are_packed_with_its_heading() -> None:
    parsed = document(("§ 1", ["§ 1 Scope"], "(1) One.\n\n(2) Two."), front="Preamble.\n\n")
    chunks = paragraphs_of(parsed)
    assert texts(parsed, chunks) == ["Preamble.", "§ 1 Scope\n\n(1) One.\n\n(2) Two."]
    labels = [(chunk.section, chunk.heading_path) for chunk in chunks]
    assert labels == [("", ()), ("§ 1", ("§ 1 Scope",))]


ITEMS = ", ".join(f"{n}. the item " + "with words " * 30 for n in range(1, 9))


@pytest.mark.parametrize(
    ("body", "limits", "first"),
    [
        (sentences(1, 400), {"max_tokens": 100}, ("1 A\n\nWord and",)),
        (f"(Fundstelle: X)\n\n{sentences(8)}", {"size": 900}, ("Fundstelle", "case 0")),
        (
            f"(1) (Fundstelle: X)\n\n(2) Prohibited are {ITEMS}.",
            {"max_tokens": 250},
            ("Fundstelle", "2. the item"),
        ),
    ],
)
def test_a_heading_or_a_short_opening_is_not_left_alone(
    body: str, limits: dict[str, int], first: tuple[str, ...]
) -> None:
    assert all(words in of_section(body, **limits)[0] for words in first)


def test_heading_over_subsections_gives_no_chunk_but_an_empty_section_does() -> None:
    parsed = document(
        ("Teil 1", ["Teil 1 A"], ""),
        ("§ 1", ["Teil 1 A", "§ 1 (weggefallen)"], ""),
        ("§ 2", ["Teil 1 A", "§ 2 B"], "Text."),
    )
    found = texts(parsed, paragraphs_of(parsed))
    assert found == ["§ 1 (weggefallen)", "§ 2 B\n\nText."]


def test_pages_of_a_chunk_count_from_one_and_empty_ones_hold_none() -> None:
    pages = (0, 20, len("§ 1 A\n\n" + "one " * 10))
    parsed = document(("§ 1", ["§ 1 A"], "one " * 10 + "two"), pages=pages)
    first = paragraphs_of(parsed)[0]
    assert (first.page, first.page_end) == (1, 3)
    parsed = document(("1", ["1 A"], "Text."), front="First.\n\n", pages=(0, 8, 8))
    assert [chunk.page for chunk in paragraphs_of(parsed)] == [1, 3]
    assert paragraphs_of(document(("1", ["1 A"], "x")))[0].page is None


def test_prefix_names_document_and_headings_and_counts_towards_the_limit() -> None:
    outer, middle, inner = (f"{name} {'x' * 120}" for name in ("outer", "middle", "inner"))
    prefix = heading_prefix((outer, middle, inner), "Law " + "y" * 200)
    assert len(prefix) <= 330 and prefix.startswith("Law y") and "…" in prefix
    assert "inner" in prefix and "outer" not in prefix, "outer headings are given up first"
    path = ("Teil 2 B", "§ 78 Grenzwerte")
    assert heading_prefix(path, "Law (L)") == "Law (L) › Teil 2 B › § 78 Grenzwerte\n"
    assert (heading_prefix((), "Law"), heading_prefix((), "")) == ("Law\n", "")
    found = of_section(sentences(20), max_tokens=60, size=5000)
    assert all(words(heading_prefix(("1 A",), "Law") + text) <= 60 for text in found)


def test_paragraphs_are_packed_up_to_the_size_and_cut_beyond_one_and_a_half_times_it() -> None:
    block = sentence(180)
    assert cut("\n\n".join([block] * 6), "paragraph") == ["\n\n".join([block] * 2)] * 3
    below, above = (" ".join(sentence(95) for _ in range(n)) for n in (6, 7))
    assert 400 < len(below) < 600 < len(above)
    assert cut(f"{below}\n\n{below}\n\n{below}", "paragraph") == [below] * 3
    assert len(cut(f"{above}\n\n{above}\n\n{above}", "paragraph")) > 3


@pytest.mark.parametrize(("paragraphs", "falls_back"), [(1, True), (2, True), (3, False)])
def test_a_very_large_text_of_fewer_than_three_paragraphs_is_cut_by_length(
    paragraphs: int, falls_back: bool
) -> None:
    block = " ".join(sentence(95) for _ in range(60))
    text = "\n\n".join([block] * paragraphs)
    same = cut(text, "paragraph", overlap=80) == cut(text, "fixed", overlap=80)
    assert same == falls_back
    assert cut(text[:3900], "paragraph", overlap=80) != cut(text[:3900], "fixed", overlap=80)


def test_sentences_are_not_cut_and_stay_below_the_size() -> None:
    text = " ".join(sentence(150, f"so{n}") for n in range(9))
    found = cut(text, "sentence")
    assert len(found) > 3 and " ".join(found) == text
    assert all(each.endswith(".") and len(each) <= 400 for each in found)
    text = " ".join(f"Nach § {n} Abs. 2 Satz 1 gilt z. B. der Wert von {n} mSv." for n in range(30))
    found = cut(text, "sentence", size=200)
    assert all(each.endswith("mSv.") for each in found), "an abbreviation ends no sentence"


def test_fixed_chunks_have_the_size_and_share_the_overlap() -> None:
    text = " ".join(f"word{n:04}" for n in range(500))
    found = cut(text, "fixed", size=400, overlap=100)
    assert all(390 <= len(each) <= 400 for each in found[:-1])
    for above, below in pairwise(found):
        shared = next(n for n in range(len(below), -1, -1) if above.endswith(below[:n]))
        assert 90 <= shared <= 100
        assert below.startswith("word") and above[-4:].isdigit()
    assert " ".join(cut(text, "fixed", size=400)) == text


TOPIC = "\n\n".join([sentence(95)] * 2)


@pytest.mark.parametrize("mark", ["\n\n---\n\n", "\n\n* * *\n\n", "\n\n\n\n"])
def test_a_topic_ends_at_a_break(mark: str) -> None:
    first, second = cut(TOPIC + mark + TOPIC, "semantic")
    assert first.startswith(TOPIC) and second == TOPIC
    assert len(cut(TOPIC + mark + TOPIC, "paragraph", size=1000)) == 1


def test_a_topic_starts_with_a_line_that_reads_like_a_heading() -> None:
    for heading in ("Zweiter Abschnitt", "2.1 Results", "## next", "**Next**"):
        found = cut(f"{TOPIC}\n\n{heading}\n\n{TOPIC}", "semantic", size=600)
        assert found == [TOPIC, f"{heading}\n\n{TOPIC}"]
    for line in ("and so on", "Ends here.", "A | B |", "1. Dose,"):
        assert len(cut(f"{TOPIC}\n\n{line}\n\n{TOPIC}", "semantic", size=600)) == 1


def test_scraps_join_their_neighbour_and_long_topics_are_cut_at_paragraphs() -> None:
    assert len(cut(f"Short.\n\n---\n\n{TOPIC}", "semantic")) == 1
    assert len(cut(f"{TOPIC}\n\n---\n\nShort.", "semantic")) == 1
    long = "\n\n".join([sentence(180)] * 5)
    found = cut(f"{TOPIC}\n\n\n\n{long}", "semantic")
    assert len(found) > 2 and found[0] == TOPIC
    assert all(each.endswith("end.") for each in found)
