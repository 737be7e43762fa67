"""Reports of the real pipeline with their documents, and ways to tamper with them."""

import copy
import json
from pathlib import Path
from typing import Any

from agent.models import RunOptions
from agent.offline import verified
from services.settings import Settings
from tests.support.desk import LAW, QUESTION, open_desk, until_ended
from tests.support.law_pdf import law_pdf, law_sentences

Json = dict[str, Any]
OF_THE_PDF = "Welche Prüfergebnisse hat der Betreiber nach Nummer 7 aufzubewahren?"


def made_reports(folder: Path) -> dict[str, Json]:
    """A research and two quick answers, one of them over a PDF; documents lie in ``docs``."""
    docs = folder / "docs" / "laws"
    docs.mkdir(parents=True)
    (docs / "LaermG.txt").write_text(LAW, encoding="utf-8")
    (docs / "PruefG.pdf").write_bytes(law_pdf(law_sentences(60)))
    with open_desk(folder / "home") as client:
        client.library.ingest([docs / "PruefG.pdf"], "pruefung")
        options = RunOptions(clarify=False, approve_plan=False)
        thread = client.threads.start(QUESTION, collections=["laerm"], options=options)
        assert until_ended(client, thread) == "done"
        found = {"research": client.threads.report(thread)}
        for name, question, collection in (
            ("ask", QUESTION, "laerm"),
            ("pdf", OF_THE_PDF, "pruefung"),
        ):
            asked = client.answers.ask(question, collections=[collection])
            until_ended(client, asked.thread_id)
            found[name] = client.answers.turns(asked.thread_id)[asked.turn - 1]
    return {name: report for name, report in found.items() if report}


class Case:
    """A report that a test may change, and what verification says of it."""

    def __init__(self, report: Json, folder: Path, documents: Path) -> None:
        self.report = copy.deepcopy(report)
        self.documents = documents
        self._file = folder / "report.json"

    @property
    def sentence(self) -> Json:
        """The first sentence that is proven."""
        found: Json = next(each for each in self.report["sentences"] if each["citations"])
        return found

    @property
    def citation(self) -> Json:
        found: Json = self.sentence["citations"][0]
        return found

    def verified(self, documents: Path | None = None) -> Json:
        self._file.write_text(json.dumps(self.report), encoding="utf-8")
        # Neither the home of the tests nor one of this machine has the originals.
        settings = Settings(home=self._file.parent / "no home")
        return verified(self._file, documents or self.documents, settings)

    def reasons(self) -> list[str]:
        found = self.verified()
        assert not found["ok"]
        return [each["reason"] for each in found["failed"]]
