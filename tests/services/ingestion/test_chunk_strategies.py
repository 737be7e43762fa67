"""The four strategies: the contract of each, and what sets it apart."""

from itertools import pairwise

import pytest

from services.domain import ParsedDocument
from services.ingestion.chunking import chunk
from tests.contracts.chunking_contract import ChunkingContract, headed


class TestParagraph(ChunkingContract):
    strategy = "paragraph"


class TestSentence(ChunkingContract):
    strategy = "sentence"


class TestFixed(ChunkingContract):
    strategy = "fixed"


class TestSemantic(ChunkingContract):
    strategy = "semantic"


def words(text: str) -> int:
    return len(text.split())


def plain(text: str) -> ParsedDocument:
    return headed("A", "").model_copy(update={"text": text, "sections": ()})


def cut(text: str, strategy: str, size: int = 400, overlap: int = 0) -> list[str]:
    spans = chunk(
        plain(text),
        strategy=strategy,  # type: ignore[arg-type]
        count_tokens=words,
        chunk_size=size,
        chunk_overlap=overlap,
    )
    return [text[span.start : span.end] for span in spans]


def sentence(length: int, last: str = "end") -> str:
    """A sentence of so many characters."""
    return "Word" + " more" * ((length - 6 - len(last)) // 5) + f" {last}."


def test_a_paragraph_is_cut_only_beyond_one_and_a_half_times_the_size() -> None:
    below = " ".join(sentence(95) for _ in range(6))
    above = " ".join(sentence(95) for _ in range(7))
    assert 400 < len(below) < 600 < len(above)
    assert cut(f"{below}\n\n{below}\n\n{below}", "paragraph") == [below] * 3
    assert len(cut(f"{above}\n\n{above}\n\n{above}", "paragraph")) > 3


def test_paragraphs_are_packed_up_to_the_size() -> None:
    block = sentence(180)
    found = cut("\n\n".join([block] * 6), "paragraph")
    assert found == ["\n\n".join([block] * 2)] * 3


@pytest.mark.parametrize(("paragraphs", "falls_back"), [(1, True), (2, True), (3, False)])
def test_a_very_large_text_of_fewer_than_three_paragraphs_is_cut_by_length(
    paragraphs: int, falls_back: bool
) -> None:
    block = " ".join(sentence(95) for _ in range(60))
    text = "\n\n".join([block] * paragraphs)
    same = cut(text, "paragraph", overlap=80) == cut(text, "fixed", overlap=80)
    assert same == falls_back
    assert cut(text[:3900], "paragraph", overlap=80) != cut(text[:3900], "fixed", overlap=80)


def test_sentences_stay_whole_and_below_the_size() -> None:
    text = " ".join(sentence(150, f"so{n}") for n in range(9))
    found = cut(text, "sentence")
    assert len(found) > 3
    assert all(each.endswith(".") and len(each) <= 400 for each in found)
    assert " ".join(found) == text


def test_an_abbreviation_ends_no_sentence() -> None:
    text = " ".join(f"Nach § {n} Abs. 2 Satz 1 gilt z. B. der Wert von {n} mSv." for n in range(30))
    assert all(each.endswith("mSv.") for each in cut(text, "sentence", size=200))


def test_fixed_chunks_have_the_size_and_share_the_overlap() -> None:
    text = " ".join(f"word{n:04}" for n in range(500))
    found = cut(text, "fixed", size=400, overlap=100)
    assert all(390 <= len(each) <= 400 for each in found[:-1])
    for above, below in pairwise(found):
        shared = next(n for n in range(len(below), -1, -1) if above.endswith(below[:n]))
        assert 90 <= shared <= 100
        assert below.startswith("word") and above[-4:].isdigit()


def test_fixed_without_overlap_repeats_nothing() -> None:
    text = " ".join(f"word{n:04}" for n in range(500))
    assert " ".join(cut(text, "fixed", size=400)) == text


TOPIC = "\n\n".join([sentence(95)] * 2)


@pytest.mark.parametrize("mark", ["\n\n---\n\n", "\n\n* * *\n\n", "\n\n\n\n"])
def test_a_topic_ends_at_a_break(mark: str) -> None:
    found = cut(TOPIC + mark + TOPIC, "semantic")
    assert len(found) == 2
    assert found[1] == TOPIC
    assert found[0].startswith(TOPIC)
    assert len(cut(TOPIC + mark + TOPIC, "paragraph", size=1000)) == 1


@pytest.mark.parametrize("heading", ["Zweiter Abschnitt", "2.1 Results", "## next", "**Next**"])
def test_a_topic_starts_with_a_line_that_reads_like_a_heading(heading: str) -> None:
    found = cut(f"{TOPIC}\n\n{heading}\n\n{TOPIC}", "semantic", size=600)
    assert found == [TOPIC, f"{heading}\n\n{TOPIC}"]


@pytest.mark.parametrize("line", ["and so on", "Ends here.", "A | B |", "1. Dose,"])
def test_other_short_lines_start_no_topic(line: str) -> None:
    assert len(cut(f"{TOPIC}\n\n{line}\n\n{TOPIC}", "semantic", size=600)) == 1


def test_scraps_join_their_neighbour_and_long_topics_are_cut_at_paragraphs() -> None:
    assert len(cut(f"Short.\n\n---\n\n{TOPIC}", "semantic")) == 1
    assert len(cut(f"{TOPIC}\n\n---\n\nShort.", "semantic")) == 1
    long = "\n\n".join([sentence(180)] * 5)
    found = cut(f"{TOPIC}\n\n\n\n{long}", "semantic")
    assert len(found) > 2 and found[0] == TOPIC
    assert all(each.endswith("end.") for each in found)
