"""What a reference manager shows beside a source: the quotes that were taken from it."""

from services.export.document import Document, Passage, Source


def source_notes(document: Document, source: Source) -> list[str]:
    """``[1] StrlSchG.pdf · § 78 · S. 50: the quote`` for every passage of the source."""
    return [
        f"[{passage.number}] {document.place(passage)}: {_quote(passage)}"
        for passage in document.passages
        if passage.source == source.number
    ]


def _quote(passage: Passage) -> str:
    return f"{passage.case} … {passage.quote}" if passage.case else passage.quote
