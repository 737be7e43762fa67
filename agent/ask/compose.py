"""The answer as text: sentences with numbers in brackets, for eyes, browsers and ears."""

from collections.abc import Sequence
from html import escape
from typing import Final

from agent.ask.models import NumberedCitation, Reply
from agent.context import Context
from agent.drafting import paragraphs, unproven
from agent.sources import place
from services.domain import CitedSentence, QuoteKey

_TAGS: Final = {"##": "h3", ">": "blockquote"}


def numbered(
    sentences: Sequence[CitedSentence], language: str, context: Context
) -> tuple[NumberedCitation, ...]:
    """Every cited place under a number, in order of first citation."""
    found: dict[QuoteKey, NumberedCitation] = {}
    for citation in (each for sentence in sentences for each in sentence.citations):
        if citation.key not in found:
            found[citation.key] = NumberedCitation(
                **citation.model_dump(),
                number=len(found) + 1,
                place=place(citation, language, context),
            )
    return tuple(found.values())


def as_text(reply: Reply, citations: Sequence[NumberedCitation], language: str) -> str:
    """Markdown: prose as a paragraph, verbatim sentences as quotes, each with its numbers."""
    body = [_list(reply, citations)] if reply.listed else _paragraphs(reply, citations, language)
    return "\n\n".join(part for part in (reply.opening, *body, reply.closing) if part)


def _paragraphs(reply: Reply, citations: Sequence[NumberedCitation], language: str) -> list[str]:
    """In the order of the reply, each heading once before what stands under it."""
    headings = reply.headings or [""] * len(reply.sentences)
    lines = zip(headings, reply.sentences, strict=True)
    return paragraphs(lines, lambda sentence: _marks(sentence, citations, language))


def _list(reply: Reply, citations: Sequence[NumberedCitation]) -> str:
    """The places of a reply, one a line."""
    names = {each.key: f"{each.place} [{each.number}]" for each in citations}
    lines = [
        f"- {names[sentence.citations[0].key]}{f' ({note})' if note else ''}"
        for sentence, note in zip(reply.sentences, reply.notes, strict=True)
    ]
    return "\n".join(lines)


def as_html(reply: Reply, citations: Sequence[NumberedCitation], language: str) -> str:
    """The same as HTML; whatever documents and models wrote is escaped."""
    html = []
    for line in filter(None, as_text(reply, citations, language).splitlines()):
        mark, _, rest = line.partition(" ")
        tag = _TAGS.get(mark, "p")
        html.append(f"<{tag}>{escape(rest if mark in _TAGS else line)}</{tag}>")
    return "".join(html)


def as_speech(reply: Reply) -> str:
    """The same without numbers and marks."""
    sentences = () if reply.listed else reply.sentences
    spoken = (f"{sentence.case} {sentence.text}" for sentence in sentences)
    return " ".join(" ".join([reply.opening, *spoken, reply.closing]).split())


def _marks(sentence: CitedSentence, citations: Sequence[NumberedCitation], language: str) -> str:
    """``[1][3]``, and what is to be known where these places are no proof."""
    warning = "" if sentence.supported else f"[⚠ {unproven(sentence, language)}]"
    places = {each.key for each in sentence.citations}
    numbers = [c.number for c in citations if c.key in places]
    return "".join(f"[{number}]" for number in numbers) + warning
