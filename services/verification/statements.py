"""What sentences state, beside their quotes: by rules that can err, so it fails nothing."""

import re
from collections.abc import Sequence
from typing import Final

from services.citations.support import judge
from services.types import ParsedDocument
from services.verification.opening import Opened
from services.verification.reading import ClaimedCitation, ClaimedReport

_AROUND: Final = 3_000
"""Characters before and after a quote in which its conditions may stand."""
_SHOWN: Final = 200
_APART: Final = re.compile(r"\[[^\[\]]*\]|^#+ .*$|^[>*\-]\s", re.MULTILINE)
"""Marks of places, headings, and what begins quotes and items."""
_WORD: Final = re.compile(r"\w{2,}")
_Proof = Sequence[tuple[ClaimedCitation, Opened]]


def stands_in(sentence: str, answer: str) -> bool:
    """Whether the answer that people read has a sentence, whatever its line breaks."""
    return _spaced(sentence) in _spaced(answer)


def says_more(sentence: str, proof: _Proof, language: str) -> str | None:
    """What a sentence states and its quotes do not: numbers, negations, too many words.

    Args:
        sentence: of the answer.
        proof: its citations that hold, with their documents.
        language: of the answer.
    """
    if not proof or any(_spaced(each.quote) == _spaced(sentence) for each, _ in proof):
        return None
    support = judge(
        sentence,
        "\n".join(each.whole for each, _ in proof),
        language,
        sections=[each.section for each, _ in proof],
        documents=[each.document for each, _ in proof],
        context="\n".join(_around(each, opened.parsed) for each, opened in proof),
    ).support
    return None if support.ok else f"its quotes may not carry it: {'; '.join(support.problems)}"


def beyond_sentences(report: ClaimedReport) -> str:
    """Words of the answer that belong to no sentence, heading, mark or gap, shortened."""
    if report.listed or not report.sentences:
        return ""
    ours = (report.opening, report.closing, *report.gaps)
    rest = report.answer
    cases = [c.case.text for each in report.sentences for c in each.citations if c.case]
    sentences = (each.text for each in report.sentences)
    for text in sorted((*ours, *sentences, *cases), key=len, reverse=True):
        if words := text.split():
            rest = re.sub(r"\s+".join(map(re.escape, words)), " ", rest)
    rest = _spaced(_APART.sub(" ", rest))
    return rest[:_SHOWN] if _WORD.search(rest) else ""


def _around(citation: ClaimedCitation, parsed: ParsedDocument | None) -> str:
    """Headings and text around a quote, within its section."""
    if parsed is None:
        return ""
    start, end = max(citation.start - _AROUND, 0), citation.end + _AROUND
    for section in parsed.sections:
        if section.start <= citation.start < section.end:
            start, end = max(start, section.start), min(end, section.end)
            return "\n".join([*section.heading_path, parsed.text[start:end]])
    return parsed.text[start:end]


def _spaced(text: str) -> str:
    return " ".join(text.split())
