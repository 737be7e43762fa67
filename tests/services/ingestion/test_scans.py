"""Pages that are pictures: read within limits, kept with their places, named where they are not."""

from contextlib import closing
from itertools import count
from pathlib import Path
from typing import Any

import pytest
from PIL import Image

from services.domain import ParsedDocument, RecognisedLine, RecognisedWord
from services.domain.errors import UnreadableDocument
from services.ingestion.parse import (
    MOST_SECONDS,
    PARSER_VERSION,
    FileParser,
    ReadPicture,
    read_pictures,
)
from services.ingestion.parsers.pdf import ocr
from services.ingestion.worker import WorkerJob, WorkerPool
from services.settings import Settings
from tests.support.ingestion import Bench
from tests.support.parsed_files import parse_file
from tests.support.pdf_files import PAGE_HEIGHT, Text, lines, make_pdf
from tests.support.scanned import joined, of_images, read_first, scanned, scanned_text

FIRST = "Der Grenzwert beträgt zwanzig Millisievert im Jahr."
SECOND = "Die Messung ist jährlich zu wiederholen."
MISSING = {"unreadable": "install it"}


def line(text: str, y: float = 100.0) -> RecognisedLine:
    words = (
        RecognisedWord(word, 65.0 + 50 * n, y - 9, 110.0 + 50 * n, y + 2, 90 - n)
        for n, word in enumerate(text.split())
    )
    return RecognisedLine(y, 11.0, tuple(words))


def engine(job: WorkerJob) -> dict[str, Any]:
    """Reads the second sentence on every page."""
    assert job.task == "lines"
    return {"lines": [line(SECOND)]}


class PageReader(WorkerPool):
    """Has ``read`` read the pages that are pictures."""

    def __init__(self, read: ReadPicture) -> None:
        super().__init__()
        self._read = read

    def run(self, job: WorkerJob) -> dict[str, Any]:
        return self._read(job) if job.task == "lines" else super().run(job)


def parser_with(read: ReadPicture, most: int = 200) -> FileParser:
    parser = FileParser(Settings(ocr_pages=most))
    parser._workers = PageReader(read)
    return parser


def parsed(
    path: Path, content: bytes, read: ReadPicture = engine, most: int = 200
) -> ParsedDocument:
    path.write_bytes(content)
    with closing(parser_with(read, most)) as parser:
        return parser(path)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "scan.pdf"


@pytest.fixture(scope="module")
def half() -> bytes:
    """A page of text and a page that is a picture."""
    return joined(make_pdf([lines(700, FIRST)]), scanned_text(lines(700, SECOND)))


def test_only_pages_without_text_are_recognised_and_marked(path: Path, half: bytes) -> None:
    asked: list[object] = []
    read = parsed(path, half, lambda job: (asked.append(job.about), engine(job))[1])
    assert asked == [2] and list(read.recognised) == [2]
    assert read.text == f"{FIRST} {SECOND}" and read.pages == (0, len(FIRST) + 1)
    assert not read.is_recognised(0, len(FIRST))
    assert read.is_recognised(len(FIRST) + 1, len(read.text)) and read.is_recognised(5, 90)
    assert (read.unread_pages, read.parser_version) == ((), PARSER_VERSION)
    assert [str(warning) for warning in read.warnings] == [
        "text recognised in images (pages: 2); compare quotes with the page"
    ]


def test_without_an_engine_pages_are_named_with_what_to_install(path: Path, half: bytes) -> None:
    read = parsed(path, half, lambda _: MISSING)
    assert (read.text, read.unread_pages) == (FIRST, (2,))
    (warning,) = read.warnings
    assert str(warning) == "no readable text on pages 2: install it"
    with pytest.raises(UnreadableDocument, match=r"scan\.pdf: no readable text .* install it"):
        parsed(path, scanned_text(lines(700, SECOND)), lambda _: MISSING)


def test_once_there_is_an_engine_the_next_ingestion_reads_them(
    path: Path, half: bytes, bench: Bench
) -> None:
    path.write_bytes(half)
    has_engine = [False]
    bench.parser = parser_with(lambda job: engine(job) if has_engine[0] else MISSING)
    (file,) = bench.ingest(path).files
    assert (file.status, file.unread_pages, len(file.warnings)) == ("added", (2,), 1)
    (file,) = bench.ingest(path).files
    assert (file.status, file.unread_pages, len(file.warnings)) == ("unchanged", (2,), 1)
    has_engine[0] = True
    (file,) = bench.ingest(path).files
    assert (file.status, file.unread_pages) == ("updated", ())
    assert bench.statuses(path) == ["unchanged"]
    document = bench.catalog.documents.parsed(str(file.document_id))
    assert document.recognised == {2: (line(SECOND),)} and document.is_recognised(60, 70)


