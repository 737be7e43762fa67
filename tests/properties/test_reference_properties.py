"""Properties of reference detection that hold for every text."""

import re
from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from services.references import detect_references
from services.references.grammar import EXPANDED, expand

FRAGMENTS = (
    *("§ 5", "§§ 6, 7", " bis ", "9a", " Absatz 2", " Satz 1", " und ", " oder ", ", ", ". ", "\n"),
    *(" des Atomgesetzes", " StrlSchG", " der Verordnung (EU) 2017/745", " dieses Gesetzes"),
    *("Anlage 4", " Tabelle 1", "Artikel 3", "section 3.2", " of RFC 9110", "PEP 484", ":pep:`4`"),
    *("https://a.org/b).", "[a](https://b.c)", " in der bis dahin geltenden Fassung", "ISO 9001"),
    *(
        "Gesetz über ",
        "die ",
        "Anlagen ",
        "(",
        ")",
        "`",
        "<",
        ">",
        "1",
        "IV",
        "a",
        "–",
        "\u00ad",
        "\x00",
    ),
)
TEXTS = st.one_of(st.text(max_size=200), st.lists(st.sampled_from(FRAGMENTS)).map("".join))
NUMBERS = st.integers(1, 400)
LETTERS = st.sampled_from(("", "a", "c"))


@given(TEXTS)
def test_spans_are_exact_and_in_order(text: str) -> None:
    references = detect_references(text)
    for reference in references:
        assert text[reference.start : reference.end] == reference.text != ""
        assert reference.target
    starts = [reference.start for reference in references]
    assert starts == sorted(starts)


@given(TEXTS)
def test_spans_are_the_same_or_apart(text: str) -> None:
    spans = sorted({(each.start, each.end) for each in detect_references(text)})
    assert all(first[1] <= second[0] for first, second in pairwise(spans))


@given(TEXTS)
def test_the_type_tells_which_fields_are_set(text: str) -> None:
    for each in detect_references(text):
        if each.type == "external":
            assert (each.label, each.document) == (None, None)
        else:
            assert (each.type == "section") == (each.label is not None)
            assert each.label or each.document


@given(NUMBERS, LETTERS, NUMBERS, NUMBERS, st.sampled_from((None, "Atomgesetzes")))
def test_a_written_citation_is_read_back(
    number: int, letter: str, absatz: int, satz: int, law: str | None
) -> None:
    citation = f"§ {number}{letter} Absatz {absatz} Satz {satz}" + (f" des {law}" if law else "")
    (reference,) = detect_references(f"wie {citation} bestimmt")
    assert reference.text == citation
    assert reference.label == f"§ {number}{letter}"
    assert reference.subdivision == f"Absatz {absatz} Satz {satz}"
    assert reference.document == law


@given(st.lists(st.integers(1, 999), min_size=2, max_size=12, unique=True))
def test_every_number_of_a_list_is_a_label(numbers: list[int]) -> None:
    listed = ", ".join(map(str, numbers[:-1])) + f" und {numbers[-1]}"
    labels = [each.label for each in detect_references(f"die §§ {listed} gelten")]
    assert labels == [f"§ {number}" for number in numbers]


@given(NUMBERS, LETTERS, NUMBERS, LETTERS)
def test_a_range_begins_with_its_first_label_and_grows(
    low: int, low_letter: str, high: int, high_letter: str
) -> None:
    first, last = f"{low}{low_letter}", f"{high}{high_letter}"
    labels = expand(first, last)
    assert labels[0] == first
    assert len(labels) == len(set(labels)) <= EXPANDED
    if high - low < EXPANDED - 4:
        assert labels[-1] == last
    numbers = [int(re.match(r"\d+", label).group()) for label in labels]  # type: ignore[union-attr]
    assert numbers == sorted(numbers) or high < low
