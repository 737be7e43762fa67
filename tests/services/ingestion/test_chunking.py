"""Chunks: whole paragraphs of one section, pages, and what happens at the limits."""

from collections.abc import Sequence

import pytest

from services.domain import ChunkSpan, ParsedDocument, SectionSpan
from services.ingestion.chunking import chunk, heading_prefix
from services.ingestion.packing import TokenBudget


def words(text: str) -> int:
    return len(text.split())


def document(
    *sections: tuple[str, Sequence[str], str], front: str = "", pages: tuple[int, ...] = ()
) -> ParsedDocument:
    """A document of (label, heading path, body); each section starts with its last heading."""
    text = front
    spans = []
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
    return ParsedDocument(
        title="Law",
        text=text,
        pages=pages,
        sections=tuple(spans),
        language="en",
        parser_version="1",
    )


def texts(parsed: ParsedDocument, chunks: Sequence[ChunkSpan]) -> list[str]:
    return [parsed.text[chunk.start : chunk.end] for chunk in chunks]


def sentences(count: int, length: int = 12) -> str:
    return " ".join("Word " + "and more " * length + f"in case {n} ends." for n in range(count))


def test_paragraphs_of_a_section_are_packed_with_its_heading() -> None:
    parsed = document(("§ 1", ["§ 1 Scope"], "(1) One.\n\n(2) Two."), front="Preamble.\n\n")
    chunks = chunk(parsed, count_tokens=words)
    assert texts(parsed, chunks) == ["Preamble.", "§ 1 Scope\n\n(1) One.\n\n(2) Two."]
    assert [(chunk.section, chunk.heading_path) for chunk in chunks] == [
        ("", ()),
        ("§ 1", ("§ 1 Scope",)),
    ]


def test_target_is_kept_by_whole_paragraphs() -> None:
    body = "\n\n".join(sentences(1, 30) for _ in range(6))
    parsed = document(("1", ["1 A"], body))
    chunks = chunk(parsed, count_tokens=words, chunk_size=600)
    lengths = [chunk.end - chunk.start for chunk in chunks]
    assert len(chunks) == 3
    assert max(lengths) <= 1.25 * 600
    assert all(text.endswith("case 0 ends.") for text in texts(parsed, chunks))


def test_long_paragraph_is_cut_after_sentences() -> None:
    parsed = document(("1", ["1 A"], sentences(12)))
    found = texts(parsed, chunk(parsed, count_tokens=words, chunk_size=400))
    assert len(found) > 2
    assert all(text.endswith(".") for text in found)
    assert all(text.startswith("Word") for text in found[1:])


def test_sentence_beyond_the_limit_is_cut_at_its_items() -> None:
    items = ", ".join(f"{n}. the item " + "with words " * 30 for n in range(1, 6))
    parsed = document(("1", ["1 A"], f"(1) Prohibited are {items}."))
    found = texts(parsed, chunk(parsed, count_tokens=words, max_tokens=150))
    assert len(found) > 2
    assert all(text[:2] in ("2.", "3.", "4.", "5.") for text in found[1:])


def test_heading_stays_with_its_first_words_when_they_are_cut() -> None:
    parsed = document(("1", ["1 A"], sentences(1, 400)))
    first = texts(parsed, chunk(parsed, count_tokens=words, max_tokens=100))[0]
    assert first.startswith("1 A\n\nWord and")


def test_short_opening_is_not_left_alone() -> None:
    parsed = document(("A 1", ["Anlage 1"], f"(Fundstelle: X)\n\n{sentences(8)}"))
    first = texts(parsed, chunk(parsed, count_tokens=words, chunk_size=900))[0]
    assert "Fundstelle" in first and "case 0" in first


def test_short_opening_is_not_left_alone_before_a_sentence_beyond_the_limit() -> None:
    items = ", ".join(f"{n}. the item " + "with words " * 30 for n in range(1, 9))
    parsed = document(("A 1", ["Anlage 1"], f"(1) (Fundstelle: X)\n\n(2) Prohibited are {items}."))
    first = texts(parsed, chunk(parsed, count_tokens=words, max_tokens=250))[0]
    assert "Fundstelle" in first and "2. the item" in first


