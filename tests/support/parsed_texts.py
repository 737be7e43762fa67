"""Hypothesis: parsed documents of any text, sections and pages, and ways to count tokens."""

from collections.abc import Callable

from hypothesis import strategies as st

from services.domain import ParsedDocument, SectionSpan

COUNTS: list[Callable[[str], int]] = [len, lambda text: len(text) // 3, lambda t: len(t.split())]

word = st.one_of(
    st.sampled_from(
        ["der", "Strahlenschutz", "Abs.", "1.", "z. B.", "a)", "ist.", "(2)", "|", "§"]
    ),
    st.text(st.characters(blacklist_categories=["Cs", "Cc"]), min_size=1, max_size=12),
)
line = st.one_of(
    st.lists(word, min_size=1, max_size=60).map(" ".join),
    st.sampled_from(["---", "* * *", "Zweiter Teil", "## Next", "x" * 700]),
)
body = st.lists(
    st.tuples(line, st.sampled_from(["\n", "\n\n", " ", "\n \n", "\n\n\n\n"])), max_size=12
).map(lambda parts: "".join(text + end for text, end in parts))
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
