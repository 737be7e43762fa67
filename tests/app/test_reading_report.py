"""What was not read of a file is told again wherever its document is shown."""

from pathlib import Path

import openpyxl
import pytest

from agent.engine.engine import Engine
from tests.support.library_window import open_library, reads
from tests.support.pages import open_app, texts_of
from tests.support.shell import Shell
from tests.support.waiting import until

TITLE = "Lesebericht: was fehlt oder unsicher ist"
TOLD = "Ausgeblendete Blätter werden nicht gelesen: Entwurf."
PLAIN = "hidden sheets are not read: Entwurf"


@pytest.fixture
def workbook(tmp_path: Path) -> Path:
    book = openpyxl.Workbook()
    for row in (["Nuklid", "Freigrenze"], ["Tritium", 1000]):
        book.active.append(row)
    book.create_sheet("Entwurf").sheet_state = "hidden"
    book["Entwurf"].append(["Nuklid", 5])
    book.save(tmp_path / "werte.xlsx")
    return tmp_path / "werte.xlsx"


def test_the_library_the_document_and_its_quotes_tell_it(owner: Engine, workbook: Path) -> None:
    owner.library.ingest([workbook], "laerm")
    document_id = owner.library.document("werte.xlsx").document_id
    listed = reads(open_library(owner, doc=document_id))
    assert TITLE in listed and TOLD in listed
    at = open_app(owner, page="document", doc=document_id)
    assert TITLE in reads(at) and TOLD in reads(at)
    asked = owner.answers.ask("Welche Freigrenze hat Tritium?", documents=["werte.xlsx"])
    until(lambda: owner.threads.run(asked.thread_id).status not in ("queued", "running"))
    assert TOLD in texts_of(open_app(owner, thread=asked.thread_id)).replace("\\", "")


def test_commands_tell_it(shell: Shell, workbook: Path) -> None:
    shell.json("ingest", str(workbook), "--collection", "laerm")
    assert shell.json("documents", "show", workbook.name)["warnings"] == [PLAIN]
    assert f"Warning: {PLAIN}" in shell.run("documents", "show", workbook.name).stdout