def test_heading_over_subsections_gives_no_chunk_but_an_empty_section_does() -> None:
    parsed = document(
        ("Teil 1", ["Teil 1 A"], ""),
        ("§ 1", ["Teil 1 A", "§ 1 (weggefallen)"], ""),
        ("§ 2", ["Teil 1 A", "§ 2 B"], "Text."),
    )
    chunks = chunk(parsed, count_tokens=words)
    assert texts(parsed, chunks) == ["§ 1 (weggefallen)", "§ 2 B\n\nText."]


@pytest.mark.parametrize(
    ("text", "borders", "chunks"),
    [
        ("Rules\n=====\n\nOne\n---\n\nText.\n", (0, 13), ["One\n---\n\nText."]),
        ("Text\n\n", (0, 4), ["Text"]),
    ],
)
def test_a_section_without_text_of_its_own_gives_no_chunk(
    text: str, borders: tuple[int, int], chunks: list[str]
) -> None:
    names, ends = ("Rules", "One"), (borders[1], len(text))
    spans = tuple(
        SectionSpan(
            label="", title=name, level=n, start=start, end=end, heading_path=names[: n + 1]
        )
        for n, (name, start, end) in enumerate(zip(names, borders, ends, strict=True))
    )
    parsed = ParsedDocument(
        title="T", text=text, pages=(), sections=spans, language="en", parser_version="1"
    )
    assert texts(parsed, chunk(parsed, count_tokens=words)) == chunks


def test_pages_of_a_chunk_count_from_one() -> None:
    text = "§ 1 A\n\n" + "one " * 10
    parsed = document(("§ 1", ["§ 1 A"], "one " * 10 + "two"), pages=(0, 20, len(text)))
    first = chunk(parsed, count_tokens=words)[0]
    assert (first.page, first.page_end) == (1, 3)
    assert chunk(document(("1", ["1 A"], "x")), count_tokens=words)[0].page is None


def test_empty_pages_hold_no_chunk() -> None:
    parsed = document(("1", ["1 A"], "Text."), front="First.\n\n", pages=(0, 8, 8))
    assert [chunk.page for chunk in chunk(parsed, count_tokens=words)] == [1, 3]


def test_prefix_counts_towards_the_limit() -> None:
    parsed = document(("1", ["1 A"], sentences(20)))
    chunks = chunk(parsed, count_tokens=words, max_tokens=60, chunk_size=5000)
    prefix = heading_prefix(("1 A",), "Law")
    assert all(words(prefix + text) <= 60 for text in texts(parsed, chunks))


def test_prefix_names_document_and_headings() -> None:
    assert heading_prefix(("Teil 2 B", "§ 78 Grenzwerte"), "Law (L)") == (
        "Law (L) › Teil 2 B › § 78 Grenzwerte\n"
    )
    assert heading_prefix((), "Law") == "Law\n"
    assert heading_prefix((), "") == ""


def test_long_prefix_gives_up_the_outer_headings_first() -> None:
    path = [f"{name} {'x' * 120}" for name in ("outer", "middle", "inner")]
    prefix = heading_prefix(path, "Law " + "y" * 200)
    assert len(prefix) <= 330
    assert prefix.startswith("Law y")
    assert "…" in prefix
    assert "inner" in prefix and "outer" not in prefix


def test_tokens_are_counted_only_in_doubt() -> None:
    counted: list[str] = []

    def count(text: str) -> int:
        counted.append(text)
        return len(text) // 4

    parsed = document(*((f"§ {n}", [f"§ {n} A"], sentences(7)) for n in range(1, 41)))
    chunks = chunk(parsed, count_tokens=count)
    assert len(chunks) >= 40
    assert 0 < len(counted) < 5


def test_estimate_is_dropped_once_a_count_contradicts_it() -> None:
    prose = "several words in a row " * 40
    budget = TokenBudget(len, 900)
    assert not budget.fits(prose)
    assert not budget.fits(prose)
    trusting = TokenBudget(lambda text: len(text) // 4, 900)
    assert trusting.fits(prose)
