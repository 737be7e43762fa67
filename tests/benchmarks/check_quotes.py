"""Second witness for quotes: are they in the files, on the pages that the report names?

    python -m tests.benchmarks.check_quotes REPORT.json DOCUMENTS_DIR

REPORT.json is a research report or a result file of ``rabbithole eval answers``. Every object
with a ``quote`` and a ``document`` counts, wherever it stands in the JSON. PDFs are read with pypdf
(the product reads them with another library), DOCX with python-docx, the rest as text; nothing
of the product is imported. Compared without white space, hyphens and soft hyphens, since those
are what two extractions of a PDF legitimately differ in; everything else must agree, but for the
heads of columns before the cells of a table's row.

Exit code: 0 all quotes hold, 1 some do not or there is none, 2 usage.
"""

import argparse
import hashlib
import json
import re
import sys
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

_QUOTE_MARKS = str.maketrans(dict.fromkeys("„“”‟»«", '"') | dict.fromkeys("‚‘’‛›‹", "'"))
# \x02 is how PDFium writes a hyphen at the end of a line.
_DROPPED = re.compile(r"[\s\x02\u00ad\u200b\ufeff\-\u2010\u2011]+")
_MARKDOWN = re.compile(r"[*_`#>|\\]+")
_BARS = " | "
_SHA256 = re.compile(r"[0-9a-f]{64}")


@dataclass(frozen=True)
class Quote:
    """A quote as a report claims it. ``where`` is its path in the JSON; ``page`` is 1-based."""

    where: str
    document: str
    document_id: str
    page: int | None
    text: str


def squeeze(text: str) -> str:
    """Text without white space and hyphens, with one kind of quote mark."""
    folded = unicodedata.normalize("NFKC", text).translate(_QUOTE_MARKS)
    return _DROPPED.sub("", folded)


def quotes_in(value: Any, where: str = "$") -> Iterator[Quote]:
    """All quotes of a JSON value in document order, at any depth."""
    if isinstance(value, list):
        for index, item in enumerate(value):
            yield from quotes_in(item, f"{where}[{index}]")
    elif isinstance(value, dict):
        if isinstance(value.get("quote"), str) and isinstance(value.get("document"), str):
            document_id = str(value.get("document_id") or "")
            yield Quote(where, value["document"], document_id, value.get("page"), value["quote"])
        for key, item in value.items():
            yield from quotes_in(item, f"{where}.{key}")


def _row_stands(row: str, text: str) -> bool:
    """Whether the cells of a row stand in a squeezed text; those shared with rows above may not."""
    cells = row.split(_BARS)
    return any(
        re.search("[|;]*".join(map(_cell, cells[start:])), text) for start in range(len(cells) - 1)
    )


def _cell(cell: str) -> str:
    """A pattern for a cell with or without its head."""
    after = (match.end() for match in re.finditer(": ", cell))
    return f"(?:{'|'.join(re.escape(squeeze(cell[start:])) for start in (0, *after))})"


