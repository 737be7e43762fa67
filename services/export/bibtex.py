"""The sources of a report as BibTeX, in UTF-8, which BibTeX 0.99d and Biber read."""

import re
from collections.abc import Iterable
from pathlib import PurePath

from services.export.document import Document, Source
from services.export.notes import source_notes

_SPECIAL = {
    "\\": r"\textbackslash{}",
    "{": r"\textbraceleft{}",
    "}": r"\textbraceright{}",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    "<": r"\textless{}",
    ">": r"\textgreater{}",
    "|": r"\textbar{}",
    '"': r"\textquotedbl{}",
    **{char: f"\\{char}" for char in "#$%&_"},
}
_ANY_SPECIAL = re.compile(f"[{re.escape(''.join(_SPECIAL))}]")


def to_bibtex(document: Document) -> bytes:
    """One entry a source; quotes stand in its annotation, by number."""
    keys = _keys(document.sources)
    entries = (
        _entry(key, document, source) for key, source in zip(keys, document.sources, strict=True)
    )
    return "\n".join(entries).encode()


def latex(text: str) -> str:
    """Text that LaTeX prints letter by letter; its braces are always balanced."""
    return _ANY_SPECIAL.sub(lambda match: _SPECIAL[match[0]], text)


def _keys(sources: Iterable[Source]) -> list[str]:
    """``StrlSchG``: ASCII letters and digits of the file's name, each key once."""
    keys: list[str] = []
    for source in sources:
        stem = re.sub(r"[^A-Za-z0-9]", "", PurePath(source.document).stem) or "source"
        keys.append(stem if stem not in keys else f"{stem}-{source.number}")
    return keys


def _entry(key: str, document: Document, source: Source) -> str:
    fields = {
        "title": f"{{{latex(source.title)}}}",
        # Braces keep a name whole: an author may be an office, not a person.
        "author": f"{{{latex(source.author)}}}" if source.author else "",
        "year": source.date[:4],
        "date": source.date,
        "pages": ", ".join(map(str, source.pages)),
        "howpublished": latex(source.document),
        "note": latex(document.description(source)),
        "annote": latex(" ".join(source_notes(document, source))),
    }
    lines = [f"  {name} = {{{value}}},\n" for name, value in fields.items() if value]
    return f"@misc{{{key},\n{''.join(lines)}}}\n"
