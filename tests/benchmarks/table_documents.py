"""Write the documents of ``data/tables/documents.jsonl``, whose tables are in several styles.

python -m tests.benchmarks.table_documents FOLDER
"""

import sys
from pathlib import Path

from docx import Document
from docx.oxml import OxmlElement
from reportlab.lib import colors
from reportlab.lib.pagesizes import A4
from reportlab.lib.styles import getSampleStyleSheet
from reportlab.platypus import Flowable, Paragraph, SimpleDocTemplate, Spacer, Table

from tests.benchmarks.common import DATA, Row, read_lines

FIRST, LAST = (0, 0), (-1, -1)
STYLES = {
    "grid": [("GRID", FIRST, LAST, 0.5, colors.black)],
    "bold": [("FONTNAME", FIRST, (-1, 0), "Helvetica-Bold")],
    "lines": [("LINEBELOW", FIRST, LAST, 0.4, colors.grey)],
    "stripes": [("ROWBACKGROUNDS", FIRST, LAST, [colors.lightgrey, colors.white])],
    "rules": [
        ("LINEABOVE", FIRST, (-1, 0), 1, colors.black),
        ("LINEBELOW", FIRST, (-1, 0), 0.5, colors.black),
        ("LINEBELOW", (0, -1), LAST, 1, colors.black),
    ],
}


def write_pdf(path: Path, described: Row) -> None:
    """Write a title, a paragraph and a table."""
    styles = getSampleStyleSheet()
    body, rows = styles["BodyText"], described["rows"]
    if described.get("wrapped"):
        rows = [[Paragraph(text, body) for text in row] for row in rows]
    style = [each for name in described["style"] for each in STYLES[name]]
    for (top, left), (bottom, right) in described.get("spans", ()):
        style.append(("SPAN", (left, top), (right, bottom)))
    prose = "This page was made for a test of tables. The figures below belong to no real thing."
    story: list[Flowable] = [
        Paragraph(described["title"], styles["Title"]),
        Paragraph(prose, body),
        Spacer(1, 12),
        Table(rows, repeatRows=described.get("heads", 1), style=style),
        Spacer(1, 12),
        Paragraph("All values were checked once more in spring.", body),
    ]
    SimpleDocTemplate(str(path), pagesize=A4, title=described["title"]).build(story)


def write_docx(path: Path, described: Row) -> None:
    """Write a heading, perhaps a paragraph, and a table."""
    document, rows = Document(), described["rows"]
    document.add_heading(described["title"], 1)
    if "prose" in described:
        document.add_paragraph(described["prose"])
    table = document.add_table(len(rows), len(rows[0]))
    for line, texts in zip(table.rows, rows, strict=True):
        for cell, text in zip(line.cells, texts, strict=True):
            cell.text = text
    if "style" in described:
        table.style = described["style"]
    for first, last in described.get("spans", ()):
        table.cell(*first).merge(table.cell(*last))
    for row in table.rows[: described.get("heads", 0)]:
        row._tr.get_or_add_trPr().append(OxmlElement("w:tblHeader"))
    document.save(str(path))


def main(folder: Path) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    for described in read_lines(DATA / "tables" / "documents.jsonl"):
        path = folder / described["file"]
        (write_pdf if path.suffix == ".pdf" else write_docx)(path, described)


if __name__ == "__main__":
    main(Path(sys.argv[1]))