class Witness:
    """One file read by a library that the product does not use for it."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._suffix = path.suffix.lower()
        self._read: dict[int, list[str]] = {}

    @cached_property
    def sha256(self) -> str:
        return hashlib.sha256(self._path.read_bytes()).hexdigest()

    def problem(self, quote: Quote) -> str | None:
        """Why the quote does not hold, or None if it does."""
        if _SHA256.fullmatch(quote.document_id) and quote.document_id != self.sha256:
            return "the file is not the one that was cited (other SHA-256)"
        if not squeeze(quote.text):
            return "the quote is empty"
        problem = self._misplaced(quote) if self._suffix == ".pdf" else self._absent(quote)
        return None if problem and self._holds_rows(quote) else problem

    def _absent(self, quote: Quote) -> str | None:
        return None if self._fold(quote.text) in self._text else "not in the document"

    def _misplaced(self, quote: Quote) -> str | None:
        """A quote of a PDF must begin on its page; it may run on, across the running lines."""
        page, wanted = quote.page, squeeze(quote.text)
        if page is None:
            return "no page is given"
        if not self._lines(page):
            return f"page {page} does not exist or holds no text"
        if wanted in self._whole(page):
            return None
        for text in (self._body, self._whole):
            first = text(page)
            if 0 <= (first + text(page + 1)).find(wanted) < len(first):
                return None
        beside = (other for other in (page - 1, page + 1) if wanted in self._whole(other))
        return next((f"on page {n}, not on page {page}" for n in beside), f"not on page {page}")

    def _holds_rows(self, quote: Quote) -> bool:
        """Whether the cells of quoted rows of tables stand one after another, without the heads
        that the product puts before them."""
        lines = [line for line in quote.text.splitlines() if line.strip()]
        if self._suffix == ".pdf":
            page = quote.page or 0
            around = self._whole(page) + self._whole(page + 1)
        else:
            around = self._text
        rows = (_row_stands(line, around) or self._fold(line) in around for line in lines)
        return any(_BARS in line for line in lines) and all(rows)

    def _fold(self, text: str) -> str:
        """Marks of Markdown do not count: a parser may drop or keep them."""
        return squeeze(_MARKDOWN.sub("", text) if self._suffix == ".md" else text)

    @cached_property
    def _text(self) -> str:
        if self._suffix == ".docx":
            return self._fold(_docx_text(self._path))
        return self._fold(self._path.read_text(encoding="utf-8-sig", errors="replace"))

    @cached_property
    def _pdf(self) -> Any:
        import pypdf

        return pypdf.PdfReader(self._path)

    def _lines(self, page: int) -> list[str]:
        """Non-empty lines of a page, counted from 1; none if there is no such page."""
        if page not in self._read:
            exists = 0 < page <= len(self._pdf.pages)
            text = self._pdf.pages[page - 1].extract_text() if exists else ""
            self._read[page] = [line for line in text.splitlines() if line.strip()]
        return self._read[page]

    def _whole(self, page: int) -> str:
        return squeeze("\n".join(self._lines(page)))

    def _body(self, page: int) -> str:
        """A page without the header and footer lines that it shares, up to digits, with a
        neighbour."""
        lines = self._lines(page)
        for at, part in ((0, slice(1, None)), (-1, slice(None, -1))):
            beside = (self._lines(page - 1), self._lines(page + 1))
            shared = {re.sub(r"\d+", "#", other[at]) for other in beside if other}
            if lines and re.sub(r"\d+", "#", lines[at]) in shared:
                lines = lines[part]
        return squeeze("\n".join(lines))


def _docx_text(path: Path) -> str:
    import docx
    from docx.table import Table

    blocks = docx.Document(str(path)).iter_inner_content()
    return "\n".join(
        "\n".join(cell.text for row in block.rows for cell in row.cells)
        if isinstance(block, Table)
        else block.text
        for block in blocks
    )


def check(report: Any, documents: Path) -> list[tuple[Quote, str | None]]:
    """Every quote of a report with its problem, None where it holds.

    Files are found by name anywhere below ``documents``; of several with the same name the one
    with the cited SHA-256 counts.
    """
    files: dict[str, list[Witness]] = {}
    for path in sorted(documents.rglob("*")):
        if path.is_file():
            files.setdefault(path.name, []).append(Witness(path))
    results = []
    for quote in quotes_in(report):
        candidates = files.get(quote.document, [])
        same = [w for w in candidates if len(candidates) > 1 and w.sha256 == quote.document_id]
        witness = next(iter(same or candidates), None)
        problem = witness.problem(quote) if witness else f"no file of this name below {documents}"
        results.append((quote, problem))
    return results


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("report", type=Path, help="report or result file (JSON)")
    parser.add_argument("documents", type=Path, help="folder that holds the documents")
    options = parser.parse_args(arguments)
    if not options.documents.is_dir():
        parser.error(f"{options.documents} is not a folder")
    try:
        report = json.loads(options.report.read_text(encoding="utf-8"))
    except (OSError, json.JSONDecodeError) as error:
        parser.error(f"{options.report} cannot be read as JSON: {error}")
    results = check(report, options.documents)
    for quote, problem in results:
        if problem:
            print(f"{quote.where}: {quote.document}, page {quote.page}: {problem}")
            print(f"  “{quote.text}”")
    held = sum(problem is None for _, problem in results)
    percent = f" ({held / len(results):.1%})" if results else ""
    print(f"{held} of {len(results)} quotes hold{percent}")
    return 0 if results and held == len(results) else 1


if __name__ == "__main__":
    sys.exit(main())
