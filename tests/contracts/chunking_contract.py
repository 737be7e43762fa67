"""What holds for the chunks of every strategy. Subclass and name the ``strategy``."""

from collections.abc import Callable
from itertools import pairwise
from typing import NamedTuple

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from services.domain import Chunking, ChunkSpan, ChunkStrategy, ParsedDocument, SectionSpan
from services.domain.errors import InvalidInput
from services.ingestion.chunking import chunk, heading_prefix
from tests.support.parsed_texts import COUNTS, documents

MAX_TOKENS = 450
Count = Callable[[str], int]

any_text = given(
    parsed=documents(), count=st.sampled_from(COUNTS), size=st.sampled_from([80, 400, 1000])
)
quick = settings(max_examples=25, suppress_health_check=[HealthCheck.differing_executors])


class Counting(NamedTuple):
    """An embedder as far as chunks are cut for it."""

    count_tokens: Count
    max_tokens: int = 512


def chunking(strategy: ChunkStrategy, size: int, overlap: int) -> Chunking:
    """Settings that may be smaller than a user's, for short texts."""
    return Chunking.model_construct(strategy=strategy, size=size, overlap=overlap)


class ChunkingContract:
    strategy: ChunkStrategy

    def cut(
        self,
        parsed: ParsedDocument,
        count: Count = len,
        size: int = 1000,
        overlap: int = 0,
        max_tokens: int = MAX_TOKENS,
    ) -> list[ChunkSpan]:
        return chunk(parsed, chunking(self.strategy, size, overlap), Counting(count, max_tokens))

    @quick
    @any_text
    def test_every_character_lies_in_one_chunk(
        self, parsed: ParsedDocument, count: Count, size: int
    ) -> None:
        chunks = self.cut(parsed, count, size)
        assert all(above.end <= below.start for above, below in pairwise(chunks))
        assert left_out(parsed, chunks) == ""

    @quick
    @any_text
    def test_with_an_overlap_every_character_lies_in_some_chunk(
        self, parsed: ParsedDocument, count: Count, size: int
    ) -> None:
        chunks = self.cut(parsed, count, size, overlap=size // 3)
        for above, below in pairwise(chunks):
            assert above.start < below.start and above.end < below.end
        assert left_out(parsed, chunks) == ""

    @quick
    @any_text
    def test_chunks_are_trimmed_and_keep_to_their_section(
        self, parsed: ParsedDocument, count: Count, size: int
    ) -> None:
        for piece in self.cut(parsed, count, size, overlap=size // 5):
            text = parsed.text[piece.start : piece.end]
            assert text and text == text.strip()
            home = [s for s in parsed.sections if s.start <= piece.start < s.end]
            assert piece.section == (home[0].label if home else "")
            assert piece.heading_path == (home[0].heading_path if home else ())
            first = parsed.sections[0].start if parsed.sections else len(parsed.text)
            assert piece.end <= (home[0].end if home else first)

    @quick
    @any_text
    def test_chunks_fit_the_embedder(self, parsed: ParsedDocument, count: Count, size: int) -> None:
        for piece in self.cut(parsed, count, size, overlap=size // 5):
            prefix = heading_prefix(piece.heading_path, parsed.title)
            assert count(prefix + parsed.text[piece.start : piece.end]) <= MAX_TOKENS

    @quick
    @any_text
    def test_pages_are_those_of_the_first_and_last_character(
        self, parsed: ParsedDocument, count: Count, size: int
    ) -> None:
        for piece in self.cut(parsed, count, size):
            if not parsed.pages:
                assert piece.page is piece.page_end is None
            else:
                assert piece.page == sum(start <= piece.start for start in parsed.pages)
                assert piece.page_end == sum(start < piece.end for start in parsed.pages)

    @quick
    @any_text
    def test_the_same_text_gives_the_same_chunks(
        self, parsed: ParsedDocument, count: Count, size: int
    ) -> None:
        assert self.cut(parsed, count, size) == self.cut(parsed, count, size)

    @pytest.mark.parametrize("size", [200, 1000])
    @pytest.mark.parametrize("gap", ["\n", "\n\n"])
    @pytest.mark.parametrize("heading", ["1 A", "Long " * 39 + "heading"])
    def test_a_heading_is_never_left_alone(self, size: int, gap: str, heading: str) -> None:
        parsed = headed(heading, gap + "Some words of a sentence that goes on. " * 40)
        first, *others = self.cut(parsed, size=size, max_tokens=2000)
        assert others
        assert parsed.text[first.start : first.end].startswith(f"{heading}{gap}Some words")

    def test_sections_are_never_mixed(self) -> None:
        one, two = headed("§ 1 A", "\n\nOne."), headed("§ 2 B", "\n\nTwo.", start=15)
        parsed = one.model_copy(
            update={
                "text": one.text.ljust(15, "\n") + two.text,
                "sections": one.sections + two.sections,
            }
        )
        chunks = self.cut(parsed)
        assert [parsed.text[c.start : c.end] for c in chunks] == [
            "§ 1 A\n\nOne.",
            "§ 2 B\n\nTwo.",
        ]

    def test_text_without_any_break_is_cut_too(self) -> None:
        parsed = headed("1 A", "\n\n" + "x" * 5000)
        chunks = self.cut(parsed, size=400, max_tokens=300)
        assert sum(parsed.text[c.start : c.end].count("x") for c in chunks) == 5000
        assert max(c.end - c.start for c in chunks) < 300

    def test_headings_that_leave_no_room_are_reported(self) -> None:
        with pytest.raises(InvalidInput, match="reach the token limit"):
            self.cut(headed("1 A", "\n\nText."), count=lambda text: len(text) + 20, max_tokens=9)

    def test_a_text_of_blanks_gives_no_chunk(self) -> None:
        parsed = headed("A", "").model_copy(update={"text": " \n\n ", "sections": ()})
        assert self.cut(parsed) == []


def headed(heading: str, body: str, start: int = 0) -> ParsedDocument:
    """A document of one section, whose text follows at ``start``."""
    text = heading + body
    section = SectionSpan(
        label=heading[:3],
        title=heading,
        level=0,
        start=start,
        end=start + len(text),
        heading_path=(heading,),
    )
    return ParsedDocument(
        title="Law", text=text, pages=(), sections=(section,), language="en", parser_version="1"
    )


def left_out(parsed: ParsedDocument, chunks: list[ChunkSpan]) -> str:
    """What lies in no chunk, without white space and headings that only introduce others."""
    covered = [False] * len(parsed.text)
    for piece in chunks:
        covered[piece.start : piece.end] = [True] * (piece.end - piece.start)
    for section in parsed.sections:
        if letters(parsed.text[section.start : section.end]) == letters(section.title):
            covered[section.start : section.end] = [True] * (section.end - section.start)
    uncovered = [c for c, done in zip(parsed.text, covered, strict=True) if not done]
    return "".join(uncovered).strip()


def letters(text: str) -> str:
    return "".join(character for character in text if character.isalnum())
