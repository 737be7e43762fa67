"""Answers of workers: those of our parsers are taken, forged ones refused with the file's name."""

import base64
import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from services.domain.errors import UnreadableDocument
from services.domain.notices import Notice
from services.ingestion.answers import Task, longest_answer, read_answer
from services.ingestion.parse import FileParser
from services.ingestion.worker import WorkerJob, WorkerPool
from services.settings import Settings

SECTION = {"label": "§ 1", "title": "§ 1", "level": 0, "heading_path": ["§ 1"]}
DOCUMENT: dict[str, Any] = {
    "title": r"C:\u0000",
    "text": "§ 1 One.\n§ 2 Two.",
    "pages": [0, 9],
    "page_labels": ["i", "ii"],
    "sections": [SECTION | {"start": 0, "end": 9}, SECTION | {"start": 9, "end": 17}],
    "metadata": {"tags": ["a"], "author": "b", "date": "2026-01-31"},
    "unread_pages": [2],
    "pictures": [],
    "warnings": [{"message": "up to {most:,}", "fields": {"most": 2000}}, "plain {braces}"],
}
LINE = [1.0, 2.0, [["word", 0.0, 0.0, 5.5, 2.0, 90]]]
PDF = ["plan.pdf", base64.b64encode(b"%PDF").decode()]


def answered(task: Task, **answer: Any) -> dict[str, Any]:
    return read_answer(task, json.dumps(answer, ensure_ascii=False).encode())


def test_the_answers_of_our_parsers_are_taken() -> None:
    document = answered("document", document=DOCUMENT)["document"]
    assert (document.title, document.text) == (DOCUMENT["title"], DOCUMENT["text"])
    assert document.sections[1].end == 17
    assert [*map(str, document.warnings)] == ["up to 2,000", "plain {braces}"]
    assert answered("lines", lines=[LINE])["lines"][0].words[0].text == "word"
    assert answered("attachments", attachments=[PDF])["attachments"] == (("plan.pdf", b"%PDF"),)
    assert answered("page", unreadable="gone") == {"unreadable": Notice.of("gone")}
    assert answered("lines", failed="KeyError: x") == {"failed": "KeyError: x"}


@pytest.mark.parametrize(
    "change",
    [
        {"pages": [0, 18]},
        {"pages": [9, 0]},
        {"pages": [-1, 0]},
        {"page_labels": ["i"]},
        {"sections": [SECTION | {"start": 0, "end": 18}]},
        {"sections": [SECTION | {"start": 9, "end": 0}]},
        {"unread_pages": [3]},
        {"pictures": [0]},
        {"metadata": {"author": "x" * 201}},
        {"metadata": {"tags": ["x"] * 51}},
        {"text": "x" * 20_000_001},
        {"text": "x\x00"},
        {"title": "\\\\\\\\\x00"},
        {"warnings": [{"message": "{x:9999}", "fields": {"x": 1}}]},
        {"warnings": [{"message": "{x.__class__}", "fields": {"x": "y"}}]},
        {"warnings": [{"message": "{y}", "fields": {"x": "y"}}]},
        {"warnings": [{"message": "{x:,}", "fields": {"x": "y"}}]},
        {"source": "/etc/passwd"},
    ],
    ids=lambda change: str(change)[:50],
)
def test_a_document_that_no_parser_makes_is_refused(change: dict[str, Any]) -> None:
    (kind,) = answered("document", document=DOCUMENT | change)
    assert kind == "failed"


@pytest.mark.parametrize(
    "attached",
    [
        [PDF, PDF],
        [PDF, ["PLAN.pdf", ""]],
        [["../plan.pdf", ""]],
        [["..", ""]],
        [["a\\b.pdf", ""]],
        [["a\nb.pdf", ""]],
        [["x" * 300, ""]],
        [["a.pdf", 7]],
        [[f"{number}.pdf", ""] for number in range(101)],
    ],
)
def test_attachments_that_no_mail_has_are_refused(attached: list[list[object]]) -> None:
    assert [*answered("attachments", attachments=attached)] == ["failed"]


@pytest.mark.parametrize(
    "response",
    [
        b'{"lines": [[NaN, 2.0, []]]}',
        b'{"lines": [[1e999, 2.0, []]]}',
        b'{"lines": [[1, %d, []]]}' % 10**30,
        b'{"lines": [[1.0, 2.0, [["\\ud800", 0, 0, 5, 2, 90]]]]}',
        b'{"lines": [[1.0, 2.0, [["\xed\xa0\x80", 0, 0, 5, 2, 90]]]]}',
        b'{"lines": [], "failed": ""}',
        b'{"attachments": []}',
        b'{"out_of": "time"}',
        b"[" * 100_000,
        b"[]",
        b"",
        b'{"lines',
        b'\xff\xfe{\x00"\x00',
    ],
)
def test_what_is_not_the_answer_to_the_task_is_refused(response: bytes) -> None:
    (kind,) = read_answer("lines", response)
    assert kind == "failed"


def test_a_page_that_is_no_png_is_refused() -> None:
    page = {
        "page": 1,
        "pages": 1,
        "last_page": 1,
        "width": 10.0,
        "height": 10.0,
        "region": {"x0": 0.0, "y0": 0.0, "x1": 10.0, "y1": 10.0},
        "boxes": [],
    }
    for image, kind in ((b"\x89PNG\r\n\x1a\n", "page"), (b"%!PS-Adobe", "failed")):
        png = base64.b64encode(image).decode()
        assert [*answered("page", page=page | {"png": png})] == [kind]


class Forging(WorkerPool):
    """Its workers were taken over."""

    def _ask(self, job: WorkerJob) -> tuple[int, bytes]:
        return 0, b'{"document": {"title": "x"}}'


def test_a_refused_answer_names_the_file(tmp_path: Path) -> None:
    parser = FileParser(Settings())
    parser._workers = Forging()
    with pytest.raises(UnreadableDocument, match=r"^plan\.pdf: the parser failed .*invalid answer"):
        parser(tmp_path / "plan.pdf")


ENDLESS = """
import os, sys, tempfile
from services.ingestion import worker

def parse(path, recognised, **options):
    os.ftruncate(answer.fileno(), 1 << 31)

worker.parse = parse
with tempfile.TemporaryFile() as answer:
    job = worker.WorkerJob(worker.Path(sys.argv[1]), timeout_s=60, memory_mb=1024)
    worker.work(worker.json.loads(job.as_json()), answer)
    print(os.fstat(answer.fileno()).st_size)
"""
"""A parser whose answer would fill the disk."""


@pytest.mark.skipif(os.name != "posix", reason="needs limits on files")
def test_an_answer_has_a_limit(tmp_path: Path) -> None:
    command = [sys.executable, "-c", ENDLESS, str(tmp_path / "plan.txt")]
    ran = subprocess.run(command, capture_output=True, text=True, timeout=120)
    assert int(ran.stdout) < longest_answer("document"), ran.stderr
