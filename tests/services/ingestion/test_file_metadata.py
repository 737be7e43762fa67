"""What files say of themselves, one parser after the other."""

from datetime import UTC, date, datetime
from pathlib import Path
from typing import Any

import docx
from hypothesis import given
from hypothesis import strategies as st

from services.domain import DocumentMetadata
from services.ingestion.parsers.docx_parser import parse_docx
from services.ingestion.parsers.extraction import Extraction
from services.ingestion.parsers.file_metadata import file_metadata, text_metadata
from services.ingestion.parsers.pdf.parser import parse_pdf
from services.language.quantities.numbers import iso_date
from tests.support.parsed_files import parse_file
from tests.support.pdf_files import lines, make_pdf


def pdf(folder: Path, **info: str) -> Extraction:
    path = folder / "a.pdf"
    path.write_bytes(make_pdf([lines(700, "Ein Text über Lärm.")], info=info))
    return parse_pdf(path)


def test_pdf_information(tmp_path: Path) -> None:
    extraction = pdf(
        tmp_path,
        Author="Ada  Lovelace",
        Keywords="Lärm; Arbeit, lärmarm",
        CreationDate="D:20170627120000+02'00'",
        ModDate="D:20200101",
    )
    assert extraction.metadata == metadata(
        tags=("Lärm", "Arbeit", "lärmarm"), author="Ada Lovelace", date="2017-06-27"
    )
    assert pdf(tmp_path, ModDate="D:20200101").metadata == metadata(date="2020-01-01")
    assert pdf(tmp_path, Author="", CreationDate="gestern").metadata == metadata()
    assert pdf(tmp_path).metadata == metadata()
    broken = pdf(tmp_path, Author="Ada\ud800", CreationDate="D:2017")
    assert (str(broken.metadata.date), broken.text) == ("2017-01-01", "Ein Text über Lärm.")


def metadata(**stated: Any) -> DocumentMetadata:
    return DocumentMetadata.model_validate(stated)


def word(folder: Path, **properties: Any) -> DocumentMetadata:
    document = docx.Document()
    document.add_paragraph("Ein Text über Lärm.")
    for name, value in properties.items():
        setattr(document.core_properties, name, value)
    document.save(str(folder / "a.docx"))
    return parse_docx(folder / "a.docx").metadata


def test_word_properties(tmp_path: Path) -> None:
    created, modified = datetime(2019, 5, 4, tzinfo=UTC), datetime(2020, 6, 7, tzinfo=UTC)
    said = word(
        tmp_path,
        author="Ada",
        category="Recht",
        keywords="Lärm, Arbeit",
        created=created,
        modified=modified,
    )
    assert said == metadata(
        tags=("Lärm", "Arbeit"), category="Recht", author="Ada", date="2020-06-07"
    )
    assert word(tmp_path, author="", created=created).date == date(2019, 5, 4)
    assert word(tmp_path, author="Ada") == metadata(author="Ada"), "no day of the template"


def test_what_is_stated_stays_small() -> None:
    said = file_metadata(
        tags=", ".join(map(str, range(1000))), author="x\x00y " * 1000, category="Zeile\nzwei"
    )
    assert len(said.tags) == 50 and said.category == "Zeile zwei"
    assert said.author is not None and len(said.author) <= 200 and "\x00" not in said.author
    for placeholder in ("(anonymous)", "Unknown", "python-docx", "<ada@x.org>", "~"):
        assert file_metadata(author=placeholder) == metadata()


YAML = st.text(alphabet=st.sampled_from("ab12-:.[]{}&*!|>?%@`'\"#,~ \n\t\x85"), max_size=60)


@given(st.sampled_from(["date", "tags", "author", "x"]), YAML)
def test_no_front_matter_is_an_error(name: str, value: str) -> None:
    for text in (f"---\n{name}: {value}\n---\n", f"---\n{value}\n---\n", f"Date: {value}"):
        said = text_metadata(text)
        assert said.date is None or isinstance(said.date, date)
        assert all(tag == tag.strip() != "" for tag in said.tags)


def test_the_metadata_of_a_file_passes_the_worker(tmp_path: Path) -> None:
    path = tmp_path / "a.md"
    path.write_text("---\nauthor: Ada\ndate: 2020-06-07\ntags: [Lärm]\n---\n\nText.\n")
    found = parse_file(path, timeout_s=60, memory_mb=1024).metadata
    assert (found.author, str(found.date), found.tags) == ("Ada", "2020-06-07", ("Lärm",))
    assert text_metadata("---\n" + "[" * 5000 + "\n---\n") == metadata()


def test_a_month_of_other_letters_is_no_date() -> None:
    assert iso_date("1. April 2001") == "2001-04-01"
    assert iso_date("1. Apr\u0131l 2001") is None  # matched, since case does not count