def test_a_page_that_takes_too_long_or_crashes_is_named_and_the_others_stay(path: Path) -> None:
    answers: dict[object, dict[str, Any]] = {2: {"out_of": "time"}, 3: {"failed": "?"}}
    read = parsed(
        path,
        scanned_text(*[lines(700, SECOND)] * 4),
        lambda job: answers.get(job.about) or engine(job),
    )
    assert list(read.recognised) == [1, 4] and read.unread_pages == (2, 3)
    slow, crashed = map(str, read.warnings[:2])
    assert "on pages 2: each took longer" in slow
    assert "on pages 3: the reader ran out of memory" in crashed


def test_a_file_of_two_thousand_pictures_stops_at_the_limit(path: Path) -> None:
    asked = count()
    page = Image.new("L", (12, 16), 255)
    read = parsed(path, of_images([page] * 2000), lambda job: (next(asked), engine(job))[1], most=5)
    assert next(asked) == 5 and len(read.recognised) == 5
    assert len(read.unread_pages) == 1995
    unread, recognised = map(str, read.warnings)
    assert "on pages 6-2000:" in unread and "RABBITHOLE_OCR_PAGES" in unread
    assert "(pages: 1-5);" in recognised


def test_a_file_has_a_limit_of_time(path: Path) -> None:
    clock = count(step=MOST_SECONDS / 2)
    found = read_pictures(
        engine, WorkerJob(path, 60, 512), range(1, 9), most=100, clock=lambda: float(next(clock))
    )
    assert list(found.recognised) == [1, 2] and found.unread == tuple(range(3, 9))


def test_pictures_of_nothing_are_no_document(path: Path) -> None:
    with pytest.raises(UnreadableDocument, match="none was recognised"):
        parsed(path, scanned_text([]), lambda _: {"lines": []})


def test_another_scan_of_the_same_text_keeps_its_positions(path: Path, bench: Bench) -> None:
    ids = []
    for n, (pages, y) in enumerate([(1, 100.0), (1, 300.0), (0, 0.0)]):
        content = scanned_text(lines(700 - n, SECOND)) if pages else make_pdf([lines(700, SECOND)])
        file = path.with_name(f"{n}.pdf")
        file.write_bytes(content)
        bench.parser = parser_with(lambda _, y=y: {"lines": [line(SECOND, y)]})  # type: ignore[misc]
        ids.append(str(bench.ingest(file).files[0].document_id))
    kept = [bench.catalog.documents.parsed(each) for each in ids]
    assert [each.text for each in kept] == [SECOND] * 3
    places = [[each[0].baseline for each in document.recognised.values()] for document in kept]
    assert places == [[100.0], [300.0], []]


@pytest.mark.parametrize(
    ("manager", "command"),
    [("apt-get", "sudo apt-get install tesseract-ocr"), ("brew", "brew install tesseract")],
)
def test_the_command_of_this_system_is_said(manager: str, command: str) -> None:
    problem = ocr.not_installed(ocr.COMMANDS[manager])
    assert command in str(problem.notice)


def test_without_a_known_package_manager_the_package_is_named() -> None:
    assert "install Tesseract" in str(ocr.not_installed(None).notice)


SAID = "Nach § 5 gelten für Ärzte größere Grenzwerte von 20 Millisievert"


@pytest.mark.parametrize("dpi", [150, 300])
def test_words_and_their_positions(path: Path, dpi: int) -> None:
    path.write_bytes(scanned(make_pdf([[Text(65, 700, SAID)]]), dpi=dpi))
    (line,) = read_first(path)
    assert " ".join(word.text for word in line.words) == SAID
    assert line.words[0].x0 == pytest.approx(65, abs=2)
    assert line.baseline == pytest.approx(PAGE_HEIGHT - 700, abs=1)
    assert all(word.y0 < line.baseline < word.y1 + 1 for word in line.words)


def test_an_empty_picture_has_no_lines(path: Path) -> None:
    path.write_bytes(of_images([Image.new("L", (400, 400), 255)]))
    assert read_first(path) == []


def test_a_page_is_read_as_it_is_shown(path: Path) -> None:
    path.write_bytes(make_pdf([[Text(300, 65, SAID, upward=True)]], rotate=90))
    (line,) = read_first(path)
    assert " ".join(word.text for word in line.words) == SAID


def test_a_scan_is_a_document(path: Path) -> None:
    path.write_bytes(
        scanned_text(
            [*lines(760, "1 Grenzwerte", size=14), *lines(720, f"{SAID} und Jahr.")],
            lines(760, "2 Messung", size=14) + lines(720, "Der Betrieb misst den Lärm jährlich."),
        )
    )
    assert read_first(path)
    read = parse_file(path)
    assert f"{SAID} und Jahr." in read.text and "misst den Lärm jährlich" in read.text
    assert (len(read.pages), read.unread_pages) == (2, ())
    assert "recognised in images (pages: 1-2)" in str(read.warnings[0])
    levels = [(section.title, section.level) for section in read.sections]
    assert levels == [("1 Grenzwerte", 0), ("2 Messung", 0)]
    assert read.is_recognised(0, 5)
