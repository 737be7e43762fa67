"""How much faster an ingestion is with two workers of Ray than with one or the local engine.

``python -m tests.benchmarks.ray_speed [--files N] [--rounds N] [--without-local]``: each round
ingests the same folder by one worker, two workers and the local engine, in turns forth and back,
into new homes with the real stores and the bundled embedding model. The texts are pieces of the
sample documents, changed so that none of their vectors is known. Prints seconds in all, without
the start of the cluster, and from the first quarter of the files on, when models are loaded; and
the load.
"""

import re
import statistics
import tempfile
import time
from collections.abc import Iterator
from contextlib import closing
from functools import partial
from itertools import islice
from pathlib import Path
from typing import NamedTuple

from services.domain.events import DocumentProgress, Event
from services.ingestion.file_reader import FileReader
from services.ingestion.parse import FileParser
from services.ingestion.pipeline import Ingestor
from services.ingestion.ray_reader import RayReader
from services.retrieval.embedders import BundledEmbedder
from services.settings import WORKING_COPY, Settings
from tests.benchmarks import common
from tests.support.catalogs import new_catalog
from tests.support.ingestion import Bench
from tests.support.real_stores import open_stores

SAMPLES = WORKING_COPY / "kb" / "samples"


class Took(NamedTuple):
    """Seconds."""

    whole: float
    beside_start: float
    steady: float


class TimedReader(RayReader):
    """Remembers how long its cluster took to start."""

    seconds = 0.0

    def _start(self) -> None:
        started = time.perf_counter()
        super()._start()
        TimedReader.seconds = time.perf_counter() - started


class Ends(list[Event]):
    """When each file was done."""

    def __init__(self) -> None:
        super().__init__()
        self.times: list[float] = []

    def append(self, event: Event) -> None:
        if isinstance(event, DocumentProgress) and event.stage == "done":
            self.times.append(time.perf_counter())


def main() -> None:
    parser = common.arguments(__doc__)
    parser.add_argument("--files", type=int, default=200)
    parser.add_argument("--characters", type=int, default=3000)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--without-local", action="store_true")
    given = parser.parse_args()
    kinds = ["1 worker", "2 workers"] if given.without_local else ["1 worker", "2 workers", "local"]
    took: dict[str, list[Took]] = {kind: [] for kind in kinds}
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name) / "folder"
        write_files(folder, given.files, given.characters)
        for number in range(given.rounds):
            for kind in kinds[:: -1 if number % 2 else 1]:
                took[kind].append(measured(folder, Path(name) / f"{number} {kind}", kind))
                print(f"{kind}: {took[kind][-1]} {common.load()}", flush=True)
    for field in Took._fields:
        ratios = [
            getattr(one, field) / getattr(two, field)
            for one, two in zip(took["1 worker"], took["2 workers"], strict=True)
        ]
        print(f"{field}: one worker takes {statistics.median(ratios):.2f} times two", ratios)


def measured(folder: Path, home: Path, kind: str) -> Took:
    TimedReader.seconds = 0.0
    settings = Settings(home=home)
    ends = Ends()
    make_reader = (
        FileReader if kind == "local" else partial(TimedReader, settings, most=int(kind[0]))
    )
    with new_catalog(home / "catalog.sqlite3") as catalog, open_stores(home) as stores:
        bench = Bench(catalog, home, **stores)
        ingestor = Ingestor(
            catalog,
            BundledEmbedder(),
            bench.vectors,
            bench.lexical,
            settings,
            make_reader=make_reader,
        )
        report = ingestor.ingest([folder], collection_id=bench.collection(), on_event=ends.append)
    assert {file.status for file in report.files} == {"added"}
    steady = ends.times[-1] - ends.times[len(ends.times) // 4]
    return Took(report.seconds, report.seconds - TimedReader.seconds, steady)


def pieces(characters: int) -> Iterator[str]:
    """Of the sample documents, with another number where there is one."""
    for around in range(1, 100):
        for path in sorted(SAMPLES.rglob("*.pdf")):
            with closing(FileParser(Settings())) as parse:
                text = parse(path).text
            text = re.sub(r"\d+", lambda found, n=around: str(int(found[0][:9]) + n), text)
            yield from (text[at : at + characters] for at in range(0, len(text), characters))


def write_files(folder: Path, files: int, characters: int) -> None:
    folder.mkdir()
    for n, text in enumerate(islice(pieces(characters), files)):
        (folder / f"{n:05}.txt").write_text(f"Stück {n}\n\n{text}\n")


if __name__ == "__main__":
    main()
