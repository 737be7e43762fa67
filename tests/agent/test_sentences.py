"""Quotes of an answer as its reader gets them."""

from dataclasses import dataclass
from types import SimpleNamespace
from typing import Any

import pytest

from agent.sentences import rank_sentences, readable_alone
from services.domain import Citation, CitedSentence, EvidenceSentence
from services.domain.passages import page_fields

TEXT = """(1) Wer an einem Kessel arbeitet, trägt einen Helm. Der Betreiber kann mehr verlangen, \
wenn der Beschäftigte zustimmt. Die Zustimmung ist schriftlich festzuhalten.

(2) Vor dem Öffnen eines Kessels ist zu prüfen, ob
1. der Druck abgelassen ist,
2. die Zufuhr gesperrt ist.
"""
HELMET = "Wer an einem Kessel arbeitet, trägt einen Helm."
MORE = "Der Betreiber kann mehr verlangen, wenn der Beschäftigte zustimmt."
WRITTEN = "Die Zustimmung ist schriftlich festzuhalten."
RULE = "Kessel sind zu prüfen."
OPERATOR = "Die Prüfung obliegt dem Betreiber eines Werks."
OFFICE = "Von der Prüfung ist ein Bericht an das Amt zu senden."
DUTIES = f"(1) {RULE}\n\n(2) {OPERATOR}\n\n(3) {OFFICE}\n"


@dataclass(frozen=True)
class Texts:
    """One document of one section."""

    body: str = TEXT
    headings: tuple[str, ...] = ("Law", "§ 7 Kessel")
    picture: str = ""
    """Words that were read from one."""

    def text(self, document_id: str) -> str:
        return self.body

    def section_of(self, document_id: str, offset: int) -> tuple[int, int]:
        return 0, len(self.body)

    def parsed(self, document_id: str) -> SimpleNamespace:
        return SimpleNamespace(
            text=self.body,
            sections=[SimpleNamespace(heading_path=self.headings)],
            section_at=lambda offset: 0,
            page_fields=lambda offset: page_fields(3 if offset else 2, ()),
            is_recognised=lambda *span: (
                bool(self.picture) and self.picture in self.body[slice(*span)]
            ),
        )


def quote(words: str, prose: str = "", body: str = TEXT, **changes: object) -> CitedSentence:
    start = body.index(words)
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
    standing = "follows" if prose else "quote"
    return CitedSentence(
        text=prose or words, supported=True, standing=standing, citations=(citation,)
    )


def shown(*sentences: CitedSentence, headings: tuple[str, ...] = ()) -> list[tuple[str, str]]:
    """Case and text of what is shown."""
    lines = readable_alone(sentences, Texts(), headings)
    return [(sentence.case, sentence.text) for _, sentence in lines]


def test_quotes_of_one_paragraph_become_one_with_what_stands_before_it() -> None:
    ((case, text),) = shown(quote(WRITTEN))
    assert text == WRITTEN and case.endswith(f"trägt einen Helm. {MORE}")
    ((case, text),) = shown(quote(WRITTEN), quote(MORE))
    assert text == f"{MORE} {WRITTEN}" and case.endswith("trägt einen Helm.")
    assert len(shown(quote(WRITTEN), quote(MORE), headings=("a", "b"))) == 2


def test_items_of_a_list_become_the_list_once() -> None:
    items = quote("1. der Druck abgelassen ist,"), quote("2. die Zufuhr gesperrt ist.")
    ((case, text),) = shown(*items)
    assert text.startswith("Vor dem Öffnen") and text.endswith("gesperrt ist.") and case == HELMET


def test_prose_keeps_its_words_and_its_citation_gets_the_case() -> None:
    ((_, line),) = readable_alone([quote(WRITTEN, "Es wird notiert.")], Texts())
    case = line.citations[0].case
    assert line.text == "Es wird notiert."
    assert case is not None and case.text.endswith("zustimmt.")


def test_what_is_not_verified_stays_as_it_is() -> None:
    unverified = quote(WRITTEN, verified=False)
    assert readable_alone([unverified], Texts()) == [(0, unverified)]


@pytest.mark.parametrize("words", [MORE, WRITTEN])
def test_every_span_is_verbatim_and_doing_it_twice_changes_nothing(words: str) -> None:
    once = readable_alone([quote(words)], Texts())
    ((_, sentence),) = once
    cited = sentence.citations[0]
    assert TEXT[cited.start : cited.end] == cited.quote
    assert cited.case and TEXT[cited.case.start : cited.case.end] == cited.case.text
    assert readable_alone([sentence], Texts()) == once


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
    ((_, sentence),) = readable_alone([quote(MORE, section=section)], Texts(headings=headings))
    assert sentence.citations[0].section_title == titled


def test_quotes_under_the_same_rule_stay_two() -> None:
    sentences = [quote(words, body=DUTIES) for words in (OPERATOR, OFFICE)]
    found = readable_alone(sentences, Texts(DUTIES))
    assert [sentence.case for _, sentence in found] == [RULE, RULE]


def test_a_quote_is_recognised_text_if_its_case_is() -> None:
    ((_, alone),) = readable_alone([quote(WRITTEN)], Texts(picture=HELMET))  # type: ignore[arg-type]
    assert alone.text == WRITTEN and alone.citations[0].recognised
    ((_, alone),) = readable_alone([quote(WRITTEN)], Texts(picture="Zufuhr"))  # type: ignore[arg-type]
    assert not alone.citations[0].recognised


OWN, OLD = "The delivery is on 20 April.", "The delivery is on 6 April."


def mail_sentence(quote: str, heading: str = "", document_id: str = "mail") -> EvidenceSentence:
    start = len(heading)
    return EvidenceSentence.model_validate(
        {
            **{"document_id": document_id, "document": document_id, "quote": quote},
            **{
                "start": start,
                "end": start + len(quote),
                "heading": heading,
                "context": "",
                "section": "",
                "page": None,
            },
        }
    )


def order_of(scores: dict[str, float], *sentences: EvidenceSentence) -> list[str]:
    judge = SimpleNamespace(scores=lambda _, found, *__: [scores[each.quote] for each in found])
    context: Any = SimpleNamespace(services=SimpleNamespace(judge=judge))
    pairs = [(0.5, each) for each in sentences]
    return [each.quote for _, each in rank_sentences("When?", pairs, "en", context)]


def test_the_author_comes_before_what_the_mail_quotes() -> None:
    quoted = mail_sentence(OLD, "Quoted: Ben, 2 March 2026")
    assert order_of({OLD: 0.9, OWN: 0.7}, quoted, mail_sentence(OWN)) == [OWN, OLD]


def test_a_quote_stays_first_where_the_author_says_nothing_of_it() -> None:
    quoted = mail_sentence(OLD, "Quoted: Ben, 2 March 2026")
    assert order_of({OLD: 0.9, OWN: 0.1}, quoted, mail_sentence(OWN)) == [OLD, OWN]
    other = mail_sentence(OWN, document_id="other")
    assert order_of({OLD: 0.9, OWN: 0.7}, quoted, other) == [OLD, OWN]
