"""Small parsed documents, and the shortest way to get one into a catalog."""

import hashlib
from collections.abc import Sequence

from services.catalog import Alias, Catalog
from services.catalog.values import NewDocument, NewMember
from services.domain import ChunkSpan, DetectedReference, ParsedDocument, SectionSpan

PARSER = "test-1"


def law(*sections: str, title: str = "Gesetz", version: str = PARSER) -> ParsedDocument:
    """A text of one section a paragraph: ``§ 1 …``, ``§ 2 …``, one page each."""
    text, spans, pages = "", [], []
    for n, body in enumerate(sections, start=1):
        start = len(text)
        text += f"§ {n} Überschrift\n{body}\n\n"
        pages.append(start)
        spans.append(
            SectionSpan(
                label=f"§ {n}",
                title="Überschrift",
                level=0,
                start=start,
                end=len(text),
                heading_path=(f"§ {n} Überschrift",),
            )
        )
    return ParsedDocument(
        title=title,
        text=text,
        pages=tuple(pages),
        sections=tuple(spans),
        language="de",
        parser_version=version,
    )


def split(parsed: ParsedDocument, size: int = 40) -> list[ChunkSpan]:
    return [
        ChunkSpan(
            start=start,
            end=min(start + size, section.end),
            section=section.label,
            heading_path=section.heading_path,
            page=page,
            page_end=page,
        )
        for page, section in enumerate(parsed.sections, start=1)
        for start in range(section.start, section.end, size)
    ]


def reference(text: str, start: int, label: str) -> DetectedReference:
    return DetectedReference(
        text=text,
        start=start,
        end=start + len(text),
        type="section",
        label=label,
        subdivision=None,
        document=None,
        target=label,
    )


def store(
    catalog: Catalog,
    collection_id: str,
    parsed: ParsedDocument,
    *,
    name: str = "gesetz.txt",
    data: bytes | None = None,
    references: tuple[DetectedReference, ...] = (),
    chunks: Sequence[ChunkSpan] | None = None,
    indexed: bool = True,
) -> str:
    """Add a document, as indexed unless told otherwise; returns its id."""
    sha256 = hashlib.sha256(parsed.text.encode() if data is None else data).hexdigest()
    alias = Alias(
        document_id=sha256, document=name, title=parsed.title, alias=parsed.title, kind="title"
    )
    member = NewMember(sha256, name, f"/somewhere/{name}", [alias])
    cut = split(parsed) if chunks is None else chunks
    new = NewDocument(member, len(parsed.text), parsed, cut, references)
    catalog.documents.add(collection_id, new)
    if indexed:
        catalog.documents.mark_indexed(collection_id, sha256)
    return sha256
