"""Write the office files of the reading questions: a contract, its amendment, prices, minutes.

    python -m tests.benchmarks.reading.office_files FOLDER

The firms and their figures are invented. The same texts come out of every run.
"""

import csv
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

from docx import Document
from reportlab.lib import colors
from reportlab.lib.pagesizes import A4
from reportlab.lib.styles import getSampleStyleSheet
from reportlab.platypus import Flowable, Paragraph, SimpleDocTemplate, Table, TableStyle

from tests.benchmarks.common import DATA

TEXTS = DATA / "office"
WORD_FILES = ("wartungsvertrag-lindenhof", "nachtrag-1-lindenhof", "minutes-2025-03-18")


def write_docx(path: Path, text: str) -> None:
    """Write a title and paragraphs, and headings where a paragraph begins with ``#``."""
    title, _, text = text.partition("\n")
    document = Document()
    document.add_heading(title, level=0)
    for block in text.strip().split("\n\n"):
        heading, _, body = block.partition("\n") if block.startswith("# ") else ("", "", block)
        if heading:
            document.add_heading(heading.removeprefix("# "), level=1)
        for paragraph in _paragraphs(body):
            document.add_paragraph(paragraph)
    document.save(str(path))


def _paragraphs(body: str) -> Iterator[str]:
    """Paragraphs of wrapped lines; a line that begins with ``(1)`` begins a paragraph."""
    lines: list[str] = []
    for line in body.splitlines():
        if line.startswith("(") and line[1].isdigit() and lines:
            yield " ".join(lines)
            lines = []
        lines.append(line)
    yield " ".join(lines)


def write_prices(path: Path) -> None:
    """Write the price list as a PDF: the notes, then one table over two pages."""
    with (TEXTS / "prices.csv").open(encoding="utf-8", newline="") as file:
        rows = list(csv.reader(file, delimiter=";"))
    head = ["Part no.", "Part", "Net price (EUR)", "Lead time (working days)"]
    style = TableStyle([("GRID", (0, 0), (-1, -1), 0.5, colors.grey)])
    styles = getSampleStyleSheet()
    content: Sequence[Flowable] = [
        Paragraph("Nordlift spare parts price list 2025", styles["Title"]),
        Paragraph("1. Terms", styles["Heading1"]),
        Paragraph((TEXTS / "terms.md").read_text("utf-8"), styles["BodyText"]),
        Paragraph("2. Prices", styles["Heading1"]),
        Table([head, *rows], repeatRows=1, style=style),
    ]
    SimpleDocTemplate(str(path), pagesize=A4, invariant=1).build(list(content))


def main() -> None:
    folder = Path(sys.argv[1])
    folder.mkdir(parents=True, exist_ok=True)
    for name in WORD_FILES:
        write_docx(folder / f"{name}.docx", (TEXTS / f"{name}.md").read_text("utf-8"))
    write_prices(folder / "nordlift-price-list-2025.pdf")


if __name__ == "__main__":
    main()
