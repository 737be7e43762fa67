"""The answer as text: sentences with numbers in brackets, for eyes, browsers and ears."""

from collections.abc import Sequence
from html import escape
from typing import Final

from agent.ask.models import NumberedCitation, Reply
from agent.context import Context
from agent.sentences import paragraphs, unproven
from agent.sources import cited_location
from services.domain import Citation, CitedSentence, QuoteKey

_TAGS: Final = {"##": "h3", ">": "blockquote"}


def numbered(
    sentences: Sequence[CitedSentence], language: str, context: Context
) -> tuple[NumberedCitation, ...]:
    """Return every cited quote under a number, in order of first citation."""
    unique: dict[QuoteKey, Citation] = {}
    for sentence in sentences:
        for citation in sentence.citations:
            unique.setdefault(citation.key, citation)
    return tuple(
        NumberedCitation(
            **citation.model_dump(),
            number=number,
            place=cited_location(citation, language, context),
        )
        for number, citation in enumerate(unique.values(), start=1)
    )


def as_text(reply: Reply, citations: Sequence[NumberedCitation], language: str) -> str:
    """Return Markdown: prose as paragraphs, verbatim sentences as quotes, each with its numbers."""
    body = [_list(reply, citations)] if reply.listed else _paragraphs(reply, citations, language)
    return "\n\n".join(text for text in (reply.opening, *body, reply.closing) if text)


def _paragraphs(reply: Reply, citations: Sequence[NumberedCitation], language: str) -> list[str]:
    headings = reply.headings or [""] * len(reply.sentences)
    lines = ((heading, "prose", s) for heading, s in zip(headings, reply.sentences, strict=True))
    return paragraphs(lines, lambda sentence: _marks(sentence, citations, language))


def _list(reply: Reply, citations: Sequence[NumberedCitation]) -> str:
    """Return the locations of a reply, one a line."""
    names = {c.key: f"{c.place} [{c.number}]" for c in citations}
    lines = [
        f"- {names[sentence.citations[0].key]}{f' ({note})' if note else ''}"
        for sentence, note in zip(reply.sentences, reply.notes, strict=True)
    ]
    return "\n".join(lines)


def as_html(reply: Reply, citations: Sequence[NumberedCitation], language: str) -> str:
    """Return the reply as HTML; text of documents and models is escaped."""
    html = []
    for line in filter(None, as_text(reply, citations, language).splitlines()):
        mark, _, text = line.partition(" ")
        tag = _TAGS.get(mark, "p")
        html.append(f"<{tag}>{escape(text if mark in _TAGS else line)}</{tag}>")
    return "".join(html)


def as_speech(reply: Reply) -> str:
    """Return the reply without numbers and marks."""
    sentences = () if reply.listed else reply.sentences
    spoken = (f"{sentence.case} {sentence.text}" for sentence in sentences)
    return " ".join(" ".join([reply.opening, *spoken, reply.closing]).split())


def _marks(sentence: CitedSentence, citations: Sequence[NumberedCitation], language: str) -> str:
    """Return ``[1][3]``, with a warning where these quotes are no proof."""
    warning = "" if sentence.supported else f"[⚠ {unproven(sentence, language)}]"
    keys = {citation.key for citation in sentence.citations}
    numbers = [c.number for c in citations if c.key in keys]
    return "".join(f"[{number}]" for number in numbers) + warning
