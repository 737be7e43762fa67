"""Share of chunks whose section is the one that the PDF's own outline puts them in.

    python -m tests.benchmarks.section_accuracy FILE.pdf …

The check shares no code with the parser's section finding. It reads the characters of every
page with their heights, finds each chunk in this stream, and asks the outline which entry was
opened last before the height of the chunk's first character.
"""

import ctypes
import re
import sys
import time
from bisect import bisect_right
from dataclasses import dataclass
from pathlib import Path

import pypdfium2
import pypdfium2.raw as pdfium

from services.ingestion.chunking import chunk
from services.ingestion.parse import parse_file

_PROBE = 60
"""Letters of a chunk that are looked for; fewer if they run into a page footer."""
_SLACK = 3.0
"""Points by which an outline may point below the top of its heading."""
_LABEL = re.compile(r"(§+ ?\d+[a-z]*|(?:[^\W\d_]+) \d+[a-z]?|\d+(?:\.\d+)*)\b")


@dataclass(frozen=True)
class Stream:
    """All letters and digits of a PDF in reading order, with page and distance from its top."""

    text: str
    places: list[tuple[int, float]]


def read_stream(document: pypdfium2.PdfDocument) -> Stream:
    """Collect the characters with the place of each."""
    letters: list[str] = []
    places: list[tuple[int, float]] = []
    left, right, bottom, top = (ctypes.c_double() for _ in range(4))
    for number, page in enumerate(document):
        text_page = page.get_textpage()
        for index in range(text_page.count_chars()):
            character = chr(pdfium.FPDFText_GetUnicode(text_page, index))
            if character.isalnum():
                pdfium.FPDFText_GetCharBox(text_page, index, left, right, bottom, top)
                letters.append(character)
                places.append((number, page.get_height() - top.value))
    return Stream("".join(letters), places)


def read_outline(document: pypdfium2.PdfDocument) -> list[tuple[tuple[int, float], str]]:
    """Places of the outline's entries with their titles, in the order of the document."""
    entries = []
    for bookmark in document.get_toc():
        target = bookmark.get_dest()
        page = target.get_index()
        height = document[page].get_height()
        entries.append(((page, height - target.get_view()[1][1] - _SLACK), bookmark.get_title()))
    return sorted(entries, key=lambda entry: entry[0])


def find(stream: Stream, text: str, start: int) -> int | None:
    """Where a chunk starts in the stream, at or after ``start``."""
    letters = "".join(character for character in text if character.isalnum())
    for length in (_PROBE, 30, 15, 10):
        position = stream.text.find(letters[:length], start)
        if position >= 0:
            return position
    return None


def label_of(title: str) -> str:
    """The citable part of an outline title, by a rule of its own."""
    match = _LABEL.match(title)
    return " ".join(match[1].split()) if match else ""


def main(paths: list[str]) -> int:
    """Print the share for each file, and every chunk that disagrees."""
    worst = 1.0
    for path in map(Path, paths):
        began = time.perf_counter()
        parsed = parse_file(path, language="de", timeout_s=120, memory_mb=2048)
        seconds = time.perf_counter() - began
        chunks = chunk(parsed, count_tokens=lambda text: len(text) // 3)
        document = pypdfium2.PdfDocument(path)
        stream, outline = read_stream(document), read_outline(document)
        starts = [place for place, _ in outline]
        position, right = 0, 0
        for span in chunks:
            text = parsed.text[span.start : span.end]
            found = find(stream, text, position)
            expected = "not found"
            if found is not None:
                position = found + 1
                opened = bisect_right(starts, stream.places[found]) - 1
                expected = label_of(outline[opened][1]) if opened >= 0 else ""
            right += expected == span.section
            if expected != span.section:
                print(f"  {expected!r} expected, {span.section!r} stored: {text[:70]!r}")
        share = right / len(chunks)
        worst = min(worst, share)
        print(
            f"{path.name}: {right} of {len(chunks)} chunks ({share:.1%}), parsed in {seconds:.2f} s"
        )
    return 0 if worst >= 0.98 else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
