"""Quotes of an answer as its reader gets them."""

import pytest

from agent.quoting import readable_alone
from services.domain import CaseSpan, Citation, CitedSentence

TEXT = """(1) Wer an einem Kessel arbeitet, trägt einen Helm. Der Betreiber kann mehr verlangen, \
wenn der Beschäftigte zustimmt. Die Zustimmung ist schriftlich festzuhalten.

(2) Vor dem Öffnen eines Kessels ist zu prüfen, ob
1. der Druck abgelassen ist,
2. die Zufuhr gesperrt ist.
"""
MORE = "Der Betreiber kann mehr verlangen, wenn der Beschäftigte zustimmt."
WRITTEN = "Die Zustimmung ist schriftlich festzuhalten."


class Texts:
    def text(self, document_id: str) -> str:
        return TEXT

    def section_of(self, document_id: str, offset: int) -> tuple[int, int]:
        return 0, len(TEXT)

    def page_of(self, document_id: str, offset: int) -> int | None:
        return 3 if offset else 2

    def headings_of(self, document_id: str, offset: int) -> tuple[str, ...]:
        return "Law", "§ 7 Kessel"


def quote(words: str, text: str = "", **changes: object) -> CitedSentence:
    start = TEXT.index(words)
    citation = Citation(
        document="a.txt",
        document_id="a",
        page=3,
        section="§ 7",
        start=start,
        end=start + len(words),
        quote=words,
        verified=True,
    ).model_copy(update=changes)
    standing = "follows" if text else "quote"
    return CitedSentence(
        text=text or words, supported=True, standing=standing, citations=(citation,)
    )


def shown(*sentences: CitedSentence, headings: tuple[str, ...] = ()) -> list[tuple[str, str]]:
    """Case and text of what is shown."""
    lines = readable_alone(sentences, Texts(), headings)
    return [(sentence.case, sentence.text) for _, sentence in lines]


def test_a_quote_has_what_stands_before_it_in_its_paragraph() -> None:
    case, text = shown(quote(WRITTEN))[0]
    assert text == WRITTEN
    assert case.endswith(f"trägt einen Helm. {MORE}")


def test_quotes_of_one_paragraph_become_one() -> None:
    ((case, text),) = shown(quote(WRITTEN), quote(MORE))
    assert text == f"{MORE} {WRITTEN}"
    assert case.endswith("trägt einen Helm.")


def test_items_of_a_list_become_the_list_once() -> None:
    ((case, text),) = shown(
        quote("1. der Druck abgelassen ist,"), quote("2. die Zufuhr gesperrt ist.")
    )
    assert text.startswith("Vor dem Öffnen") and text.endswith("gesperrt ist.")
    assert case == "Wer an einem Kessel arbeitet, trägt einen Helm."


def test_quotes_under_two_headings_stay_two() -> None:
    assert len(shown(quote(WRITTEN), quote(MORE), headings=("a", "b"))) == 2


def test_prose_keeps_its_words_and_its_citation_gets_the_case() -> None:
    (line,) = readable_alone([quote(WRITTEN, "Es wird notiert.")], Texts())
    assert line[1].text == "Es wird notiert."
    case = line[1].citations[0].case
    assert case is not None and case.text.endswith("zustimmt.")


def test_what_is_not_verified_stays_as_it_is() -> None:
    unverified = quote(WRITTEN, verified=False)
    assert readable_alone([unverified], Texts()) == [(0, unverified)]


@pytest.mark.parametrize("words", [MORE, WRITTEN])
def test_every_span_is_verbatim(words: str) -> None:
    ((_, sentence),) = readable_alone([quote(words)], Texts())
    cited = sentence.citations[0]
    assert TEXT[cited.start : cited.end] == cited.quote
    assert cited.case == CaseSpan(
        text=TEXT[cited.case.start : cited.case.end], start=cited.case.start, end=cited.case.end
    )


def test_doing_it_twice_changes_nothing() -> None:
    once = readable_alone([quote(WRITTEN)], Texts())
    assert readable_alone([once[0][1]], Texts()) == once


@pytest.mark.parametrize(
    ("section", "headings", "titled"),
    [
        ("§ 7", ("Law", "Part 1", "§ 7 Kessel"), "§ 7 Kessel"),
        ("PEP 9", ("PEP 9", "Rejected Ideas", "Signs"), "PEP 9: Rejected Ideas › Signs"),
        ("§ 7", (), "§ 7"),
    ],
)
def test_a_citation_names_what_its_section_is_about(
    section: str, headings: tuple[str, ...], titled: str
) -> None:
    class Headed(Texts):
        def headings_of(self, document_id: str, offset: int) -> tuple[str, ...]:
            return headings

    ((_, sentence),) = readable_alone([quote(MORE, section=section)], Headed())
    assert sentence.citations[0].titled == titled


def test_quotes_under_the_same_rule_stay_two() -> None:
    text = (
        "(1) Kessel sind zu prüfen.\n\n(2) Die Prüfung obliegt dem Betreiber eines Werks.\n\n"
        "(3) Von der Prüfung ist ein Bericht an das Amt zu senden.\n"
    )

    class Law(Texts):
        def text(self, document_id: str) -> str:
            return text

        def section_of(self, document_id: str, offset: int) -> tuple[int, int]:
            return 0, len(text)

    def of(words: str) -> CitedSentence:
        start = text.index(words)
        changes = {"start": start, "end": start + len(words), "quote": words}
        cited = quote(MORE).citations[0].model_copy(update=changes)
        return CitedSentence(text=words, supported=True, standing="quote", citations=(cited,))

    found = readable_alone(
        [
            of("Die Prüfung obliegt dem Betreiber eines Werks."),
            of("Von der Prüfung ist ein Bericht an das Amt zu senden."),
        ],
        Law(),
    )
    assert [sentence.case for _, sentence in found] == ["Kessel sind zu prüfen."] * 2
