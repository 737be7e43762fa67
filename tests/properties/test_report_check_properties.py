"""No change of a quote's words passes, wherever it is made."""

from hypothesis import given
from hypothesis import strategies as st

from services.domain import ParsedDocument, SectionSpan
from services.report_check.check import problem_of
from services.report_check.report import ClaimedCase, ClaimedCitation
from tests.support.desk import LAW

LETTERS = st.characters(categories=("L", "N"), exclude_characters="")
START = LAW.index("Für Beschäftigte unter 18")
END = LAW.index(" Die Behörde kann")
SECTION = LAW.index("§ 2 Grenzwerte")
PARSED = ParsedDocument(
    title="LärmG",
    text=LAW,
    pages=(0, START - 5, END + 5),
    sections=(SectionSpan(label="§ 2", title="§ 2 Grenzwerte für Beschäftigte", level=0,
                          start=SECTION, end=END + 200, heading_path=("§ 2",)),),
    language="de",
    parser_version="rabbithole-1",
)  # fmt: skip


def cited(quote: str, start: int = START, end: int = END) -> ClaimedCitation:
    return ClaimedCitation(
        document="LaermG.txt",
        document_id="x",
        page=2,
        section="§ 2",
        start=start,
        end=end,
        quote=quote,
    )


QUOTE = LAW[START:END]
PLACES = st.integers(0, len(QUOTE) - 1)


def test_the_quote_itself_holds() -> None:
    assert problem_of(cited(QUOTE), PARSED) is None


@given(PLACES, LETTERS)
def test_another_character_in_place_of_one_fails(place: int, character: str) -> None:
    changed = QUOTE[:place] + character + QUOTE[place + 1 :]
    assert (problem_of(cited(changed), PARSED) is None) == (changed == QUOTE)


@given(st.integers(0, len(QUOTE)), LETTERS)
def test_one_character_more_fails(place: int, character: str) -> None:
    assert problem_of(cited(QUOTE[:place] + character + QUOTE[place:]), PARSED)


@given(PLACES)
def test_one_character_less_fails(place: int) -> None:
    assert problem_of(cited(QUOTE[:place] + QUOTE[place + 1 :]), PARSED)


@given(st.integers(-20, 20), st.integers(-20, 20))
def test_no_other_span_holds_the_quote(left: int, right: int) -> None:
    start, end = START + left, END + right
    same = LAW[start:end].split() == QUOTE.split()
    assert (problem_of(cited(QUOTE, start, end), PARSED) is None) == same


def with_case(text: str, start: int) -> ClaimedCitation:
    case = ClaimedCase(text=text, start=start, end=start + len(text))
    return cited(QUOTE).model_copy(update={"case": case})


def test_words_of_the_section_may_stand_before_the_quote() -> None:
    assert problem_of(with_case(LAW[SECTION : SECTION + 20], SECTION), PARSED) is None


@given(st.integers(0, 19), LETTERS)
def test_another_character_in_the_words_before_the_quote_fails(place: int, letter: str) -> None:
    case = LAW[SECTION : SECTION + 20]
    changed = case[:place] + letter + case[place + 1 :]
    assert (problem_of(with_case(changed, SECTION), PARSED) is None) == (changed == case)


def test_words_of_another_section_may_not_stand_before_the_quote() -> None:
    assert problem_of(with_case(LAW[:20], 0), PARSED)
