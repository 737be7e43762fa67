"""A home in which every text that somebody could have written attacks the page that shows it."""

import sqlite3
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from agent.engine.engine import Engine, connect
from agent.models import RunOptions
from services.domain import MetadataChanges
from services.domain.events import PlanItem
from services.settings import Settings
from tests.support.desk import until_ended, until_waiting
from tests.support.pdf_files import Text, make_pdf

FILE = "![x](www.evil.example) <img src=x onerror=alert(1)> [a](javascript:alert(1)) $x$ _b_"
"""A file's name cannot hold the slashes of an address."""
QUESTION = "Welche Pflichten hat der Betreiber?"
DUTY = "Der Betreiber hat die Pflicht"


@dataclass(frozen=True)
class View:
    """A place in the app, and a text that stands there when it has been drawn."""

    name: str
    path: str
    ready: str


def prepare(home: Path, attacks: Sequence[str]) -> list[View]:
    """Fills ``home``; the views on it, one for each kind of page."""
    with connect(Settings(home=home, llm="none")) as client:
        shelf = client.library.create_collection(
            attacks[0][:90], description=" ".join(attacks)[:900]
        )
        here = shelf.collection_id
        report = client.library.ingest(_files(home.parent / "files", attacks), here)
        assert [each.status for each in report.files].count("failed") == 1, report
        for number, info in enumerate(client.library.documents(here), 3):
            tags = tuple(attack.replace(",", ";")[:190] for attack in attacks[:3])
            word = attacks[number][:190]
            changes = MetadataChanges(tags=tags, category=word, author=word, date="2026-11-22")
            client.library.edit_document(here, info.document_id, changes)
        client.settings.set_parameter("enabled", True, attacks[0][:60])
        views = [
            *_research(client, home, attacks),
            *_asked(client, attacks),
            *_library(client, here),
            *_settings(),
        ]
    return views


def _files(folder: Path, attacks: Sequence[str]) -> list[Path]:
    """A text, a PDF, and one that cannot be read."""
    folder.mkdir()
    parts = [
        f"§ {number} Pflichten {attack}\n\n(1) {DUTY} {number}, {attack}"
        for number, attack in enumerate(attacks, 1)
    ]
    text, sheet, broken = (folder / f"{FILE}{end}" for end in (".md", ".pdf", " kaputt.pdf"))
    text.write_text("\n\n".join([f"# Satzung {attacks[0]}", *parts]), encoding="utf-8")
    page = [Text(40, 800 - 20 * row, f"{DUTY}: {attack}", 6) for row, attack in enumerate(attacks)]
    sheet.write_bytes(make_pdf([page], info={"Title": attacks[1], "Author": attacks[2]}))
    broken.write_bytes(b"%PDF-1.4\n" + attacks[0].encode())
    return [text, sheet, broken]


def _research(client: Engine, home: Path, attacks: Sequence[str]) -> Iterator[View]:
    question = f"{QUESTION} {' '.join(attacks)}"
    planned, done, failed = (
        client.threads.start(question, options=RunOptions(clarify=False)) for _ in range(3)
    )
    until_waiting(client, planned)
    plan = until_waiting(client, done)
    until_waiting(client, failed)
    items = [PlanItem(id=n, task=each, context=each) for n, each in enumerate(attacks[:2], 1)]
    client.threads.approve(done, plan.interrupt_id, items)
    assert until_ended(client, done) == "done"
    client.threads.rename(done, attacks[0][:190])
    _fail(home / "catalog.sqlite3", failed, " ".join(attacks))
    yield View("start", "/", "Gründlich")
    yield View("plan", f"/?thread={planned}", "Plan zur Freigabe")
    yield View("failed", f"/?thread={failed}", "Gescheitert")
    yield View("report", f"/?thread={done}&cite=1", "Exportieren")
    yield View("runs", "/runs", "Die Dauer zählt")
    yield View("replay", f"/runs?replay={done}", "Die Recherche beginnt")


def _asked(client: Engine, attacks: Sequence[str]) -> Iterator[View]:
    """A conversation: an answer, and a count whose places are listed."""
    talk = client.answers.ask(f"{QUESTION} {' '.join(attacks)}"[:4000]).thread_id
    assert until_ended(client, talk) == "done"
    client.answers.ask("In wie vielen Paragraphen kommt das Wort Pflichten vor?", thread_id=talk)
    assert until_ended(client, talk) == "done"
    client.answers.vote(talk, up=False, text=attacks[0][:190])
    yield View("ask", f"/ask?thread={talk}", "Einzelheiten")


def _fail(catalog: Path, thread: str, error: str) -> None:
    """As if a model server had answered with this error."""
    with sqlite3.connect(catalog) as connection:
        change = "UPDATE runs SET status = 'failed', pending = NULL, error = ? WHERE thread_id = ?"
        connection.execute(change, [error, thread])


def _library(client: Engine, here: str) -> Iterator[View]:
    documents = client.library.documents(here)
    for info in documents:
        opened = f"doc={info.document_id}"
        ready = "Seite" if info.pages else "Zum Abschnitt springen"
        yield View("document", f"/document?{opened}&span=20-900", ready)
        yield View("documents", f"/library?collection={here}&{opened}", "Entfernen")
    for view, ready in (("search", "Art der Suche"), ("health", "prüfen"), ("manage", "Archiv")):
        yield View(view, f"/library?collection={here}&view={view}", ready)


def _settings() -> Iterator[View]:
    sections = {
        "models": "Sprachmodell",
        "parameters": "Neues Profil",
        "program": "beenden",
    }
    for section, ready in sections.items():
        yield View(section, f"/settings?section={section}", ready)
