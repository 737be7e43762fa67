"""Passages for a model: the budget, the cut, the headings, the neighbours."""

from collections.abc import Callable, Sequence

from hypothesis import given
from hypothesis import strategies as st

from services.domain import Passage
from services.retrieval.context import assemble_context, with_neighbours

HEAD = "Strahlenschutzgesetz, § 78 Grenzwerte, p. 7"


def chunk(
    name: str, text: str, *, start: int = 0, text_id: str = "t", page: int = 7, of: str = "d"
) -> Passage:
    return Passage(
        chunk_id=name, document_id=of, text_id=text_id, document="StrlSchG.pdf",
        title="Strahlenschutzgesetz", page=page or None, section="§ 78",
        heading_path=("§ 78 Grenzwerte",),
        start=start, end=start + len(text), text=text,
    )  # fmt: skip


def words(text: str) -> int:
    return len(text.split())


def test_a_section_is_named_once_and_the_last_passage_ends_with_a_sentence() -> None:
    three = "Der Grenzwert beträgt 20 Millisievert. Er gilt im Jahr. Ausnahmen regelt die Behörde."
    two = "Der Grenzwert beträgt 20 Millisievert. Er gilt im Jahr."
    hits = [chunk("a", three), chunk("b", "Kurz.", page=0, of="e"), chunk("c", three)]
    head = f"=== 1: {HEAD}, 2017-06-27 ==="
    other = "=== 2: Strahlenschutzgesetz, § 78 Grenzwerte ==="
    for budget, context in (
        (100, f"{head}\n{three}\n{three}\n{other}\nKurz."),
        (40, f"{head}\n{three}\n{two}\n{other}\nKurz."),
        (25, f"{head}\n{three}"),
        (5, ""),
    ):
        assert assemble_context(hits, budget, words, {"d": "2017-06-27"}) == context
        assert words(context) <= budget


@given(sizes=st.lists(st.integers(1, 12), max_size=6), budget=st.integers(0, 120))
def test_the_budget_holds_and_order_is_kept(sizes: list[int], budget: int) -> None:
    texts = [" ".join(f"Satz Nummer {i} steht hier." for i in range(size)) for size in sizes]
    context = assemble_context([chunk(str(n), text) for n, text in enumerate(texts)], budget, words)
    complete = "\n".join([f"=== 1: {HEAD} ===", *texts]) if texts else ""
    assert words(context) <= budget
    assert complete.startswith(context) and (not context or context.endswith("hier."))
    assert context == complete or words(context) + words(f"=== 1: {HEAD} ===") + 5 > budget


TEXT = "".join(chr(ord("a") + n % 26) for n in range(200))


def cut(name: str, start: int, end: int) -> Passage:
    return chunk(name, TEXT[start:end], start=start)


def neighbours_in(chunks: Sequence[Passage]) -> Callable[[str], list[Passage]]:
    position = {chunk.chunk_id: n for n, chunk in enumerate(chunks)}
    return lambda name: [
        *chunks[max(0, position[name] - 1) : position[name]],
        *chunks[position[name] + 1 : position[name] + 2],
    ]


def test_neighbours_stand_around_a_hit_once_and_what_overlaps_is_said_once() -> None:
    chunks = [cut(str(n), n * 10, n * 10 + 10) for n in range(6)]
    widened = with_neighbours([chunks[3], chunks[2], chunks[0]], neighbours_in(chunks))
    assert [chunk.chunk_id for chunk in widened] == ["2", "3", "4", "1", "0"]
    chunks = [cut(str(n), n * 10, n * 10 + 15) for n in range(3)]
    widened = with_neighbours([chunks[1]], neighbours_in(chunks))
    assert [(chunk.start, chunk.end) for chunk in widened] == [(0, 15), (15, 25), (25, 35)]
    one, other = cut("1", 0, 10), chunk("2", TEXT[:10], text_id="another")
    assert with_neighbours([one, other], lambda name: []) == [one, other]


@given(st.lists(st.tuples(st.integers(0, 90), st.integers(1, 30)), min_size=1, max_size=8))
def test_no_character_comes_twice(spans: list[tuple[int, int]]) -> None:
    chunks = [cut(str(n), start, start + size) for n, (start, size) in enumerate(sorted(spans))]
    widened = with_neighbours(chunks, neighbours_in(chunks))
    covered = [position for chunk in widened for position in range(chunk.start, chunk.end)]
    assert len(covered) == len(set(covered))
    assert all(TEXT[chunk.start : chunk.end] == chunk.text for chunk in widened)
