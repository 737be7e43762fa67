"""What holds for the chunks of any text, whatever its sections and however tokens count."""

from collections.abc import Callable
from itertools import pairwise

from hypothesis import given, settings
from hypothesis import strategies as st

from services.ingestion.chunk import chunk_paragraphs, heading_prefix
from services.types import ChunkSpan, ParsedDocument, SectionSpan

MAX_TOKENS = 450
COUNTS: list[Callable[[str], int]] = [len, lambda text: len(text) // 3, lambda t: len(t.split())]

word = st.one_of(
    st.sampled_from(
        ["der", "Strahlenschutz", "Abs.", "1.", "z. B.", "a)", "ist.", "(2)", "|", "§"]
    ),
    st.text(st.characters(blacklist_categories=["Cs", "Cc"]), min_size=1, max_size=12),
)
line = st.lists(word, min_size=1, max_size=60).map(" ".join)
body = st.lists(st.tuples(line, st.sampled_from(["\n", "\n\n", " ", "\n \n"])), max_size=12).map(
    lambda parts: "".join(text + end for text, end in parts)
)
title = st.text(st.sampled_from("§ 12aAbc."), min_size=1, max_size=30).filter(str.strip)


@st.composite
def documents(draw: st.DrawFn) -> ParsedDocument:
    """Documents with text before the first section, empty sections and sections of any level."""
    text = draw(body)
    spans: list[SectionSpan] = []
    for _ in range(draw(st.integers(0, 5))):
        heading = " ".join(draw(title).split())
        start = len(text)
        text += f"{heading}\n\n{draw(body)}\n\n"
        outer = tuple("Outer" for _ in range(draw(st.integers(0, 2))))
        spans.append(
            SectionSpan(
                label=draw(st.sampled_from(["", "§ 1", "3.2"])),
                title=heading,
                level=len(outer),
                start=start,
                end=len(text),
                heading_path=(*outer, heading),
            )
        )
    borders = draw(st.lists(st.integers(0, len(text)), max_size=3))
    return ParsedDocument(
        title=draw(st.sampled_from(["", "Law"])),
        text=text,
        pages=(0, *sorted(borders)) if borders else (),
        sections=tuple(spans),
        language="de",
        parser_version="1",
    )


def chunked(parsed: ParsedDocument, count: Callable[[str], int], target: int) -> list[ChunkSpan]:
    return chunk_paragraphs(parsed, count_tokens=count, max_tokens=MAX_TOKENS, target_chars=target)


def letters(text: str) -> str:
    return "".join(character for character in text if character.isalnum())


given_all = given(documents(), st.sampled_from(COUNTS), st.sampled_from([80, 400, 1000]))


@settings(max_examples=60, deadline=None)
@given_all
def test_every_character_lies_in_one_chunk(
    parsed: ParsedDocument, count: Callable[[str], int], target: int
) -> None:
    chunks = chunked(parsed, count, target)
    assert all(above.end <= below.start for above, below in pairwise(chunks))
    covered = [False] * len(parsed.text)
    for chunk in chunks:
        covered[chunk.start : chunk.end] = [True] * (chunk.end - chunk.start)
    for section in parsed.sections:
        if letters(parsed.text[section.start : section.end]) == letters(section.title):
            covered[section.start : section.end] = [True] * (section.end - section.start)
    left_out = [c for c, done in zip(parsed.text, covered, strict=True) if not done]
    assert "".join(left_out).strip() == ""


@settings(max_examples=40, deadline=None)
@given_all
def test_chunks_are_trimmed_and_keep_to_their_section(
    parsed: ParsedDocument, count: Callable[[str], int], target: int
) -> None:
    for chunk in chunked(parsed, count, target):
        text = parsed.text[chunk.start : chunk.end]
        assert text and text == text.strip()
        home = [s for s in parsed.sections if s.start <= chunk.start < s.end]
        assert chunk.section == (home[0].label if home else "")
        assert chunk.heading_path == (home[0].heading_path if home else ())
        first = parsed.sections[0].start if parsed.sections else len(parsed.text)
        assert chunk.end <= (home[0].end if home else first)


@settings(max_examples=40, deadline=None)
@given_all
def test_chunks_fit_the_embedder(
    parsed: ParsedDocument, count: Callable[[str], int], target: int
) -> None:
    for chunk in chunked(parsed, count, target):
        prefix = heading_prefix(chunk.heading_path, parsed.title)
        assert count(prefix + parsed.text[chunk.start : chunk.end]) <= MAX_TOKENS


@settings(max_examples=40, deadline=None)
@given_all
def test_pages_are_those_of_the_first_and_last_character(
    parsed: ParsedDocument, count: Callable[[str], int], target: int
) -> None:
    for chunk in chunked(parsed, count, target):
        if not parsed.pages:
            assert chunk.page is chunk.page_end is None
        else:
            assert chunk.page == sum(start <= chunk.start for start in parsed.pages)
            assert chunk.page_end == sum(start < chunk.end for start in parsed.pages)
