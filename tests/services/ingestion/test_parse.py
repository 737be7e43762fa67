"""parse_file: what comes back, and what is said about files beside those of test_bad_files."""

import zipfile
from io import BytesIO
from pathlib import Path

import pytest
from openpyxl import Workbook

from services.domain import ParsedDocument
from services.domain.errors import UnreadableDocument
from tests.support.parsed_files import parse_file
from tests.support.pdf_files import lines, make_pdf

GERMAN = (
    "Der Betreiber hat dafür zu sorgen, dass die Grenzwerte nicht überschritten werden und "
    "dass die Personen, die in den Räumen arbeiten, über die Gefahren unterrichtet sind."
)


def parse(path: Path, language: str = "auto", timeout_s: float = 60) -> ParsedDocument:
    return parse_file(path, language=language, timeout_s=timeout_s, memory_mb=2048)


def written(folder: Path, name: str, content: bytes) -> Path:
    path = folder / name
    path.write_bytes(content)
    return path


def test_module_in_the_callers_folder_is_not_run(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    written(tmp_path, "json.py", b"raise SystemExit('run from the current folder')")
    monkeypatch.chdir(tmp_path)
    assert parse(written(tmp_path, "a.txt", b"Some text.")).text == "Some text."


def zipped(name: str, content: str) -> bytes:
    target = BytesIO()
    with zipfile.ZipFile(target, "w") as archive:
        archive.writestr(name, content)
    return target.getvalue()


def unforeseen_workbook() -> bytes:
    """A sheet whose styles have an attribute that its library does not know."""
    workbook = Workbook()
    workbook.active["A1"] = "Text"
    workbook.save(sound := BytesIO())
    odd = BytesIO()
    with zipfile.ZipFile(sound) as source, zipfile.ZipFile(odd, "w") as target:
        for name in source.namelist():
            target.writestr(name, source.read(name).replace(b"<xf ", b'<xf odd="1" '))
    return odd.getvalue()


@pytest.mark.parametrize(
    ("name", "content", "reason", "way_out"),
    [
        ("blank.txt", b" \n\n ", "contains no text", "nothing to ingest"),
        ("bild.txt", b"\x89PNG\r\n\x1a\n....", "PNG image", ".pdf, .docx, .odt, .rtf, .txt, .md"),
        ("binaer.txt", bytes(range(32)) * 8, "binary", "UTF-8"),
        ("tabelle.docx", zipped("xl/workbook.xml", "<workbook/>"), "Excel", "tabelle.xlsx"),
        ("kaputt.docx", zipped("word/document.xml", "<not closed"), "damaged", "save it again"),
        ("seltsam.xlsx", unforeseen_workbook(), "parser failed", "save it again"),
        ("seite.rb", b"puts 1", ".rb", ".pdf, .docx, .odt, .rtf, .txt, .md"),
        ("ohne", make_pdf([lines(700, "A")]), "content is a PDF", "ohne.pdf"),
    ],
)
def test_an_unreadable_file_is_reported_with_reason_and_advice(
    tmp_path: Path, name: str, content: bytes, reason: str, way_out: str
) -> None:
    with pytest.raises(UnreadableDocument) as raised:
        parse(written(tmp_path, name, content))
    message = str(raised.value)
    assert message.startswith(f"{name}: ")
    assert reason in message
    assert way_out in message


def test_missing_file_is_unreadable(tmp_path: Path) -> None:
    with pytest.raises(UnreadableDocument, match=r"fehlt\.pdf: .*No such file"):
        parse(tmp_path / "fehlt.pdf")


def test_a_slow_file_times_out(tmp_path: Path) -> None:
    path = written(tmp_path, "langsam.txt", GERMAN.encode())
    with pytest.raises(UnreadableDocument, match=r"langsam\.txt: .*longer than 0\.001 s"):
        parse(path, timeout_s=0.001)


def test_huge_file_meets_the_memory_limit(tmp_path: Path) -> None:
    path = written(tmp_path, "riesig.txt", b"Wort \n" * 10_000_000)
    with pytest.raises(UnreadableDocument, match=r"riesig\.txt: .*ran out of memory \(128 MB\)"):
        parse_file(path, timeout_s=60, memory_mb=128)
