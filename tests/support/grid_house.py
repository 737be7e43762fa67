"""An engine over three leases, with the scripted model of grids."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from agent.engine.engine import Engine, connect_to
from agent.engine.grids import columns_of
from services.domain import Principal
from services.domain.grids import CellReading, GridTable, SweepResult
from services.settings import Settings
from tests.support.desk import make_services
from tests.support.grid_model import DEPOSIT, NOTICE, TASKS
from tests.support.scripted_model import Answer, ScriptedModel

CONTRACTS = {
    "nord.md": "# Mietvertrag Nord\n\n## § 1 Laufzeit\n\n"
    "Die Kündigungsfrist beträgt drei Monate.\n\n## § 2 Recht\n\nEs gilt deutsches Recht.\n",
    "sued.md": "# Mietvertrag Süd\n\n## § 1 Laufzeit\n\n"
    "Die Kündigungsfrist beträgt drei Monate.\n\n## § 2 Kaution\n\n"
    "Die Kaution beträgt 2.400 Euro.\n",
    "west.md": "# Mietvertrag West\n\n## § 1 Laufzeit\n\nDie Kündigungsfrist beträgt 30 Tage.\n",
}

SWEPT = "Welche Kündigungsfristen gibt es?"


class House:
    def __init__(self, home: Path, model: ScriptedModel | None = None, **settings: Any) -> None:
        self.model = model or ScriptedModel()
        self.play()
        settings = {"llm": "none", "reads": "yes", **settings}
        services = make_services(home, self.model, settings=Settings(home=home, **settings))
        self.engine: Engine = connect_to(services, Principal())
        self.folder = home.parent / "contracts"
        self.folder.mkdir()
        for name, text in CONTRACTS.items():
            self.write(name, text)
        self.ingest()

    def play(self, **answers: Answer | Sequence[Answer]) -> None:
        self.model.play([(f"^{name}$", said) for name, said in (TASKS | answers).items()])

    def write(self, name: str, text: str) -> None:
        (self.folder / name).write_text(text, encoding="utf-8")

    def ingest(self) -> None:
        self.engine.library.ingest([self.folder], "miete")

    def grid(self, **options: Any) -> str:
        columns = columns_of([(NOTICE, "number"), (DEPOSIT, "number")])
        return self.engine.grids.create("Mietverträge", columns, collections=["miete"], **options)

    def read(self, thread: str) -> GridTable:
        self.engine.grids.run(thread)
        for _ in self.engine.threads.follow(thread):
            pass
        run = self.engine.threads.run(thread)
        assert run.status == "done", run.error
        return self.engine.grids.table(thread)

    def swept(self, question: str = SWEPT, **options: Any) -> SweepResult:
        """What a new sweep of the contracts finds."""
        thread = self.engine.grids.sweep(question, collections=["miete"], **options)
        self.read(thread)
        return self.engine.grids.result(thread)

    def reading(self, table: GridTable, row: int, column: int) -> CellReading:
        reading = self.engine.grids.cell(table.thread_id, table.rows[row].id, column).reading
        assert reading is not None
        return reading

    def asked(self, task: str) -> int:
        return sum(request.task == task for request in self.model.requests)


def long_text(subject: str, sections: int = 60) -> str:
    """A document of so many sections that no quick answer reads them all."""
    body = " ".join(f"Der Satz {n} sagt etwas anderes." for n in range(12))
    return "".join(f"## § {n} {subject} {n}\n\n{subject}. {body}\n\n" for n in range(1, sections))
