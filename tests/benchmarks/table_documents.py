"""Write the documents of the questions on tables into a folder.

    python -m tests.benchmarks.table_documents FOLDER [CLONES]

``data/tables/documents.jsonl`` describes those that are made. ``data/tables/sources.jsonl`` names
public files, which are read from ``CLONES/NAME``, clones of their repositories.
"""

import csv
import html
import subprocess
import sys
from collections.abc import Callable
from itertools import product
from pathlib import Path

from docx import Document
from docx.oxml import OxmlElement
from openpyxl import Workbook
from openpyxl.worksheet.worksheet import Worksheet
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


def write_html(path: Path, described: Row) -> None:
    """Write a page with a heading and a table, whose heads are marked."""
    rows, heads = described["rows"], described["heads"]
    spans = {tuple(first): last for first, last in described.get("spans", ())}
    covered = {
        place
        for (top, left), (bottom, right) in spans.items()
        for place in product(range(top, bottom + 1), range(left, right + 1))
    }
    lines = []
    for top, row in enumerate(rows):
        cells = []
        for left, text in enumerate(row):
            bottom, right = spans.get((top, left), (top, left))
            if (top, left) in covered and (top, left) not in spans:
                continue
            tag = "th" if top < heads else "td"
            size = f'rowspan="{bottom - top + 1}" colspan="{right - left + 1}"'
            cells.append(f"<{tag} {size}>{html.escape(text)}</{tag}>")
        lines.append(f"<tr>{''.join(cells)}</tr>")
    title, body = html.escape(described["title"]), "\n".join(lines)
    page = f"<title>{title}</title><h1>{title}</h1>\n<table>\n{body}\n</table>\n"
    path.write_text(f'<!doctype html><meta charset="utf-8">{page}', encoding="utf-8")


def write_csv(path: Path, described: Row) -> None:
    with path.open("w", newline="", encoding="utf-8") as file:
        csv.writer(file, delimiter=described["delimiter"]).writerows(described["rows"])


def write_xlsx(path: Path, described: Row) -> None:
    """Write a sheet for the rows, and for those of each further sheet."""
    workbook = Workbook()
    first = workbook.active
    assert isinstance(first, Worksheet)
    first.title = described.get("sheet", "Tabelle1")
    sheets = [(first, described["rows"])]
    sheets += [(workbook.create_sheet(name), rows) for name, rows in described.get("sheets", ())]
    for sheet, rows in sheets:
        for row in rows:
            sheet.append(row)
        for column, shown in described.get("formats", {}).items():
            for (cell,) in sheet.iter_rows(min_col=int(column) + 1, max_col=int(column) + 1):
                cell.number_format = shown
    workbook.save(path)


WRITERS: dict[str, Callable[[Path, Row], None]] = {
    ".pdf": write_pdf,
    ".docx": write_docx,
    ".html": write_html,
    ".csv": write_csv,
    ".xlsx": write_xlsx,
}


def main(folder: Path, clones: Path | None = None) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    for described in read_lines(DATA / "tables" / "documents.jsonl"):
        path = folder / described["file"]
        WRITERS[path.suffix](path, described)
    for source in read_lines(DATA / "tables" / "sources.jsonl") if clones else ():
        path = Path(source["path"])
        clone = Path(str(clones), source["repo"].partition("/")[2])
        shown = ["git", "-C", clone, "show", f"{source['commit']}:{source['path']}"]
        (folder / path.name).write_bytes(
            subprocess.run(shown, check=True, capture_output=True).stdout
        )


if __name__ == "__main__":
    main(*map(Path, sys.argv[1:]))
