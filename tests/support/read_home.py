"""A home with something in each view, for tests that look and change nothing that others see."""

import copy
import uuid
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from agent.engine.engine import Engine, connect
from services.settings import Settings
from tests.support.app_server import AppServer
from tests.support.desk import LAW, ask, until_waiting
from tests.support.law_pdf import law_pdf, law_sentences
from tests.support.research import WITH_PLAN, report_of, researched

QUESTION = "Wie lange sind Prüfergebnisse aufzubewahren? Wem sind sie vorzulegen?"
NOISE = "Welcher Grenzwert des Lärms gilt für Beschäftigte?"
COUNT = "In wie vielen Paragraphen kommt das Wort Grenzwert vor?"
LOOSE = "Die Prüfergebnisse müssen digital aufbewahrt werden."
AGAINST = "Prüfergebnisse sind niemandem vorzulegen."


@dataclass(frozen=True)
class ReadHome:
    """The home, the server of the app on it, and threads in it: what each has come to.

    ``doubtful`` is a report with a loose sentence and a contradiction, ``reviewed`` the same for
    the test that decides on them, ``talk`` a conversation; ``versions`` of a document the newer
    first.
    """

    home: Path
    server: AppServer
    report: dict[str, Any]
    doubtful: str
    reviewed: str
    planned: str
    talk: str
    versions: tuple[str, str]

    @property
    def url(self) -> str:
        return self.server.url


def fill(folder: Path) -> ReadHome:
    """Makes it in a folder of its own; the server is to be started."""
    law, noise, home = folder / "PruefG.pdf", folder / "LaermG.txt", folder / "home"
    law.write_bytes(law_pdf(law_sentences(40)))
    noise.write_text(LAW, encoding="utf-8")
    with connect(Settings(home=home, llm="none")) as client:
        client.library.ingest([law], "laws")
        client.library.ingest([noise], "laerm")
        report = report_of(client, researched(client, QUESTION, collections=["laws"]))
        doubtful, reviewed = (_doubtful(client, report) for _ in range(2))
        planned = client.threads.start(QUESTION, options=WITH_PLAN, collections=["laws"])
        until_waiting(client, planned)
        talk = ask(client, NOISE, collections=["laerm"])["thread_id"]
        ask(client, COUNT, thread_id=talk)
        versions = _two_versions(client, folder / "Schallschutz.txt")
    return ReadHome(home, AppServer(home), report, doubtful, reviewed, planned, talk, versions)


def _two_versions(client: Engine, file: Path) -> tuple[str, str]:
    for limit in ("85", "80"):
        file.write_text(LAW.replace("85", limit).replace("Lärm", "Schall"), encoding="utf-8")
        client.library.ingest([file], "versions")
    new, old = client.library.versions("versions", file.name)
    return new.document_id, old.document_id


def _doubtful(client: Engine, finished: dict[str, Any]) -> str:
    """A copy of a finished report, into which two sentences came that are no proof."""
    thread = _copied(client, finished)
    put_doubts(client, thread)
    return thread


def put_doubts(client: Engine, thread: str) -> None:
    """Puts a loose sentence and a contradiction behind the first sentence of a report."""
    report = report_of(client, thread)
    first = report["sentences"][0]
    for text, standing, reason, word in (
        (LOOSE, "loose", "Nicht in der Stelle: digital.", "digital"),
        (AGAINST, "contradicts", "Die Stelle sagt, wem sie vorzulegen sind.", "niemandem"),
    ):
        doubt = copy.deepcopy(first) | {"text": text, "standing": standing, "reason": reason}
        report["sentences"].insert(1, doubt | {"supported": False, "decisive": [word]})
    texts = [each["text"] for each in report["sentences"][:3]]
    report["answer"] = report["answer"].replace(first["text"], "\n\n".join(texts), 1)
    report["certainty"] = "answered"  # as by a model that reads
    client._catalog.runs.update(thread, report=report)


def _copied(client: Engine, finished: dict[str, Any]) -> str:
    thread, runs = uuid.uuid4().hex, client._catalog.runs
    collections = client.threads.run(finished["thread_id"]).collections
    runs.create(thread, client.principal, QUESTION, collections, {})
    runs.update(thread, status="done", report=finished | {"thread_id": thread})
    return thread
