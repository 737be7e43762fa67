"""Passages for a model: the budget, the cut, the headings, the neighbours."""

from collections.abc import Callable, Sequence

from hypothesis import given
from hypothesis import strategies as st

from services.domain import Passage
from services.retrieval.context import assemble_context, with_neighbours

THREE = "Der Grenzwert beträgt 20 Millisievert. Er gilt im Jahr. Ausnahmen regelt die Behörde."


def chunk(
    name: str, text: str = THREE, *, start: int = 0, page: int | None = 7, text_id: str = "t"
) -> Passage:
    return Passage(
        chunk_id=name, document_id="d", text_id=text_id, document="StrlSchG.pdf",
        title="Strahlenschutzgesetz", page=page, section="§ 78", heading_path=("§ 78",),
        start=start, end=start + len(text), text=text,
    )  # fmt: skip


def words(text: str) -> int:
    return len(text.split())


HEAD = "Strahlenschutzgesetz, § 78, p. 7"


def test_a_passage_says_where_it_stands() -> None:
    context = assemble_context([chunk("a"), chunk("b", "Kurz.", page=None)], 100, words)
    assert context == f"[1] {HEAD}\n{THREE}\n\n[2] Strahlenschutzgesetz, § 78\nKurz."


def test_the_last_passage_ends_with_a_sentence() -> None:
    context = assemble_context([chunk("a"), chunk("b"), chunk("c", "Kurz.")], 35, words)
    beginning = "Der Grenzwert beträgt 20 Millisievert. Er gilt im Jahr."
    assert context == f"[1] {HEAD}\n{THREE}\n\n[2] {HEAD}\n{beginning}"
    assert words(context) <= 35


def test_what_has_no_room_for_a_sentence_is_left_out() -> None:
    assert assemble_context([chunk("a"), chunk("b")], 20, words) == f"[1] {HEAD}\n{THREE}"
    assert assemble_context([chunk("a")], 5, words) == assemble_context([], 5, words) == ""


@given(sizes=st.lists(st.integers(1, 12), max_size=6), budget=st.integers(0, 120))
def test_the_budget_holds_and_order_is_kept(sizes: list[int], budget: int) -> None:
    texts = [" ".join(f"Satz Nummer {i} steht hier." for i in range(size)) for size in sizes]
    context = assemble_context([chunk(str(n), text) for n, text in enumerate(texts)], budget, words)
    whole = "\n\n".join(f"[{n}] {HEAD}\n{text}" for n, text in enumerate(texts, 1))
    assert words(context) <= budget
    assert whole.startswith(context) and (not context or context.endswith("hier."))
    if words(whole) <= budget:
        assert context == whole
    else:
        assert words(context) + len(f"[1] {HEAD}".split()) + 5 > budget


TEXT = "".join(chr(ord("a") + n % 26) for n in range(200))


def cut(name: str, start: int, end: int) -> Passage:
    return chunk(name, TEXT[start:end], start=start)


def beside(chunks: Sequence[Passage]) -> Callable[[str], list[Passage]]:
    place = {each.chunk_id: n for n, each in enumerate(chunks)}
    return lambda name: [
        *chunks[max(0, place[name] - 1) : place[name]],
        *chunks[place[name] + 1 : place[name] + 2],
    ]


def test_neighbours_stand_around_a_hit_once() -> None:
    chunks = [cut(str(n), n * 10, n * 10 + 10) for n in range(6)]
    widened = with_neighbours([chunks[3], chunks[2], chunks[0]], beside(chunks))
    assert [each.chunk_id for each in widened] == ["2", "3", "4", "1", "0"]


def test_what_overlaps_is_said_once() -> None:
    chunks = [cut(str(n), n * 10, n * 10 + 15) for n in range(3)]
    widened = with_neighbours([chunks[1]], beside(chunks))
    assert [(each.start, each.end) for each in widened] == [(0, 15), (15, 25), (25, 35)]
    assert "".join(each.text for each in widened) == TEXT[:35]


@given(st.lists(st.tuples(st.integers(0, 90), st.integers(1, 30)), min_size=1, max_size=8))
def test_no_character_comes_twice(spans: list[tuple[int, int]]) -> None:
    chunks = [cut(str(n), start, start + size) for n, (start, size) in enumerate(sorted(spans))]
    widened = with_neighbours(chunks, beside(chunks))
    covered = [position for each in widened for position in range(each.start, each.end)]
    assert len(covered) == len(set(covered))
    assert all(TEXT[each.start : each.end] == each.text for each in widened)


def test_texts_do_not_shadow_each_other() -> None:
    one, other = cut("1", 0, 10), chunk("2", TEXT[:10], text_id="u")
    assert with_neighbours([one, other], lambda name: []) == [one, other]
