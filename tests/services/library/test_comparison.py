"""Two versions of a document beside each other."""

import time
from random import Random

from hypothesis import given
from hypothesis import strategies as st

from services.domain import ParsedDocument, SectionSpan
from services.library.comparison import SectionChange, compare

WORDS = st.lists(st.sampled_from(["Grenzwert", "gilt", "nicht", "1", "mSv"]), max_size=8)
LAWS = st.lists(st.tuples(st.sampled_from(["§ 1", "§ 2", "§ 3"]), WORDS), max_size=5)


def law(*sections: tuple[str, str], preamble: str = "") -> ParsedDocument:
    text, spans = preamble, []
    for heading, body in sections:
        start = len(text)
        text += f"{heading}\n{body}\n\n"
        label = heading[:3]
        spans.append(
            SectionSpan(
                label=label,
                title=heading,
                level=0,
                start=start,
                end=len(text),
                heading_path=(heading,),
            )
        )
    return ParsedDocument(
        title="G", text=text, pages=(), sections=tuple(spans), language="de", parser_version="1"
    )


def marked(change: SectionChange) -> tuple[list[str], list[str]]:
    old, new = ([p.text.strip() for p in side if p.marked] for side in (change.old, change.new))
    return old, new


def test_a_changed_figure_is_marked_on_both_sides_and_the_rest_stays_out() -> None:
    old = law(("§ 1 Zweck", "Dient dem Schutz."), ("§ 2 Grenzwert", "Er beträgt 85 Dezibel."))
    new = law(("§ 1 Zweck", "Dient  dem\nSchutz."), ("§ 2 Grenzwert", "Er beträgt 80 Dezibel."))
    (change,) = compare(old, new)
    assert change.kind == "changed" and change.section.label == "§ 2"
    assert marked(change) == (["85"], ["80"])


def test_sections_that_are_new_gone_moved_or_named_anew() -> None:
    old = law(("§ 1 Zweck", "a"), ("§ 2 Maß", "b"), ("§ 3 Strafe", "c"), ("§ 4 Ende", "d"))
    new = law(("§ 4 Ende", "d"), ("§ 1 Zweck", "a"), ("§ 2 Grenzwert", "b"), ("§ 5 Kosten", "e"))
    kinds = {change.section.label: change.kind for change in compare(old, new)}
    assert kinds == {"§ 2": "changed", "§ 3": "removed", "§ 5": "added"}


def test_what_stands_before_the_first_heading_counts() -> None:
    sections = ("§ 1 Zweck", "a")
    (change,) = compare(law(sections, preamble="Vom 1. Mai\n"), law(sections, preamble="Neu\n"))
    assert change.kind == "changed" and change.section.label == ""


def test_a_piece_ends_where_the_other_side_has_more() -> None:
    (change,) = compare(law(("§ 1", "a b c d")), law(("§ 1", "a b X c d")))
    assert [piece.text.split() for piece in change.old] == [["§", "1", "a", "b"], ["c", "d"]]
    assert marked(change) == ([], ["X"])


def test_a_long_text_without_headings_does_not_take_the_square_of_its_length() -> None:
    chance = Random(7)
    kinds = range(1, 5001)
    words = [f"w{n}" for n in chance.choices(kinds, [1 / n for n in kinds], k=100_000)]
    changed = list(words)
    for place in range(0, len(words), 300):
        changed[place] = "neu"
    old, new = (law(preamble=" ".join(side)) for side in (words, changed))
    started = time.process_time()
    (change,) = compare(old, new)
    assert time.process_time() - started < 3.0
    assert 334 <= len(" ".join(marked(change)[1]).split()) < 400


@given(LAWS, LAWS)
def test_each_side_is_the_section_itself_and_nothing_is_told_twice_or_left_out(
    first: list[tuple[str, list[str]]], second: list[tuple[str, list[str]]]
) -> None:
    old, new = (law(*((h, " ".join(body)) for h, body in each)) for each in (first, second))
    changes = compare(old, new)
    for change in changes:
        for section, side in ((change.before, change.old), (change.after, change.new)):
            assert "".join(piece.text for piece in side) == (section.text if section else "")
    for parsed, other, sides in (
        (old, new, [change.before for change in changes]),
        (new, old, [change.after for change in changes]),
    ):
        told = [each.start for each in sides if each]
        texts = {" ".join(other.text[s.start : s.end].split()) for s in other.sections}
        news = [
            s.start
            for s in parsed.sections
            if " ".join(parsed.text[s.start : s.end].split()) not in texts
        ]
        assert sorted(told) == news
