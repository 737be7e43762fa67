"""Ingestion without embedding, parsing, and finding that nothing changed.

``python -m tests.benchmarks.ingestion_speed [--files N]``: real catalog, Chroma and tantivy under a
temporary folder, the fake embedder of the tests. Prints milliseconds a chunk of a first
ingestion, pages a second of the sample laws, and the seconds of ingesting N (1,000)
unchanged files again, with the load of the machine.
"""

import tempfile
import time
from contextlib import closing
from pathlib import Path

from services.domain import IngestReport
from services.ingestion.parse import FileParser
from services.settings import WORKING_COPY, Settings
from tests.benchmarks import common
from tests.support.catalogs import new_catalog
from tests.support.ingestion import Bench
from tests.support.real_stores import open_stores

SAMPLES = WORKING_COPY / "kb" / "samples"
SENTENCE = "Satz {n}.{k} nennt einen Grenzwert von {k} Millisievert nach § {n} Absatz {k}. "


def main() -> None:
    parser = common.arguments(__doc__)
    parser.add_argument("--files", type=int, default=1000)
    files = parser.parse_args().files
    print(common.load())
    with tempfile.TemporaryDirectory() as name:
        home = Path(name)
        speed_of_parsing()
        with new_catalog(home / "catalog.sqlite3") as catalog, open_stores(home) as stores:
            bench = Bench(catalog, home, parser=FileParser(Settings()), **stores)
            tell("samples", bench.ingest(SAMPLES))
            folder = home / "folder"
            write_files(folder, files)
            tell(f"{files} small files", bench.ingest(folder))
            report = bench.ingest(folder)
            assert all(file.status == "unchanged" for file in report.files)
            print(f"{files} unchanged files: {report.seconds:.2f} s")


def tell(what: str, report: IngestReport) -> None:
    beside = report.seconds - report.embed_s
    print(
        f"{what}: {1000 * beside / report.chunks:.1f} ms a chunk beside embedding "
        f"({report.chunks} chunks, {report.seconds:.1f} s: parse {report.parse_s:.1f}, "
        f"index {report.index_s:.1f})"
    )


def speed_of_parsing() -> None:
    """Pages a second of the sample laws, the start of the parser's process included."""
    paths = sorted(SAMPLES.rglob("*.pdf"))
    started = time.perf_counter()
    with closing(FileParser(Settings())) as parser:
        pages = sum(len(parser(p).pages) for p in paths)
    print(f"parsing: {pages / (time.perf_counter() - started):.0f} pages/s ({pages} pages)")


def write_files(folder: Path, files: int) -> None:
    folder.mkdir()
    for n in range(files):
        text = "".join(SENTENCE.format(n=n, k=k) for k in range(1, 20))
        (folder / f"{n:05}.txt").write_text(f"§ 1 Titel\n{text}\n")


if __name__ == "__main__":
    main()
