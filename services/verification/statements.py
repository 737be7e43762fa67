"""What sentences state, beside their quotes: judged anew, which can err, so it fails nothing."""

import re
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Final

from services.text import normalise
from services.types import PROOF, ParsedDocument
from services.verification.opening import Opened
from services.verification.reading import ClaimedCitation, ClaimedReport

if TYPE_CHECKING:
    from services.evidence import EvidenceSentence, Judge

_AROUND: Final = 3_000
"""Characters before and after a quote in which its conditions may stand."""
_SHOWN: Final = 200
_APART: Final = re.compile(r"\[[^\[\]]*\]|^#+ .*$|^[>*\-]\s", re.MULTILINE)
"""Marks of places, headings, and what begins quotes and items."""
_WORD: Final = re.compile(r"\w{2,}")
_Proof = Sequence[tuple[ClaimedCitation, Opened]]
OpenJudge = Callable[[], "Judge"]
"""Opens the judge of evidence, whose weights are loaded only where a sentence is no quote."""


def stands_in(sentence: str, answer: str) -> bool:
    """Whether the answer that people read has a sentence, whatever its line breaks."""
    return _spaced(sentence) in _spaced(answer)


def is_quote(sentence: str, quotes: Sequence[ClaimedCitation]) -> bool:
    """Whether a sentence has the very words of one of its quotes."""
    return any(normalise(each.quote) == normalise(sentence) for each in quotes)


def says_more(sentence: str, proof: _Proof, language: str, judge: OpenJudge) -> str | None:
    """What a sentence states that its quotes do not, judged as it was when it was written.

    Args:
        sentence: of the answer.
        proof: its citations that hold, with their documents.
        language: of the answer.
        judge: opened where the sentence is no quote.
    """
    if not proof or is_quote(sentence, [each for each, _ in proof]):
        return None
    pool = [_evidence(each, opened.parsed) for each, opened in proof]
    (found,) = judge().claims([sentence], pool, language)
    if found.standing in PROOF:
        return None
    told = "; ".join((found.reason, *found.words))
    if found.standing == "contradicts":
        return f"its quotes say otherwise: {told}"
    return f"its quotes may not carry it: {told}"


def _evidence(citation: ClaimedCitation, parsed: ParsedDocument | None) -> "EvidenceSentence":
    """A citation as the judge reads it."""
    from services.evidence import EvidenceSentence
    from services.types import CaseSpan

    headings, around = _around(citation, parsed)
    case = citation.case
    return EvidenceSentence(
        document_id=citation.document_id,
        document=citation.document,
        section=citation.section,
        page=citation.page,
        start=citation.start,
        end=citation.end,
        text=citation.quote,
        context="\n".join((*headings, around)),
        heading=headings[-1] if headings else "",
        case=CaseSpan(**case.model_dump()) if case else None,
    )


def beyond_sentences(report: ClaimedReport) -> str:
    """Words of the answer that belong to no sentence, heading, mark or gap, shortened."""
    if report.listed or not report.sentences:
        return ""
    cited = [citation for sentence in report.sentences for citation in sentence.citations]
    cases = [each.case.text.rstrip(" ,;:.") for each in cited if each.case]
    ours = (report.opening, report.closing, *report.gaps)
    rest = report.answer
    sentences = (each.text for each in report.sentences)
    for text in sorted((*ours, *sentences, *cases), key=len, reverse=True):
        if words := text.split():
            rest = re.sub(r"\s+".join(map(re.escape, words)), " ", rest)
    rest = _spaced(_APART.sub(" ", rest))
    return rest[:_SHOWN] if _WORD.search(rest) else ""


def _around(
    citation: ClaimedCitation, parsed: ParsedDocument | None
) -> tuple[tuple[str, ...], str]:
    """Headings of a quote and the text around it, within its section."""
    if parsed is None:
        return (), ""
    start, end = max(citation.start - _AROUND, 0), citation.end + _AROUND
    for section in parsed.sections:
        if section.start <= citation.start < section.end:
            start, end = max(start, section.start), min(end, section.end)
            return tuple(section.heading_path), parsed.text[start:end]
    return (), parsed.text[start:end]


def _spaced(text: str) -> str:
    return " ".join(text.split())
