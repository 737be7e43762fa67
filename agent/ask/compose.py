"""The answer as text: sentences with numbers in brackets, for eyes, browsers and ears."""

from collections.abc import Sequence
from html import escape

from agent.ask.models import NumberedCitation, Reply
from agent.context import Context
from agent.sources import place, unproven, with_case
from services.types import Sentence


def numbered(
    sentences: Sequence[Sentence], language: str, context: Context
) -> tuple[NumberedCitation, ...]:
    """Every cited place under a number, in order of first citation."""
    found: dict[tuple[str, int, int], NumberedCitation] = {}
    for citation in (each for sentence in sentences for each in sentence.citations):
        key = (citation.document_id, citation.start, citation.end)
        if key not in found:
            found[key] = NumberedCitation(
                **citation.model_dump(),
                number=len(found) + 1,
                place=place(citation, language, context),
            )
    return tuple(found.values())


def as_text(reply: Reply, citations: Sequence[NumberedCitation], language: str) -> str:
    """Markdown: prose as a paragraph, verbatim sentences as quotes, each with its numbers."""
    if reply.listed:
        return "\n\n".join(
            part for part in (reply.opening, _list(reply, citations), reply.closing) if part
        )
    if any(reply.headings):
        body = _headed(reply, citations, language)
        return "\n\n".join(part for part in (reply.opening, *body, reply.closing) if part)
    prose: list[str] = []
    quotes: list[str] = []
    for sentence in reply.sentences:
        text = f"{with_case(sentence)} {_marks(sentence, citations, language)}"
        (quotes if _verbatim(sentence) else prose).append(text)
    parts = [reply.opening, " ".join(prose), *(f"> {quote}" for quote in quotes), reply.closing]
    return "\n\n".join(part for part in parts if part)


def _headed(reply: Reply, citations: Sequence[NumberedCitation], language: str) -> list[str]:
    """Paragraphs in the order of the reply, each heading once before what stands under it."""
    parts: list[str] = []
    above, running = "", False
    for heading, sentence in zip(reply.headings, reply.sentences, strict=True):
        if heading and heading != above:
            parts.append(f"## {' '.join(heading.split())}")
            running = False
        above = heading
        text = f"{with_case(sentence)} {_marks(sentence, citations, language)}"
        quoted = _verbatim(sentence)
        if running and not quoted:
            parts[-1] = f"{parts[-1]} {text}"
        else:
            parts.append(f"> {text}" if quoted else text)
        running = not quoted
    return parts


def _list(reply: Reply, citations: Sequence[NumberedCitation]) -> str:
    """The places of a reply, one a line."""
    lines = [
        f"- {_place_of(sentence, citations)}{f' ({note})' if note else ''}"
        for sentence, note in zip(reply.sentences, reply.notes, strict=True)
    ]
    return "\n".join(lines)


def _place_of(sentence: Sentence, citations: Sequence[NumberedCitation]) -> str:
    (own,) = sentence.citations
    return next(
        f"{each.place} [{each.number}]"
        for each in citations
        if (each.document_id, each.start, each.end) == (own.document_id, own.start, own.end)
    )


def as_html(reply: Reply, citations: Sequence[NumberedCitation], language: str) -> str:
    """The same as HTML; whatever documents and models wrote is escaped."""
    paragraphs = [("p", line) for line in reply.opening.splitlines()]
    headings = reply.headings or ("",) * len(reply.sentences)
    for heading, before, sentence in zip(headings, ("", *headings), reply.sentences, strict=False):
        if heading and heading != before:
            paragraphs.append(("h3", heading))
        tag = "blockquote" if _verbatim(sentence) else "p"
        paragraphs.append((tag, f"{with_case(sentence)} {_marks(sentence, citations, language)}"))
    paragraphs.append(("p", reply.closing))
    return "".join(
        f"<{tag}>{escape(' '.join(text.split()))}</{tag}>" for tag, text in paragraphs if text
    )


def as_speech(reply: Reply) -> str:
    """The same without numbers and marks."""
    sentences = () if reply.listed else reply.sentences
    told = (f"{sentence.case} {sentence.text}" for sentence in sentences)
    said = [reply.opening, *told, reply.closing]
    return " ".join(" ".join(text.split()) for text in said if text)


def _verbatim(sentence: Sentence) -> bool:
    return any(citation.quote == sentence.text for citation in sentence.citations)


def _marks(sentence: Sentence, citations: Sequence[NumberedCitation], language: str) -> str:
    """``[1][3]``, and what is to be known where these places are no proof."""
    warning = "" if sentence.supported else f"[⚠ {unproven(sentence, language)}]"
    spans = {(c.document_id, c.start, c.end) for c in sentence.citations}
    numbers = [c.number for c in citations if (c.document_id, c.start, c.end) in spans]
    return "".join(f"[{number}]" for number in numbers) + warning
