"""The event log of a work on the library, folded into a line a file."""

from dataclasses import dataclass, field

from agent.client import Client
from agent.works import Work
from services.events import DocumentProgress, EventRecord, IngestProgress

ENDED = ("done", "unchanged", "failed")


@dataclass
class WorkLog:
    """What a work has told so far: the newest of every file, by name, and of the whole."""

    files: dict[str, DocumentProgress] = field(default_factory=dict)
    whole: IngestProgress | None = None
    last_at: str | None = None

    def take_in(self, record: EventRecord) -> None:
        """Adds an event, the next in order."""
        self.last_at = record.at
        match record.event:
            case DocumentProgress() as progress:
                self.files[progress.document] = progress
            case IngestProgress() as progress:
                self.whole = progress
            case _:
                pass

    @property
    def failed(self) -> list[DocumentProgress]:
        return [each for each in self.files.values() if each.stage == "failed"]

    @property
    def moving(self) -> list[DocumentProgress]:
        return [each for each in self.files.values() if each.stage not in ENDED]

    @property
    def finished(self) -> list[DocumentProgress]:
        return [each for each in self.files.values() if each.stage in ("done", "unchanged")]


class WorkReader:
    """Reads the log of a work page by page, and the next time only what is new."""

    def __init__(self, number: int) -> None:
        self.number = number
        self.log = WorkLog()
        self._last = 0

    def read(self, client: Client) -> tuple[Work, WorkLog]:
        """The work as it is now, and all that it has told."""
        work, page = client.follow_work(self.number, self._last)
        while page:
            for record in page:
                self.log.take_in(record)
            self._last = page[-1].seq
            work, page = client.follow_work(self.number, self._last)
        return work, self.log
